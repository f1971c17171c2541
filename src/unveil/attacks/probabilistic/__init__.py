"""Probabilistic record linkage: comparison levels, Fellegi-Sunter weights by EM, thresholds."""
