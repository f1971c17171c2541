"""Sections on linkage by match weights: the decisions on pairs, and the weights behind them."""
