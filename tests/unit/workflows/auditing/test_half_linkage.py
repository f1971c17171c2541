"""The split of the attributes in two halves, and their linkage."""

from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.examples import examples
from unveil import Microdata, Schema
from unveil.attacks import Structural
from unveil.errors import DataError
from unveil.table.encoding.to_arrays import normal_scores
from unveil.values.file_pair import FilePair
from unveil.values.results.knowledge import Halves
from unveil.workflows.auditing import half_linkage
from unveil.workflows.auditing.half_linkage import (
    LEAST_RECORDS,
    STRONG,
    WEAK,
    link_halves,
    split_attributes,
)

pytestmark = pytest.mark.usefixtures("quick_search")

SPLIT = {  # what a file is split into: sides, dropped
    "iris": (2, 2, 0),
    "housing": (6, 7, 1),
    "wdbc": (16, 15, 0),
}
N = 40
SCHEMA = Schema(
    identifier="person", weight="weight", stratum="part", quasi=["b", "d"], nominal=["part"]
)


def silent(done, total):
    pass


def people_of(n=N, seed=3, **more):
    """Two pairs that go together, one attribute that goes with nothing."""
    rng = np.random.default_rng(seed)
    one, two = rng.normal(size=(2, n))
    noise = 0.2 * rng.normal(size=(2, n))
    own = {
        "person": [f"p{i}" for i in range(n)],
        "a": one, "b": one + noise[0], "c": two, "d": two + noise[1],
        "weight": np.exp(one), "part": np.where(one > 0, "x", "y"),
    } | more  # fmt: skip
    return Microdata(pl.DataFrame(own), SCHEMA.where_there())


def linked(people, release=None, rows=None, **options):
    release = people if release is None else release
    rows = np.arange(len(release)) if rows is None else rows
    return link_halves(FilePair.of(people, release, rows), 5, silent, **options)


@pytest.fixture
def quick(monkeypatch):
    """Another way than the best, which takes its time."""
    way = partial(Structural, method="ranking", matching="nearest")
    monkeypatch.setattr(half_linkage, "Structural", way)


def test_it_is_one_half_known_and_the_other_released():
    found = linked(people_of())
    assert isinstance(found, Halves)
    assert (found.known, found.released) == (("b", "d"), ("a", "c"))  # quasi-identifiers are known
    assert found.dropped == {}
    assert found.together == ()
    assert found.risk.attributes == ("b", "d", "a", "c")
    assert (found.risk.n, found.risk.candidates, found.risk.population) == (N, N, N)
    assert found.risk.interval is None
    assert found.risk.baseline == pytest.approx(1)
    assert found.risk.intruder["knows"] == ["b", "d"]
    assert found.method
    assert found.sure is None or 0 <= found.sure <= 1
    assert found.forecast is None or found.forecast.above == 0.9
    for one in found.correspondence:
        assert one.known in found.known
        assert one.released in found.released


@pytest.mark.usefixtures("quick")
def test_the_order_of_the_rows_means_nothing():
    people, rng = people_of(), np.random.default_rng(8)
    order, moved = rng.permutation(N), rng.permutation(N)
    back = np.argsort(order)
    found, again = linked(people), linked(people.take(order), people.take(moved), back[moved])
    assert again.risk.expected == pytest.approx(found.risk.expected, abs=1e-9)
    assert (again.known, again.released) == (found.known, found.released)


@pytest.mark.usefixtures("quick")
def test_of_many_the_same_people_are_tried_on_both_sides(monkeypatch):
    """Some have no row, some rows are the release is synthetic: neither are tried."""
    monkeypatch.setattr(half_linkage, "SAMPLE", 15)
    people = people_of()
    rows = np.where(np.arange(30) % 3, np.arange(30), -1)
    found = linked(people, people.take(np.arange(30)), rows)
    assert (found.risk.n, found.risk.candidates, found.risk.absent) == (15, 15, 0)


@pytest.mark.usefixtures("quick")
def test_what_the_release_has_lost_is_on_neither_side():
    """A column that is constant or generalised there can be no half of it."""
    people = people_of(e=np.arange(N), f=np.arange(N) * 2.0)
    frame = people.to_frame().with_columns(e=pl.lit(1), f=pl.lit("[0,9]"))
    coarse = Schema({**{name: SCHEMA[name] for name in SCHEMA}, "f": {"generalised": True}})
    found = linked(people, Microdata(frame, coarse.where_there()))
    assert found.dropped == {
        "e": "is constant in the release",
        "f": "holds ranges and sets, which have no place in an order in the release",
    }


UNRELATED = {name: np.random.default_rng(k).normal(size=400) for k, name in enumerate("abcd")}
SAME = dict.fromkeys("abcd", np.ones(N))
WHY_NOT = {
    "the release is synthetic rows": (people_of(), "none", "the release is synthetic"),
    "one record": (people_of(1), None, "1 pair of records; the test needs 10"),
    "nine records": (people_of(9), None, "9 pairs of records; the test needs 10"),
    "two attributes": (
        people_of().select(["a", "b"]),
        None,
        "too few of 2 attributes are associated",
    ),
    "three attributes": (people_of().select(["a", "b", "c"]), None, "too few of 3 attributes"),
    "all weak": (people_of(400, **UNRELATED), None, "too few of 4 attributes are associated"),
    "all constant": (people_of(**SAME), None, "no attribute for linkage"),
    "no attribute": (people_of().select(["person", "weight"]), None, "too few of 0 attributes"),
}


