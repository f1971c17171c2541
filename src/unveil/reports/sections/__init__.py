"""Sections of a page: each answers one question from the evidence, and computes nothing."""
