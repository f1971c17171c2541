"""Text, dates and codes compared by similarity; numbers and plain categories are not compared here."""
