"""Numba on arrays, nothing else."""
