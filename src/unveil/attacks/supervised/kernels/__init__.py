"""Numba kernels of the supervised attack: hitting sets, spans, undominated competitors."""
