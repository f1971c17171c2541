"""Charts of a summary as Vega-Lite specifications, and their export as pictures."""
