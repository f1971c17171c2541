"""Knowledge that is out of date: how many cells, whose values, and which rows."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.table.row_identity import content_order
from unveil.workflows.inputs.stale_cells import stale_cells

N = 4000
COLUMNS = ["age", "town"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    gaps = np.arange(N) % 5 == 0
    columns = {
        "age": pl.Series(rng.permutation(N).astype(float)).set(pl.Series(gaps), None),
        "town": pl.Series([f"t{place}" for place in rng.permutation(N)]).set(pl.Series(gaps), None),
        "debt": pl.Series(rng.normal(size=N)),
    }
    return Microdata(pl.DataFrame(columns), Schema(quasi=COLUMNS, nominal="town"))


def stale(people, error, seed=1):
    return stale_cells(people, COLUMNS, error, content_order(people), seed)


@pytest.mark.parametrize("error", [0.0, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("name", COLUMNS)
def test_this_share_of_the_cells_holds_another_persons_value(people, error, name):
    """Every value is there once, so that another person's is another one."""
    before, after = people.column(name), stale(people, error).column(name)
    there = before.is_not_null()
    changed = (before != after).filter(there).mean()
    assert changed == pytest.approx(error, abs=0.03 if 0 < error < 1 else 0)
    assert (after.is_null() == before.is_null()).all()  # missing stays missing, and none is drawn
    assert set(after.drop_nulls()) <= set(before.drop_nulls())
    assert after.dtype == before.dtype


def test_other_columns_stay_as_they_are(people):
    assert stale(people, 0.5).column("debt").equals(people.column("debt"))


def test_columns_are_wrong_independently(people):
    wrong = [people.column(name) != stale(people, 0.5).column(name) for name in COLUMNS]
    assert (wrong[0] & wrong[1]).drop_nulls().mean() == pytest.approx(0.25, abs=0.03)


def test_more_errors_are_the_same_ones_and_others(people):
    few, many = (people.column("age") != stale(people, error).column("age") for error in (0.1, 0.4))
    assert (few & ~many).sum() == 0
    same = few.fill_null(value=False)
    assert (
        stale(people, 0.1)
        .column("age")
        .filter(same)
        .equals(stale(people, 0.4).column("age").filter(same))
    )


def test_the_order_of_the_rows_means_nothing(people):
    rows = np.random.default_rng(2).permutation(N)
    again = stale(people.take(rows), 0.3)
    for name in COLUMNS:
        assert again.column(name).equals(stale(people, 0.3).column(name).gather(rows))


def test_another_seed_draws_other_cells(people):
    assert not stale(people, 0.3).column("age").equals(stale(people, 0.3, seed=2).column("age"))


@pytest.mark.parametrize("cells", [[3.0], [None, 3.0, None], [None, None]])
def test_where_nobody_else_has_a_value_it_stays(cells):
    alone = Microdata(
        pl.DataFrame({"age": pl.Series(cells, dtype=pl.Float64)}), Schema(quasi="age")
    )
    after = stale_cells(alone, ["age"], 1.0, np.arange(len(cells)), 1)
    assert after.column("age").equals(alone.column("age"))
