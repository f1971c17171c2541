"""A space of a search: ranges, points, and what no plan may do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import SpecError
from unveil.values.search_space import OFF, Candidate, ParameterRange, SearchSpace

SWAP = {"method": "rank-swapping", "p": {"from": 1, "to": 40}, "columns": ["age"]}
NOISE = {"method": "additive-noise", "scale": {"from": 0.1, "to": 1.0, "log": True}}


def space(*masks, **rest):
    return SearchSpace(combination=[{"name": "one", "mask": list(masks)}], **rest)


@given(place=st.floats(0, 1), ends=st.tuples(st.integers(1, 50), st.integers(51, 100)))
def test_values_lie_within_their_range(place, ends):
    start, to = ends
    for log in (False, True):
        found = ParameterRange(start=start, to=to, log=log).value(place)
        assert isinstance(found, int)
        assert start <= found <= to
        real = ParameterRange(start=start / 7, to=to / 7, log=log).value(place)
        assert start / 7 <= real <= to / 7
        assert len(f"{real:.10g}".replace(".", "").lstrip("0")) <= 3 or real in (start / 7, to / 7)


def test_ends_and_middle():
    whole = ParameterRange(start=1, to=41)
    assert [whole.value(place) for place in (0, 0.5, 1)] == [1, 21, 41]
    assert ParameterRange(start=1.0, to=100.0, log=True).value(0.5) == 10.0
    words = ParameterRange(any=("a", "b", "c"))
    assert [words.value(place) for place in (0, 0.34, 0.99, 1)] == ["a", "b", "c", "c"]
    assert (whole.levels, words.levels, ParameterRange(start=0.5, to=1).levels) == (41, 3, None)


def test_numbers_of_numpy_and_far_ends():
    numpy = ParameterRange(start=np.int64(2), to=np.int64(9))
    assert numpy == ParameterRange(start=2, to=9)
    far = ParameterRange(start=1e-150, to=1e150, log=True)
    assert far.value(0.5) == pytest.approx(1.0)
    assert [far.value(place) for place in (0, 1)] == [1e-150, 1e150]


def test_the_lowest_place_leaves_a_step_out():
    optional = {**SWAP, "p": {"from": 1, "to": 40, "or_none": True}}
    found = space(NOISE, optional)
    assert [one["method"] for one in found.tables(Candidate("one", (0.5, OFF / 2)))] == [
        "additive-noise"
    ]
    assert found.tables(Candidate("one", (0.5, OFF)))[1]["p"] == 1
    assert found.tables(Candidate("one", (0.5, 1.0)))[1]["p"] == 40


def test_fixed_steps_come_first():
    found = space(SWAP, fixed=[{"method": "rounding", "base": 10, "columns": ["rent"]}])
    assert [one["method"] for one in found.tables(Candidate("one", (0.0,)))] == [
        "rounding",
        "rank-swapping",
    ]


def test_to_dict_and_back():
    found = space(SWAP, NOISE, unchanged=["sex"], forbid=["pram"])
    assert SearchSpace(**found.to_dict()) == found


@pytest.mark.parametrize(
    ("masks", "rest", "said"),
    [
        (
            [{**SWAP, "p": {"from": 40, "to": 1}}],
            {},
            "p: from 40 to 1: the wrong way round; from must",
        ),
        ([{**SWAP, "p": {"from": 1}}], {}, "a range has from and to"),
        ([{**SWAP, "p": {"from": 4, "to": 4}}], {}, "from 4 to 4: one value needs no range"),
        ([{**SWAP, "p": {"any": []}}], {}, "any lists at least one value"),
        ([{**SWAP, "p": {"any": [1], "to": 2}}], {}, "a range is any"),
        ([{**SWAP, "p": {"from": 0, "to": 9, "log": True}}], {}, "log needs a range above 0"),
        ([{**SWAP, "p": {"from": "a", "to": 9}}], {}, "one: p: from: a finite number"),
        ([{**SWAP, "p": {"from": 1, "to": math.inf}}], {}, "one: p: to: a finite number"),
        ([{**SWAP, "p": {"from": math.nan, "to": 9}}], {}, "one: p: from: a finite number"),
        ([{**SWAP, "p": {"from": 1, "to": 10**400}}], {}, "one: p: to: a finite number"),
        ([{**SWAP, "p": {"from": False, "to": True}}], {}, "one: p: from: a finite number"),
        ([{**NOISE, "scale": {"from": 1e-300, "to": 1e300, "log": True}}], {}, "too far apart"),
        ([{**NOISE, "scale": {"from": -1e308, "to": 1e308}}], {}, "too far apart"),
        ([{**SWAP, "columns": {"any": [["a"], ["b"]]}}], {}, "columns cannot have a range"),
        ([SWAP], {"forbid": ["rank-swapping"]}, "every combination uses rank-swapping"),
        ([SWAP], {"unchanged": ["age"]}, "which must stay unchanged"),
        ([], {}, "mask"),
    ],
)
def test_refused(masks, rest, said):
    with pytest.raises(SpecError, match=said):
        space(*masks, **rest)


def test_one_name_twice():
    one = {"name": "one", "mask": [SWAP]}
    with pytest.raises(SpecError, match="two combinations have one name"):
        SearchSpace(combination=[one, one])
