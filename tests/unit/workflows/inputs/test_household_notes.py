"""What an inspection says of households, and what it writes into the schema."""

import polars as pl
import pytest

import unveil
from fixtures.surveys import by_persons
from unveil import Microdata, Schema
from unveil.workflows.inputs.household_notes import household_notes


def notes_of(frame, **schema):
    data = Microdata(pl.DataFrame(frame), Schema(household="hid", **schema))
    return " / ".join(household_notes(data, ("hid",)))


def test_columns_that_members_share_are_found_and_written_to_be_confirmed(tmp_path):
    survey = by_persons(1000)
    found = unveil.inspect(survey, write_schema=tmp_path / "s.toml")
    assert any(
        note.startswith("region, household_size, weight: the same value for all members")
        for note in found.notes
    )
    text = (tmp_path / "s.toml").read_text()
    assert text.count("per_household = true  # all members share it: keep the line") == 3
    declared = unveil.files.read_schema(tmp_path / "s.toml")
    assert [n for n in declared if declared[n].per_household] == [
        "region", "household_size", "weight"
    ]  # fmt: skip
    again = unveil.inspect(Microdata(survey.to_frame(), declared))
    assert not any("all members" in note for note in again.notes)


def test_a_likely_number_is_enough_and_labels_stay_apart(tmp_path):
    frame = pl.DataFrame(
        {"hid": [n // 3 for n in range(60)], "roof": [n // 3 % 4 for n in range(60)]}
    )
    schema = Schema(nominal="roof", labels={"roof": {"1": "per_household = true"}})
    unveil.inspect(Microdata(frame, schema), write_schema=tmp_path / "s.toml")
    declared = unveil.files.read_schema(tmp_path / "s.toml")
    assert declared["roof"].per_household
    assert declared["roof"].labels == {"1": "per_household = true"}
    assert not declared["hid"].role


def test_few_households_or_a_constant_are_no_sign():
    assert "all members" not in notes_of({"hid": [1, 1, 2, 2], "roof": [1, 1, 2, 2]})
    assert "all members" not in notes_of({"hid": [n // 2 for n in range(40)], "roof": [1] * 40})
    assert "all members" in notes_of(
        {"hid": [n // 2 for n in range(40)], "roof": [n // 2 % 3 for n in range(40)]}
    )


@pytest.mark.parametrize(
    ("frame", "schema", "said"),
    [
        ({"hid": [1, 1, None, None]}, {}, "hid: 2 of 4 records have no household number; each"),
        ({"hid": [1, 2, 3]}, {}, "every household has one member"),
        ({"hid": [1] * 500 + [2]}, {}, "the largest household has 500 members"),
        (
            {"hid": [1, 1, 2, 2, 3, 3], "roof": [1, 2, 3, None, 4, 4]},
            {"per_household": "roof"},
            "members differ: roof (in 1) of 3 households; correct the cells",
        ),
        (
            {"hid": [1, 1, 2, 2, 3, 3], "who": ["a", "b", "c", "d", "a", "e"]},
            {"identifier": "who"},
            "who: 1 value of this identifier in two or more households",
        ),
    ],
)
def test_doubts_are_counted(frame, schema, said):
    assert said in notes_of(frame, **schema)


def test_a_number_that_begins_anew_in_each_region():
    """Ten numbers in each of four regions, two persons each."""
    frame = {
        "hid": [n // 2 % 10 for n in range(80)],
        "region": [n // 20 for n in range(80)],
        "roof": [n // 2 % 7 for n in range(80)],
    }
    said = notes_of(frame, per_household=["region", "roof"])
    assert "the number may begin anew in each region" in said
    assert 'household = ["region", "hid"]' in said
    assert "begin anew" in notes_of(frame, stratum="region")
    together = Microdata(
        pl.DataFrame(frame), Schema(household=["region", "hid"], per_household="roof")
    )
    assert "anew" not in " ".join(household_notes(together, ("region", "hid")))
    one = {
        "hid": [n // 2 for n in range(40)],
        "age": range(40),
        "roof": [n // 4 for n in range(40)],
    }
    assert "anew" not in notes_of(one, per_household=["age", "roof"])  # one is declared in error


def test_a_declared_column_without_any_number_is_told():
    data = Microdata(pl.DataFrame({"roof": [1, 2]}), Schema(per_household="roof"))
    assert "without a household number" in " ".join(household_notes(data, ()))


def test_no_cell_is_told():
    secret = {"hid": ["KL-77"] * 60 + [None], "who": ["KL-78"] * 61, "roof": ["KL-79"] * 60 + ["x"]}
    assert "KL-7" not in notes_of(secret, identifier="who", per_household="roof")
