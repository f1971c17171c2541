"""Roles, levels, vocabularies and the ways a schema can be wrong."""

import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.errors import SchemaError
from unveil.table.attribute import Attribute


@pytest.mark.parametrize(
    ("word", "roles"),
    [
        ("quasi", {"quasi"}), ("key", {"quasi"}), ("keyVars", {"quasi"}), ("KEYVARS", {"quasi"}),
        ("quasi-identifying", {"quasi"}), ("quasi_identifying", {"quasi"}),
        ("confidential", {"confidential"}), ("sensitive", {"confidential"}),
        ("sensibleVar", {"confidential"}), ("identifier", {"identifier"}),
        ("identifying", {"identifier"}), ("numVars", {"quasi"}), ("weightVar", {"weight"}),
        ("hhId", {"household"}), ("strataVar", {"stratum"}), ("insensitive", {"other"}),
        ("common", {"quasi", "confidential"}),
    ],
)  # fmt: skip
def test_both_vocabularies_mean_the_same(word, roles):
    assert Schema({"x": {"role": word}})["x"].role == roles
    assert Schema(**{word: ["x"]})["x"].role == roles


@pytest.mark.parametrize("word", ["numVars", "numVar"])
def test_numvars_are_numeric(word):
    assert Schema(**{word: "x"})["x"].level == "numeric"


def test_roles_add_up():
    schema = Schema({"x": {"role": "quasi"}}, sensitive=["x"])
    assert schema["x"].role == {"quasi", "confidential"}
    assert schema.with_role("common") == ("x",)


def test_an_undeclared_column_has_no_role():
    assert Schema(quasi="age")["sex"] == Attribute()
    assert not Schema.infer(pl.DataFrame({"a": [1.5]}))["a"].role


def test_categories_are_text_however_they_are_written():
    attribute = Schema(ordinal={"x": [1, 2.0, "3", True]}, missing={"x": [-9, 9.0]})["x"]
    assert attribute.order == ("1", "2", "3", "true")
    assert attribute.missing == ("-9", "9")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"attributes": {"x": {"role": "quazi"}}}, "'quazi' is not a role; .* mean 'quasi'"),
        ({"attributes": {"x": {"roles": "quasi"}}}, "'roles' is not a key; .* mean 'role'"),
        ({"attributes": {"x": {"level": "number"}}}, "'number' is not a level"),
        ({"quazi": ["x"]}, "'quazi' is not a key of a schema; .* mean 'quasi'"),
        ({"attributes": {"x": {"role": 3}}}, "role of 'x' is a list"),
        ({"attributes": {"x": {"level": 3}}}, "'x': level is text"),
        ({"attributes": {"x": 3}}, "attribute 'x' is a table"),
        ({"attributes": ["x"]}, "attributes is a table"),
        ({"missing": ["x"]}, "missing is a table"),
        ({"quasi": {"x": 1}}, "is a list"),
        ({"quasi": [3]}, "a column name is text"),
        ({"attributes": {"x": {"generalised": "yes"}}}, "generalised is true or false"),
        ({"attributes": {"x": {"order": ["a", "a"]}}}, "order lists a category twice"),
        ({"attributes": {"x": {"order": ["a"], "level": "nominal"}}}, "order goes with"),
        ({"attributes": {"x": {"order": ["a"], "missing": ["a"]}}}, "also a code for missing"),
        ({"attributes": {"x": {"order": "ab"}}}, "order is a list"),
        ({"attributes": {"x": {"order": [None]}}}, "each entry of order is text"),
        ({"attributes": {"x": {"labels": ["a"]}}}, "labels is a table"),
        ({"attributes": {"x": {"missing": ["*"], "generalised": True}}}, "star .* not missing"),
        ({"numVars": "x", "nominal": "x"}, "its role implies level numeric, its level is nominal"),
        ({"self": 1}, "'self' is not a key of a schema"),
        ({"attributes": {"x": {"hierarchy": [["a", "b"], ["c"]]}}}, "'x': .* hole in row 2"),
        ({"attributes": {"x": {"hierarchy": [["a", ""]]}}}, "hole in row 1, at level 1"),
        ({"attributes": {"x": {"hierarchy": [["a", "b"], ["a", "c"]]}}}, "row 2 twice"),
        (
            {"attributes": {"x": {"hierarchy": [["a", "b", "c"], ["d", "b", "e"]]}}},
            r"'x': .* level 1 belongs to two groups of level 2 \(second one in row 2\)",
        ),
        (
            {"attributes": {"x": {"hierarchy": [["a", "b", "c"], ["c", "d", "b"]]}}},
            "attribute 'x': .* level 1 of row 2 is its own ancestor",
        ),
        (
            {"hierarchy": {"x": [["a", "b"], ["b", "a"]]}},
            "attribute 'x': .* level 0 of row 2 is its own ancestor",
        ),
        ({"numeric": ["x"], "nominal": ["x"]}, "level is declared twice"),
        ({"attributes": {"x": {"level": "numeric"}}, "nominal": ["x"]}, "level is declared twice"),
    ],
)
def test_a_wrong_schema_says_what_is_wrong(declared, said):
    with pytest.raises(SchemaError, match=said):
        Schema.from_dict(declared)


