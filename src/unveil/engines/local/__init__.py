"""The engine on this machine's cores: index, query blocks and pattern counts, driven from here."""
