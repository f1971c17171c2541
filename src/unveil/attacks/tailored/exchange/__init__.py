"""Exchange linkage: masks that swap values in pairs, attacked by following the pairs.

The search for candidates is in `engines/`, the posterior over matchings in `matching/`.
"""
