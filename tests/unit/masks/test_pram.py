"""Transition matrices of PRAM, and draws without one."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from unveil.masks.pram import Pram, draw_categories, even_changes, invariant_matrix


def test_the_rarest_category_changes_with_probability_theta():
    matrix = even_changes(np.array([1, 3]), 0.3, invariant=True).matrix()
    assert matrix.round(9).tolist() == [[0.7, 0.3], [0.1, 0.9]]


def test_an_invariant_matrix_keeps_expected_counts():
    sizes = np.array([10, 30])
    matrix = invariant_matrix(np.array([[0.8, 0.2], [0.5, 0.5]]), sizes)
    assert (sizes @ matrix).round(9).tolist() == [10, 30]


@given(
    st.lists(st.integers(-1, 6), min_size=4, max_size=60).filter(lambda codes: max(codes) > 0),
    st.floats(0, 1),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_draws_without_a_matrix_are_those_of_the_matrix(codes, theta, invariant, seed):
    coded = np.array(codes)
    sizes = np.bincount(coded[coded >= 0])
    transitions = even_changes(sizes, theta, invariant=invariant)
    uniforms = np.random.default_rng(seed).random(len(coded))
    naive = draw_categories(transitions.matrix(), coded, uniforms)
    assert draw_categories(transitions, coded, uniforms).tolist() == naive.tolist()
    rows, columns = np.indices((len(sizes), len(sizes)))
    assert (transitions.at(rows, columns) == transitions.matrix()).all()


def test_a_hundred_thousand_categories_need_no_matrix():
    names = [f"c{number}" for number in range(100_000)]
    data = unveil.Microdata(pl.DataFrame({"job": names}), unveil.Schema(quasi="job"))
    release = unveil.mask(data, [Pram(theta=0.2)], seed=1)
    changed = (data.column("job") != release.data.column("job")).mean()
    assert changed == pytest.approx(0.2, abs=0.01)
    assert not release.channels[0].excludes(data, release.data).any()


def test_a_matrix_that_the_memory_cannot_hold_is_refused_up_front(monkeypatch):
    monkeypatch.setattr("unveil.support.memory.machine_memory", lambda: 2**30)
    transitions = even_changes(np.ones(100_000, np.int64), 0.2, invariant=True)
    with pytest.raises(unveil.UnveilError, match=r"100,000 categories needs about 298.0 GiB"):
        transitions.matrix()
