"""Numba kernels of the local engine: tree, walks, costs and pattern counts on arrays."""
