"""Reading off: the naive twin, and what holds for any truthful release."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from naive.read_off import fill
from strategies.examples import examples
from unveil import Microdata, Schema
from unveil.measures import FilePair, read_off
from unveil.measures.disclosure.possible_values import possible_values

NUMBERS = ["rooms", "wage", "rent", "total", "top"]
CATEGORIES = ["town", "county"]
PEOPLE = Schema(household="home", quasi=[*NUMBERS, *CATEGORIES], numeric=NUMBERS,
                nominal=CATEGORIES)  # fmt: skip
SHOWN = Schema(household="home", quasi=[*NUMBERS, *CATEGORIES], numeric=NUMBERS,
               nominal=CATEGORIES, generalised=[*NUMBERS, *CATEGORIES])  # fmt: skip


def survey(rng, n=60, missing=0.05):
    """Households that share rooms and town; a town has a county; total is wage and rent."""
    home = np.sort(rng.integers(0, n // 3, n))
    town = rng.integers(0, 6, n)[home]
    wage, rent = rng.integers(0, 9, n), rng.integers(0, 9, n)
    columns = {"rooms": rng.integers(1, 9, n)[home], "wage": wage, "rent": rent,
               "total": wage + rent, "top": wage + rng.integers(0, 3, n)}  # fmt: skip
    columns = {name: [None if rng.random() < missing else int(v) for v in cells]
               for name, cells in columns.items()}  # fmt: skip
    columns |= {"town": [f"t{v}" for v in town], "county": [f"c{v // 2}" for v in town]}
    return pl.DataFrame({"home": home} | columns)


def masked(rng, cell, stars):
    """A cell as it is, as a range that holds it, or as a star."""
    if cell is None or rng.random() >= stars:
        return None if cell is None else str(cell)
    if isinstance(cell, str) or rng.random() < 0.6:
        return "*"
    return f"{cell - rng.integers(0, 3)}..{cell + rng.integers(1, 3)}"


def files(seed, stars=0.3):
    rng = np.random.default_rng(seed)
    frame = survey(rng)
    cells = {name: [masked(rng, cell, stars) for cell in frame[name]]
             for name in (*NUMBERS, *CATEGORIES)}  # fmt: skip
    texts = pl.DataFrame(
        {"home": frame["home"]} | cells, schema_overrides=dict.fromkeys(cells, pl.String)
    )
    return Microdata(frame, PEOPLE), Microdata(texts, SHOWN)


def ends(pair, name):
    cells = possible_values(pair, name)[1]
    return list(zip(cells.lower.tolist(), cells.upper.tolist(), strict=True))


seeds = st.integers(0, 10**6)


@given(seeds)
@examples(1 / 4)
def test_cells_are_filled_as_the_definition_says(seed):
    people, release = files(seed)
    pair = FilePair.of(people, release, np.arange(len(people)))
    found = read_off(pair)
    labels = {name: sorted(set(people.column(name))) for name in CATEGORIES}
    codes = {name: {one: float(labels[name].index(one)) for one in labels[name]} for name in labels}
    original = {name: [codes.get(name, {}).get(cell, cell) for cell in people.column(name)]
                for name in (*NUMBERS, *CATEGORIES)}  # fmt: skip
    released = {name: ends(pair, name) for name in original}
    wanted = fill(original, released, people.column("home").to_list(), CATEGORIES)
    filled = FilePair.of(people, found.data, np.arange(len(people)))
    for name in original:
        assert ends(filled, name) == wanted[name], name
    back = sum(
        before[0] < before[1] and now[0] == now[1]
        for name in original
        for before, now in zip(released[name], wanted[name], strict=True)
    )
    assert back > 20
    assert found.found.returned + found.found.resolved == back


@given(seeds)
@examples(1 / 4)
def test_the_truth_stays_possible_and_a_second_reading_finds_nothing(seed):
    people, release = files(seed)
    rows = np.arange(len(people))
    found = read_off(FilePair.of(people, release, rows))
    assert found.found.wrong == 0
    pair = FilePair.of(people, found.data, rows)
    assert all(pair.is_truthful(name) for name in (*NUMBERS, *CATEGORIES))
    assert read_off(pair).data == found.data
    for name in NUMBERS:  # no cell says less than before
        before, now = (ends(FilePair.of(people, one, rows), name) for one in (release, found.data))
        assert all(a[0] <= b[0] <= b[1] <= a[1] for a, b in zip(before, now, strict=True))


@given(seeds)
@examples(1 / 4)
def test_the_order_of_the_rows_means_nothing(seed):
    people, release = files(seed)
    rng = np.random.default_rng(seed)
    order, other = rng.permutation(len(people)), rng.permutation(len(people))
    found = read_off(FilePair.of(people, release, np.arange(len(people))))
    moved = read_off(FilePair.of(people.take(other), release.take(order), np.argsort(other)[order]))
    assert moved.data == found.data.take(order)
    assert moved.found == found.found


@given(seeds)
@examples(1 / 8)
def test_without_suppressed_cells_nothing_changes(seed):
    people, _ = files(seed)
    found = read_off(FilePair.of(people, people, np.arange(len(people))))
    assert found.data is people
    assert found.found.columns == ()
