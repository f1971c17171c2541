"""What a release lost, worked out by hand on small tables, and on files that are odd."""

import datetime
import importlib
import math
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, measures
from unveil.errors import DataError, UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss import prediction as utility
from unveil.measures.information_loss.catalogue import GLOSSARY
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.support.phrases import plain
from unveil.values.file_pair import FilePair

propensity_module = importlib.import_module(
    "unveil.measures.information_loss.propensity"
)  # not the function
DOCS = Path(__file__).parents[4] / "docs"


def file_pair(before, after, schema=None, rows="all", released_schema=None):
    files = (
        Microdata(pl.DataFrame(before), schema or Schema()),
        Microdata(pl.DataFrame(after), released_schema or schema or Schema()),
    )
    return FilePair.of(*files, np.arange(len(files[1])) if isinstance(rows, str) else rows)


def groups_by(column, names, codes):
    sizes = tuple(np.bincount(codes, minlength=len(names)).tolist())
    return Subgrouping(column, codes, tuple(names), sizes, tuple(n < 10 for n in sizes))


def values(found):
    return {one.name: one.value for one in found.measures}


def masked(sample, *plan):
    release = unveil.mask(sample, list(plan), seed=3)
    return FilePair.of(sample, release.data, release.row_map)


def test_moments_by_hand():
    # Means 2 and 20, deviations 1 and 10, correlation 1; then one is turned round and moved.
    pair = file_pair({"a": [1, 2, 3], "b": [10, 20, 30]}, {"a": [1, 2, 3], "b": [40, 30, 20]})
    found = values(measures.numeric(pair))
    assert found["means"] == pytest.approx(0.5)
    assert found["variances"] == pytest.approx(0)
    assert (found["covariances"], found["correlations"]) == pytest.approx((2, 2))
    assert found["IL1s"] == pytest.approx((3 + 1 + 1) / math.sqrt(2) / 6)
    assert found["first component"] == pytest.approx(1)  # across, where there is nothing


def test_units_mean_nothing():
    rng = np.random.default_rng(0)
    before = {name: rng.normal(size=200) for name in "ab"}
    after = {name: column + rng.normal(size=200) for name, column in before.items()}
    found = values(measures.numeric(file_pair(before, after)))
    other = [{"a": 1e6 * side["a"] - 7, "b": side["b"] / 1e6} for side in (before, after)]
    assert values(measures.numeric(file_pair(*other))) == pytest.approx(found, abs=1e-9)


def test_categories_by_hand():
    schema = Schema(ordinal={"grade": ["a", "b", "c"]}, nominal="job")
    before = {"grade": ["a", "b", "c", "c"], "job": ["x", "x", "y", None]}
    after = {"grade": ["b", "b", "a", None], "job": ["x", "x", "y", None]}
    found = measures.categorical(file_pair(before, after, schema))
    assert values(found)["change"] == 3 / 8
    assert values(found)["steps"] == pytest.approx((1 + 2) / 2 / 3)
    # Who sees b does not know a from b: half a bit for half of the records, of 1.5 bits.
    assert found.attributes["grade"]["entropy"] == pytest.approx(0.5 / 1.5)
    assert found.attributes["job"] == {"change": 0.0, "entropy": 0.0}


def test_what_ranges_sets_and_stars_leave_open():
    schema = Schema(numeric="age", ordinal={"grade": list("abcde")}, nominal="job")
    coarse = Schema(
        numeric="age",
        ordinal={"grade": list("abcde")},
        nominal="job",
        generalised=["age", "grade", "job"],
    )
    before = {"age": [10, 20, 30, 50], "grade": list("abce"), "job": ["x", "y", "z", "x"]}
    after = {
        "age": ["10..20", "20", "..30", "*"],  # 1/4, 0, 1/2, 1
        "grade": ["a", "{b|c}", "c..", "*"],  # 0, 1/4, 1/2, 1
        "job": ["{x|y}", "y", None, "x"],  # 1/2, 0, 1, 0
    }
    pair = file_pair(before, after, schema, released_schema=coarse)
    found = measures.openness(pair)
    each = {name: one["generalisation"] for name, one in found.attributes.items()}
    assert each == pytest.approx({"age": 1.75 / 4, "grade": 1.75 / 4, "job": 1.5 / 4})
    assert values(found)["suppressed"] == 3 / 12
    assert values(found)["stars"] == 2 / 12  # the third is missing
    assert [one.get("stars") for one in found.attributes.values()] == [1 / 4, 1 / 4, 0]
    # A range is its middle, a set no single category; what a set tells is told.
    assert values(measures.il1s(pair))["IL1s"] > 0
    changed = measures.categorical(pair)
    assert changed.attributes["grade"]["change"] == 3 / 4
    assert changed.attributes["grade"]["entropy"] == 0
    whole = measures.loss(pair)
    assert 0 < whole.overall.value <= 1
    unchanged = measures.loss(FilePair.of(pair.release, pair.release, np.arange(4)))
    assert unchanged.overall.value == 0


