"""One half of the attributes against the other: who is tried, what is told, and why not."""

from functools import partial

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.attacks import Structural
from unveil.values.file_pair import FilePair
from unveil.values.results.knowledge import Halves
from unveil.workflows.auditing import half_linkage
from unveil.workflows.auditing.half_linkage import link_halves

pytestmark = pytest.mark.usefixtures("quick_search")

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
    return link_halves(FilePair(people, release, rows), 5, silent, **options)


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
    """Some have no row, some rows are nobody's: neither are tried."""
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


WEAK = {name: np.random.default_rng(k).normal(size=400) for k, name in enumerate("abcd")}
SAME = dict.fromkeys("abcd", np.ones(N))
WHY_NOT = {
    "nobody's rows": (people_of(), "none", "nobody's"),
    "one record": (people_of(1), None, "1 pair of records; it takes 10"),
    "nine records": (people_of(9), None, "9 pairs of records; it takes 10"),
    "two attributes": (people_of().select(["a", "b"]), None, "of 2 attributes too few go together"),
    "three attributes": (people_of().select(["a", "b", "c"]), None, "of 3 attributes too few"),
    "all weak": (people_of(400, **WEAK), None, "of 4 attributes too few go together"),
    "all constant": (people_of(**SAME), None, "no attribute to be linked by"),
    "no attribute": (people_of().select(["person", "weight"]), None, "of 0 attributes too few"),
}


@pytest.mark.parametrize("case", WHY_NOT)
def test_where_it_cannot_be_there_is_a_reason(case):
    people, rows, words = WHY_NOT[case]
    both = FilePair(people, people, None if rows == "none" else np.arange(len(people)))
    assert words in link_halves(both, 5, silent)


def test_it_keeps_to_the_memory():
    assert "of memory, more than 1 MiB" in linked(people_of(), limit=2**20)
