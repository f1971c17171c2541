"""Readers and writers of schemas, plans, policies (TOML) and evidence (JSON)."""
