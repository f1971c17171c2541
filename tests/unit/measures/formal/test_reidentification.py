"""Belief functions, distributions and compatibility, worked out by hand."""

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.errors import DataError, UsageError
from unveil.measures import Belief, compatible, distributions, formal
from unveil.measures.formal import compatibility
from unveil.measures.formal.distributions import Distributions

X = Schema(quasi=["x", "b"], numeric=["x", "b"])
LISTING = import_module("unveil.measures.formal.distributions")  # the function has the same name
BACK = "release-to-original"


def links_of(mine, released, truth="row-order", blocks=None, **intruder):
    """Distance by plain numbers; `blocks` are a second column of both files."""
    frames = [
        pl.DataFrame({"x": [float(v) for v in x], "b": b})
        for x, b in zip(
            (mine, released), blocks or (len(mine) * [0], len(released) * [0]), strict=True
        )
    ]
    files = [Microdata(frame, X) for frame in frames]
    spec = attacks.Distance(scale="release", metric="manhattan")
    inside = ["b"] if blocks else []
    who = Intruder(knows=["x"], blocks=inside, **intruder)
    return unveil.attack(*files, spec, intruder=who, truth=truth)


@pytest.fixture
def some():
    # To 0: itself. To 4: 3 and 5 tie, 5 is its own. To 9: 5 is nearer than its own, 20.
    return links_of([0, 4, 9, 20], [0, 5, 20, 3], [0, 1, 2, 3])


def test_a_belief_function():
    some = Belief(4, {(0,): 0.25, (1, 2): 0.25, (2, 1): 0.25, frozenset([0, 1, 2, 3]): 0.25})
    assert dict(some.masses) == {
        frozenset([0]): 0.25,
        frozenset([1, 2]): 0.5,
        frozenset(range(4)): 0.25,
    }
    assert some.belief([0, 1]) == 0.25
    assert some.belief([0, 1, 2]) == 0.75
    assert some.belief(range(4)) == some.plausibility(range(4)) == 1
    assert some.belief([]) == some.plausibility([]) == 0
    assert some.plausibility([3]) == 0.25
    assert some.pignistic().tolist() == [0.3125, 0.3125, 0.3125, 0.0625]
    assert repr(some) == "Belief(4 records, masses of 3 sets)"
    with pytest.raises(TypeError):
        some.masses[frozenset([3])] = 0.5


def test_what_is_certain_and_what_is_not_known():
    chances = Belief.of([0.5, 0.0, 0.5])
    assert chances.belief([0, 1]) == chances.plausibility([0, 1]) == 0.5
    assert chances.pignistic().tolist() == [0.5, 0, 0.5]
    assert len(chances.masses) == 2
    nothing = Belief.vacuous(4)
    assert (nothing.belief([0, 1, 2]), nothing.plausibility([0])) == (0, 1)
    assert nothing.pignistic().tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Belief(2, {(): 0.5, (0,): 0.5}), "the empty set has none"),
        (lambda: Belief(2, {(0,): 0.5}), "masses: numbers, none of them below 0, whose sum is 1"),
        (lambda: Belief(2, {(0,): 1.5, (1,): -0.5}), "masses: numbers"),
        (lambda: Belief(2, {(0,): np.nan}), "masses: numbers"),
        (lambda: Belief(2, {(0,): "much"}), "masses: numbers"),
        (lambda: Belief(2, [0.5, 0.5]), "masses: a dict, sets to their masses, not list"),
        (lambda: Belief(2, {(2,): 1.0}), "record: a whole number from 0 to 1"),
        (lambda: Belief(2, {0: 1.0}), "a set of records is a list of whole numbers"),
        (lambda: Belief(0, {}), "n: a whole number from 1"),
        (lambda: Belief.of([]), "probabilities: numbers"),
        (lambda: Belief.of([[1.0]]), "probabilities: numbers"),
        (lambda: Belief.vacuous(2).belief([5]), "record: a whole number from 0 to 1"),
        (lambda: compatible([0.5, 0.6], [1, 0]), "attack: numbers"),
        (lambda: compatible([1, 0], [np.inf, 0]), "truth: numbers"),
        (lambda: compatible([1, 0], [1, 0, 0]), "need the same records, and have 2 and 3"),
    ],
)
def test_what_is_no_probability_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_the_examples_of_two_records():
    assert compatible([0.35, 0.65], [0.6, 0.4]).compatible
    assert repr(compatible([0.3, 0.7], [0.6, 0.4])) == "Compatibility(compatible)"
    away = compatible([0.95, 0.05], [0.6, 0.4])
    assert repr(away) == "Compatibility(not compatible, 0.15 away)"
    assert away.plan.sum(axis=0) == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize("p", [0.0, 0.1, 1 / 3, 0.5, 0.6, 0.9, 1.0])
