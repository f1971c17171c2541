"""Files in and out: tables in every format and database, documents, checkpoints."""
