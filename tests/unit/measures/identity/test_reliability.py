"""Reliability: claimed probabilities against the share that is right."""

from types import SimpleNamespace

import numpy as np
import pytest

import unveil
from unveil import attacks, masks, measures
from unveil.measures.identity import reliability as module


def links(probability, hits, monkeypatch):
    monkeypatch.setattr(module, "link_probability", lambda _: np.array(probability))
    monkeypatch.setattr(module, "hits", lambda _: np.array(hits))
    one = SimpleNamespace()
    one.sample = lambda _: one
    return one


def test_bins_of_equal_size(monkeypatch):
    made = links([0.9, 0.1, 0.2, 0.8], [1.0, 0.0, 1.0, 0.5], monkeypatch)
    found = module.reliability(made, bins=2)
    assert [(one.n, one.claimed, one.right) for one in found.bins] == [
        (2, pytest.approx(0.15), 0.5), (2, pytest.approx(0.85), 0.75),
    ]  # fmt: skip
    assert found.error == pytest.approx((0.35 + 0.1) / 2)
    expected = -(np.log(0.9) + np.log(0.9) + np.log(0.2) + (np.log(0.8) + np.log(0.2)) / 2) / 4
    assert found.log_score == pytest.approx(expected)
    rate = 2.5 / 4
    base = -(rate * np.log(rate) + (1 - rate) * np.log(1 - rate))
    assert found.base_log_score == pytest.approx(base)


def test_no_more_bins_than_links_and_certainties_have_a_log(monkeypatch):
    found = module.reliability(links([1.0, 0.0], [0.0, 0.0], monkeypatch))
    assert len(found.bins) == 2
    assert np.isfinite(found.log_score)


def test_distances_have_none():
    people = unveil.households(50)
    made = unveil.attack(people, people, attacks.Distance(), truth="person")
    assert measures.reliability(made) is None


def test_the_order_of_rows_means_nothing():
    people = unveil.households(200, seed=1)
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.5, columns=["age", "rent"])], seed=1)
    spec = attacks.Distance(matching="posterior")
    order = np.random.default_rng(0).permutation(200)
    one = measures.reliability(unveil.attack(people, release, spec, seed=1))
    moved = unveil.Release(release.data, release.plan, release.channels, np.argsort(order))
    other = measures.reliability(unveil.attack(people.take(order), moved, spec, seed=1))
    assert other.error == pytest.approx(one.error, abs=1e-9)
    assert other.log_score == pytest.approx(one.log_score, abs=1e-9)
