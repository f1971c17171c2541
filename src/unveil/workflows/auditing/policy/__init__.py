"""A policy held against the evidence of an audit."""
