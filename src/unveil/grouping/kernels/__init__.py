"""Numba kernels that partition one file: MDAV, Mondrian, anti-unification, class counts."""
