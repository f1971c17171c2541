"""CSV files: decoding, header, blocks of records."""
