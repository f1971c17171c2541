"""What measures, audits and comparisons return, as plain structs; nothing is computed here."""