def test_the_edges_of_two_records(p):
    for edge, out in ((p / 2, -1), ((1 + p) / 2, 1)):
        for step, inside in ((-1e-6, True), (0.0, True), (1e-6, False)):
            q = edge + out * step
            if 0 <= q <= 1:
                assert compatible([q, 1 - q], [p, 1 - p]).compatible == inside


def test_a_certain_truth_is_among_the_most_probable():
    sure = [0.0, 1.0, 0.0]
    assert compatible([0.2, 0.4, 0.4], sure).compatible
    plan = compatible([0.2, 0.4, 0.4], sure).plan
    assert plan == pytest.approx(np.array([[0, 0, 0], [0.2, 0.4, 0.4], [0, 0, 0]]))
    wrong = compatible([0.5, 0.1, 0.4], sure)
    assert not wrong.compatible
    # The level is 1/3: the first gives 1/6, the third 1/15.
    assert wrong.distance == pytest.approx(7 / 30)
    assert wrong.plan[1] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert compatible([1.0], [1.0]).compatible


def test_a_truth_shared_by_two_who_are_given_the_same():
    shared = [0.5, 0.5, 0.0]
    assert compatible([0.25, 0.25, 0.5], shared).compatible
    assert compatible([0.25, 0.25, 0.5], shared).plan.tolist() == [
        [0.25, 0, 0.25],
        [0, 0.25, 0.25],
        [0, 0, 0],
    ]
    assert compatible([0.2, 0.2, 0.6], shared).distance == pytest.approx(0.1)
    # To name one of two who share a row is more than can be known.
    assert compatible([1.0, 0.0, 0.0], shared).distance == pytest.approx(0.25)


def test_of_many_records_the_plan_alone_is_refused(monkeypatch):
    many = np.full(100_000, 1e-5)
    nobody = compatible(many, np.eye(1, 100_000, 99_999)[0])
    assert nobody.compatible
    with pytest.raises(UsageError, match="plan: a matrix for at most 5,000 records"):
        _ = nobody.plan
    halves = np.repeat([1.5e-5, 0.5e-5], 50_000)
    assert compatible(many, halves).compatible  # by a program of four pairs
    monkeypatch.setattr(compatibility, "MOST_PAIRS", 3)
    with pytest.raises(UsageError, match="4 pairs .* at most 3 are solved"):
        compatible(many, halves)


def test_a_program_that_is_not_solved_is_said_to_be_so(monkeypatch):
    monkeypatch.setattr(compatibility, "SOLVER", {"maxiter": 0, "presolve": False})
    with pytest.raises(UsageError, match="the program was not solved"):
        compatible([0.35, 0.65], [0.6, 0.4])


def test_results_as_distributions(some):
    each = distributions(some)
    assert [each[i][0].tolist() for i in range(4)] == [[0], [1, 3], [1], [2]]
    assert each.probability.tolist() == [1, 0.5, 0.5, 1, 1]
    assert each.of(some.true_rows).tolist() == measures.hits(some).tolist()
    assert repr(each) == "Distributions(4 records, 5 candidates)"
    few = distributions(some, sample=2)
    assert few.records.tolist() == some.sample(2).records.tolist()
    assert len(few) == 2


