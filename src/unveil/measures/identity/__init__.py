"""Identity disclosure: how many records an attack links correctly, and how sure that is."""
