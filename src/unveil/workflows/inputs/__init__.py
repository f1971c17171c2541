"""What every verb reads first: sources, truth, the intruder's view, the scenario."""
