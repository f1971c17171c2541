import time
import warnings

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.points import grid, pool
from unveil.workflows.choosing.search import Evaluated, propose

WHOLE, TWO = {"from": 1, "to": 41}, {"from": 3, "to": 4}
SHARE, RATIO = {"from": 0.0, "to": 1.0}, {"from": 2, "to": 90, "log": True}
LISTED, OPTIONAL = {"any": ["a", "b", "c"]}, {"from": 0.1, "to": 0.9, "or_none": True}


def combination(name, *ranges):
    """Masks with one parameter each; one without any if there are no ranges."""
    steps = [{"method": f"step {i}", "p": one} for i, one in enumerate(ranges)]
    return {"name": name, "mask": steps or [{"method": f"nothing to set in {name}"}]}


def space_of(*combinations):
    return SearchSpace(combination=list(combinations))


MIXED = space_of(
    combination("none"), combination("one", WHOLE), combination("two", SHARE, RATIO),
    combination("three", LISTED, OPTIONAL, TWO), combination("five", *[SHARE] * 5),
)  # fmt: skip
SMALL = space_of(combination("two", TWO), combination("four", TWO, TWO))


def plan(space, candidate):
    return msgspec.json.encode(space.tables(candidate), order="sorted")


def trade_off(candidate):
    """Stronger masks leave less risk and lose more; combinations differ."""
    strength = sum(candidate.point) / max(len(candidate.point), 1)
    harm = len(candidate.combination) / 20
    uneven = max(candidate.point, default=0) - strength
    return 4 * (1 - strength) ** 2, min(strength * (0.5 + harm) + 0.3 * uneven, 1)


def searched(space, measure, n, rounds=6, seed=7):
    tried = []
    while len(tried) < n:
        candidates = propose(space, tried, min(rounds, n - len(tried)), seed=seed)
        if not candidates:
            break
        tried += [Evaluated(one, *measure(one)) for one in candidates]
    return tried


def test_a_search_begins_with_the_grid():
    declared = grid(MIXED)
    assert propose(MIXED, [], len(declared), seed=1) == declared
    assert {one.combination for one in declared[:5]} == {one.name for one in MIXED.combination}
    assert len({plan(MIXED, one) for one in declared}) == len(declared)


def test_no_plan_is_proposed_twice():
    tried = searched(MIXED, trade_off, 48)
    assert len({plan(MIXED, one.candidate) for one in tried}) == len(tried) == 48
    assert all(0 <= place <= 1 for one in tried for place in one.candidate.point)


def test_the_same_trials_have_the_same_plans_proposed():
    tried = searched(MIXED, trade_off, 30)
    assert propose(MIXED, tried, 6, seed=7) == propose(MIXED, tuple(tried), 6, seed=7)
    searched(MIXED, trade_off, 30, seed=8)  # nothing is remembered
    assert searched(MIXED, trade_off, 30) == tried


def test_an_exhausted_space_has_no_more_plans():
    tried = searched(SMALL, trade_off, 20)
    assert len(tried) == 2 + 4
    assert propose(SMALL, tried, 6, seed=7) == []


def test_equal_plans_of_two_combinations_are_one():
    space = space_of(combination("a", TWO), combination("b", TWO))
    assert len(searched(space, trade_off, 20)) == 2


@pytest.mark.parametrize("n_dimensions", range(6))
def test_any_number_of_parameters(n_dimensions):
    space = space_of(combination("only", *[SHARE] * n_dimensions))
    assert len(searched(space, trade_off, 25)) == (25 if n_dimensions else 1)


@pytest.mark.parametrize(
    "measure",
    [
        lambda _: (None, None),
        lambda _: (0.0, 0.0),
        lambda _: (2.0, 0.5),
        lambda one: (0.0, trade_off(one)[1]),
        lambda one: (trade_off(one)[0], 0.0),
        lambda one: (1e9 * trade_off(one)[0], 1.0),
        lambda one: (None, None) if one.combination != "one" else trade_off(one),
    ],
    ids=["all refused", "no risk", "all equal", "risk 0", "loss 0", "huge", "most refused"],
)
def test_trials_that_tell_little(measure):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tried = searched(MIXED, measure, 30)
    assert len({plan(MIXED, one.candidate) for one in tried}) == len(tried) == 30


def test_the_limit_is_looked_for_between_its_neighbours():
    space = space_of(combination("only", SHARE))
    tried = [Evaluated(one, 2 - 2 * one.point[0], one.point[0]) for one in grid(space)]
    assert propose(space, tried, 1, seed=1) == [Candidate("only", (1 / 3,))]


def test_a_risk_that_is_only_known_to_be_larger_keeps_no_limit():
    space = space_of(combination("only", SHARE))
    risks = {1 / 6: 3.0, 1 / 2: 0.5, 5 / 6: 0.4}
    tried = [
        Evaluated(one, risks[one.point[0]], one.point[0], one.point[0] != 1 / 2)
        for one in grid(space)
    ]
    assert propose(space, tried, 1, seed=1) != [Candidate("only", (1 / 3,))]


def test_the_best_plan_is_found():
    tried = searched(MIXED, trade_off, 48)
    kept = [one for one in tried if one.risk <= 1]
    best = min(kept, key=lambda one: one.loss)
    assert best.candidate.combination in ("one", "two")
    assert best.loss < 0.34  # strength 1/2 of the mildest combination loses 0.325


def test_a_round_is_proposed_in_a_moment():
    points = [one for one in pool(MIXED, [], 9, seed=1) if one.combination != "none"]
    tried = [Evaluated(one, *trade_off(one)) for one in (*grid(MIXED), *points[:110])]
    begun = time.process_time()
    propose(MIXED, tried, 6, seed=7)
    assert time.process_time() - begun < 2  # some 0.3 s


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from([WHOLE, TWO, SHARE, RATIO, LISTED, OPTIONAL]), max_size=5),
    st.lists(
        st.one_of(st.none(), st.tuples(st.floats(0, 20), st.floats(0, 1), st.booleans())),
        min_size=14,
        max_size=14,
    ),
    st.integers(1, 8),
)
def test_whatever_is_measured(ranges, outcomes, n):
    space = space_of(combination("first", *ranges), combination("second", WHOLE))
    tried = []
    for outcome in outcomes:
        new = propose(space, tried, 1, seed=3)
        tried += [Evaluated(one, *(outcome or (None, None, True))) for one in new]
    proposed = propose(space, tried, n, seed=3)
    assert len(proposed) <= n
    plans = [plan(space, one) for one in (*proposed, *(one.candidate for one in tried))]
    assert len(set(plans)) == len(plans)
