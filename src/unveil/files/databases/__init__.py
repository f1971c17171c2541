"""Tables of SQLite and PostgreSQL databases, named by URIs."""
