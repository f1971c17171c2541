"""Files that share nobody: of the same marginals, and near enough of the same structure."""

import numpy as np
import pytest

from fixtures.no_common_attribute import halves
from unveil.attacks.structural.file_features import correlation_matrix, feature_scores
from unveil.attacks.structural.null_files import NULL_FILES, redrawn, stand_ins


def gappy(n):
    values = halves(n, noise=0.3)[0]
    values[np.random.default_rng(4).random(values.shape) < 0.1] = np.nan
    return values


def test_a_redrawn_file_has_the_same_marginals_and_correlations():
    values = gappy(2000)
    found = redrawn(values, np.random.default_rng(5))
    assert np.array_equal(np.sort(found, axis=0), np.sort(values, axis=0), equal_nan=True)
    before, after = (correlation_matrix(feature_scores(own, own)) for own in (values, found))
    assert np.abs(after - before).max() < 0.1
    rows = [{tuple(row) for row in own[~np.isnan(own).any(1)].tolist()} for own in (values, found)]
    assert rows[0].isdisjoint(rows[1])  # nobody is in both


def test_the_cells_of_a_stand_in_are_two_persons():
    values = halves(60)[0]
    found = stand_ins(values, np.random.default_rng(6))
    persons = (found[:, None, :] == values).any(2).sum(1)  # whose cells each has
    assert set(persons) <= {1, 2}
    assert (persons == 2).mean() > 0.5
    before, after = (correlation_matrix(feature_scores(own, own)) for own in (values, found))
    assert np.abs(after - before).max() < 0.4


def test_a_stand_in_has_what_is_there_twice_of_one_person():
    values = halves(60)[0][:, :3]
    found = stand_ins(np.hstack([values, -2 * values]), np.random.default_rng(6))
    assert np.array_equal(found[:, 3:], -2 * found[:, :3])


@pytest.mark.parametrize("kind", NULL_FILES)
def test_files_in_which_all_are_the_same(kind):
    for values in (np.ones((12, 2)), np.full((12, 2), np.nan), np.ones((2, 1))):
        found = NULL_FILES[kind](values, np.random.default_rng(7))
        assert np.array_equal(found, values, equal_nan=True)


@pytest.mark.parametrize("kind", NULL_FILES)
def test_controls_depend_on_the_generator_only(kind):
    values = gappy(30)
    first, again, other = (
        NULL_FILES[kind](values, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)
