"""What microdata is: the schema, the table, and the arrays that methods work on."""
