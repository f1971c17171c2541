"""Schemas, plans, row maps, policies and evidence as files."""
