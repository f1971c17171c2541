"""Numba kernels of single masks."""
