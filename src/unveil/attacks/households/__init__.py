"""Household linkage: households are linked as units, then the persons in them."""
