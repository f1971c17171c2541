"""Results about the population: models of its counts, unique people, minimal sample uniques."""
