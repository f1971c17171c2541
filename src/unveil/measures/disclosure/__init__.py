"""Attribute disclosure: what released rows reveal, whether or not anyone is linked."""
