"""Reports: what an audit or a comparison found, as one page to show to others."""
