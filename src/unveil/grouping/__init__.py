"""Partitions of one file into groups or classes; not the comparison of two files."""
