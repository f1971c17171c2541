"""Linkage learnt from simulation on a whole file: what no formula describes is learnt."""

import numpy as np
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures

KNOWN = ["income", "rent", "savings", "tax", "age", "hours"]


def spreading(values, rng):
    """Noise that grows with the value, with long tails."""
    return values + rng.laplace(0, 0.05 * values.std() + 0.2 * np.abs(values))


@pytest.mark.parametrize(
    "plan",
    [
        [masks.Function(function=spreading)],
        [masks.RankSwapping(p=5), masks.Function(function=spreading, channel="unknown")],
    ],
)
def test_it_links_more_than_distances_and_formulas(plan):
    frame = unveil.households(400, seed=7).to_frame("polars").select(KNOWN)
    data = Microdata(frame, Schema(quasi=KNOWN, numeric=KNOWN))
    release = unveil.mask(data, plan, seed=3)
    shares = {}
    for attack in (
        attacks.Distance(matching="posterior"),
        attacks.Tailored(matching="posterior"),
        attacks.Simulated(),
    ):
        links = unveil.attack(data, release, attack, intruder=Intruder(knows=KNOWN))
        shares[attack.name] = measures.risk(links).share
    assert links.finder.details["chosen"] == "learnt"
    assert shares["simulated"] > max(shares["distance"], shares["tailored"]) + 0.02


def test_a_plan_that_is_not_that_of_the_release_is_refused():
    frame = unveil.households(100, seed=7).to_frame("polars").select(KNOWN)
    data = Microdata(frame, Schema(quasi=KNOWN, numeric=KNOWN))
    swapped = unveil.mask(data, [masks.RankSwapping(p=50)], seed=3)
    other = unveil.mask(data, [masks.RankSwapping(p=2)], seed=3)
    known = Intruder(knows=KNOWN, channel=other.plan)
    with pytest.raises(unveil.UnveilError, match="cannot have produced"):
        unveil.attack(
            data, swapped.data, attacks.Simulated(), intruder=known, truth=swapped.row_map
        )
