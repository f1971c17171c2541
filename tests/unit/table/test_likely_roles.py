"""Likely roles: by name and content, and only where both agree."""

import polars as pl
import pytest

import unveil
from unveil.table.likely_roles import all_differ, likely_role

HOMES = [place // 3 for place in range(60)]
OWN = list(range(60))


@pytest.mark.parametrize(
    ("name", "cells", "role"),
    [
        ("ori_hid", HOMES, "household"),
        ("hhId", HOMES, "household"),
        ("IDHH", [f"h{home}" for home in HOMES], "household"),
        ("hhid", [float(home) for home in HOMES[:-1]] + [None], "household"),  # as pandas has it
        ("familyNumber", HOMES, "household"),
        ("household_size", [1 + place % 6 for place in range(60)], None),  # too few for households
        ("dwelling", [place % 3 for place in range(60)], None),
        ("region", HOMES, None),
        ("sampling_weight", [1.5 + place for place in OWN], "weight"),
        ("household_weights", [2 + home for home in HOMES], "weight"),
        ("pondera", [100, 200] * 30, "weight"),
        ("wgt", [0.0] + [1.5] * 59, None),  # not positive
        ("weight", ["low", "high"] * 30, None),
        ("strat_2", [place % 5 for place in range(60)], "stratum"),
        ("psu", HOMES, "stratum"),
        ("person_id", [*OWN[:-1], 0], "identifier"),  # nearly all differ
        ("e_mail", [f"{place}@x" for place in OWN], "identifier"),
        ("expend", OWN, "identifier"),  # no two agree, whatever it is called
        ("expend", [place + 0.5 for place in OWN], None),
        ("name", ["a", "b"] * 30, None),
        ("id", [None] * 60, None),
    ],
)
def test_name_and_content(name, cells, role):
    assert likely_role(pl.Series(name, cells)) == role


def test_few_values_that_differ_are_no_sign():
    assert not all_differ(pl.Series(range(20)))
    assert all_differ(pl.Series(range(21)))


def test_the_sample_is_asked_for_what_it_is():
    survey = unveil.households(300, seed=7)
    suggested = {
        name: role for name in survey.columns if (role := likely_role(survey.column(name)))
    }
    assert suggested == {"person": "identifier", "household": "household", "weight": "weight"}
