"""Who lives together in a release: truth of households, and what is read off."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.attacks.households.groupings import Overlap, read_off
from unveil.table.attribute import Attribute
from unveil.table.households import Homes, households_of


def partners(known, shown, record_of_row, *ranks):
    truth = Overlap.of(known, shown, record_of_row).partners(*ranks)
    return truth.row_of_record.tolist(), truth.record_of_row.tolist()


def test_the_true_household_has_most_of_the_members():
    known = Homes(np.array([0, 0, 0, 1, 1, 2]))
    shown = Homes(np.array([1, 1, 0, 0, 0, 2]))
    order = np.arange(3), np.arange(3)
    assert partners(known, shown, np.arange(6), *order) == ([1, 0, 2], [1, 0, 2])


def test_a_household_in_parts_is_the_first_of_them_by_content():
    known, shown = Homes(np.array([0, 0])), Homes(np.array([0, 1]))
    for ranks, first in ((np.array([0, 1]), 0), (np.array([1, 0]), 1)):
        assert partners(known, shown, np.arange(2), np.array([0]), ranks) == ([first], [0, 0])


def test_nobody_released_has_no_true_household():
    known, shown = Homes(np.array([0, 1])), Homes(np.array([0]))
    assert partners(known, shown, np.array([1]), np.arange(2), np.arange(1)) == ([-1, 0], [1])


def test_households_in_one_group_share_its_rows():
    known, shown = Homes(np.array([0, 0, 0, 1, 2])), Homes(np.array([0, 0, 1, 0, 2]))
    overlap = Overlap.of(known, shown, np.array([0, 1, 2, 3, -1]))
    assert not overlap.one_to_one
    assert overlap.household.tolist() == [0, 0, 1]
    assert overlap.pairs.right.tolist() == [2 / 3, 1, 1 / 3]
    assert overlap.pairs.counts.tolist() == [2 / 3, 1 / 3, 1]
    assert Overlap.of(known, known, np.arange(5)).one_to_one


def test_rows_alike_in_all_that_members_share_are_a_household():
    frame = pl.DataFrame(
        {"home": [1, 1, 2, 2, 3, 4], "roof": [*"aabbcc"], "weight": [1, 1, 2, 2, 9, 9]}
    )
    schema = Schema(quasi="roof", household="home", weight="weight")
    people = Microdata(frame, schema)
    homes = households_of(people)
    release = people.select(["roof", "weight"])
    assert sorted(read_off(release, people, homes).sizes.tolist()) == [2, 2, 2]
    several = people.take([0, 1, 2, 3, 2, 3]).select(["roof", "weight"])
    found = read_off(several, people, homes)  # four rows alike are more than any household
    assert sorted(found.sizes.tolist()) == [1, 1, 1, 1, 2]


def households_of_several_sizes(n=60, seed=0):
    """Persons, and two columns that all members share, each with a value of its own household."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(n), rng.integers(1, 5, n))
    frame = pl.DataFrame({"home": home, "rent": rng.normal(size=n)[home], "weight": 1.0 + home})
    return Microdata(frame, Schema(confidential="rent", household="home", weight="weight"))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("noisy", [("rent",), ("weight",), ("rent", "area"), ()])
def test_columns_masked_person_by_person_do_not_part_households(noisy, turned):
    people = households_of_several_sizes()
    homes, rng = households_of(people), np.random.default_rng(1)
    area = pl.Series("area", [f"{home % 7}" for home in people.column("home")])
    people = people.with_column(area, Attribute(role={"quasi"}))
    names = ["area", "rent", "weight"][:: -1 if turned else 1]
    release = people.select(names)
    moved = [
        people.column(name) + rng.normal(0, 0.01, len(people)) for name in noisy if name != "area"
    ]
    if "area" in noisy:
        moved.append(pl.Series("area", rng.permutation(people.column("area").to_numpy())))
    release = release.replace(moved)
    found = read_off(release, people, homes)
    pairs = {(a, b) for a, b in zip(found.of_record, homes.of_record, strict=True)}
    assert len(found) == len(homes) == len(pairs)
