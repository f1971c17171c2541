"""Compatibility equals its definition, and its witnesses are what they say."""

from itertools import chain, combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.formal as naive
import unveil
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.measures.formal.compatibility import by_program, compatible

# Small whole weights make ties, zeros and results on the very edge.
weights = st.one_of(st.integers(0, 6), st.floats(0, 1))


def distributions_on(n):
    some = st.lists(weights, min_size=n, max_size=n).filter(lambda w: sum(w) > 1e-6)
    return some.map(lambda w: np.array(w, float) / sum(w))


def both_on(records):
    return records.flatmap(lambda n: st.tuples(distributions_on(n), distributions_on(n)))


few = st.integers(2, 4)
half = examples(1 / 2)


@examples(8)
@given(both_on(few))
def test_it_is_the_definition(case):
    attack, truth = case
    found = compatible(attack, truth)
    assert found.distance == pytest.approx(naive.distance(attack, truth), abs=1e-7)
    if not 0 < found.distance < 1e-6:  # which the twin's solver cannot tell from none
        assert found.compatible == naive.compatible(attack, truth)


@half
@given(both_on(st.integers(1, 12)))
def test_the_plan_is_a_plan(case):
    attack, truth = case
    found = compatible(attack, truth)
    plan = found.plan
    assert (plan >= 0).all()
    assert plan.sum(axis=1) == pytest.approx(truth, abs=1e-12)
    assert (plan <= np.diag(plan)[:, None] + 1e-12).all()
    away = np.abs(plan.sum(axis=0) - attack).sum() / 2
    assert away == pytest.approx(found.distance, abs=1e-9)
    assert found.compatible == (found.distance <= 1e-9)


@half
@given(both_on(st.integers(2, 5)))
def test_the_belief_function_is_one_of_the_definition(case):
    attack, truth = case
    found = compatible(attack, truth)
    belief = found.belief()
    assert belief.pignistic() == pytest.approx(found.plan.sum(axis=0), abs=1e-9)
    everything = range(len(truth))
    for some in chain.from_iterable(combinations(everything, size) for size in everything):
        assert belief.belief(some) <= truth[list(some)].sum() + 1e-9
        rest = set(everything) - set(some)
        assert belief.plausibility(rest) == pytest.approx(1 - belief.belief(some))


@half
@given(st.integers(1, 12).flatmap(lambda n: st.tuples(distributions_on(n), st.integers(0, n - 1))))
def test_of_a_certain_truth_the_closed_form_is_the_program(case):
    attack, record = case
    found = compatible(attack, np.eye(len(attack))[record])
    assert found.compatible == (attack[record] >= attack.max() - 1e-9)
    assert _by_program(found) == pytest.approx(found.distance, abs=1e-9)


@half
@given(distributions_on(5), st.integers(1, 5), st.integers(0, 6))
def test_of_a_shared_truth_the_closed_form_is_the_program(attack, sharing, weight):
    attack = np.append(np.full(sharing, weight / 6 / sharing), attack * (1 - weight / 6))
    truth = np.append(np.full(sharing, 1 / sharing), np.zeros(5))
    found = compatible(attack, truth)
    assert found.compatible == (max(attack[sharing:].max(), 0) <= weight / 6 + 1e-9)
    assert _by_program(found) == pytest.approx(found.distance, abs=1e-9)


def _by_program(found):
    """The distance that the linear program finds, where the closed form was asked."""
    kinds = found.kinds
    spread = by_program(kinds)
    given_to = spread.spread.sum(axis=0)
    given_to[kinds.true] += spread.kept
    return np.maximum(kinds.attack - given_to, 0).sum()


@half
@given(st.floats(0, 1), st.floats(0, 1))
def test_of_two_records_it_is_an_interval(p, q):
    found = compatible([q, 1 - q], [p, 1 - p])
    away = max(p / 2 - q, q - (1 + p) / 2, 0)
    assert found.distance == pytest.approx(away, abs=1e-9)
    if away > 2e-9 or away == 0:
        assert found.compatible == (away == 0)


@half
@given(both_on(st.integers(2, 8)), st.randoms(use_true_random=False))
def test_what_records_are_called_means_nothing(case, random):
    attack, truth = case
    order = random.sample(range(len(truth)), len(truth))
    found, moved = compatible(attack, truth), compatible(attack[order], truth[order])
    assert moved.distance == pytest.approx(found.distance, abs=1e-9)


