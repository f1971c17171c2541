"""Linkage by an intruder who knows the masking method, and the test of compatible rows."""
