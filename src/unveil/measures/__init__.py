"""Measures: what an attack gained, and what the masking cost."""
