"""Matchings of two files: the cheapest one-to-one matching and the posterior over all of them."""
