"""Loss by use: 0 for the original, 1 for a file in which the use is destroyed."""