def test_a_mask_that_drops_a_minority_is_seen():
    sample = unveil.households(1000)
    small = (sample.column("region") == "Lakeside").to_numpy()
    kept = np.flatnonzero(~small | (np.arange(1000) % 10 == 0))
    ages = np.where(sample.column("sex").to_numpy() == "male", 0, 1)
    groups = [
        groups_by("region", ["most", "few"], small.astype(int)),
        groups_by("sex", ["male", "female"], ages),
    ]
    found = measures.loss(FilePair.of(sample, sample.take(kept), kept), groupings=groups)
    assert found["discarded"].value < 0.1
    worst = found.suppression.most_discarded
    assert (worst.column, worst.name, worst.n) == ("region", "few", small.sum())
    assert worst.discarded == pytest.approx(0.9, abs=0.05)
    assert worst.discarded_ratio > 10
    assert worst.chance < 1e-9
    assert [group.name for group in found.suppression.groups] == ["most", "few", "male", "female"]
    assert all(group.chance > 0.01 for group in found.suppression.groups[2:])
    wrong = groups_by("sex", ["a"], np.zeros(3, int))
    with pytest.raises(UsageError, match="a code for each of the 1,000 original records"):
        measures.suppression(FilePair.of(sample, sample, np.arange(1000)), [wrong])


def test_suppressed_cells_by_subgroup():
    before = {"x": [1, 2, 3, 4], "y": [1, 2, None, 4]}
    after = {"x": [1, None, 3, None], "y": [1, None, None, 4]}
    group = groups_by("x", ["low", "high", "highest"], np.array([0, 0, 1, 2]))
    found = measures.suppression(file_pair(before, after), [group])
    assert found.suppressed == 3 / 7
    assert [one.suppressed for one in found.groups] == [2 / 4, 0, 1 / 2]
    assert found.most_suppressed.name == "low"
    assert found.most_suppressed.suppressed_ratio == pytest.approx(7 / 6)
    assert found.groups[0].discarded_ratio is None  # nobody is


def test_what_cells_leave_open_by_subgroup():
    schema = Schema(numeric="age", generalised="age")
    after = {"age": ["10..30", "20", "*", "50"]}  # 1/2, 0, 1, 0, and one is not released
    group = groups_by("sex", ["a", "b", "c"], np.array([0, 0, 0, 1, 2]))
    pair = file_pair({"age": [10, 20, 30, 50, 50]}, after, released_schema=schema)
    found = measures.suppression(pair, [group])
    assert found.generalisation == pytest.approx(1.5 / 4)
    assert [one.generalisation for one in found.groups] == [pytest.approx(0.5), 0, None]
    assert [one.generalisation_ratio for one in found.groups] == [pytest.approx(4 / 3), 0, None]
    assert found.most_generalised.name == "a"
    assert found.discarded == 1 / 5


