"""The table: microdata, its schema and its cells; not what is computed from it."""
