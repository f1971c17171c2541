"""Numba kernels of the household linkage: the best assignment of members."""
