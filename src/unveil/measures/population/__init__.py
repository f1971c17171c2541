"""Risk in a population that nobody has a file of, by models of its counts."""
