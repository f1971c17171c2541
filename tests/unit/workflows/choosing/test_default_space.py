"""The default space, and spaces that do not fit the columns."""

import numpy as np
import pytest

import unveil
from unveil import SearchSpace
from unveil.errors import SpecError, UnveilError
from unveil.workflows.choosing.default_space import filled_space, masked_columns

SWAP = {"method": "rank-permutation", "p": {"from": 5, "to": 40}}
PRAM = {"method": "pram", "theta": {"from": 0.02, "to": 0.8}}


@pytest.fixture(scope="module")
def people():
    return unveil.households(60, seed=7)


def space(*masks, **rest):
    return SearchSpace(combination=[{"name": "own", "mask": list(masks)}], **rest)


def methods(found):
    return {one.name: [table["method"] for table in one.mask] for one in found.combination}


def columns(found):
    return {name for one in found.combination for table in one.mask for name in table["columns"]}


def test_columns_by_what_an_intruder_may_do_with_them(people):
    found = masked_columns(people)
    assert {"age", "income", "hours"} <= {*found.key_numbers}
    assert {"region", "sex", "occupation"} <= {*found.key_categories}
    assert found.other_numbers == ("tax", "savings", "rent")
    assert found.weights == ("weight",)
    assert "person" not in {name for part in found for name in part}


def test_what_is_searched_by_default(people):
    found = methods(filled_space(people))
    assert list(found) == [
        "swapping", "noise", "microaggregation", "generalisation", "suppression and swapping",
        "top coding and swapping",
    ]  # fmt: skip
    assert found["top coding and swapping"][:2] == ["top-coding", "rank-permutation"]
    assert found["generalisation"] == ["mondrian", "rank-permutation", "rank-permutation"]
    assert {"age", "tax", "weight", "region"} <= columns(filled_space(people))


def test_the_default_space_leaves_out_what_is_forbidden_or_stays(people):
    found = filled_space(people, SearchSpace(forbid=["pram"], unchanged=["age", "weight"]))
    assert list(methods(found)) == [
        "microaggregation",
        "generalisation",
        "suppression and swapping",
    ]
    assert columns(found).isdisjoint({"age", "weight"})
    assert (found.forbid, found.unchanged) == (("pram",), ("age", "weight"))


def test_a_space_of_ones_own_stays_as_it_is(people):
    own = space({**SWAP, "columns": ["age"]}, {**PRAM, "columns": ["sex"]})
    assert filled_space(people, own) == own
    later = space(
        {"method": "rounding", "base": 10, "columns": ["age"]}, SWAP | {"columns": ["age"]}
    )
    assert filled_space(people, later) == later


def test_a_sample_leaves_the_cells_of_others_unchanged(people):
    sampled = space({"method": "sampling", "share": {"from": 0.2, "to": 0.9}}, unchanged=["age"])
    assert filled_space(people, sampled) == sampled
    swapped = space({**SWAP, "columns": ["hours"]}, unchanged=["age"])
    assert filled_space(people, swapped) == swapped


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (space(SWAP, unchanged=["age"]), "rank-permutation without columns masks age, which"),
        (
            space(PRAM | {"columns": ["sex"], "theta": {"from": 0.1, "to": 0.5, "or_none": True}},
                  {"method": "synthesis"}, unchanged=["rent"]),
            "synthesis without columns masks rent, which must stay as it is",
        ),
        (SearchSpace(fixed=[{"method": "top-coding", "share": 0.1}], unchanged=["age"]),
         "top-coding without columns masks age"),
        (space(SWAP, forbid=["microagregation"]),
         "forbid: 'microagregation' is not .*did you mean 'microaggregation'"),
        (space(SWAP | {"columns": ["age"], "p": {"from": 1, "to": 40}}),
         "'own': rank-permutation: p is 1 % .* less than one position"),
        (space({"method": "mondrian", "k": {"from": 2, "to": 1000}}),
         "'own': mondrian: k is 1,000 and the table has 60 records"),
        (space({"method": "mondrian", "k": {"from": 2, "to": 1000, "or_none": True}}),
         "'own': mondrian: k is 1,000"),
        (space({"method": "mondrian", "k": {"any": [3, "x"]}}),
         "'own': mondrian: k: a whole number, not text"),
        (space(SWAP, unchanged=["shoe"]), "unchanged: column 'shoe' is not in the data"),
        (space({**SWAP, "columns": ["shoe"]}), "'own': rank-permutation: column 'shoe'"),
        (space({**SWAP, "columns": ["region"]}), "column 'region' is nominal"),
        (space({**SWAP, "columns": ["age"]},
               {**PRAM, "columns": ["sexx"], "theta": {"from": 0.1, "to": 0.5, "or_none": True}}),
         "'own': pram: column 'sexx' .*did you mean 'sex'"),
        (SearchSpace(forbid=["rank-permutation", "microaggregation", "pram", "mondrian",
                             "local-suppression"]), "no mask suits the columns without"),
    ],
)  # fmt: skip
def test_refused_before_the_search(people, own, said):
    with pytest.raises(UnveilError, match=said):
        filled_space(people, own)


def test_the_default_space_suits_small_files_too(people):
    few = people.take(np.arange(12))
    fixed = SearchSpace(fixed=[{"method": "rounding", "base": 100, "columns": ["rent"]}])
    assert methods(filled_space(few, fixed))["generalisation"][0] == "mondrian"


def test_a_fixed_step_is_not_forbidden():
    with pytest.raises(SpecError, match="a fixed step uses top-coding, which is forbidden"):
        space(SWAP, fixed=[{"method": "top-coding", "share": 0.1}], forbid=["top-coding"])
