"""Linkage of two files that have no common attribute."""
