"""Matchings of all records at once: one-to-one, and the posterior over one-to-one matchings."""
