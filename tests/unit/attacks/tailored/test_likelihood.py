"""The likelihood of released cells."""

import numpy as np
import polars as pl

import unveil
from unveil import Microdata, Schema, attacks, masks
from unveil.attacks.tailored.likelihood import _around
from unveil.table.encoding.to_columns import Slack


def test_a_column_of_missing_cells_tells_nothing():
    schema = Schema(quasi=["text", "x"], nominal=["text"])
    texts = pl.Series([None, None, None], dtype=pl.String)
    people = Microdata(pl.DataFrame({"text": texts, "x": [1.0, 2.0, 3.0]}), schema)
    grouped = masks.Mondrian(k=3, cells="means", columns=["text"])
    release = unveil.mask(people, [grouped], seed=1)
    links = unveil.attack(
        people, release, attacks.Tailored(), intruder=unveil.Intruder(knows=["text"])
    )
    assert np.array_equal(links.n_closer, [0, 0, 0])
    assert np.array_equal(links.n_tied, [2, 2, 2])


def test_an_open_end_of_a_range_stays_open():
    """It was no number, which reads as missing."""
    ends = np.array([-np.inf, 2.0, np.inf, np.nan])
    for slack in (Slack(), Slack(0.5, 2.0**-24)):
        low, high = _around(ends, slack)
        assert low[[0, 2]].tolist() == high[[0, 2]].tolist() == [-np.inf, np.inf]
        assert low[1] < 2 < high[1]
        assert np.isnan([low[3], high[3]]).all()
