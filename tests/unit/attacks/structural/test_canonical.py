"""Canonical correlations of soft matchings: what is learnt, and what it is worth."""

import numpy as np
import pytest

from fixtures.no_common_attribute import halves
from naive import structural as naive
from unveil.attacks.structural import soft_matching as soft
from unveil.attacks.structural.alignment import shape_gaps
from unveil.attacks.structural.canonical import (
    MOST_CORRELATION,
    CanonicalCorrelations,
    FeaturePair,
    fit_correlations,
    run_em,
    whitening,
)
from unveil.attacks.structural.file_features import correlation_matrix, feature_scores
from unveil.attacks.structural.null_files import redrawn
from unveil.attacks.structural.soft_matching import log_likelihood_ratio, match_probabilities
from unveil.attacks.structural.starting_points import starting_posteriors


def pair_of(n=60, **how):
    """Scores of two files, exactly centred and scaled, in the same order."""
    both = [feature_scores(own, own) for own in halves(n, **how)]
    return FeaturePair.of(*((own - own.mean(0)) / own.std(0) for own in both))


@pytest.mark.parametrize("share", [0.5, 0.9, 0.999, 1.0])
def test_whitened_directions_are_not_correlated(share):
    scores = pair_of(noise=0.5).intruder
    related = correlation_matrix(scores)
    found = scores @ whitening(related, share)
    assert found.T @ found / len(found) == pytest.approx(np.eye(found.shape[1]))
    spectrum = np.sort(np.linalg.eigvalsh(related))[::-1]
    held = spectrum[: found.shape[1]].sum() / spectrum.sum()
    assert held >= share - 1e-9
    assert held - spectrum[found.shape[1] - 1] / spectrum.sum() < share


def test_directions_in_which_nothing_varies_are_left_out():
    column = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    assert whitening(correlation_matrix(np.hstack([column, -column])), 1.0).shape == (2, 1)


def test_of_a_matching_that_is_decided_canonical_correlations_are_learnt():
    pair = pair_of(noise=0.4)
    order = np.random.default_rng(1).permutation(60)
    part = CanonicalCorrelations(pair.take(np.arange(60), order), 1.0)
    part.fit(np.eye(60)[:, order])
    expected = naive.canonical_correlations(pair.intruder, pair.released)
    assert part.sizes == pytest.approx(np.minimum(expected[expected > 0.02], MOST_CORRELATION))
    u, v = pair.intruder @ part.directions[0], pair.released @ part.directions[1]
    assert u.T @ u / 60 == pytest.approx(np.eye(len(part.sizes)), abs=1e-9)
    assert np.minimum(np.diag(u.T @ v / 60), MOST_CORRELATION) == pytest.approx(part.sizes)


def test_nothing_is_certain_and_what_is_faint_is_nothing():
    mine = pair_of().intruder
    part = CanonicalCorrelations(FeaturePair.of(mine, mine), 1.0)
    part.fit(np.eye(60))
    assert (part.sizes == MOST_CORRELATION).all()
    part.fit(np.full((60, 60), 1 / 60))  # anybody is anybody
    assert not len(part.sizes)
    assert part.weights() == pytest.approx(np.zeros((60, 60)))


def test_what_was_learnt_holds_of_other_records():
    pair = pair_of(noise=0.3)
    part = CanonicalCorrelations(pair, 0.999)
    part.fit(np.eye(60))
    some = np.arange(5), np.arange(9, 2, -1)
    assert part.of_pair(pair.take(*some)).weights() == pytest.approx(part.weights()[np.ix_(*some)])


def test_what_is_supposed_is_correlated_so():
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((5000, 3)) @ [[1, 0.5, 0.2], [0, 1, 0.4], [0, 0, 1]]
    pair = FeaturePair.of(*(own / own.std(0) for own in (scores, scores[:, [2, 0, 1]])))
    part = CanonicalCorrelations(pair, 1.0)
    part.assume(0.9 * np.eye(3)[[1, 2, 0]])
    assert part.sizes == pytest.approx([0.9] * 3)
    weights = part.of_pair(pair.take(np.arange(200), np.arange(200))).weights()
    assert (weights.argmax(1) == np.arange(200)).mean() > 0.9


def test_of_many_pairs_half_the_digits_will_do(monkeypatch):
    pair = pair_of(noise=0.3)
    monkeypatch.setattr(soft, "LARGE_SCALINGS", soft.SCALINGS)
    found = []
    for many in (10**6, 0):
        monkeypatch.setattr(soft, "LARGE", many)
        part = CanonicalCorrelations(pair, 0.999)
        part.fit(np.eye(60))
        weights = part.weights()
        assert (
            weights.dtype
            == match_probabilities(weights).dtype
            == (np.float64 if many else np.float32)
        )
        found.append((weights, log_likelihood_ratio(weights, match_probabilities(weights))))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-4, abs=1e-3)
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-3)


def test_settling_makes_files_likelier_and_finds_people_from_half_of_them():
    pair = pair_of()
    start = np.full((60, 60), 0.5 / 60) + 0.5 * np.diag(np.arange(60) < 30)
    part = CanonicalCorrelations(pair, 0.999)
    part.fit(start)
    before = log_likelihood_ratio(part.weights(), match_probabilities(part.weights()))
    posterior, after = run_em([part], start)
    assert after > before
    assert (posterior.argmax(1) == np.arange(60)).mean() > 0.9
    assert after == log_likelihood_ratio(part.weights(), posterior)


def test_among_many_candidates_it_does_not_stop_because_each_is_unlikely():
    pair = pair_of(400)
    start = np.full((400, 400), 0.9 / 400) + 0.1 * np.eye(400)
    posterior, _ = run_em([CanonicalCorrelations(pair, 0.999)], start, 60)
    assert (posterior.argmax(1) == np.arange(400)).mean() > 0.9


def test_the_best_of_all_starts_is_kept_and_strangers_are_less_likely():
    values = halves(30)
    found = []
    for mine in (values[0], redrawn(values[0], np.random.default_rng(2))):
        both = mine, values[1]
        pair = FeaturePair.of(*(feature_scores(own, own) for own in both))
        starts = list(
            starting_posteriors(both, pair, shape_gaps(*both), np.random.default_rng(3), 2)
        )
        for start in starts:
            assert start.sum(1) == pytest.approx(1)
        weights = fit_correlations(pair, pair, starts).weights()
        found.append((weights, log_likelihood_ratio(weights, match_probabilities(weights))))
    assert (found[0][0].argmax(1) == np.arange(30)).mean() > 0.8
    assert found[0][1] > found[1][1] + 20
