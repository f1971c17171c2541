"""Numba kernels of exchange linkage."""
