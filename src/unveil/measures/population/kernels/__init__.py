"""Compiled search for minimal sample uniques; no statistics."""