@pytest.mark.parametrize(
    ("cells", "level", "question"),
    [
        ([1, 2, 1, 2], "nominal", ""),
        ([1.0, 2.0, None, 2.0], "numeric", "2 distinct whole numbers"),  # which are written 1.0
        ([1, 2, 1, 3], "numeric", "3 distinct whole numbers"),
        ([1.0, 2.0, None, 3.0], "numeric", "3 distinct whole numbers"),
        ([1.5, 2.5], "numeric", ""),
        (["a", "b"], "nominal", ""),
        ([True, False], "nominal", ""),
        ([7, 7, 7], "numeric", "one value in every record"),
        ([None, None], "nominal", "every cell is missing"),
        (list(range(50)), "numeric", ""),
        ([f"p{i}" for i in range(50)], "nominal", ""),
        ([2**60, 2**61, 2**60], "nominal", "2 distinct whole numbers"),
        (["1", "2.5", "n/a"], "nominal", "not numbers: 1 of 3 cells, the first in row 3"),
        (["1", "b", "c"], "nominal", ""),
        (["01067", "01069"], "nominal", "numbers that are written like codes"),
        ([i % 20 for i in range(60)], "numeric", "20 distinct whole numbers"),
        ([i % 21 for i in range(60)], "numeric", ""),
        (list(range(21)), "numeric", ""),
        (list(range(20)), "numeric", "20 distinct whole numbers"),
    ],
)
def test_guesses_are_of_levels_and_doubts_are_questions(cells, level, question):
    attribute = Schema.infer(pl.DataFrame({"x": cells}))["x"]
    assert (attribute.level, attribute.role) == (level, frozenset())
    assert attribute.question.startswith(question)
    assert bool(attribute.question) == bool(question)


def test_an_ordered_type_is_its_own_order():
    column = pl.Series("x", ["low", "high"], dtype=pl.Enum(["low", "mid", "high"]))
    for schema in (
        Schema.infer(pl.DataFrame([column])),
        Microdata(pl.DataFrame([column]), Schema(quasi="x")).schema,
    ):
        assert schema["x"].level == "ordinal"
        assert schema["x"].order == ()
        assert "is the order meaningful" in schema["x"].question
    assert Microdata(pl.DataFrame([column])).order("x") == ("low", "mid", "high")
    assert Microdata(pl.DataFrame([column]), Schema(nominal="x")).order("x") == ()


def test_repr_counts_and_tells_nothing_else():
    assert repr(Schema()) == "Schema(0 attributes)"
    assert repr(Schema(quasi=["a", "b"])) == "Schema(2 attributes: 2 quasi)"
