"""Linkage of categorical records: its tables and claims, from made-up figures."""

from types import SimpleNamespace

import numpy as np
import pytest

from unveil_papers import categorical
from unveil_papers.categorical import notes
from unveil_papers.categorical.claims import the_distance_is_one
from unveil_papers.categorical.results import (
    CategoricalResults,
    by_group,
    by_mask,
    correlation,
    similar,
)
from unveil_papers.categorical.stand_in import ATTACKS, GROUPS, allowed, unordered
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import published
from unveil_papers.papers import reproduction_of

PRINTED = published("categorical")


def made_up(*, quick):
    """Figures that no data has: of each attack its own level, and a little by group and mask."""
    found = {}
    for trial in categorical.trials(quick=quick):
        if trial.work == "counted":
            found[trial.key] = {name: 5.0 for group in GROUPS.values() for name in group}
            continue
        level = 400.0 + 20 * list(ATTACKS).index(trial.of[0]) if trial.work == "linked" else 300.0
        figures = {"drawn": float("PRAM" in trial.of)}
        for place, group in enumerate(GROUPS):
            hits = level + 10 * place - trial.of[-1]
            figures[group] = figures[f"{group} equal"] = [hits, hits / 2, hits / 4]
            figures[f"{group} both"], figures[f"{group} either"] = [hits / 2] * 3, [hits] * 3
            figures |= {f"{group} {one}": hits / 1000 for one in ("change", "entropy", "prior")}
            figures |= {f"{group} different": hits, f"{group} agreement": -1.0}
            figures[f"{group} heaviest"] = float(trial.of[-1] % 2)
        found[trial.key] = figures
    return TrialLog(found)


@pytest.mark.parametrize("quick", [True, False])
def test_every_printed_cell_and_every_claim_has_its_place(quick):
    found = made_up(quick=quick)
    tables = {table.name: table for table in categorical.tables(found, PRINTED)}
    for name, printed in PRINTED.tables.items():
        places = [(cell.row, cell.column, cell.theirs) for cell in tables[name].cells]
        assert places == list(printed.printed())
    of_the_survey = [cell for n in range(2, 7) for cell in tables[f"Table {n}"].cells]
    assert len(of_the_survey) == 360
    assert {cell.mark for cell in of_the_survey} == {"not reproducible"}
    assert all(cell.ours is not None and cell.why for cell in of_the_survey)
    assert all(
        np.isfinite(cell.ours)
        for table in tables.values()
        for cell in table.cells
        if cell.ours is not None
    )
    judged = reproduction_of("categorical", found).claims
    assert len(judged) == len(PRINTED.claims)
    assert all(claim.because and "nan" not in claim.because for claim in judged)


def test_what_is_not_run_in_a_hurry_is_left_out():
    rows = {
        one: dict.fromkeys(
            cell.row
            for table in categorical.tables(made_up(quick=one), PRINTED)
            for cell in table.cells
            if table.name == "Attacks"
        )
        for one in (True, False)
    }
    assert "DBRL, one to one" not in rows[True]
    assert list(rows[False]) == list(ATTACKS.values())


def test_the_printed_tables_say_what_they_say():
    """As another program parsed them."""
    printed = CategoricalResults(TrialLog({}), PRINTED).printed
    prl, dbrl = printed["PRL"], printed["DBRL"]
    assert prl.sum() == 104_271
    assert dbrl.sum() == 106_752
    assert [round(one) for one in by_mask(prl).values()] == [587, 603, 645, 482]
    assert [round(one) for one in by_mask(dbrl).values()] == [373, 571, 927, 501]
    assert {group: round(one) for group, one in by_group(prl).items()} == {
        "s": 598, "m": 220, "u": 490, "o": 672, "l": 916,
    }  # fmt: skip
    assert {group: round(one) for group, one in by_group(dbrl).items()} == {
        "s": 400, "m": 663, "u": 473, "o": 582, "l": 846,
    }  # fmt: skip
    assert correlation(prl, dbrl) == pytest.approx(0.31, abs=0.005)
    assert (dbrl > prl).mean() == pytest.approx(0.32, abs=0.005)


# What a mask that draws nothing did to an ordered attribute, and PRAM to a nominal one.
RECODED = SimpleNamespace(columns=("BUILT",), table={"0": "0", "1": "0", "2": "2"})
DRAWN = SimpleNamespace(
    columns=("SHP",), categories=("a", "b"), matrix=np.array([[1.0, 0.0], [0.5, 0.5]])
)


def test_a_distance_that_knows_the_mask_is_infinite_where_nothing_can_have_come_from():
    apart = allowed(RECODED).as_array("BUILT")
    assert apart[1, 0] == pytest.approx(2 / 3)  # of the places from 1 to 0, both counted
    assert apart[0, 0] == apart[2, 2] == pytest.approx(1 / 3)
    assert np.isinf(apart).sum() == 6
    assert allowed(DRAWN).as_array("SHP").tolist() == [[0, np.inf], [1, 0]]
    assert unordered(RECODED).as_array("BUILT").sum() == 6
    assert unordered(DRAWN).as_array("SHP").tolist() == [[0, 1], [1, 0]]


def test_the_verdict_on_definition_1_is_of_its_axioms():
    results = CategoricalResults(TrialLog({}), PRINTED)
    assert the_distance_is_one(results)[0] == "holds in part"


@pytest.mark.parametrize(
    ("em", "verdict"), [({"sum-safe": 1.02}, "holds"), ({"sum-safe": 1.005}, "does not hold")]
)
def test_a_combination_is_better_by_a_hundredth(em, verdict):
    found = {}
    for trial in categorical.trials(quick=True):
        if trial.work == "linked" and trial.of[0] in {"DBRL", "PRL-free", "PRL-safe", "aware", *em}:
            hits = [100.0 * em.get(trial.of[0], 1.0)] * 3
            found[trial.key] = dict.fromkeys(GROUPS, hits)
    assert notes.both_together_are_best(CategoricalResults(TrialLog(found), PRINTED))[0] == verdict


def test_verdicts():
    assert similar(90, 100)
    assert not similar(100, 89)
