"""Microaggregation: groups of similar records, each replaced by its centre."""
