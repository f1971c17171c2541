"""Text, dates and codes compared by similarity; not the attacks that use it."""
