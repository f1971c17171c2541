"""What an intruder masks again: the own records, some of whose cells are out of date."""

import numpy as np

import unveil
from unveil.workflows.inputs.stand_in import stale_records


def test_stale_cells_are_those_of_others_at_the_rate_that_is_believed():
    people = unveil.households(2000, seed=7)
    stale = stale_records(people, ["income", "region"], 0.3, np.random.default_rng(1))
    moved = (stale.column("income") != people.column("income")).mean()
    assert abs(moved - 0.3) < 0.04
    assert set(stale.column("income")) <= set(people.column("income"))
    assert stale.column("rent").equals(people.column("rent"))
