"""Inputs of every verb: sources, truth, the intruder's view, the scenario."""
