"""Reports: what an audit or a comparison found, as one page to show to others."""

"""Reports: what an audit found, for people to read."""
