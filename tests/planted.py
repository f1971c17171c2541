"""Pairs of files that share no attribute, and the people of which are known."""

from __future__ import annotations

import numpy as np
import polars as pl

from unveil import Microdata
from unveil.attacks.base import Files, Positions
from unveil.attacks.blocks import blocks_by

SHAPES = (np.exp, np.asarray, np.cbrt, lambda x: np.exp(-x), np.arctan,
          lambda x: np.exp(x / 2), np.sinh, np.negative)  # fmt: skip


def halves(n, *, seed=1, people=0, noise=0.05, factors=5):
    """Eight attributes and their partners in another file, skewed; other `people` are others."""
    loadings = np.random.default_rng(seed).standard_normal((factors, len(SHAPES)))
    rng = np.random.default_rng([seed, people])
    latent = rng.standard_normal((n, factors)) @ loadings
    latent /= np.sqrt((loadings**2).sum(0))
    both = latent + noise * rng.standard_normal((2, *latent.shape))
    return [
        np.column_stack([shape(column) for shape, column in zip(SHAPES, own.T, strict=True)])
        for own in both
    ]


def frame(values, letter):
    """Numbers as a table; a NaN is missing."""
    names = [f"{letter}{place}" for place in range(values.shape[1])]
    return pl.DataFrame(values, schema=names, nan_to_null=True)


def planted(n=40, *, shuffle=5, **how):
    """Two files about the same people, the second shuffled, and the first's row of each of its."""
    mine, released = halves(n, **how)
    rows = np.random.default_rng(shuffle).permutation(n)
    return Microdata(frame(mine, "a")), Microdata(frame(released[rows], "b")), rows


def files_of(mine, release, *, reverse=False, people=None, seed=0):
    """Two files as an attack sees them that has been told nothing."""
    people = mine if people is None else people
    return Files(
        mine=mine,
        people=people,
        release=release,
        columns=tuple(people.columns),
        few=False,
        reverse=reverse,
        blocks=blocks_by(mine, release, ()),
        pairs=None,
        positions=Positions(np.arange(len(mine)), len(mine), np.arange(len(release))),
        others=tuple(release.columns),
        seed=seed,
    )
