"""Decisions on pairs: the options that ask for them; their text is in reports."""
