"""Two registers: as many people and errors as asked for, the same for the same seed."""

import polars as pl
import pytest

import unveil
from unveil.errors import UsageError


def test_the_people_in_both_are_as_many_as_asked_for():
    first, second = unveil.registers(200, shared=50, seed=1)
    both = set(first.column("person")) & set(second.column("person"))
    assert (len(first), len(second), len(both)) == (200, 200, 50)
    assert unveil.registers(1)[0].columns == first.columns


def test_the_same_seed_gives_the_same_files_and_another_others():
    once, again, other = (unveil.registers(50, seed=seed) for seed in (1, 1, 2))
    for side in (0, 1):
        assert once[side].to_frame("polars").equals(again[side].to_frame("polars"))
        assert not once[side].to_frame("polars").equals(other[side].to_frame("polars"))


@pytest.mark.parametrize("errors", [0.0, 0.3])
def test_errors_are_as_frequent_as_asked_for(errors):
    first, second = (data.to_frame("polars") for data in unveil.registers(4000, errors=errors))
    joined = first.join(second, on="person", suffix="_b")
    for name in ("given_name", "surname", "born"):
        wrong = (joined[name] != joined[f"{name}_b"]).drop_nulls().mean()
        assert wrong == pytest.approx(errors, abs=0.06)
    assert joined["town_b"].is_null().mean() == pytest.approx(0.03, abs=0.01)
    same = joined.filter(pl.col("postcode") == pl.col("postcode_b"))
    assert len(same) / len(joined) == pytest.approx(0.9 * (1 - errors), abs=0.05)


@pytest.mark.parametrize("how", [{"n": 0}, {"shared": 2000}, {"errors": 2}, {"n": 1.5}])
def test_impossible_wishes_are_refused(how):
    with pytest.raises(UsageError):
        unveil.registers(**how)
