"""The paper on rank-based linkage, with figures that are made up: what is said of which."""

from functools import cache

import pytest

from unveil_papers.framework.contests import ENOUGH
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import published
from unveil_papers.papers import reproduction_of
from unveil_papers.rank_based import TABLES, trials
from unveil_papers.rank_based.work import FILES, GROUPING

PAPER = published("rank-based")
ATTACKS = ("DBRL", "RBRL-Sum", "RBRL-Max")


def printed():
    """What the paper prints: for a mask, a file and a level the three attacks."""
    found = {}
    names = {file: name for name, file in FILES.items()}
    for table, mask in TABLES.items():
        for row, column, figure in PAPER.tables[table].printed():
            file, attack = column.split(" ")
            place = mask, names[file], float(row.rstrip("%"))
            found.setdefault(place, {})[attack] = float(figure or 0)
    for name, file in FILES.items():
        for row, attack, figure in PAPER.tables[f"Table 5, {file}"].printed():
            found.setdefault((GROUPING, name, float(row)), {})[attack] = float(figure)
    return found


def made_up(trial, three):  # noqa: PLR0911 - one for each kind
    """The printed figures, and for the rest some that agree with what the paper says."""
    match trial.work:
        case "linked":
            return three.get(trial.of[:3]) or {"DBRL": 3.0, "RBRL-Sum": 2.0, "RBRL-Max": 1.0}
        case "grouped":
            found = three[GROUPING, trial.of[0], float(trial.of[1])]
            return found | {
                "hits": 1.0, "apart": 0.0, "again": 1.0, "own group": 100.0,
                "of logarithms": 50.0, "ceiling": found["RBRL-Sum"],
            }  # fmt: skip
        case "together":
            return dict.fromkeys((*ATTACKS, "done again"), 100 / trial.of[1])
        case "known":
            most = max(three.get(trial.of[:3], {"DBRL": 3.0}).values())
            names = ("paper", "one to one", "likelihood", "posterior")
            return dict.fromkeys(names, most) | {"claimed": 10.0, "right": 5.0}
        case "moved":
            return {"mean": 0.5, "farthest": 2.0, "outside": 0.0, "correlation": 40.0}
        case "bent":
            return {"DBRL": 0.0, "squared ranks": 80.0, "same by rank": 1.0}
        case "placed":
            far = 3.0 if trial.of[0] == "p-distribution" else 1.0
            bound = 5.0 if trial.of[0] == "p-distribution" else 90.0
            return {"farthest": far, "of n": 98.0, "outside": 0.0, "bound": bound}
        case "regrouped":
            names = ("medians", "numbers", "medians apart", "numbers apart", "last of tied rows")
            return dict.fromkeys(names, 3.0)
        case "reordered":
            return {"least": 5.0, "most": 9.0}
        case "turned":
            return {"uniform": 0.0, "normal": 2.0}
        case "agreed":
            return {"near": 95.0, "equal": 90.0}
    size = {"census": (1080.0, 13.0), "eia": (4092.0, 10.0)}[trial.of[0]]
    return {"records": size[0], "attributes": size[1], "small": 50.0, "large": 5.0}


def reproduce(*, quick=False, change=lambda _, figures: figures):
    three = printed()
    found = {
        one.key: change(one, made_up(one, three))
        for one in trials(quick=quick)
        if one.work != "linked" or one.of[3] < ENOUGH  # of the same figures no more is needed
    }
    return reproduction_of("rank-based", TrialLog(found))


@pytest.mark.parametrize("quick", [True, False])
def test_printed_figures_are_the_same(quick):
    paper = reproduce(quick=quick)
    assert paper.marks() == {"same": 150, "different": 0, "not reproducible": 0}
    names = [table.name for table in paper.tables]
    assert ("Knowing the mask, EIA" in names) is not quick


def test_what_is_different_has_a_reason():
    def change(trial, figures):
        other = {"RBRL-Sum": 50.0} if trial.work == "grouped" else {}
        if trial.key == "grouped census 216":
            other = {"DBRL": 50.0, "hits": 540.0}
        if trial.of[:3] == ("swapping", "census", 25.0) and trial.work == "linked":
            other = {"RBRL-Max": 30.0 + trial.of[3] % 2}
        return figures | other

    paper = reproduce(change=change)
    reasons = {
        (cell.row, cell.column): cell.why
        for table in paper.tables
        for cell in table.cells
        if cell.mark == "different"
    }
    assert len(reasons) == paper.marks()["different"] == 14
    assert reasons["341", "RBRL-Sum"] == "2,511 to 2,514 would print 61.4; not explained"
    assert reasons["216", "DBRL"] == (
        "540 records; 650 would print 60.2; 150 orders of equal values at random give 5 to 9; the "
        "last of tied rows in place of the first gives 3; none of which explains it"
    )
    assert "40.0 standard errors away; three or more" in reasons["25%", "Census RBRL-Max"]


class Verdicts(dict):
    """Verdicts by what the claims say, or begin with."""

    def __missing__(self, begin):
        (found,) = [verdict for says, verdict in self.items() if says.startswith(begin)]
        return found


