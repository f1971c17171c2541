"""Kernels of tools that every room may use: identical rows of an array."""
