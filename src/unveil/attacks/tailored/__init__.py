"""Method-aware linkage: an intruder who knows the masking method; and the compatible rows."""
