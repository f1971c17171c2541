"""Samples of whole households, and households whose members stay together."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks
from unveil.errors import DataError, SchemaError


@pytest.fixture
def people():
    return unveil.households(500, seed=7)


def test_a_sample_of_households_has_all_of_their_members(people):
    release = unveil.mask(people, masks.Sampling(share=0.3, unit="household"), seed=1)
    numbers = people.column("household")
    drawn = numbers.gather(release.row_map).unique()
    assert len(drawn) == int(0.3 * numbers.n_unique())
    assert len(release) == numbers.is_in(drawn.implode()).sum()
    assert release.row_map.tolist() == sorted(release.row_map)
    assert "household" not in release.data.columns
    three = unveil.mask(people, masks.Sampling(records=3, unit="household"), seed=1)
    assert numbers.gather(three.row_map).n_unique() == 3


def test_every_household_is_as_likely_as_any_other():
    frame = pl.DataFrame({"hid": [1, 1, 1, 1, 2, None, None], "age": range(7)})
    data = Microdata(frame, Schema(household="hid", quasi="age"))
    drawn = np.zeros(7)
    for seed in range(400):
        release = unveil.mask(data, masks.Sampling(records=2, unit="household"), seed=seed)
        drawn[release.row_map] += 1
    assert (np.abs(drawn / 400 - 0.5) < 0.1).all()  # two of four households


def test_a_sample_by_household_needs_a_number_and_enough_households(people):
    by_household = masks.Sampling(records=400, unit="household")
    with pytest.raises(DataError, match="a sample of 400 out of [0-9]+ households"):
        unveil.mask(people, by_household)
    with pytest.raises(SchemaError, match="no column is a household number; declare one"):
        unveil.mask(people.select(["age", "sex"]), by_household)


@pytest.mark.parametrize("keep_order", [False, True])
def test_households_stay_together_in_memory_and_in_the_file(people, tmp_path, keep_order):
    plan = unveil.Plan(
        [masks.Shuffle(unit="household")], seed=1, household="keep", keep_order=keep_order
    )
    release = unveil.mask(people, plan)
    path = tmp_path / "r.parquet"
    unveil.write(release, path, row_map=tmp_path / "map.csv")
    for numbers in (release.data.column("household"), pl.read_parquet(path)["household"]):
        runs = (numbers != numbers.shift()).fill_null(value=True).sum()
        assert runs == numbers.n_unique()
        assert numbers.unique(maintain_order=True).to_list() != sorted(set(numbers))
    assert sorted(release.row_map.tolist()) == list(range(500))
    mapped = pl.read_csv(tmp_path / "map.csv")["original"].to_numpy() - 1
    assert mapped.tolist() == release.row_map.tolist()


def test_orders_of_households_and_of_members_are_all_drawn():
    frame = pl.DataFrame({"hid": [1, 1, 1, 2], "age": range(4)})
    data = Microdata(frame, Schema(household="hid", quasi="age"))
    shuffle = masks.Shuffle(unit="household")
    orders = [
        tuple(unveil.mask(data, shuffle, seed=seed, household="keep").row_map.tolist())
        for seed in range(300)
    ]
    assert len(set(orders)) == 12
    assert abs(np.mean([order[0] == 3 for order in orders]) - 0.5) < 0.1  # whatever their sizes
