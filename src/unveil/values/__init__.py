"""Frozen values that one step hands to the next: the intruder, the links, a pair of files; no methods."""