def test_many_ties_are_listed_batch_by_batch(monkeypatch):
    released = [0] * 5 + [10] * 7 + [20]
    links = links_of([0, 10, 20, 1, 9], released, np.full(13, -1))
    monkeypatch.setattr(LISTING, "BATCH_SIZE", 2)
    each = distributions(links)
    assert np.diff(each.starts).tolist() == [5, 7, 1, 5, 7]
    assert [set(np.array(released)[each[i][0]]) for i in range(5)] == [{0}, {10}, {20}, {0}, {10}]
    monkeypatch.setattr(LISTING, "MOST_TIED", 6)
    with pytest.raises(UsageError, match="2 records tie with more than 6 .* needs no list"):
        distributions(links)


def test_what_is_no_distribution_is_refused():
    def make(starts, rows, probability):
        return Distributions(np.arange(2), *map(np.array, (starts, rows, probability)))

    assert len(make([0, 0, 1], [4], [1.0])) == 2
    for starts in ([0, 1], [1, 1, 1], [0, 2, 1], [0, 1, 2]):
        with pytest.raises(UsageError, match="begin at 0, ascend"):
            make(starts, [4], [1.0])
    for rows in ([4, 4], [-1, 4]):
        with pytest.raises(UsageError, match="none twice"):
            make([0, 2, 2], rows, [0.5, 0.5])
    for probability in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1.0]):
        with pytest.raises(UsageError, match="0 or more, and sum to at most 1"):
            make([0, 2, 2], [4, 5], probability)


def test_originals_are_right_where_nothing_is_nearer(some):
    assert formal(some) == (0.5, 0.375, 4, 4)
    assert formal(some.sample(2)).n == 2


def test_released_rows_are_right_where_all_who_share_them_tie():
    # 1 and 3 share row 2 and tie; 10 and 11 share row 10, but 10 alone is taken for it.
    assert formal(links_of([1, 3, 10, 11], [2, 2, 10, 10], direction=BACK)) == (0.5, 0.5, 4, 4)
    # Whose original the intruder does not have counts as nobody.
    known = links_of([1, 3, 10, 11], [2, 2, 10, 10], direction=BACK, records=[0, 1, 2])
    assert formal(known) == (1, pytest.approx(2 / 3), 3, 3)


def test_a_sample_of_equal_rows_is_refused():
    links = links_of([1, 3, 10, 20], [2, 2, 10, 20], direction=BACK)
    with pytest.raises(UsageError, match="these links are a sample"):
        formal(replace(links, records=links.records[1:]))
    apart = replace(links, records=links.records[2:])
    assert formal(apart).compatible == 1


def test_who_is_not_there_or_not_compared():
    assert formal(links_of([0, 4], [0, 4], [-1, -1])) == (0, 0, 0, 0)
    apart = links_of([0, 4, 9], [0, 4, 9], blocks=([1, 2, 3], [1, 1, 3]))
    assert np.diff(distributions(apart).starts).tolist() == [1, 0, 1]
    assert formal(apart) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3, 3)


@dataclass
class Told:
    """A finder that has a distribution for each row, and asks another for the rest."""

    other: Any
    told: np.ndarray  # records x candidates

    def distribution(self, records):
        of, rows = np.nonzero(self.told[records])
        starts = np.searchsorted(of, np.arange(len(records) + 1))
        return starts, rows, self.told[records][of, rows]

    def classes(self):
        return self.other.classes()


def told(links, *results):
    return replace(links, finder=Told(links.finder, np.array(results)))


def test_an_attack_that_knows_probabilities():
    links = told(
        links_of([1, 3, 10, 20], [1, 3, 10, 20]),
        [0.5, 0.5, 0.0, 0.0],  # among the most probable
        [0.4, 0.3, 0.3, 0.0],  # not
        [0.25, 0.25, 0.25, 0.25],  # says nothing, and so nothing wrong
        [0.0, 0.0, 0.0, 0.0],  # nobody
    )
    assert distributions(links)[1][0].tolist() == [0, 1, 2]
    assert formal(links) == (0.5, pytest.approx((0.5 + 0.3 + 0.25) / 4), 4, 4)
    assert formal(links, sample=3).n == 3
    nobody = replace(links, records=links.records[:0])
    assert formal(nobody)[:3] == (0, 0, 0)


