"""Synthetic records, drawn from a model of the table."""
