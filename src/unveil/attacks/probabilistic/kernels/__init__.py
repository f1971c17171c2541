"""Kernels of the comparison levels of pairs, and of the expected matches among them."""
