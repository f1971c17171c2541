"""Households as records of a wide table, and back."""

import numpy as np

from unveil.masks.generalisation.household_table import household_tables
from unveil.table.households import Homes

#                 age sex region
CODES = np.array(
    [[4, 1, 0], [9, 0, 0], [3, 1, 2], [8, 0, 1], [2, 1, 1], [5, 0, 3], [6, 1, 3]], np.int32
)
HOMES = Homes(np.array([0, 0, 1, 2, 2, 3, 3]))
SHARED = np.array([False, False, True])


def test_one_row_per_household_and_its_columns():
    tables = household_tables(CODES, SHARED, HOMES, k=1)
    assert [table.members.shape for table in tables] == [(1, 1), (3, 2)]
    # The ages of both members, their sexes (members are ordered by these), the region once.
    assert tables[1].keys.tolist() == [0, 0, 1, 1, 2]
    assert tables[1].widen(CODES).tolist() == [[5, 6, 0, 1, 3], [8, 2, 0, 1, 1], [9, 4, 0, 1, 0]]
    assert tables[1].cells_of_columns.tolist() == [1, 1, 1, 1, 2]


def test_sizes_of_few_households_have_no_table():
    assert [len(table.members) for table in household_tables(CODES, SHARED, HOMES, k=2)] == [3]
    assert household_tables(CODES, SHARED, HOMES, k=4) == []


def test_cells_go_back_to_the_members():
    cells = np.full(CODES.shape, -1)
    for table in household_tables(CODES, SHARED, HOMES, k=1):
        table.narrow(table.widen(CODES), cells)
    assert (cells == CODES).all()


def test_a_cell_of_the_household_goes_to_every_member():
    table = household_tables(CODES, SHARED, HOMES, k=2)[0]
    wide = table.widen(CODES)
    wide[:, -1] = 7
    assert table.narrow(wide, CODES.copy())[:, 2].tolist() == [7, 7, 2, 7, 7, 7, 7]


def test_row_order_and_numbers_mean_nothing():
    rng = np.random.default_rng(0)
    for _ in range(20):
        order, numbers = rng.permutation(len(CODES)), rng.permutation(4)
        homes = Homes(numbers[HOMES.of_record[order]])
        again = household_tables(CODES[order], SHARED, homes, k=1)
        for old, new in zip(household_tables(CODES, SHARED, HOMES, k=1), again, strict=True):
            assert (old.widen(CODES) == new.widen(CODES[order])).all()
            assert (order[new.members] == old.members).all()
