"""The parts of a search for the best masking; the verb itself is not here."""