@half
@given(st.integers(1, 12).flatmap(distributions_on))
def test_the_truth_and_nothing_are_compatible(truth):
    assert compatible(truth, truth).compatible
    assert compatible(np.full(len(truth), 1 / len(truth)), truth).compatible


X = Schema(quasi="x", numeric="x")


@st.composite
def files(draw):
    n, m = draw(few), draw(few)
    mine, released = (draw(st.lists(st.integers(0, 3), min_size=k, max_size=k)) for k in (n, m))
    assume(len(set(released)) > 1)  # else there is nothing to compare
    originals = draw(st.permutations([*range(n), *[-1] * m]))[:m]
    return mine, released, originals


@half
@given(files(), st.sampled_from(["original-to-release", "release-to-original"]))
def test_links_are_counted_as_defined(case, direction):
    mine, released, originals = case
    links = _links(mine, released, originals, direction)
    asking, asked = (mine, released) if direction.startswith("original") else (released, mine)
    results = measures.distributions(links)
    right = hit = n = 0
    for place, true in enumerate(links.true_rows.tolist()):
        gaps = [abs(asking[place] - x) for x in asked]
        ties = [gap == min(gaps) for gap in gaps]
        rows, probability = results[place]
        assert rows.tolist() == np.flatnonzero(ties).tolist()
        assert probability == pytest.approx(1 / sum(ties))
        if true < 0:
            continue
        if direction.startswith("original"):
            sharing = [x == released[true] for x in released]
        else:
            same = [i for i, x in zip(originals, released, strict=True) if x == released[place]]
            sharing = [i in same for i in range(len(mine))]
        n += 1
        hit += ties[true] / sum(ties)
        right += naive.compatible(np.array(ties) / sum(ties), np.array(sharing) / sum(sharing))
    found = measures.formal(links)
    assert found == pytest.approx((right / max(n, 1), hit / max(n, 1), n, n))


def _links(mine, released, originals, direction):
    people, rows = (
        Microdata(pl.DataFrame({"x": list(map(float, x))}), X) for x in (mine, released)
    )
    return unveil.attack(
        people,
        rows,
        attacks.Distance(scale="release", metric="manhattan"),
        intruder=Intruder(direction=direction),
        truth=np.array(originals),
    )


@st.composite
def beliefs_and_probabilities(draw):
    """A belief function of small whole masses, and a probability of small whole weights."""
    n = draw(st.integers(1, 4))
    sets = st.frozensets(st.integers(0, n - 1), min_size=1)
    masses = draw(st.dictionaries(sets, st.integers(1, 5), min_size=1, max_size=5))
    chance = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any)), float)
    total = sum(masses.values())
    belief = measures.Belief(n, {one: mass / total for one, mass in masses.items()})
    return belief, chance / chance.sum()


@examples(2)
@given(beliefs_and_probabilities())
def test_a_belief_is_below_a_probability_on_every_set(case):
    belief, chance = case
    sets = chain.from_iterable(combinations(range(belief.n), k) for k in range(belief.n + 1))
    naive_answer = all(belief.belief(one) <= chance[list(one)].sum() + 1e-9 for one in sets)
    assert belief.is_below(chance) == naive_answer
    assert belief.is_below(belief.pignistic())  # each mass is shared by its own members


@half
@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=6).filter(lambda x: len(set(x)) > 1),
    st.sampled_from(["original-to-release", "release-to-original"]),
    st.booleans(),
)
def test_true_distributions_are_of_equal_released_rows(released, direction, named):
    links = _links(released, released, list(range(len(released))), direction)
    true = measures.true_distributions(links, columns=["x"] if named else None)
    for place in range(len(links)):
        rows, probability = true[place]
        equal = [row for row, x in enumerate(released) if x == released[place]]
        assert sorted(rows.tolist()) == equal
        assert probability == pytest.approx(1 / len(equal))
    # The truth is compatible with itself, as probabilities and as the beliefs that they are.
    as_beliefs = [
        measures.Belief(len(released), dict(zip(((r,) for r in rows.tolist()), p, strict=True)))
        for rows, p in (true[place] for place in range(len(true)))
    ]
    for results in (true, as_beliefs):
        judged = measures.formal(links, results=results)
        assert judged.compatible == 1
        assert judged.hit == pytest.approx(np.mean([1 / released.count(x) for x in released]))
