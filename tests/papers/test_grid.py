"""The grid: nothing is forgotten, figures are possible, and a blank says why."""

import pytest

from unveil_papers import grid
from unveil_papers.framework.experiment import PaperTrial, TrialLog
from unveil_papers.framework.published import published
from unveil_papers.grid import sides as grid_sides
from unveil_papers.grid.sides import WAYS, absent
from unveil_papers.papers import reproduction_of

ROWS = ("additive noise .25", "recoding of the rarest 2", "recoding into ranges", "synthesis")


@pytest.fixture
def few(monkeypatch):
    """A sample of few people."""
    monkeypatch.setattr(grid_sides, "RECORDS", 120)
    monkeypatch.setattr(grid, "PEOPLE", 30)
    grid_sides.table.cache_clear()
    yield
    grid_sides.table.cache_clear()


def found_of(works, file="sample", rows=ROWS):
    every = [PaperTrial(work, (file, row, 0)) for work in works for row in rows]
    return TrialLog({one.key: grid.WORK[one.work](*one.of, seed=3) for one in every})


def tables_of(found):
    return {table.name: table for table in grid.tables(found, published("grid"))}


def test_methods_that_the_grid_lacks_are_named(monkeypatch):
    assert not {"Rounding", "Position", "Pairs"} & {*absent()}
    monkeypatch.delitem(WAYS, "position")
    monkeypatch.setattr(grid_sides, "masked", lambda _file: {})
    assert {"Rounding", "Position"} < {*absent()}
    (said,) = reproduction_of("grid", TrialLog({})).setting[-1:]
    assert said.startswith("Not in the grid: AdditiveNoise, ")


def test_the_attacks_are_as_the_setting_says():
    assert {way.work for way in WAYS.values()} == set(grid.RUNS) == set(grid.WORK)
    whose = [way.who for way in WAYS.values() if way.work != "apart"]
    assert (whose.count("published"), whose.count("ours")) == (6, 13)  # as the setting says
    assert "(pairs) are left out" in " ".join(published("grid").setting)


@pytest.mark.usefixtures("few")
def test_figures_are_possible_and_blanks_say_why():
    tables = tables_of(found_of(["nearest"]))
    best = tables["Sample, the best"]
    for row in ROWS:
        ceiling, guess = best.at(row, grid.CEILING), best.at(row, grid.GUESS)
        for cell in (cell for cell in tables["Sample"].cells if cell.row == row):
            assert (cell.ours is None) == bool(cell.why)
            if cell.ours is not None and "position" not in cell.column:
                assert 0 <= cell.ours <= ceiling.ours + 1e-9
        if row != "synthesis":
            assert 0 < guess.ours < best.at(row, "best of ours").ours
            assert best.at(row, "best published").why.removeprefix("by ") in WAYS
    assert best.at("synthesis", "best of ours").why.startswith("made-up rows")
    assert "ranges" in tables["Sample"].at("recoding into ranges", "PRL").why
    assert tables["Sample"].at("additive noise .25", "DBRL, told the mask").why
    assert "Sample, names hidden" not in tables
    for table in tables.values():
        assert all(cell.why for cell in table.cells if cell.ours is None)


@pytest.mark.usefixtures("few")
def test_who_knows_the_recoding_reaches_more():
    found = found_of(["nearest"], rows=ROWS[1:2]).of("nearest", "sample", ROWS[1], 0)
    assert found["DBRL"] < found["DBRL, told the mask"] <= found[grid.CEILING] + 1e-9


@pytest.mark.usefixtures("few")
def test_names_can_be_hidden():
    tables = tables_of(found_of(["nearest", "apart"], rows=ROWS[:1]))
    hidden = tables["Sample, names hidden"]
    assert hidden.at(ROWS[0], "representatives").ours > 100 / 30
    assert hidden.at(ROWS[0], "ours: structural").ours > 100 / 30
    assert "learnt weights *" not in tables["Sample"].columns  # which were not tried
    assert tables["Sample"].rows == (ROWS[0],)


@pytest.mark.usefixtures("few")
def test_a_permutation_withstands_what_undoes_a_swap():
    rows = ("rank swapping 25", "rank permutation 25", "additive noise .25")
    log = found_of(["posterior"], rows=rows)
    swapped, permuted, noisy = (log.of("posterior", "sample", row, 0) for row in rows)
    assert swapped["exchange, told the mask"] > swapped["tailored, posterior"]
    assert permuted["exchange"] < swapped["exchange, told the mask"]
    for figures in (permuted, noisy):
        assert any(
            "exchanges no values of the known attributes in pairs" in name for name in figures
        )


def test_a_mask_that_does_not_fit_a_file_leaves_blanks(paper_data):
    paper_data("census")
    table = tables_of(found_of(["nearest"], "census", ["PRAM .3"]))["Census"]
    cell = table.at("PRAM .3", "DBRL")
    assert cell.ours is None
    assert "pram" in cell.why
