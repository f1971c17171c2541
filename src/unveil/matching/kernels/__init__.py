"""Numba kernels of the matchings: assignment, shortest paths, Sinkhorn scaling."""
