"""Households: members, missing numbers, shared columns."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.errors import SchemaError
from unveil.table.households import (
    Homes,
    declared_shared,
    household_numbers,
    households_of,
    shared_columns,
)


def survey(**schema):
    frame = pl.DataFrame(
        {
            "hid": [7, 7, None, 9, 9, 9, None],
            "roof": ["a", "a", "b", "a", "a", "b", "b"],
            "water": [1, 1, 2, 3, 3, 3, 1],
            "age": [30, 31, 50, 40, 12, 9, 8],
        }
    )
    return Microdata(frame, Schema(quasi=["roof", "water", "age"], household="hid", **schema))


def test_a_record_without_a_number_is_a_household_by_itself():
    homes = households_of(survey())
    assert sorted(homes.sizes.tolist()) == [1, 1, 2, 3]
    assert [sorted(homes.members(homes.of_record[row]).tolist()) for row in (0, 2, 5)] == [
        [0, 1],
        [2],
        [3, 4, 5],
    ]


def test_columns_that_all_members_share():
    data = survey()
    homes = households_of(data)
    assert shared_columns(data, homes) == ("water",)
    cells = np.array([1, 1, 2, 3, 3, 4, 5])
    assert int((~homes.shares(cells)).sum()) == 1


def test_several_numbers_make_one():
    frame = pl.DataFrame({"region": [1, 1, 2, 2], "hid": [1, 1, 1, 2], "age": [1, 2, 3, 4]})
    data = Microdata(frame, Schema(household=["region", "hid"], quasi="age"))
    assert household_numbers(data) == ("region", "hid")
    assert households_of(data).sizes.tolist() == [2, 1, 1]


def test_a_table_without_numbers_has_no_households():
    data = survey()
    assert households_of(data.select(["roof", "age"])) is None


def test_households_of_one_share_nothing():
    homes = Homes(np.arange(4))
    assert shared_columns(survey().take([0, 2, 3, 6]), homes) == ()


def test_the_schema_declares_what_members_share():
    data = survey(per_household=["roof", "water"])
    assert declared_shared(data) == ("roof", "water")
    assert Schema(**data.schema.to_dict())["roof"].per_household
    with pytest.raises(SchemaError, match="per_household is true or false"):
        Schema({"roof": {"per_household": "yes"}})
