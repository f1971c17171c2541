"""Risk in the population: models of its counts, minimal sample uniques, the usual attackers."""
