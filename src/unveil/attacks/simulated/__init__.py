"""Learning from simulation: the plan is run again, and the law of each masked column is learnt."""
