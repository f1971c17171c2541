"""Results of measures, audits and comparisons, as plain structs; nothing is computed here."""
