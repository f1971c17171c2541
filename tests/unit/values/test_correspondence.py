"""Who is who, read in both directions."""

import numpy as np
import pytest

from unveil.errors import DataError
from unveil.values.correspondence import Correspondence


def test_both_directions_say_the_same():
    rng = np.random.default_rng(5)
    rows = np.where(rng.random(80) < 0.2, -1, rng.permutation(100)[:80])
    truth = Correspondence.from_rows(rows, 100)
    again = Correspondence.from_row_map(truth.record_of_row, 80)
    assert again.row_of_record.tolist() == rows.tolist()
    pairs = zip(truth.records.tolist(), truth.rows.tolist(), strict=True)
    assert sorted(pairs) == [(i, row) for i, row in enumerate(rows.tolist()) if row >= 0]


def test_of_several_rows_of_a_record_all_are_pairs():
    truth = Correspondence.from_row_map([1, 1, -1], n_records=2)
    assert (truth.records.tolist(), truth.rows.tolist()) == ([1, 1], [0, 1])
    assert truth.row_of_record.tolist() == [-1, 1]


def test_some_records_keep_their_rows():
    truth = Correspondence.from_row_map([2, 0, 1], n_records=3)
    assert truth.take_records(np.array([2, 1])).record_of_row.tolist() == [0, -1, 1]


def test_a_row_of_no_record_is_refused():
    with pytest.raises(DataError, match="at least 4 original rows, and this original has 3"):
        Correspondence.from_row_map([3, 0], n_records=3)