@pytest.mark.parametrize("case", WHY_NOT)
def test_where_it_cannot_be_there_is_a_reason(case):
    people, rows, words = WHY_NOT[case]
    both = FilePair.of(people, people, None if rows == "none" else np.arange(len(people)))
    assert words in link_halves(both, 5, silent)


def test_it_keeps_to_the_memory():
    assert "of memory, more than 1 MiB" in linked(people_of(), limit=2**20)


def table(**columns):
    made = {name: pl.Series(np.asarray(cells)).fill_nan(None) for name, cells in columns.items()}
    return Microdata(pl.DataFrame(made))


@pytest.mark.parametrize("name", SPLIT)
def test_files_of_the_paper(paper_data, name):
    data = paper_data(name)
    columns = [one for one in data.columns if one not in ("id", "class")]
    found = split_attributes(data, columns)
    assert (len(found.first), len(found.second), len(found.dropped)) == SPLIT[name]
    assert found.enough


def test_iris_is_split_as_far_as_can_be(paper_data):
    """Petals are put apart; sepal length goes with both, and stays with one of them."""
    data = paper_data("iris")
    found = split_attributes(data, [one for one in data.columns if one != "class"])
    sides = {name: side for side in (found.first, found.second) for name in side}
    assert sides["petal_length"] != sides["petal_width"]
    assert len(found.together) == 1
    assert "sepal_length" in found.together[0]


def test_what_is_too_strong_for_two_sides_is_told():
    """Of three that are the same two stand on one side; a fourth makes two and two."""
    draw = np.random.default_rng(1)
    a = draw.normal(size=40)
    three = table(a=a, b=a, c=a)
    found = split_attributes(three, three.columns)
    assert ({*found.first}, {*found.second}, found.together) == (
        {"a"}, {"b", "c"}, (("b", "c"),)
    )  # fmt: skip
    assert not found.enough
    four = table(a=a, b=a, c=a, d=a)
    found = split_attributes(four, four.columns)
    assert ({*found.first}, {*found.second}) == ({"a", "b"}, {"c", "d"})
    assert found.enough


def test_categories_count_by_their_order_or_each_by_itself():
    """A nominal attribute goes with a number if one of its categories does."""
    number = np.arange(60.0)
    middle = np.where((number >= 20) & (number < 40), "b", np.where(number % 2, "a", "c"))
    grade = np.where(number < 30, "low", "high")
    data = Microdata(
        pl.DataFrame({"n": np.abs(number - 30), "town": middle, "grade": grade, "m": number}),
        Schema(nominal="town", ordinal={"grade": ["low", "high"]}),
    )
    found = split_attributes(data, data.columns)
    sides = {name: side for side in (found.first, found.second) for name in side}
    assert sides["n"] != sides["town"]
    assert sides["grade"] != sides["m"]
    assert not found.dropped


def test_what_cannot_be_used_is_dropped_with_the_reason():
    draw = np.random.default_rng(2)
    a = draw.normal(size=50)
    few = np.where(np.arange(50) < LEAST_RECORDS - 1, a, np.nan)
    data = table(a=a, b=2 * a, same=np.ones(50), none=np.full(50, np.nan), few=few)
    found = split_attributes(data, data.columns)
    assert found.dropped == {
        "same": "is constant", "none": "is missing in every record",
        "few": "is associated with no other attribute",
    }  # fmt: skip


@pytest.mark.parametrize("rows", [1, LEAST_RECORDS - 1])
def test_of_few_records_nothing_is_said(rows):
    with pytest.raises(DataError, match="needs at least 10"):
        split_attributes(table(a=np.arange(rows), b=np.arange(rows)), ["a", "b"])


def _naive(values):
    """Correlations two by two, of the records that have both."""
    many = values.shape[1]
    scores = np.column_stack([normal_scores(column) for column in values.T])
    found = np.zeros((many, many))
    for i, j in combinations(range(many), 2):
        both = ~np.isnan(scores[:, i] + scores[:, j])
        deviations = scores[both][:, [i, j]].std(0) if both.any() else np.zeros(2)
        if both.sum() >= LEAST_RECORDS and (deviations > 1e-6).all():
            found[i, j] = found[j, i] = abs(np.corrcoef(scores[both, i], scores[both, j])[0, 1])
    return found


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(12, 60), st.sampled_from([0, 0.2]))
@examples(1 / 2)
def test_what_holds_of_every_halving(seed, many, n, missing):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, rng.integers(1, 4)))
    mixed = common @ rng.normal(size=(common.shape[1], many))
    values = mixed + rng.choice([0.1, 0.5, 2], many) * rng.normal(size=(n, many))
    values = np.where(rng.random(values.shape) < missing, np.nan, values.round(1))
    names = [f"c{place}" for place in range(many)]
    data = table(**dict(zip(names, values.T, strict=True)))
    found = split_attributes(data, names)
    assert sorted([*found.first, *found.second, *found.dropped]) == names
    related = _naive(values)
    assert {*found.dropped} == {names[k] for k in np.flatnonzero(related.max(1) < WEAK - 1e-9)}
    side = {name: place for place, half in enumerate((found.first, found.second)) for name in half}
    pairs = [(related[i, j], names[i], names[j]) for i, j in combinations(range(many), 2)]
    strong = {(a, b) for size, a, b in pairs if size >= STRONG}
    assert {*found.together} == {(a, b) for a, b in strong if side[a] == side[b]}
    if side:
        _, a, b = max(pairs)
        assert side[a] != side[b]
        assert side[min(side)] == 0
        assert found.enough or len(side) < 4
    if not strong:
        assert abs(len(found.first) - len(found.second)) <= 1
    assert split_attributes(data.take(rng.permutation(n)), names) == found
