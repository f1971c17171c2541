"""Hypothesis strategies that several tests share."""
