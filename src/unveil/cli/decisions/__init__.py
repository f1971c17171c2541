"""Decisions on pairs in the terminal: the options that ask for them, and their text."""
