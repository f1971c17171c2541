"""An attribute with categories in one file and numbers in the other."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from naive.attacks import mixed_costs
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema
from unveil.attacks import Distance, Probabilistic, Rank
from unveil.attacks.distance.mixed_levels import PlacesOfNumbers
from unveil.errors import SchemaError

ORDER = ["low", "mid", "high"]
KNOWS = Intruder(knows=["pay"])


def files(named, counted, *, ordered=True, more=()):
    """A file with classes of pay, and one with pay; further numbers of both."""
    level = {"ordinal": {"pay": ORDER}} if ordered else {"nominal": ["pay"]}
    first = {"pay": pl.Series(named, dtype=pl.String)}
    second = {"pay": pl.Series(counted, dtype=pl.Float64)}
    for number, (one, other) in enumerate(more):
        first[f"n{number}"], second[f"n{number}"] = one, other
    numeric = [f"n{number}" for number in range(len(more))]
    return (
        Microdata(pl.DataFrame(first), Schema(**level, numeric=numeric)),
        Microdata(pl.DataFrame(second), Schema(numeric=["pay", *numeric])),
    )


def squared_costs(one, other, spec=None, intruder=KNOWS):
    """The cost of every pair: squared distances for Euclid."""
    links = unveil.attack(one, other, spec or Distance(), intruder=intruder)
    rows, columns = np.indices((len(one), len(other))).reshape(2, -1)
    return links.finder.costs(rows, columns).reshape(len(one), -1)


def test_numbers_have_the_indicators_of_their_place():
    """Half are low, a quarter mid: of 1, 2, 3, 3 the last two are one half mid, one half high."""
    named, counted = files(["low", "mid", "high", "low"], [3, 1, 2, 3])
    costs = squared_costs(named, counted)
    assert costs[0].tolist() == pytest.approx([(0.25 + 1) / 2, 0, 0, (0.25 + 1) / 2])  # low
    assert costs[1].tolist() == pytest.approx([0.125, 0.25, 0.25, 0.125])  # mid
    assert costs[2].tolist() == pytest.approx([0.125, 1, 1, 0.125])  # high
    assert squared_costs(counted, named).tolist() == pytest.approx(costs.T)


def test_nominal_categories_in_the_order_that_other_numbers_show():
    """Age tells which class earns more; their names do not."""
    age = [20.0, 30, 40, 50, 60, 70]
    named, counted = files(
        ["zero", "zero", "mu", "mu", "alpha", "alpha"],
        [10, 20, 30, 40, 50, 60],
        ordered=False,
        more=[(age, age)],
    )
    ages = Distance(weights={"n0": 0}), Intruder(knows=["pay", "n0"])
    costs = squared_costs(named, counted, *ages)
    same = np.kron(np.eye(3), np.ones((2, 2)))
    assert costs.tolist() == (1 - same).tolist()
    falling = files(
        ["zero", "zero", "mu", "mu", "alpha", "alpha"],
        [60, 50, 40, 30, 20, 10],
        ordered=False,
        more=[(age, age)],
    )
    assert squared_costs(*falling, *ages).tolist() == (1 - same).tolist()


@pytest.mark.parametrize(
    "spec", [Distance(), Distance(metric="manhattan"), Distance(metric="chebyshev")]
)
@pytest.mark.parametrize("ordered", [True, False])
def test_people_are_found_by_it(spec, ordered):
    people = unveil.households(300, seed=7).to_frame()
    cut = people["income"].rank() / 300
    classes = pl.Series("income", np.array(ORDER)[np.digitize(cut, [0.3, 0.8])])
    level = {"ordinal": {"income": ORDER}} if ordered else {"nominal": ["income"]}
    first = Microdata(
        people.select("person", "hours", classes), Schema(identifier="person", **level)
    )
    second = Microdata(
        people.select("person", "hours", "income").sample(fraction=1, shuffle=True, seed=1),
        Schema(identifier="person", numeric=["income"]),
    )
    hits = [
        unveil.measures.hits(
            unveil.attack(first, second, spec, intruder=Intruder(knows=knows), truth="person")
        ).sum()
        for knows in (["hours"], ["hours", "income"])
    ]
    assert hits[1] > 1.2 * hits[0]
    links = unveil.link(first, second, truth="person")
    assert links.attack == Distance(scale="release", matching="posterior")
    assert links.compared == ("hours", "income")


def test_retailers_of_figure_2_are_linked_within_their_type():
    """Benefits in one file and the type of business in the other: as many hits as types."""
    rng = np.random.default_rng(3)
    kind = np.repeat([0, 1, 2], [50, 30, 20])
    benefits = np.array([20, 60, 200])[kind] + rng.normal(0, 3, 100)
    named, counted = files(np.array(ORDER)[kind].tolist(), benefits.tolist())
    for pair in ((named, counted), (counted, named)):
        links = unveil.attack(*pair, Distance(), intruder=KNOWS, truth="row-order")
        assert unveil.measures.hits(links).sum() == pytest.approx(3)
        assert unveil.measures.ceiling(links) >= 3
        assert (kind[links.best] == kind).all()


def test_missing_cells_and_ties_of_a_whole_file():
    named, counted = files(["low", None, "high"], [None, 5, 5])
    costs = squared_costs(named, counted)
    assert costs[0, 1:].tolist() == costs[2, 1:].tolist() == [0.5, 0.5]
    assert np.isfinite(costs).all()  # the expected cost
    assert PlacesOfNumbers.by_shares(np.array([1.0, 2]), np.array([0.5, 0.5])).codes(
        np.array([0.0, 1.5, 9, np.nan])
    ).tolist() == [0, 0, 1, pytest.approx(np.nan, nan_ok=True)]


def test_strangers_have_a_place_among_the_files_numbers():
    named, counted = files(["low", "mid", "high", "low"], [1, 2, 3, 4])
    links = unveil.attack(counted, named, Distance(), intruder=KNOWS, truth="row-order")
    strangers = links.on(Microdata(pl.DataFrame({"pay": [-5.0, 2.5, 99.0]}), counted.schema))
    assert [ORDER.index(named.column("pay")[int(row)]) for row in strangers.best] == [0, 0, 2]
    other = unveil.attack(named, counted, Distance(), intruder=KNOWS, truth="row-order")
    people = Microdata(pl.DataFrame({"pay": ["high", "low"]}), named.schema)
    assert other.on(people).best.tolist() == [3, 0]


@st.composite
def cells(draw):
    n, m = draw(st.integers(2, 12)), draw(st.integers(2, 12))
    named = draw(st.lists(st.sampled_from([*ORDER, None]), min_size=n, max_size=n))
    counted = draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 1, 7, None]), min_size=m, max_size=m))
    assume(any(named) and any(one is not None for one in counted))
    return named, counted


@examples(1)
@given(cells(), st.booleans(), st.booleans())
def test_costs_are_those_of_the_naive_twin_in_any_row_order(drawn, euclid, back):
    named, counted = drawn
    first, second = files(named, counted)
    spec = Distance(metric="euclid" if euclid else "manhattan")
    pair = (second, first) if back else (first, second)
    costs = squared_costs(*pair, spec)
    places = np.array([np.nan if one is None else ORDER.index(one) for one in named])
    numbers = np.array([np.nan if one is None else one for one in counted])
    between = np.abs(np.subtract.outer(np.arange(3), np.arange(3))) / 2
    expected = mixed_costs(places, numbers, between**2 if euclid else between)
    known = ~np.isnan(expected)
    assert (costs.T if back else costs)[known] == pytest.approx(expected[known], abs=1e-9)
    turned = squared_costs(*(data.take(np.arange(len(data))[::-1]) for data in pair), spec)
    assert turned[::-1, ::-1].tolist() == costs.tolist()


def test_what_cannot_be_compared():
    named, counted = files(["low", "mid", "high"], [1, 2, 3], ordered=False)
    with pytest.raises(SchemaError, match="no number that both files have shows their order"):
        unveil.attack(named, counted, Distance(), intruder=KNOWS)
    flat = files(["low", "mid", "high"], [1, 2, 3], ordered=False, more=[([1, 1, 1], [1, 2, 3])])
    with pytest.raises(SchemaError, match="no number that both files have shows their order"):
        unveil.attack(*flat, Distance(), intruder=Intruder(knows=["pay", "n0"]))
    for spec in (Rank(), Probabilistic(), Distance(metric="mahalanobis")):
        with pytest.raises(
            SchemaError, match="column 'pay' is nominal in the original and numeric"
        ):
            unveil.attack(named, counted, spec, intruder=KNOWS)
    numbered = Microdata(pl.DataFrame({"pay": ["1", "2"]}), Schema(nominal=["pay"]))
    with pytest.raises(SchemaError, match="declare one level for both"):
        unveil.attack(numbered, counted, Distance(), intruder=KNOWS)
    ordered, counted = files(["low", "mid", "high"], [1, 2, 3])
    tables = {"pay": {"categories": ORDER, "distances": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}}
    with pytest.raises(SchemaError, match="declare one level for both"):
        unveil.attack(ordered, counted, Distance(tables=tables), intruder=KNOWS)


def test_too_many_categories(monkeypatch):
    monkeypatch.setattr("unveil.attacks.distance.mixed_levels.MOST_CATEGORIES", 2)
    with pytest.raises(SchemaError, match="more than 2 categories"):
        unveil.attack(*files(["low", "mid", "high"], [1, 2, 3]), Distance(), intruder=KNOWS)


def test_a_lone_category_is_left_out(caplog):
    data = files(["low", "low", "low"], [1, 2, 3], ordered=False, more=[([1, 2, 3], [1, 2, 3])])
    links = unveil.attack(*data, Distance(), intruder=Intruder(knows=["pay", "n0"]))
    assert links.finder.columns == ("n0",)
    assert "column 'pay' does not vary in the original" in caplog.text
