"""The order of rows by what they hold."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata
from unveil.table.row_identity import content_order, rows_of_ids
from unveil.table.sample import households

TEXTS = [None, "", "a", "B", "ab", "é", "z\u0301", "10", "9", "𝄞"]


def table(rng, n, texts):
    return pl.DataFrame(
        {
            "text": pl.Series(rng.choice(np.array(texts, object), n).tolist(), dtype=pl.String),
            "kind": pl.Series(rng.choice(["x", "w"], n)).cast(pl.Categorical),
            "number": pl.Series(rng.choice([None, 0.5, -1.0], n).tolist(), dtype=pl.Float64),
        }
    )


def keys(frame):
    """Rows as python sorts them: what is missing first, text by its code points."""
    return [
        tuple((cell is not None, cell) if cell is not None else (False,) for cell in row)
        for row in frame.cast({"kind": pl.String}).rows()
    ]


@pytest.mark.parametrize("texts", [TEXTS, [None], ["one"], [f"id {i}" for i in range(500)]])
def test_rows_stand_in_the_order_of_their_cells(texts):
    rng = np.random.default_rng(3)
    frame = table(rng, 300, texts)
    places = content_order(Microdata(frame))
    rows = keys(frame)
    assert sorted(places.tolist()) == list(range(300))
    assert [rows[i] for i in np.argsort(places)] == sorted(rows)


def test_equal_rows_stand_in_the_order_of_their_partners():
    rng = np.random.default_rng(4)
    left, right = table(rng, 200, TEXTS[:3]), table(rng, 150, TEXTS)
    rows = np.append(rng.permutation(150), np.full(50, -1))
    order = content_order(Microdata(left), Microdata(right), rows)
    own, others, nobody = keys(left), keys(right), [(False,)] * 3
    both = [(*one, *(others[j] if j >= 0 else nobody)) for one, j in zip(own, rows, strict=True)]
    assert [both[i] for i in np.argsort(order)] == sorted(both)


def test_rows_are_found_by_an_identifier():
    assert rows_of_ids(pl.Series(["3", "99", None]), households(10), "person").tolist() == [
        2,
        -1,
        -1,
    ]