def verdicts(paper):
    return Verdicts({claim.says: claim.verdict for claim in paper.claims})


@cache
def unchanged():
    return verdicts(reproduce())


HOLDS = (
    "Who does not know which pairs",
    "On Census, distance links more",
    "Rank sum always links more",
    "Of EIA every method links much less",
    "On Census rank sum links more than distance at all",
    "Rank sum and rank max link exactly",
    "Individual ranking is highly",
)
# What the printed figures themselves do not bear out: the gap at a = 0.25, ties at high and low
# p, what is far more than somewhat, and a level that is not in the table.
IN_PART = (
    "Record linkage lets",
    "At a = 0.1 on Census the gap",
    "At higher levels that gap",
    "Rank max links more than the other two",
    "Rank sum links more than distance on both",
    "On Census rank max links over",
    "Somewhat less is linked",
    "Both rank criteria link more than distance in all cases",
)
UNTESTED = 12  # two of them for want of runs in which the mask is known


def test_claims_hold_on_the_papers_own_figures():
    found = unchanged()
    assert [found[begin] for begin in HOLDS] == ["holds"] * len(HOLDS)
    assert [found[begin] for begin in IN_PART] == ["holds in part"] * len(IN_PART)
    assert list(found.values()).count("cannot be tested") == UNTESTED


def test_few_runs_that_do_not_vary_decide_nothing():
    """In a hurry what is drawn is undecided, and never a failure."""
    found, full = verdicts(reproduce(quick=True)), unchanged()
    assert found["Rank sum always links more"] == "cannot be tested"
    assert list(found.values()).count("cannot be tested") > UNTESTED
    assert {says for says, one in found.items() if one == "does not hold"} <= {
        says for says, one in full.items() if one == "does not hold"
    }


def test_claims_do_not_hold_where_attacks_are_the_other_way_round():
    def turned(_, figures):
        if not set(ATTACKS) <= figures.keys():
            return figures | ({"claimed": 10.0, "right": 9.9} if "claimed" in figures else {})
        by_distance, by_sum, by_max = (figures[name] for name in ATTACKS)
        return figures | {"DBRL": by_max, "RBRL-Sum": by_sum + 0.3, "RBRL-Max": by_distance}

    found = verdicts(reproduce(change=turned))
    for begin in ("Who does not know", "On Census, distance links", "On EIA, too, distance"):
        assert found[begin] == "does not hold"


@pytest.mark.parametrize(
    ("begin", "work", "figures"),
    [
        ("It works for attributes of every kind", "agreed", {"equal": 0.1}),
        ("Rank sum is linkage by distance on ranks", "bent", {"squared ranks": 90.0}),
        ("Ranks need no scaling", "bent", {"same by rank": 0.0}),
        ("Census has 1,080", "described", {"attributes": 15.0}),
        ("Microaggregation draws nothing", "grouped", {"again": 0.0}),
        ("With so much swapping", "moved", {"correlation": 90.0}),
        ("So no sharp bound", "placed", {"farthest": 1.0}),
        ("A value can in theory", "placed", {"of n": 50.0}),
        ("The attack of Nin", "placed", {"bound": 50.0}),
        ("Of skewed attributes", "described", {"small": 5.0}),
        ("The factors' distribution", "turned", {"normal": 0.0}),
        ("Individual ranking is highly", "grouped", {"RBRL-Sum": 0.0}),
        ("Multivariate microaggregation", "together", {"done again": 50.0}),
        ("Rank sum and rank max link exactly", "grouped", {"apart": 1.0}),
        ("A possible reason", "regrouped", {"medians": 0.0, "numbers": 0.0}),
    ],
)
def test_one_figure_decides(begin, work, figures):
    def change(trial, found):
        return found | figures if trial.work == work else found

    before, after = unchanged(), verdicts(reproduce(change=change))
    assert (before[begin], after[begin]) == ("holds", "does not hold")


@pytest.mark.parametrize(
    ("begin", "work", "figures"),
    [
        ("Probabilistic linkage needs no", "agreed", {"equal": 0.1}),
        ("Under rank swapping a record's", "moved", {"outside": 60.0}),
        ("Under rank swapping a record's", "placed", {"outside": 60.0}),
        ("Linkage by distance nearly reverses", "known", {"likelihood": 99.0}),
    ],
)
def test_one_figure_decides_half(begin, work, figures):
    def change(trial, found):
        return found | figures if trial.work == work else found

    before, after = unchanged(), verdicts(reproduce(change=change))
    assert (before[begin], after[begin]) == ("holds", "holds in part")


def test_who_knows_the_mask_changes_what_is_said():
    def known(trial, figures):
        vary = trial.of[-1] % 2 if trial.work == "known" else 0
        more = {"posterior": 99.0 + 0.1 * vary, "one to one": 99.0 + 0.1 * vary}
        return figures | more if trial.work == "known" else figures

    before, after = unchanged(), verdicts(reproduce(change=known))
    claims = ("Linkage with the whole original", "For independent noise")
    assert [after[begin] for begin in claims] == ["does not hold", "holds in part"]
    assert [before[begin] for begin in claims] == ["cannot be tested"] * 2  # in few runs
