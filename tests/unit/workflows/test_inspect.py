"""What an inspection asks, and when it has nothing left to ask."""

import polars as pl

import unveil
from unveil import Microdata, Schema


def columns(size=60):
    return pl.DataFrame(
        {
            "hid": [place // 3 for place in range(size)],
            "sex": [1 + place % 2 for place in range(size)],
            "expend": [1000 + place for place in range(size)],
        }
    )


def test_likely_roles_are_asked_for_and_not_decided(tmp_path):
    found = unveil.inspect(columns(), write_schema=tmp_path / "s.toml")
    assert [one.likely_role for one in found.columns] == ["household", "", "identifier"]
    assert [one.role for one in found.columns] == [()] * 3
    assert found.columns[1].level == "nominal"  # two whole numbers are a code
    text = (tmp_path / "s.toml").read_text()
    assert 'role = ""  # perhaps household; quasi' in text
    schema = unveil.files.read_schema(tmp_path / "s.toml")
    assert schema["sex"].level == "nominal"
    assert schema.with_role("household") == ()


def test_where_every_role_is_declared_nothing_is_asked():
    """Once `expend`, declared, was still asked whether it is an identifier."""
    declared = Schema(household="hid", quasi=["sex", "expend"], common="expend", nominal="sex")
    found = unveil.inspect(columns(), declared)
    assert [(one.question, one.likely_role) for one in found.columns] == [("", "")] * 3
    assert found.notes == ()


def test_a_question_says_how_it_is_answered():
    data = Microdata(pl.DataFrame({"rooms": [1, 2, 3, 3]}), Schema(quasi="rooms"))
    notes = unveil.inspect(data).notes
    assert any("deleting the line `question`" in note for note in notes)
