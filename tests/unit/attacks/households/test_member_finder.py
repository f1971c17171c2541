"""Persons linked through their households: how sure an intruder may be of each of them."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, attacks, masks, measures

SURE = attacks.Households(score="tailored", matching="posterior")


def survey(n, seed, *, alike):
    """Households of three, whose members are all alike, or not."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(n), 3)
    own = rng.normal(size=n)[home] * 100
    x = own if alike else own + rng.normal(size=3 * n)
    frame = pl.DataFrame({"home": home, "x": x.round(3), "y": rng.normal(size=n)[home].round(3)})
    return Microdata(frame, Schema(quasi=["x", "y"], numeric=["x", "y"], household="home"))


def test_members_that_nobody_can_tell_apart_share_the_certainty_of_their_household():
    data = survey(30, 1, alike=True)
    plan = [masks.AdditiveNoise(scale=0.001, columns=["y"])]
    release = unveil.mask(data, plan, seed=1, household="renumber")
    links = unveil.attack(data, release, SURE)
    homes = links.households
    assert measures.certainty(homes) == pytest.approx(1, abs=0.05)
    assert measures.certainty(links) == pytest.approx(1 / 3, abs=0.02)
    assert measures.forecast(links).claimed == 0


@pytest.mark.parametrize("seed", range(3))
def test_an_intruder_expects_as_many_right_links_as_there_are(seed):
    data = survey(60, seed, alike=False)
    plan = [masks.RankSwapping(p=30, columns=["x"])]
    release = unveil.mask(data, plan, seed=seed, household="renumber")
    forecast = measures.forecast(unveil.attack(data, release, SURE))
    assert forecast.share == pytest.approx(forecast.found, abs=0.15)
