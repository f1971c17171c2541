"""File formats of tables, each read and written by one module."""