def test_probabilities_of_rows_that_are_shared():
    results = [[0.3, 0.6, 0.1], [0.3, 0.6, 0.1], [0.4, 0.2, 0.4]]
    back = told(links_of([1, 3, 10], [2, 2, 10], direction=BACK), *results)
    assert formal(back) == (1, pytest.approx((0.3 + 0.6 + 0.4) / 3), 3, 3)
    assert formal(back, sample=1).compatible == 1
    too_sure = told(back, [0.2, 0.8, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert formal(too_sure).compatible == pytest.approx(1 / 3)
    there = told(links_of([1, 3, 10], [2, 2, 10]), [0.3, 0.3, 0.4], [0.1, 0.2, 0.7], [0.5, 0, 0.5])
    # Of two equal rows together 0.6 and 0.3, against 0.4 and 0.7.
    assert formal(there).compatible == pytest.approx(2 / 3)


TWINS = Microdata(pl.DataFrame({"x": [1.0, 1, 2, 2]}), Schema(quasi=["x"], numeric=["x"]))
LIKELY = pl.DataFrame(
    {
        "unique_id_l": [1, 1, 2, 2, 3, 3, 4, 4],
        "unique_id_r": [1, 2, 1, 2, 3, 4, 3, 4],
        "match_probability": [0.65, 0.35, 0.35, 0.65, 0.35, 0.65, 0.35, 0.65],
    }
)


def test_pairs_of_another_program_keep_their_probabilities():
    links = unveil.attack(TWINS, TWINS, attacks.Pairs(pairs=LIKELY), truth="row-order")
    rows, probability = distributions(links)[2]
    assert dict(zip(rows.tolist(), probability.tolist(), strict=True)) == {2: 0.35, 3: 0.65}
    # Nobody can tell twins apart, so that any result on them alone is compatible.
    assert formal(links, columns=["x"]) == (1.0, pytest.approx(0.575), 4, 4)
    assert formal(links).compatible == 0.75  # where each row is told apart, the third is wrong
    weights = LIKELY.rename({"match_probability": "match_weight"})
    links = unveil.attack(TWINS, TWINS, attacks.Pairs(pairs=weights), truth="row-order")
    assert formal(links) == (0.75, 0.75, 4, 4)  # of weights the best counts, whatever its size


@pytest.mark.parametrize("bad", [1.5, -0.1])
def test_a_probability_of_a_pair_is_from_0_to_1(bad):
    pairs = LIKELY.with_columns(match_probability=pl.lit(bad))
    links = unveil.attack(TWINS, TWINS, attacks.Pairs(pairs=pairs), truth="row-order")
    assert unveil.measures.risk(links).n == 4  # to rank pairs any number will do
    with pytest.raises(DataError, match="match_probability is not from 0 to 1 in 8 pairs"):
        formal(links)


def test_own_results_are_judged():
    links = unveil.attack(TWINS, TWINS, attacks.Pairs(pairs=LIKELY), truth="row-order")
    beliefs = [
        Belief(4, {(0, 1): 1.0}),
        Belief(4, {(0,): 0.5, (0, 1): 0.5}),
        Belief(4, {(2,): 0.6, (3,): 0.4}),  # more than 0.5 on a twin
        Belief.vacuous(4),
    ]
    assert formal(links, results=beliefs, columns=["x"]) == (0.75, pytest.approx(0.4), 4, 4)
    for wrong, said in (
        (beliefs[:3], "one Belief for each record"),
        ([*beliefs[:3], Belief.vacuous(3)], "on all 4 candidates"),
        ([0.5] * 4, "one Belief for each record"),
        (distributions(links, sample=2), "one for each record of the links"),
    ):
        with pytest.raises(UsageError, match=said):
            formal(links, results=wrong)
    with pytest.raises(UsageError, match="one for each of the 4 records"):
        beliefs[0].is_below([0.5, 0.5])
    with pytest.raises(UsageError, match="whose sum is 1"):
        beliefs[0].is_below([0.5, 0.2, 0.1, 0.1])
