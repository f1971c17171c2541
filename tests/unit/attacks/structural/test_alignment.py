"""Attributes of two files matched by shapes and relations; and where a search begins."""

import numpy as np
import pytest

from fixtures.no_common_attribute import halves
from unveil.attacks.structural.alignment import align, align_softly, shape_gaps, similarity
from unveil.attacks.structural.canonical import FeaturePair
from unveil.attacks.structural.file_features import feature_scores
from unveil.attacks.structural.representatives import normalise
from unveil.attacks.structural.starting_points import main_loadings, main_signs, starting_posteriors
from unveil.table.encoding.to_arrays import normal_scores


def shapes(n=200):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, 4))
    return np.column_stack([np.exp(x[:, 0]), x[:, 1], x[:, 2] > 1, np.abs(x[:, 3]) ** 3])


def test_the_same_shapes_are_found_in_another_order_and_another_unit():
    values, order = shapes(), np.array([2, 0, 3, 1])
    units = np.array([10.0, 0.1, 5.0, 1e6])
    found = align(values, (values * units + 7)[:, order], reverse=False)
    assert (order[found.released] == found.intruder).all()
    assert found.gap == pytest.approx(np.zeros(4), abs=1e-9)
    assert similarity(found.gap) == pytest.approx(np.ones(4))
    assert (found.sign == 1).all()


def test_those_that_fall_where_others_rise_are_found_when_they_are_turned():
    values, order = shapes(), np.array([3, 1, 0, 2])
    signs = np.array([-1.0, 1.0, -1.0, -1.0])
    other = (values * signs)[:, order]
    found = align(values, other, reverse=True)
    assert (order[found.released] == found.intruder).all()
    skewed = found.intruder != 1  # a shape that is the same when turned has no direction
    assert (found.sign == signs[found.intruder])[skewed].all()
    assert align(values, other, reverse=False).gap.sum() > found.gap.sum() + 0.1


def test_the_file_with_fewer_attributes_has_a_partner_for_each():
    found = align(shapes()[:, :2], shapes(90), reverse=False)
    assert found.intruder.tolist() == [0, 1]
    assert found.released.tolist() == [0, 1]


def test_constants_and_what_is_missing_have_no_shape():
    values = np.column_stack([shapes()[:, 0], np.full(200, np.nan), np.ones(200)])
    for gaps in shape_gaps(values, values):
        assert np.isfinite(gaps).all()
    assert shape_gaps(values, values)[0][1, 2] == 0


def test_the_main_direction_is_that_of_most():
    rng = np.random.default_rng(4)
    size = rng.standard_normal(300)
    values = np.column_stack([size, size, -size, size]) + 0.3 * rng.standard_normal((300, 4))
    scores = feature_scores(values, values)
    assert main_signs(scores).tolist() == [1, 1, -1, 1]
    assert np.corrcoef(scores @ main_loadings(scores), size)[0, 1] > 0.95


def test_where_as_much_counts_either_way_rounding_does_not_choose():
    rng = np.random.default_rng(5)
    for n in range(30, 60):
        one = rng.standard_normal(n)
        values = np.column_stack([one, 0.5 * rng.standard_normal(n) - one])
        own = normalise(values, method="standardisation")[rng.permutation(n)]
        assert main_signs(own).tolist() == [1, -1]


def skewed(n, columns, seed):
    """Attributes of one shape: only how they are correlated tells which is which."""
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((n, 2)) @ rng.standard_normal((2, columns))
    scores = normalise(latent + rng.standard_normal((n, columns)), method="standardisation")
    return np.exp(np.column_stack([normal_scores(column) for column in scores.T]))


@pytest.mark.parametrize("columns", [4, 6])
def test_attributes_of_one_shape_are_told_by_how_they_are_correlated(columns):
    mine, rng = skewed(400, 6, 3), np.random.default_rng(8)
    partner, sign = rng.permutation(6)[:columns], rng.choice([-1.0, 1.0], columns)
    released = skewed(400, 6, 3)[rng.permutation(400)][:, partner] * sign
    pair = FeaturePair.of(*(feature_scores(own, own) for own in (mine, released)))
    gaps = shape_gaps(mine, released)
    alike = align_softly(pair.correlations, gaps, 0.1)
    assert np.abs(alike).argmax(0).tolist() == partner.tolist()
    assert (np.sign(alike[partner, np.arange(columns)]) == sign).all()
    assert np.abs(alike).sum(0) == pytest.approx(np.ones(columns), abs=0.02)
    back = align_softly(pair.correlations[::-1], tuple(gap.T for gap in gaps), 0.1)
    assert pytest.approx(alike, abs=0.02) == back.T  # scaling begins with the rows


def test_shapes_alone_do_not_tell_them():
    mine = skewed(400, 6, 3)
    same, _ = shape_gaps(mine, mine)
    assert same.max() < 1e-9


def test_starts_are_posteriors_and_those_that_are_drawn_depend_on_the_generator():
    values = tuple(halves(20))
    pair, gaps = FeaturePair.of(*(feature_scores(own, own) for own in values)), shape_gaps(*values)
    first, again, other = (
        list(starting_posteriors(values, pair, gaps, np.random.default_rng(seed), 3))
        for seed in (1, 1, 2)
    )
    assert len(first) == 6 + 6 + 3 + 6 + 3
    for start, same in zip(first, again, strict=True):
        assert np.array_equal(start, same)
        assert start.sum(1) == pytest.approx(1)
    fixed = [np.array_equal(one, two) for one, two in zip(first, other, strict=True)]
    assert fixed == [True] * 21 + [False] * 3
