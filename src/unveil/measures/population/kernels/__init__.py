"""Passes over the table of all possible keys, and nothing that decides."""
