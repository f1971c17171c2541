"""Matchings: every attack can link each record alone, or all records at once.

Alone, each record takes the nearest row. At once, all records are matched one to one at the
least total cost, or each takes its most probable partner over all one-to-one matchings.
"""
