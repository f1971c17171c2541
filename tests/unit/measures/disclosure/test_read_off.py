"""What can be read off a release: by hand, and on the embedded survey."""

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures.surveys import by_persons
from unveil import Microdata, Schema, masks
from unveil.measures import FilePair, read_off

KEYS = ["region", "sex", "age", "household_size"]
N = 150


def both(columns, cells, generalised=(), **schema):
    """An original, and its release with other cells in some columns."""
    people = Microdata(pl.DataFrame(columns), Schema(**schema))
    shown = {name: column for name, column in columns.items() if name not in ("drop",)} | cells
    declared = Schema(**schema, generalised=list(generalised))
    return FilePair.of(people, Microdata(pl.DataFrame(shown, strict=False), declared), range(N))


def with_cells(column, changes):
    cells = list(column)
    for row, cell in changes.items():
        cells[row] = cell
    return cells


def test_a_member_tells_the_others_cell():
    home, town = [row // 2 for row in range(N)], [f"t{row // 2 % 5}" for row in range(N)]
    pair = both(
        {"home": home, "town": town},
        {"town": with_cells(town, {0: "*", 2: "*", 3: "*", 5: "{t1|t2}"})},
        ["town"],
        household="home",
        quasi="town",
        nominal="town",
    )
    found = read_off(pair)
    assert found.data.column("town")[[0, 2, 3, 5]].to_list() == ["t0", "*", "*", "t2"]
    assert found.found.columns[0].relations == {"households shown": 2}
    one = found.found.columns[0]
    assert (one.suppressed, one.returned, one.generalised, one.resolved) == (3, 1, 1, 1)


def test_a_missing_cell_comes_back_only_if_the_original_has_it():
    home = [row // 2 for row in range(N)]
    rooms = with_cells([row // 2 % 7 for row in range(N)], {0: None})
    pair = both({"home": home, "rooms": rooms}, {"rooms": with_cells(rooms, {3: None})},
                household="home", quasi="rooms", numeric="rooms")  # fmt: skip
    found = read_off(pair)
    assert found.data.column("rooms")[:4].to_list() == [None, 0, 1, 1]
    assert found.found.suppressed == found.found.returned == 1


def test_sums_ratios_and_orders():
    rng = np.random.default_rng(1)
    wage, rent = rng.integers(1, 90, N), rng.integers(1, 90, N)
    columns = {"wage": wage, "rent": rent, "total": wage + rent, "yearly": 12 * wage,
               "net": wage // 2}  # fmt: skip
    texts = {name: [str(cell) for cell in cells] for name, cells in columns.items()}
    cells = {
        "total": with_cells(texts["total"], {0: "*", 1: "0..500"}),
        "wage": with_cells(texts["wage"], {2: "*", 3: "*"}),
        "yearly": with_cells(texts["yearly"], {3: "*"}),
        "rent": with_cells(texts["rent"], {3: "*"}),
    }
    found = read_off(both(columns, cells, list(cells), quasi=list(columns), numeric=list(columns)))
    shown = found.data
    assert shown.column("total")[[0, 1]].to_list() == [texts["total"][0], texts["total"][1]]
    assert shown.column("wage")[2] == texts["wage"][2]
    assert shown.column("wage")[3] == f"{columns['net'][3]}..{columns['total'][3]}"
    assert {one.column: one.narrowed for one in found.found.columns}["wage"] == 1


def test_a_category_tells_another():
    zips = [f"{row % 12:03d}" for row in range(N)]
    region = [f"r{row % 12 // 4}" for row in range(N)]
    pair = both({"zip": zips, "region": region}, {"region": with_cells(region, {4: None})},
                quasi=["zip", "region"], nominal=["zip", "region"])  # fmt: skip
    assert read_off(pair).data.column("region").to_list() == region


def test_a_relation_that_the_release_does_not_keep_is_not_used():
    home, town = [row // 2 for row in range(N)], [f"t{row // 2 % 5}" for row in range(N)]
    cells = with_cells(town, {0: "*", 3: "t4"})  # household 1 has two towns now
    pair = both({"home": home, "town": town}, {"town": cells}, ["town"],
                household="home", quasi="town", nominal="town")  # fmt: skip
    found = read_off(pair)
    assert found.data is pair.release
    assert found.found.suppressed == 1


def test_what_is_read_off_wrongly_stays_as_it_was():
    home, town = [row // 2 for row in range(N)], [f"t{row // 2 % 5}" for row in range(N)]
    cells = with_cells(town, {0: "*", 1: "t4"})  # nobody can see that t4 is false
    pair = both({"home": home, "town": town}, {"town": cells}, ["town"],
                household="home", quasi="town", nominal="town")  # fmt: skip
    found = read_off(pair)
    assert found.data.column("town")[0] == "*"
    assert found.found.columns[0].wrong == 1
    assert found.found.columns[0].returned == 0


def test_without_pairs_nothing_is_filled_in():
    people = unveil.households(100)
    release = unveil.mask(people, masks.LocalSuppression(k=3, columns=KEYS)).data
    found = read_off(FilePair.of(people, release, None))
    assert found.data is release
    assert found.found.columns == ()


@pytest.mark.parametrize(
    ("household", "kind", "regions", "sizes", "linked"),
    [
        ("keep", "households shown", 646, 418, 814.742),
        ("renumber", "households shown", 646, 418, 814.742),
        ("drop", "households read off", 351, 227, 553.160),
    ],
)
def test_the_stars_of_a_household_survey(household, kind, regions, sizes, linked):
    people = by_persons(3000)
    stars = masks.LocalSuppression(k=3, columns=KEYS, importance={"age": 5, "sex": 5})
    release = unveil.mask(people, stars, household=household, seed=1)
    filled = read_off(FilePair.of(people, release.data, release.row_map), KEYS)
    found = {one.column: one for one in filled.found.columns}
    assert (found["region"].suppressed, found["region"].returned) == (2377, regions)
    assert (found["household_size"].suppressed, found["household_size"].returned) == (492, sizes)
    assert found["region"].relations == {kind: regions}
    assert filled.found.wrong == 0
    assert (filled.found.smallest, filled.found.smallest_filled) == (3, 1)
    assert "the smallest has 3 records, and 1 after derivable cells" in filled.found.note
    intruder, attack = unveil.Intruder(knows=KEYS), unveil.attacks.Distance()
    before, after = (
        unveil.measures.risk(
            unveil.attack(people, file, attack, intruder=intruder, truth=release.row_map)
        ).expected
        for file in (release.data, filled.data)
    )
    assert before == pytest.approx(260.863, abs=1e-3)
    assert after == pytest.approx(linked, abs=1e-3)