def test_classes_by_hand():
    schema = Schema(quasi=["sex", "age"], nominal="sex")
    before = {"sex": ["m", "m", "f", "f"], "age": [1, 1, 2, 3], "pay": [1, 2, 3, 4]}
    after = {"sex": ["m", "m", None, None], "age": [1, 1, None, None], "pay": [1, 2, 3, 4]}
    found = measures.discernibility(file_pair(before, after, schema))
    # Classes of 2, 1, 1 become 2 and 2, as those who miss a cell share it: 6 becomes 8, of 16.
    assert values(found) == {
        "discernibility": pytest.approx(2 / 10),
        "class size": pytest.approx(1 - (4 / 3) / 2),
    }
    assert [one.note for one in found.measures] == [
        "8 in all, 6 in the original",
        "2 records per class on average, 1.333 in the original",
    ]
    # One is discarded, and costs as much as the file has records: 4 + 1 + 4.
    kept = np.array([0, 1, 3])
    frame = {name: [cells[row] for row in kept] for name, cells in before.items()}
    fewer = measures.discernibility(file_pair(before, frame, schema, rows=kept))
    assert values(fewer)["discernibility"] == pytest.approx((9 / 16 - 6 / 16) / (10 / 16))
    # Without quasi-identifiers all attributes count, and nobody is like anybody.
    assert values(measures.discernibility(file_pair(before, before)))["class size"] == 0
    assert (
        measures.discernibility(file_pair(before, before)).measures[0].note.startswith("4 in all")
    )


def test_where_all_are_alike_there_is_nothing_to_lose():
    found = measures.discernibility(file_pair({"x": [1, 1]}, {"x": [1, 2]}))
    assert found.measures[0].value is None
    assert "all records of the original are equal" in found.measures[0].reading
    assert found.measures[1].value == 0


