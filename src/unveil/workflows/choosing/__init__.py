"""The parts of a choice: the space, the search, one evaluation, the study, the confirmation."""
