"""Several attacks combined into one score."""