def uneven(out, sizes):
    """The sentence on discards, of one grouping: so many of each group."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    names = [f"g{place}" for place in range(len(sizes))]
    first = np.cumsum(sizes) - sizes
    gone = [start + place for start, many in zip(first, out, strict=True) for place in range(many)]
    kept = np.setdiff1d(np.arange(len(codes)), gone)
    found = measures.discards(len(codes), kept, [groups_by("c", names, codes)])
    return plain(measures.uneven_discards(found))


def test_discards_that_fall_on_a_minority_are_said():
    assert uneven([20, 10], [20, 980]) == (
        "3.0 % of the records are not released, but 100 % of the 20 in c, g0. Chance does not "
        "explain it: as many or more in a group have a probability below 0.001, corrected for the "
        "2 groups tested."
    )
    assert uneven([0, 0], [20, 980]) == ""
    assert uneven([1, 29], [20, 980]) == ""  # as many by chance
    assert uneven([9, 10], [9, 991]) == ""  # too few to be named
    assert uneven([10, 10], [10, 990]) != ""
    # Significant, and not worth a word: less than 1.5 times the share of all.
    assert uneven([5800, 4000], [10000, 10000]) == ""


def test_discards_are_corrected_for_the_groups_looked_at():
    found = measures.discards(100, np.arange(100), [])
    group = measures.discards(
        100, np.arange(10, 100), [groups_by("c", ["a", "b"], np.repeat([0, 1], [20, 80]))]
    ).groups[0]
    some = msgspec.structs.replace(group, chance=0.0004)
    for many, said in ((1, True), (2, True), (3, False)):
        others = (msgspec.structs.replace(group, chance=1.0),) * (many - 1)
        small = (msgspec.structs.replace(group, n=9),) * 5  # not looked at
        whole = msgspec.structs.replace(found, groups=(some, *others, *small))
        assert bool(measures.uneven_discards(whole)) is said


def test_three_groups_are_named_and_the_others_counted():
    assert "; and 1 more group like these. Chance" in uneven([30] * 4 + [0], [30] * 4 + [900])
    five = uneven([30, 20, 30, 25, 29, 0], [30] * 5 + [900])
    assert "100 % of the 30 in c, g0; 100 % of the 30 in c, g2; 96.7 % of the 30 in c, g4" in five
    assert "; and 2 more groups like these" in five
    assert "more group" not in uneven([30] * 3 + [0], [30] * 3 + [900])


@pytest.mark.slow
def test_stronger_masking_loses_more():
    sample = unveil.households(1500)
    columns = ["income", "tax", "savings", "rent", "age", "hours"]
    found = [
        measures.loss(masked(sample, masks.AdditiveNoise(scale=scale, columns=columns)))
        for scale in (0.05, 0.5, 2)
    ]
    for name in ("overall", "IL1s", "PIL", "correlations", "pair tables", "prediction"):
        few, some, many = (one[name].value for one in found)
        assert few < some < many, name
    assert found[0].columns[0] == "region"
    assert {"person", "household", "weight"}.isdisjoint(found[0].columns)
    assert found[0].overall.note == "the largest: relations"
    assert [one.target for one in found[0].predictions] == ["income", "tax", "savings", "rent"]


def test_a_synthetic_file_has_no_pairs_and_says_so():
    sample = unveil.households(600)
    found = measures.loss(masked(sample, masks.Synthesis()))
    none = {one.name for one in found.measures if one.value is None}
    assert none == {"IL1s", "change", "steps", "entropy", "suppressed", "stars", "discarded"}
    assert "the true links are not known" in found["IL1s"].reading
    assert [one.name for one in found.uses] == ["distributions", "relations", "models"]
    assert all(0 <= one.value < 1 for one in found.uses)
    assert found.pairs == 0


def test_fewer_rows_and_rows_of_nobody():
    sample = unveil.households(400).select(["age", "income", "region", "sex"])
    kept = np.arange(0, 400, 2)
    rows = np.where(kept % 8 == 0, -1, kept)
    found = measures.loss(FilePair.of(sample, sample.take(kept), rows))
    assert found.pairs == 150
    assert found["discarded"].value == 250 / 400
    assert found["IL1s"].value == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"x": [1.0]}, {"x": [2.0]}),
        ({"x": [1.0] * 100}, {"x": [2.0] * 100}),
        ({"x": ["a"] * 100, "y": [None] * 100}, {"x": ["a"] * 100, "y": [None] * 100}),
        ({"x": [None, 1.0] * 50}, {"x": [None] * 100}),
        ({"x": [f"{i}" for i in range(300)]}, {"x": [f"{i // 2}" for i in range(300)]}),
        ({"x": [1e150, -1e150, 0.0]}, {"x": [0.0, 0.0, 0.0]}),
        ({"x": [1e-160, 2e-160, 3e-160]}, {"x": [1e100, 0.0, 0.0]}),
        ({"x": [1e8, 1e8 + 1, 1e8 + 2]}, {"x": [1e8, 1e8 + 1, 1e8 + 2]}),
        ({"x": [True, False] * 50}, {"x": [True, True] * 50}),
    ],
)
@pytest.mark.parametrize("rows", ["all", None])
def test_odd_columns(before, after, rows):
    frames = [
        pl.DataFrame({k: pl.Series(v, dtype=None if any(c is not None for c in v) else pl.Float64)
                      for k, v in side.items()})
        for side in (before, after)
    ]  # fmt: skip
    found = measures.loss(file_pair(*frames, rows=rows))
    for one in (found.overall, *found.measures):
        assert (one.value is None) == (one.value is None and bool(one.note)), one.name
        assert one.value is None or (
            0 <= one.value <= (math.inf if one.worst is None else one.worst)
            and math.isfinite(one.value)
        )


def test_dates_are_numbers():
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3)]
    moved = [datetime.date(2020, 1, day) for day in (1, 3, 3)]
    assert values(measures.il1s(file_pair({"d": days}, {"d": moved})))["IL1s"] == pytest.approx(
        1 / math.sqrt(2) / 3
    )


def test_many_categories_are_counted_by_the_commonest():
    rng = np.random.default_rng(1)
    jobs = [f"job {i}" for i in rng.zipf(1.5, 3000) % 400]
    pair = file_pair(
        {"job": jobs, "x": list(range(3000))}, {"job": jobs[::-1], "x": list(range(3000))}
    )
    assert values(measures.tables(pair))["single tables"] == 0
    assert measures.categorical(pair).attributes["job"]["entropy"] > 0.7


def test_predictions_see_a_forgotten_minority():
    rng = np.random.default_rng(2)
    rare = rng.random(3000) < 0.05
    x = np.where(rare, 5.0, 0.0) + rng.normal(size=3000)
    schema = Schema(confidential="ill", nominal="ill", quasi="x")
    cells = {"x": x, "ill": np.where(rare, "yes", "no")}
    forgotten = {"x": x, "ill": np.full(3000, "no")}
    (found,) = measures.predictions(file_pair(cells, forgotten, schema))
    assert found.score == "balanced accuracy"
    assert found.original > 0.9
    assert (found.release, found.constant, found.loss) == (0.5, 0.5, 1.0)


def test_held_out_rows_are_not_learned_from():
    sample = unveil.households(300)
    rows = np.random.default_rng(0).permutation(300)[:200]
    pair = FilePair.of(sample, sample.take(rows), rows)
    draws = PairedSampler(pair, seed=1)
    held, learned = np.arange(0, 300, 3), np.arange(1, 300, 3)
    chosen = draws.released(learned, 150, "test", avoid=held)
    assert not np.isin(rows[chosen], held).any()
    assert set(rows) & set(learned) <= set(rows[chosen])
    assert len(chosen) == len(set(chosen)) <= 150


def test_nor_are_they_where_the_release_is_short_of_others():
    """Rows of nobody drawn may fill up what is learned from; those of the held-out may not."""
    sample = unveil.households(300)
    rows = np.random.default_rng(0).permutation(300)[:220]
    lesson = utility._training_data(
        PairedSampler(FilePair.of(sample, sample.take(rows), rows), seed=1), 100
    )
    assert (len(lesson.pair.original), lesson.train) == (300, 200)
    assert 0 < len(lesson.pair.release) < 200
    assert lesson.pair.originals.max() < lesson.train  # the held-out stand behind


def test_pmse_by_hand(monkeypatch):
    """Of 90 originals and 60 released, 30 are seen to be released, as far as 0.9."""
    pair = file_pair({"a": [0] * 90}, {"a": [0, 1] * 30}, rows=None)

    def said(_x, _y, at, **_options):
        p = np.where(at[:, 0] > 0, 0.9, 0.2)
        return np.column_stack([1 - p, p])

    monkeypatch.setattr(propensity_module, "boosted_predictions", said)
    found = values(measures.propensity(pair))
    scale = 0.4 * 0.6 * 150
    assert found["pMSE"] == pytest.approx((120 * 0.2**2 + 30 * 0.5**2) / scale)
    wrong = 90 * 0.2**2 + 30 * 0.8**2 + 30 * 0.1**2
    assert found["told apart"] == pytest.approx(1 - wrong / scale)


def test_a_record_and_its_twin_are_in_one_fold():
    sample = unveil.households(100)
    rows = np.append(np.random.default_rng(0).permutation(100)[:60], [-1] * 5)
    pair = FilePair.of(sample, sample.take(np.maximum(rows, 0)), rows)
    folds = propensity_module._folds(pair, np.random.default_rng(1))
    mine, other = folds[:100], folds[100:]
    assert np.array_equal(other[:60], mine[rows[:60]])
    assert np.bincount(mine).tolist() == [34, 33, 33]
    assert len(other) == 65


def test_columns_to_measure():
    sample = unveil.households(100)
    pair = FilePair.of(sample, sample, np.arange(100))
    assert measures.loss(pair, columns=["age", "weight"]).columns == ("age", "weight")
    with pytest.raises(UsageError, match="column 'agee' is not in the data"):
        measures.loss(pair, columns=["agee"])
    other = Microdata(pl.DataFrame({"z": [1]}))
    with pytest.raises(DataError, match="no attribute in common"):
        measures.loss(FilePair.of(sample, other, None))
    with pytest.raises(UsageError, match="seed: a whole number"):
        measures.loss(pair, seed=-1)


def test_the_overall_loss_is_the_largest_of_the_uses():
    sample = unveil.households(200)
    found = measures.loss(masked(sample, masks.AdditiveNoise(scale=1)))
    assert found.overall == measures.overall(found.uses)
    largest = max(found.uses, key=lambda one: one.value)
    assert (found.overall.value, found.overall.note) == (
        largest.value,
        f"the largest: {largest.name}",
    )
    assert measures.overall([]).reading == "overall: none (no use could be measured)"


def test_the_classical_score():
    score = measures.classical_score(30, interval_disclosure=50, distance=20, probabilistic=40)
    assert score == (30 + (25 + 15)) / 2
    with pytest.raises(UsageError, match="distance: a number from 0 to 100"):
        measures.classical_score(1, interval_disclosure=1, distance=101, probabilistic=1)


def test_the_page_lists_every_measure_as_the_glossary_has_it():
    page = (DOCS / "loss.md").read_text()
    for name, meaning in GLOSSARY.items():
        end = "no end" if meaning.worst is None else f"{meaning.worst:g}"
        # A bar would end the cell.
        said, blind = (text.replace("|", r"\|") for text in (meaning.definition, meaning.blind))
        assert f"| {name} | 0 to {end} | {said} | {blind} |" in page, name
