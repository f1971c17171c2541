"""Tools without knowledge of the field: specs, seeds, options, threads, compiled kernels."""
