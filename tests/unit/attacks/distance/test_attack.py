"""Distance-based linkage: what a one-to-one matching minimises."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import unveil
from unveil import Microdata, Schema, attacks
from unveil.errors import SpecError
from unveil.values.file_pair import FilePair

NAMES = ["x", "y", "z"]
MAHALANOBIS = attacks.Distance(metric="mahalanobis")


def survey(values):
    return Microdata(pl.DataFrame(dict(zip(NAMES, values.T, strict=True))), Schema(quasi=NAMES))


@pytest.mark.parametrize("seed", range(4))
def test_a_matching_adds_up_squares_or_distances(seed):
    rng = np.random.default_rng(seed)
    before = rng.normal(size=(60, 3))
    after = before + 1.5 * rng.standard_t(2, size=before.shape)
    scaled = [(one - one.mean(0)) / one.std(0, ddof=1) for one in (before, after)]
    matched = {}
    for cost, metric in (("squared", "sqeuclidean"), ("distance", "euclidean")):
        attack = attacks.Distance(matching="one-to-one", cost=cost)
        links = unveil.attack(survey(before), survey(after), attack, truth="row-order")
        _, expected = linear_sum_assignment(cdist(*scaled, metric))
        matched[cost] = links.nearest(1).rows[:, 0]
        assert np.array_equal(matched[cost], expected)
    assert not np.array_equal(matched["squared"], matched["distance"])


@pytest.mark.parametrize("spec", [{}, {"matching": "posterior"}, {"metric": "manhattan"}])
def test_only_a_matching_of_squares_has_roots_to_add_up(spec):
    with pytest.raises(SpecError, match="cost 'distance' goes with matching one-to-one"):
        attacks.Distance(**{"cost": "distance", **spec})


def test_all_distances_are_in_memory():
    squares, roots = (
        attacks.Distance(matching="one-to-one", cost=cost) for cost in ("squared", "distance")
    )
    needs = [one.memory(50_000, 50_000, 5) for one in (squares, roots)]
    assert needs[1] - needs[0] == 8 * 50_000**2


def test_of_a_part_of_the_people_both_scales_are_tried():
    people = survey(np.random.default_rng(1).normal(size=(20, 3)))
    part = FilePair(people, people.take(np.arange(15)), None)
    for spec, field in ((attacks.Distance(), "scale"), (MAHALANOBIS, "covariance")):
        assert spec.scalings(FilePair(people, people, None)) == (spec,)
        own, released = spec.scalings(part)
        assert (own, getattr(released, field)) == (spec, "release")
        assert released.scalings(part) == (released,)
