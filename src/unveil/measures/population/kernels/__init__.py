"""Compiled loops of the population measures."""
