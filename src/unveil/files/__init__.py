"""Files in and out: tables, schemas, plans, policies and evidence."""
