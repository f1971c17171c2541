"""One-to-one and posterior linkage: matchings on top of any attack's costs."""
