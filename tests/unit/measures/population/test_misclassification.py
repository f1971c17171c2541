"""One match, two views; and both against what happens to a population that is released."""

import numpy as np
import pytest

from unveil.errors import UsageError
from unveil.measures import match_probability


def test_exact_agreement_in_a_known_population():
    people = np.array([1.0, 5.0, 20.0])
    for fraction in (0.01, 0.5, 1.0):
        found = match_probability(people, np.eye(3), fraction)
        assert found.sample_unique == pytest.approx(1 / people)
        assert found.fellegi_sunter == pytest.approx(1 / people)


def test_releases_drawn_at_random():
    rng, people, fraction = np.random.default_rng(5), np.array([1, 3, 9]), 0.3
    changes = np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.05, 0.05, 0.9]])
    true = np.repeat(np.arange(3), people)
    alone, right, agreeing, matches = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for _ in range(6000):
        there = np.flatnonzero(rng.random(len(true)) < fraction)
        seen = np.array([rng.choice(3, p=changes[true[one]]) for one in there], int)
        counts = np.bincount(seen, minlength=3)
        for row, key in zip(there, seen, strict=True):
            agreeing[key] += people[key]
            matches[key] += true[row] == key
            if counts[key] == 1:
                alone[key] += 1
                right[key] += (true[row] == key) / people[key]
    found = match_probability(people, changes, fraction)
    assert right / alone == pytest.approx(found.sample_unique, rel=0.1)
    assert matches / agreeing == pytest.approx(found.fellegi_sunter, rel=0.1)
    assert (found.m > found.u).all()


def test_bad_input():
    for changes in (np.ones((2, 2)), np.eye(3)):
        with pytest.raises(UsageError, match="sum to 1"):
            match_probability(np.ones(2), changes, 0.1)
    with pytest.raises(UsageError, match="at most 1"):
        match_probability(np.ones(2), np.eye(2), 1.5)
    assert match_probability(np.array([0.0, 2.0]), np.eye(2), 0.1).sample_unique[0] == 0
    with pytest.raises(UsageError, match="at most 1"):
        match_probability(np.ones(2), np.eye(2), True)
    with pytest.raises(UsageError, match="0 or at least 1"):
        match_probability(np.array([0.5, 2.0]), np.eye(2), 0.1)
