"""The embedded sample is deterministic and lifelike."""

import subprocess
import sys

import polars as pl
import pytest

import unveil
from unveil.errors import UsageError
from unveil.support.seeds import stream


def test_same_seed_same_records():
    assert (
        unveil.households(500, seed=3).to_frame().equals(unveil.households(500, seed=3).to_frame())
    )
    assert (
        not unveil.households(500, seed=3)
        .to_frame()
        .equals(unveil.households(500, seed=4).to_frame())
    )


def test_same_records_in_another_process():
    code = "import unveil; print(unveil.households(300, seed=5).to_frame().hash_rows(1).sum())"
    here = unveil.households(300, seed=5).to_frame().hash_rows(1).sum()
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"POLARS_MAX_THREADS": "1"},
    )  # fmt: skip
    assert int(there.stdout) == here


@pytest.mark.parametrize("n", [1, 2, 3, 17])
def test_any_size(n):
    data = unveil.households(n, seed=1)
    sizes = data.to_frame().group_by("household").agg(pl.len(), pl.col("household_size").first())
    assert len(data) == n
    assert (sizes["len"] == sizes["household_size"]).all()


def test_no_records_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        unveil.households(0)


def test_it_looks_like_a_survey():
    frame = unveil.households(20_000, seed=7).to_frame()
    share_missing = frame.null_count().row(0, named=True)
    for column in ("education", "occupation", "income", "savings", "rent", "hours"):
        assert 0.01 < share_missing[column] / len(frame) < 0.1
    money = frame.select("income", "tax", "hours", "age").drop_nulls()
    workers = money.filter(pl.col("hours") > 0)
    correlation = workers.corr()
    assert correlation["income"][1] > 0.9  # income and tax
    assert 0.1 < correlation["income"][2] < 0.9  # income and hours
    income = frame["income"].drop_nulls()
    assert income.skew() > 2
    assert (income == 0).mean() > 0.05
    assert income.n_unique() < 0.8 * len(income)  # ties
    by_education = frame.filter(pl.col("age") > 30).group_by("education").agg(pl.mean("income"))
    pay = dict(by_education.drop_nulls().iter_rows())
    assert pay["primary"] < pay["upper secondary"] < pay["master"]
    # Members of a household share their region, rent and weight.
    inside = frame.group_by("household").agg(pl.col("region", "weight").n_unique())
    assert inside["region"].max() == inside["weight"].max() == 1


def test_streams_are_known_by_their_names_alone():
    draws = {
        names: stream(7, *names).integers(2**62)
        for names in [("a",), ("b",), ("a", "b"), ("ab",), ("b", "a")]
    }
    assert len(set(draws.values())) == len(draws)
    assert stream(7, "a").integers(2**62) == draws["a",]
    assert stream(8, "a").integers(2**62) != draws["a",]
