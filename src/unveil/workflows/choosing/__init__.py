"""The parts of a choice: space, search, evaluation, study."""
