"""Columns into arrays and back, also for generalised cells and for two files at once."""
