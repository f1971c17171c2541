"""Risk in the population: models of population counts, minimal sample uniques, and the usual attackers."""  # noqa: E501
