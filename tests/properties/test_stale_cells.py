"""Cells that are out of date: the attack decides as the exact mixture does, pair by pair."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive.stale_cells import margins
from strategies.examples import examples
from unveil import Intruder, attacks, masks

NAMES = ["region", "job", "income", "rent"]
CLOSE = 0.15  # smooth costs are interpolated; the sum over everybody has an error, too


@examples(1 / 4)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(5, 40),
    error=st.sampled_from([0.01, 0.1, 0.3, 0.7, 1.0]),
    known=st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    stale=st.booleans(),
)
def test_decisions_are_those_of_the_exact_mixture(seed, n, error, known, stale):
    people = _people(n, seed)
    steps = [
        masks.Pram(theta=0.7, columns=NAMES[:2]),
        masks.AdditiveNoise(scale=0.3, columns=NAMES[2:]),
    ]
    release = unveil.mask(people, steps, seed=seed)
    held = _out_of_date(people, error, seed) if stale else people
    links = unveil.attack(
        held,
        release,
        attacks.Tailored(),
        intruder=Intruder(knows=known, channel=True, error=error),
        truth=release.row_map,
    )
    ahead = margins(held, release, known, error)
    clear = np.abs(ahead) > CLOSE
    assert (links.n_closer >= 0).all()
    assert ((links.n_closer == 0)[clear] == (ahead > 0)[clear]).all()


def _people(n, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "region": _varied(rng.choice(["north", "south", "west"], n, p=[0.6, 0.3, 0.1])),
            "job": _varied(rng.choice(["a", "b", "c", "d"], n)),
            "income": np.exp(rng.normal(8, 1, n)),
            "rent": rng.normal(0, 1, n),
        }
    )
    return unveil.Microdata(frame, unveil.Schema(quasi=NAMES))


def _varied(values):
    """PRAM refuses a column of one category: the first of these becomes another one."""
    if (values == values[0]).all():
        values[0] = "other"
    return values


def _out_of_date(people, error, seed):
    rng = np.random.default_rng(seed)
    n = len(people)
    donors = [np.where(rng.random(n) < error, rng.integers(0, n, n), np.arange(n)) for _ in NAMES]
    return people.replace(
        [people.column(name).gather(rows) for name, rows in zip(NAMES, donors, strict=True)]
    )
