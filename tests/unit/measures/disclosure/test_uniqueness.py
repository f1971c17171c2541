"""Records that nobody else looks like."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.tables import tables
from unveil import Microdata, Schema, masks, measures
from unveil.errors import DataError, UsageError
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Uniqueness


def rows_of(data, columns):
    """Cells as Python has them, numbers as numbers."""
    return list(data.to_frame().select(columns).iter_rows())


def test_by_hand():
    frame = pl.DataFrame({"a": [1, 1, 1, 2, None, None], "b": ["x", "x", "y", "y", "x", "x"]})
    found = measures.uniqueness(Microdata(frame), ["a", "b"])
    assert found == Uniqueness(
        columns=("a", "b"), n=6, classes=4, smallest=1, uniques=2, below_3=6, below_5=6
    )
    with pytest.raises(UsageError, match="at least one"):
        measures.uniqueness(Microdata(frame), [])
    with pytest.raises(DataError, match="'c' is not in the data"):
        measures.uniqueness(Microdata(frame), ["c"])


@examples(1 / 2)
@given(tables(max_columns=3), st.randoms())
def test_it_counts_what_a_counter_counts(made, random):
    frame, schema = made
    data = Microdata(frame, schema)
    cells = [data.column(name).to_list() for name in data.columns]
    codes = [data.missing_code(name).to_list() for name in data.columns]  # which all can read
    sizes = Counter(zip(*cells, *codes, strict=True))
    found = measures.uniqueness(data, data.columns)
    assert (found.classes, found.smallest) == (len(sizes), min(sizes.values()))
    for k, many in ((2, found.uniques), (3, found.below_3), (5, found.below_5)):
        assert many == sum(size for size in sizes.values() if size < k)
    rows = list(range(len(data)))
    random.shuffle(rows)
    assert measures.uniqueness(data.take(rows), data.columns) == found


QUASI = ["sex", "age", "education", "income"]


def released(*steps, **kept):
    sample = unveil.households(400, seed=3)
    release = unveil.mask(sample, list(steps), seed=3)
    return FilePair.of(sample, release.data, kept.get("rows", release.row_map))


@pytest.mark.parametrize(
    ("step", "perturbed"),
    [
        (masks.AdditiveNoise(scale=0.1, columns=["income"]), ("income",)),
        (masks.RankSwapping(p=5, columns=["age"]), ("age",)),
        (masks.Pram(theta=0.3, columns=["education"]), ("education",)),
        (masks.Rounding(base=10, columns=["age"]), ()),
        (masks.TopCoding(share=0.1, columns=["income"]), ()),
        (masks.GlobalRecoding(intervals=(20, 40, 60), columns=["age"]), ()),
        (masks.IndividualRanking(k=3, columns=["income"]), ()),
        (masks.Sampling(share=0.5), ()),
    ],
)
def test_which_masks_perturb(step, perturbed):
    pair = released(step)
    found = measures.release_uniqueness(pair, QUASI)
    assert found.perturbed == perturbed
    assert found.meaningful == (not perturbed)
    assert all(name in found.reason for name in perturbed)
    others = [name for name in QUASI if name not in perturbed]
    assert found.unperturbed == measures.uniqueness(pair.release, others)
    assert found.unperturbed_original == measures.uniqueness(pair.original, others)
    assert found.release == measures.uniqueness(pair.release, QUASI)


def test_without_pairs_only_new_numbers_tell():
    noisy = released(masks.AdditiveNoise(scale=0.1, columns=["income"]), rows=None)
    assert measures.release_uniqueness(noisy, QUASI).perturbed == ("income",)
    swapped = released(masks.RankSwapping(p=5, columns=["age"]), rows=None)
    found = measures.release_uniqueness(swapped, QUASI)
    assert found.meaningful
    assert "not known" in found.reason
    assert found.original.uniques > 0


def test_the_quasi_identifiers_are_the_default():
    pair = released()
    found = measures.release_uniqueness(pair)
    assert set(found.original.columns) == set(pair.original.schema.with_role("quasi"))
    fewer = FilePair(pair.original, pair.release.select(["sex", "rent"]), pair.truth)
    found = measures.release_uniqueness(fewer)
    assert (found.release.columns, len(found.original.columns)) == (("sex",), 9)
    none = FilePair(pair.original, pair.release.select(["rent"]), pair.truth)
    assert measures.release_uniqueness(none) is None


def test_all_perturbed_and_all_missing():
    schema = Schema(quasi="x", numeric="x")
    original = Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]}), schema)
    turned = Microdata(pl.DataFrame({"x": [3.0, 1.0, 2.0]}), schema)
    found = measures.release_uniqueness(FilePair.of(original, turned, np.arange(3)))
    assert found.unperturbed is None
    gone = Microdata(pl.DataFrame({"x": pl.Series([None] * 3, dtype=pl.Float64)}), schema)
    found = measures.release_uniqueness(FilePair.of(original, gone, np.arange(3)))
    assert found.meaningful
    assert found.release.classes == 1
    for rows in (None, np.full(3, -1)):
        assert measures.release_uniqueness(FilePair.of(original, gone, rows)).meaningful
