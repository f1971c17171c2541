"""Results of single commands as lines and tables for a terminal: words only, nothing is printed."""
