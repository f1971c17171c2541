"""The jobs a user does, from a source to a result."""
