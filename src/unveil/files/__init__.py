"""Files in and out: tables, schemas, and the data sets of the papers."""
