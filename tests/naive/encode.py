"""Slow twins of the encoders."""

from __future__ import annotations


def blocks(values, present):
    """First and last position of each value's ties, by counting; (0, -1) where missing."""
    kept = [v for v, p in zip(values, present, strict=True) if p]
    return [
        (sum(k < v for k in kept), sum(k <= v for k in kept) - 1) if p else (0, -1)
        for v, p in zip(values, present, strict=True)
    ]


def mean_and_deviation(values):
    """The mean and the deviation with n - 1, as the textbook has them."""
    mean = sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5
