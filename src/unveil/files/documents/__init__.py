"""Readers and writers of schemas, plans, policies, row maps and evidence; tables are elsewhere."""
