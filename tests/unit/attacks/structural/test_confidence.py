"""How far links are believed: as far as controls do not have the like."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import unveil
from fixtures.no_common_attribute import planted
from unveil.attacks import Structural
from unveil.attacks.matched import posterior as posterior_module
from unveil.attacks.matched.comparer import ClassPairs
from unveil.attacks.matched.matches import MatchProbabilities
from unveil.attacks.structural import confidence as module
from unveil.attacks.structural.confidence import (
    COUNTED_DEVIATION,
    Confidence,
    fitted_log_likelihood,
)
from unveil.attacks.structural.soft_matching import (
    log_likelihood_ratio,
    match_probabilities,
    partial_match_probabilities,
    prior_log_odds,
)
from unveil.engines.records import Records
from unveil.matching.posterior import MatchGraph, marginals


def credit(likelihood=100.0, found=(20.0, 22.0), **more):
    return Confidence(likelihood, {"redrawn": found} | more if found else {})


def test_it_is_the_surer_the_likelier():
    every = [credit(likelihood).sure for likelihood in np.linspace(-100, 1000, 30)]
    assert every == sorted(every)
    assert every[0] < 0.001
    assert every[-1] > 0.999
    assert all(0 <= one <= 1 for one in every)
    assert credit(1e9).sure <= 1
    assert credit(-1e9).sure >= 0


# The first 15 searches that benchmarks/structural_sure.py follows in planted files and EIA, which
# set the curve: deviations, the sum of the best links' posteriors, how many of these are right.
SEARCHES = (
    (1.36, 25.9, 6), (1.41, 40.4, 30), (3.25, 26.1, 23), (3.68, 38.0, 28), (3.76, 28.0, 16),
    (4.88, 52.9, 52), (4.92, 32.9, 37), (5.27, 43.0, 49), (7.65, 43.2, 54), (8.69, 50.4, 59),
    (10.56, 63.4, 63), (19.07, 60.6, 65), (19.40, 60.4, 67), (3.37, 22.7, 0), (6.77, 33.4, 0),
)  # fmt: skip
STRANGERS = tuple(deviations for deviations, _, right in SEARCHES if not right)


def sure_at(deviations):
    """How sure a search is that is so many deviations above its controls."""
    one = credit(found=())
    return replace(one, log_likelihood=deviations * COUNTED_DEVIATION).sure


def test_no_search_in_files_of_strangers_is_sure():
    assert len(STRANGERS) == 2
    assert max(map(sure_at, STRANGERS)) < 0.9
    assert sure_at(0.0) < 0.05
    assert sure_at(1.0) < 0.1


def test_as_many_links_are_expected_as_are_right():
    """The earlier curve, 1/2 at 5.5 deviations with slope 1.2, expected 358 of 549."""
    right = sum(hits for *_, hits in SEARCHES)
    expected = sum(sure_at(deviations) * total for deviations, total, _ in SEARCHES)
    earlier = sum(total / (1 + np.exp(-1.2 * (d - 5.5))) for d, total, _ in SEARCHES)
    assert earlier < 0.7 * right
    assert 0.7 * right < expected <= right


def test_the_strictest_controls_count():
    one = credit(**{"stand-ins": (90.0, 95.0)})
    assert one.strictest == "stand-ins"
    assert one.sure < credit().sure
    assert one.as_dict("correlation") == {
        "method": "correlation", "likelihood": 100.0, "control": 92.5, "most": 95.0,
        "spread": pytest.approx(np.std([90, 95], ddof=1)), "controls": 2, "kind": "stand-ins",
        "deviations": one.deviations,
    }  # fmt: skip


def test_controls_that_differ_much_are_stricter_than_higher_ones_that_do_not():
    assert credit(160.0, (100.0, 102.0), **{"stand-ins": (20.0, 150.0)}).strictest == "stand-ins"


def test_controls_that_differ_much_make_less_sure():
    assert credit(found=(0.0, 42.0)).deviations < credit(found=(20.0, 22.0)).deviations
    assert credit(likelihood=21.0).deviations == 0
    assert not credit(likelihood=21.0).worth_following
    assert credit(likelihood=60.0).worth_following


def test_without_controls_the_likelihood_alone_counts():
    alone = credit(found=())
    assert alone.strictest is None
    assert alone.deviations == 100 / COUNTED_DEVIATION
    assert alone.sure > 0.999
    told = alone.as_dict("values")
    assert (told["control"], told["spread"], told["most"], told["controls"]) == (None,) * 3 + (0,)


def between(costs, offset, *, reverse=False):
    """What a pairing compares: all pairs at these costs, and what each record costs by itself."""
    mine = Records(np.zeros((len(costs), 1)), offset=offset)
    sides = SimpleNamespace(queries_first=lambda mine, _: (mine, None), reverse=reverse)
    return SimpleNamespace(
        files=sides,
        intruder_records=mine,
        released=None,
        degrees=None,
        costs=lambda r, c: costs[r, c],
    )


def pairing(costs, offset, **how):
    shape = costs.shape
    return SimpleNamespace(
        shape=shape,
        supply=np.ones(shape[0], int),
        capacity=np.ones(shape[1], int),
        comparer=between(costs, offset, **how),
        above_least=lambda bits: ((costs - costs.min(1, keepdims=True)).astype(bits), costs.min(1)),
    )


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4)])
@pytest.mark.parametrize("reverse", [False, True])
def test_links_are_those_of_a_matching_in_which_some_have_nobody(shape, reverse):
    rng = np.random.default_rng(3)
    weights, offset = 3 * rng.standard_normal(shape), rng.standard_normal(shape[0])
    one = replace(credit(found=()), weight_at_zero=2.0, overlap=0.4)
    found = one.posterior(pairing(2.0 - offset[:, None] - weights, offset, reverse=reverse))
    pairs = min(0.4 * shape[1 if reverse else 0], 0.99 * min(shape))
    expected = partial_match_probabilities(weights, pairs)
    assert found.chance == pytest.approx(expected * one.sure, abs=2e-3)


def test_whom_two_are_sure_of_is_of_one_of_them():
    starts, columns = np.array([0, 1, 2]), np.array([0, 0])
    graph = MatchGraph(starts, columns, np.zeros(2), np.array([1, 1]), np.array([1]))
    found = marginals(graph, alone=np.full(2, -40.0))
    assert found.probability == pytest.approx(np.full(2, 0.5), abs=1e-5)
    assert found.unmatched == pytest.approx(np.full(2, 0.5), abs=1e-5)


def test_what_is_cut_off_is_cut_off_those_who_are_alone_too(monkeypatch):
    """Pairs that are left out are as many, but hardly anybody is in one."""
    mine, release, _ = planted(40, noise=0.8)
    links = unveil.link(mine, release, Structural(method="correlation", starts=0, controls=2))
    monkeypatch.setattr(posterior_module, "MOST_PAIRS", 100)
    monkeypatch.setattr(posterior_module, "KEPT_CANDIDATES", 3)
    monkeypatch.setattr(posterior_module, "KEPT_RECORDS", 2)
    compared = ClassPairs(links.finder.base, links.order)
    lost = [
        module.posterior(compared, alone=np.full(compared.shape[0], alone)).details["cut_off"]
        for alone in (-50.0, 50.0)
    ]
    assert lost[1] < 1e-6 < lost[0]


def test_the_odds_of_a_pair_are_those_of_so_many_pairs():
    found = partial_match_probabilities(np.zeros((8, 5)), 2.0)  # where nothing is known
    assert found == pytest.approx(np.full((8, 5), 2 / 40), abs=1e-3)
    assert prior_log_odds(2.0, 8, 5) == pytest.approx(np.log(2 / (6 * 3)))


def test_the_order_of_candidates_stays(monkeypatch):
    rows, columns = np.divmod(np.arange(12), 4)
    chance = np.array([0.7, 0.1, 0.1, 0.1, 0.05, 0.9, 0.03, 0.02, 0.25, 0.2, 0.3, 0.25])
    outcome = MatchProbabilities(rows, columns, chance, {"rounds": 1})
    monkeypatch.setattr(module, "posterior", lambda *_, **__: outcome)
    for one in (credit(), credit(likelihood=0.0)):
        found = one.posterior(pairing(np.zeros((3, 4)), np.zeros(3)))
        assert (found.rows == rows).all()
        assert (found.columns == columns).all()
        assert found.details == outcome.details
        assert (found.chance <= chance).all()
        assert (found.chance > 0).all()
        for row in range(3):
            own = rows == row
            assert (np.argsort(found.chance[own]) == np.argsort(chance[own])).all()


class Given:
    """A part that is told what it weighs."""

    def __init__(self, weights):
        self.given = weights

    def fit(self, posterior):
        """There is nothing to fit."""

    def weights(self):
        """What it was told."""
        return self.given


def test_the_likelihood_is_of_all_pairs():
    found = fitted_log_likelihood([Given(np.log(np.eye(5) * 1e6 + 1))])
    assert found == pytest.approx(5 * np.log(1e6) - np.log(120), abs=2)
    assert fitted_log_likelihood([Given(np.zeros((5, 8)))]) == pytest.approx(0, abs=1e-9)


def test_beliefs_that_do_not_settle_make_files_no_less_likely():
    rng = np.random.default_rng(1)
    some = rng.standard_normal((12, 2)).round()
    weights = 40.0 * some @ some.T  # many are the same, and all are sure
    found = fitted_log_likelihood([Given(weights)])
    assert found >= log_likelihood_ratio(weights, match_probabilities(weights))
