"""Formal re-identification: belief functions and compatibility with the truth."""
