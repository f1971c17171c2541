"""Linkage of two files that share no attribute."""
