"""Perturbed keys: the probability of each released record to be right, by the channels."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks
from unveil.errors import DataError, UsageError
from unveil.measures.population.exposure import released_keys
from unveil.measures.population.log_linear import independence
from unveil.values.release.swap import Swap

COLUMNS = ["a", "b"]


def people(n=5000, seed=1):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {"a": rng.choice(9, n, p=np.arange(9, 0, -1) / 45), "b": rng.integers(0, 4, n)}
    )
    return Microdata(frame, Schema(numeric=["a"], nominal=["b"], quasi=COLUMNS))


def right_share(mask, data):
    """The share of right records, as they are and by the channels."""
    release = unveil.mask(data, [mask], seed=3)
    table, exposure = released_keys(data, release, COLUMNS, np.full(len(data), 10.0))
    right, unseen = exposure.right_and_unseen(independence(table), 0.1)
    before = data.to_frame().to_numpy()[release.row_map]
    truth = (before == release.data.to_frame().to_numpy()).all(axis=1)
    assert (unseen >= 0).all()
    return truth.mean(), right[exposure.seen.cell_of].mean(), exposure.perturbed


@pytest.mark.parametrize(
    ("mask", "columns"),
    [
        (masks.Pram(theta=0.3, invariant=False, columns=["b"]), ("b",)),
        (masks.Pram(theta=0.4, columns=["b"]), ("b",)),
        (masks.RankSwapping(p=10, columns=["a"]), ("a",)),
        (masks.RankPermutation(p=10, columns=["a"]), ("a",)),
        (masks.DistributionSwapping(p=20, columns=["a"]), ("a",)),
        (masks.DistributionSwapping(p=20, reading="text", columns=["a"]), ("a",)),
        (masks.RecordSwapping(geography=["b"], keys=["a"], k=1, share=0.3), ("b",)),
        (
            masks.RecordSwapping(geography=["b"], keys=["b"], carry=["a"], k=1, share=0.3),
            ("a", "b"),
        ),
    ],
)
def test_as_many_are_right_as_the_channels_say(mask, columns):
    truth, expected, perturbed = right_share(mask, people())
    assert 0 < truth < 1
    assert expected == pytest.approx(truth, rel=0.08)
    assert perturbed == columns


def test_a_window_of_nothing_moves_nothing():
    data = people(30)
    places = data.column("a").to_numpy()
    assert (Swap(("a",), 0).changes(data, data, (places, places), 9) == np.eye(9)).all()


def test_what_cannot_be_told_is_refused():
    data = people(200)
    both = unveil.mask(
        data,
        [masks.Rounding(base=2, columns=["a"]), masks.RankSwapping(p=10, columns=["a"])],
        seed=1,
    )
    with pytest.raises(UsageError, match="also changed at random"):
        released_keys(data, both, COLUMNS, np.ones(200))
    synthetic = unveil.mask(data, [masks.Synthesis(columns=COLUMNS)], seed=1)
    with pytest.raises(UsageError, match="no row belongs to a person"):
        released_keys(data, synthetic, COLUMNS, np.ones(200))
    with pytest.raises(DataError, match="this original has 100"):
        released_keys(data.take(range(100)), both, ["b"], np.ones(100))
    for mask in (
        masks.IndividualRanking(k=20, columns=["a"]),
        masks.Microaggregation(k=20, columns=["a"], algorithm="optimal"),
    ):
        means = unveil.mask(data, [mask], seed=1)
        with pytest.raises(UsageError, match="gives no probability that"):
            released_keys(data, means, COLUMNS, np.ones(200))
