"""Rank-based record linkage, also for nominal categories."""
