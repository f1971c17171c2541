"""Calibration: the curve, what becomes of candidates, and the simulations it is fitted to."""

from dataclasses import replace

import numpy as np
import pytest

import unveil
from unveil import Intruder, attacks, masks, measures
from unveil.attacks.matched import calibration as module
from unveil.attacks.matched.calibration import Calibration, n_simulations

KNOWN = ["age", "hours", "income", "rent"]


def attacked(release_seed=1, n=300, plan=None, **intruder):
    people = unveil.households(n, seed=2)
    plan = plan or [masks.AdditiveNoise(scale=0.3, columns=KNOWN)]
    release = unveil.mask(people, plan, seed=release_seed)
    intruder = Intruder(**({"knows": KNOWN} | intruder))
    return unveil.attack(
        people, release, attacks.Tailored(matching="posterior"), intruder=intruder, seed=3
    )


def test_a_curve_is_found_again():
    rng = np.random.default_rng(0)
    claimed = rng.uniform(0.02, 0.98, 20_000)
    true = Calibration(0.4, 1.3, 1, 0)
    hits = (rng.random(len(claimed)) < true(claimed)).astype(float)
    found = Calibration.fit(claimed, hits)
    assert found.intercept == pytest.approx(0.4, abs=0.05)
    assert found.slope == pytest.approx(1.3, abs=0.05)


@pytest.mark.parametrize("hits", [np.ones(3), np.zeros(3), np.array([1.0, 0.0, 0.5])])
def test_few_links_do_not_break_it(hits):
    found = Calibration.fit(np.array([0.2, 0.9, 1.0]), hits)
    assert 0 < found.slope < 5
    assert abs(found.intercept) < 5
    curve = found(np.array([0.0, 1e-12, 0.1, 0.5, 0.9, 1.0]))
    assert curve[0] == 0
    assert (np.diff(curve) > 0).all()
    assert curve[-1] <= 1


def test_no_link_at_all_leaves_probabilities_as_they_are():
    found = Calibration.fit(np.zeros(0), np.zeros(0))
    assert (found.intercept, found.slope) == pytest.approx((0.0, 1.0))


def test_candidates_keep_their_order_and_no_more_than_1_together():
    curve = Calibration(-3.0, 0.7, 1, 0)  # the attack was far too sure
    for chance in ([0.6, 0.3, 0.1, 0.0], [0.4, 0.4, 0.2, 0.0], [0.99, 0.01, 0.0, 0.0]):
        own = np.array(chance)
        n_best = np.array([int((own == own[0]).sum())])
        found = curve.among_candidates(own, own[:1], n_best)
        assert (np.diff(found) <= 1e-12).all()
        assert found.sum() <= 1 + 1e-12
        assert found[0] == pytest.approx(min(curve(own[:1])[0], 1 / n_best[0]))
        assert (found[own == own[0]] == found[0]).all()
        assert found[-1] == 0


def test_the_plan_calibrates_what_a_posterior_claims():
    links = attacked()
    details = links.finder.details
    assert details["calibrated"]
    assert details["simulations"] == n_simulations(300, 300) == module.MOST_SIMULATIONS
    curve = links.finder.calibration
    raw = replace(links.finder, simulation=None).nearest(links.records, 3, None)
    claimed, ties = np.exp(-raw.scores), raw.n_best
    best = np.minimum(curve(claimed[:, 0]), 1 / ties)
    assert measures.certainty(links) == pytest.approx(best)
    assert (links.top_candidates.rows == raw.rows).all()
    starts, _, chance = links.finder.distribution(links.records)
    assert np.maximum.reduceat(chance, starts[:-1]) == pytest.approx(best)
    assert (np.add.reduceat(chance, starts[:-1]) <= 1 + 1e-6).all()


def test_simulations_do_not_use_the_seed_of_the_release_nor_the_truth():
    """The curve of a release is that of its plan: the same whoever is who."""
    links = attacked()
    people, release = links.pair.original, links.pair.release
    masked = unveil.mask(people, [masks.AdditiveNoise(scale=0.3, columns=KNOWN)], seed=1)
    order = np.random.default_rng(0).permutation(len(people))
    moved = unveil.Release(masked.data, masked.plan, masked.channels, np.argsort(order))
    spec, intruder = attacks.Tailored(matching="posterior"), Intruder(knows=KNOWN)
    other = unveil.attack(people.take(order), moved, spec, intruder=intruder, seed=3)
    assert len(release) == len(moved)
    for name in ("intercept", "slope"):
        assert other.finder.details[name] == pytest.approx(links.finder.details[name], abs=1e-6)
    assert np.sort(measures.certainty(other)) == pytest.approx(
        np.sort(measures.certainty(links)), abs=1e-6
    )


@pytest.mark.parametrize(
    "intruder",
    [{"records": 0.5}, {"records": 40}, {"knows": KNOWN[:2]}, {"direction": "release-to-original"}],
)
def test_who_has_few_records_or_columns_fills_up_with_released_cells(intruder):
    links = attacked(**intruder)
    assert links.finder.details["calibrated"]
    files = links.finder.simulation.files.remask(0)
    assert len(files.release) == len(links.pair.release)
    assert len(files.intruder_records) == len(links.pair.original)
    assert files.truth is not None
    assert (files.truth.row_of_record >= 0).all()
    assert files.remask is None
    own = links.pair.original.column(KNOWN[0]).sort()
    assert files.intruder_records.column(KNOWN[0]).sort().equals(own)
    again = links.finder.simulation.files.remask(1)
    assert not again.release.column(KNOWN[0]).equals(files.release.column(KNOWN[0]))


def test_who_does_not_know_the_plan_is_not_calibrated():
    people = unveil.households(100, seed=2)
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.3, columns=KNOWN)], seed=1)
    links = unveil.attack(
        people, release, attacks.Distance(matching="posterior"), intruder=Intruder(knows=KNOWN)
    )
    assert links.finder.details["calibrated"] is False
    assert links.finder.details["fraction"] == 0.8


def test_where_the_plan_cannot_be_carried_out_again_nothing_is_calibrated(monkeypatch):
    links = attacked(n=100)
    monkeypatch.setattr(module, "MOST_PAIRS", 100)
    assert links.finder.details["calibrated"] is False
    assert n_simulations(100, 100) == 0


def test_calibrated_probabilities_are_right_so_often():
    """Uncalibrated, 79 % are expected and 84 % are right."""
    found = [measures.reliability(attacked(seed, n=500)) for seed in range(3)]
    claimed, right = (
        np.mean([[getattr(one, name) for one in each.bins] for each in found])
        for name in ("claimed", "right")
    )
    assert claimed == pytest.approx(right, abs=0.03)


def test_households_are_calibrated_as_households():
    people = unveil.households(400, seed=2)
    plan = [masks.AdditiveNoise(scale=0.3, columns=["age", "income"])]
    release = unveil.mask(people, plan, seed=1, household="keep")
    spec = attacks.Households(score="tailored", matching="posterior")
    links = unveil.attack(people, release, spec, intruder=Intruder(knows=["age", "income"]), seed=3)
    assert links.finder.details["calibrated"]
    assert measures.forecast(links.households).n == len(links.households)
