"""The match weights of splink 5.0 for given m and u (`benchmarks/text_linkage.py golden`)."""

import json
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, attacks
from unveil.attacks.probabilistic.fellegi_sunter import FellegiSunterModel

GOLDEN = json.loads((Path(__file__).parent / "splink.json").read_text())


def test_match_weights_are_those_of_splink():
    names = list(GOLDEN["comparisons"])
    schema = Schema(identifier="person", quasi=names, nominal=set(names) - {"born"})
    files = [
        Microdata(pl.DataFrame(table).with_columns(pl.col("born").str.to_date()), schema)
        for table in GOLDEN["files"]
    ]
    given = {name: dict(one) for name, one in GOLDEN["comparisons"].items()}
    m, u = ([one.pop(side) for one in given.values()] for side in "mu")
    first = np.cumsum([0, *map(len, m)])
    model = FellegiSunterModel(np.concatenate(m), np.concatenate(u), first, GOLDEN["prior"])
    with mock.patch("unveil.attacks.probabilistic.estimation.estimate", return_value=model):
        links = unveil.link(*files, attacks.Probabilistic(comparisons=given))
        left, right = np.indices((12, 12)).reshape(2, -1)
        costs = links.finder.costs(left, right)
    best = sum(
        np.log2(max(a / b for a, b in zip(*pair, strict=True))) for pair in zip(m, u, strict=True)
    )
    ours = best - costs / np.log(2) + np.log2(GOLDEN["prior"] / (1 - GOLDEN["prior"]))
    people = [file.column("person").to_numpy() for file in files]
    splink = {(a, b): weight for a, b, weight in GOLDEN["weights"]}
    assert len(splink) == len(ours)
    theirs = [splink[people[0][i], people[1][j]] for i, j in zip(left, right, strict=True)]
    assert ours == pytest.approx(theirs, abs=1e-9)
