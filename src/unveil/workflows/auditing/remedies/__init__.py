"""Remedies: which further masks are tried, and how far each lowers the risk of a release."""
