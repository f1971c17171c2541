"""Frozen values that one step hands to the next: the intruder, the links, the release, results."""
