"""Distance-based record linkage, with the costs of single attributes."""
