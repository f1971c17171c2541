"""A few questions about two files of records, answered exactly and in linear memory."""
