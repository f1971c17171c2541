"""Pairs that a known masking cannot have made, by hand and at the command line."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks
from unveil.errors import DataError, SpecError, UsageError
from unveil.measures import hits

JOBS = ["a", "b", "c", "d", "d"]
DATA = Microdata(
    pl.DataFrame({"job": JOBS, "pay": [1.0, 2, 3, 4, 9]}),
    Schema(quasi=["job", "pay"], numeric=["pay"], nominal=["job"]),
)
MERGED = masks.GlobalRecoding(groups={"b": ["a"]}, columns=["job"])
TOLD = attacks.Distance(metric="manhattan", exclude_impossible=True)
BACK = Intruder(knows=["job"], direction="release-to-original")


def expected(release, spec, intruder, original=DATA):
    return hits(unveil.attack(original, release, spec, intruder=intruder)).tolist()


def test_a_recoding_that_is_impossible_costs_infinity():
    release = unveil.mask(DATA, [MERGED])  # the released jobs are b, b, c, d, d
    blind = attacks.Distance(metric="manhattan", scale="release", tables={
        "job": {"categories": list("abcd"), "distances": (1 - np.eye(4)).tolist()}})  # fmt: skip
    plain = Microdata(release.data.to_frame(), Schema(numeric=["pay"], nominal=["job"]))
    links = unveil.attack(DATA, plain, blind, intruder=BACK, truth="row-order")
    assert hits(links).tolist() == [0, 1, 1, 0.5, 0.5]  # both released b are nearest to b
    # Who knows that a became b cannot prefer b: both are possible, and b is nearer to itself.
    assert expected(release, TOLD, BACK) == [0, 1, 1, 0.5, 0.5]
    # A person of job a is as far from every job, but only b can have been made of it.
    knows = Intruder(knows=["job"])
    blind_hits = hits(unveil.attack(DATA, plain, blind, intruder=knows, truth="row-order"))
    assert blind_hits.tolist() == [0.2, 0.5, 1, 0.5, 0.5]
    assert expected(release, TOLD, knows) == [0.5, 0.5, 1, 0.5, 0.5]


def test_numbers_and_columns_without_a_mask_exclude_too():
    release = unveil.mask(DATA, [masks.TopCoding(threshold=3, columns=["pay"])])
    knows = Intruder(knows=["pay"])
    assert expected(release, TOLD, knows) == [1, 1, 1 / 3, 1 / 3, 1 / 3]
    knows = Intruder(knows=["job", "pay"])
    assert expected(release, TOLD, knows) == [1, 1, 1, 0.5, 0.5]


def test_noise_excludes_nothing():
    release = unveil.mask(DATA, [masks.AdditiveNoise(scale=0.1, columns=["pay"])], seed=1)
    knows = Intruder(knows=["pay"])
    links = [
        unveil.attack(DATA, release, spec, intruder=knows)
        for spec in (TOLD, attacks.Distance(metric="manhattan"))
    ]
    assert links[0].n_closer.tolist() == links[1].n_closer.tolist()


def test_outdated_cells_exclude_nobody():
    release = unveil.mask(DATA, [MERGED])
    stale = DATA.replace([pl.Series("job", ["c", *JOBS[1:]])])
    with pytest.raises(DataError, match=r"distance: exclude_impossible: the known masking cannot"):
        unveil.attack(stale, release, TOLD, intruder=Intruder(knows=["job"]))
    links = unveil.attack(stale, release, TOLD, intruder=Intruder(knows=["job"], error=0.2))
    assert (links.n_closer >= 0).all()


@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_every_matching_heeds_it(matching):
    people = unveil.households(60, seed=3)
    release = unveil.mask(people, [masks.GlobalRecoding(rarest=2, columns=["region"])], seed=3)
    spec = attacks.Distance(exclude_impossible=True, matching=matching)
    links = unveil.attack(people, release, spec, intruder=Intruder(knows=["region", "age"]))
    assert unveil.measures.risk(links).expected > unveil.measures.risk(links).baseline


@pytest.mark.parametrize(
    "settings",
    [{"metric": "mahalanobis"}, {"metric": "polynomial"}, {"aggregation": [0, 0.5, 0.5, 1]}],
)
def test_it_goes_with_sums_and_largest_costs_only(settings):
    with pytest.raises(SpecError, match="exclude_impossible goes with metric euclid, manhattan"):
        attacks.Distance(exclude_impossible=True, **settings)


def test_it_needs_the_masking_of_what_is_known():
    release = unveil.mask(DATA, [MERGED])
    with pytest.raises(UsageError, match="exclude_impossible: it needs the masking"):
        unveil.attack(DATA, release, TOLD, intruder=Intruder(knows=["pay"]))
    with pytest.raises(SpecError, match="does not use the masking without exclude_impossible"):
        unveil.attack(DATA, release, attacks.Distance(), intruder=Intruder(channel=True))
    with pytest.raises(UsageError, match="needs"):
        unveil.attack(DATA, DATA, TOLD, truth="row-order")
