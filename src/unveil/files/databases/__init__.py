"""Tables in databases: SQLite and PostgreSQL."""
