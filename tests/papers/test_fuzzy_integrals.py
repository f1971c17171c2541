"""The paper on fuzzy integrals: what its trials come to, whatever they have found."""

from functools import cache

import numpy as np
import pytest

from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import published
from unveil_papers.framework.running import experiment
from unveil_papers.framework.yardstick import FEWEST
from unveil_papers.fuzzy_integrals.files import ERRORS, READINGS, WAYS
from unveil_papers.fuzzy_integrals.operators import PROPER, distinct, faults
from unveil_papers.fuzzy_integrals.results import Ahead, FuzzyIntegralResults
from unveil_papers.papers import reproduction_of

PAPER, PRINTED = experiment("fuzzy-integrals"), published("fuzzy-integrals")
LEVELS = (0, 8, 60)
FIGURES = {
    "distance": WAYS,
    "few": WAYS,
    "probability": (*WAYS, "converged"),
    "ranking": ("first component", "sum of z-scores"),
    "readings": [f"{reading} {way}" for reading in READINGS for way in WAYS],
    "structure": ("linked", "sure", "guess"),
    "split": ("together", "apart", "with none", "attributes"),
    "errors": ERRORS,
}


def found(level, quick=True):
    """Figures that nobody has found, about so high."""
    rng = np.random.default_rng(0)
    return TrialLog({
        trial.key: {f"{name}": level + float(rng.integers(0, 4)) for name in FIGURES[trial.work]}
        for trial in PAPER.trials(quick=quick)
    })  # fmt: skip


@cache
def of_level(level):
    """What they come to."""
    return reproduction_of("fuzzy-integrals", found(level))


def test_in_a_hurry_all_kinds_of_trials_are_run_in_little_time():
    assert sum(trial.cost for trial in PAPER.trials(quick=True)) < 90
    assert {trial.work for trial in PAPER.trials(quick=True)} == set(PAPER.WORK) == set(FIGURES)


@pytest.mark.parametrize("level", LEVELS)
def test_every_claim_is_judged_and_every_difference_told(level):
    paper = of_level(level)
    assert len(paper.claims) == len(PRINTED.claims)
    assert all(claim.because for claim in paper.claims)
    for table in paper.tables:
        for cell in table.cells:
            few = cell.theirs is not None and 0 < cell.runs < FEWEST
            assert bool(cell.why) == (few or cell.mark in ("different", "not reproducible")), cell
            assert cell.mark == "ours" or (cell.ours is None) == ("masked" in cell.row)
    verdicts = {claim.says: claim.verdict for claim in paper.claims}
    (least,) = (verdict for says, verdict in verdicts.items() if says.startswith("At least 10 %"))
    assert least == {0: "does not hold", 8: "holds in part", 60: "holds"}[level]
    assert verdicts["These results are significant."] == ("holds" if level else "does not hold")


def test_curves_are_three_families_and_a_law():
    *families, law = PAPER.curves(found(8), PRINTED)
    assert [len({line for line, *_ in curve.points}) for curve in families] == [10, 10, 10]
    for curve in families:
        for line in {line for line, *_ in curve.points}:
            heights = [y for name, _, y in curve.points if name == line]
            assert heights == sorted(heights)
    assert law.logarithmic
    assert all(0 < y <= 1 for *_, y in law.points)


def test_verdicts_go_with_the_figures():
    seen = {}
    for level in LEVELS:
        for claim in of_level(level).claims:
            seen.setdefault(claim.says, set()).add(claim.verdict)
    turned = [says for says, verdicts in seen.items() if len(verdicts) > 1]
    assert len(turned) >= 12


def test_pairs_of_cells_that_are_equal_count_for_nobody():
    results = FuzzyIntegralResults(found(8), PRINTED)
    # With N1 and Qt they are the same, and once more by chance.
    assert results.ahead("OWA", "SI", printed=True).pairs == 48 - 8 - 1
    # Those of SI are not counted beside those of OWA.
    assert results.ahead("DBRL", "PRL").pairs == 48 - 4
    one, other = results.ahead("N1", "N2"), results.ahead("N2", "N1")
    assert (one.more, one.less, one.pairs) == (other.less, other.more, other.pairs)
    assert one.by == -other.by


def test_in_general_is_in_most_pairs_and_far_oftener_than_not():
    verdicts = {
        (25, 5): "holds",
        (21, 19): "holds in part",  # in most
        (8, 1): "holds in part",  # far oftener, but in most no difference shows
        (15, 9): "does not hold",
        (0, 0): "does not hold",
    }
    for (more, less), verdict in verdicts.items():
        assert Ahead(more, less, 40, 0.1).in_general == verdict


def test_the_most_of_ten_runs_is_by_either_linkage_where_both_were_run_often():
    def results(probable):
        return FuzzyIntegralResults(TrialLog({
            f"{work} wdbc {run}": dict.fromkeys(WAYS, float(run // 10 + more))
            for work, runs, more in (("distance", 60, 0), ("probability", probable, 23))
            for run in range(runs)
        }), PRINTED)  # fmt: skip

    assert results(50).maxima("wdbc") == [23, 24, 25, 26, 27]
    assert results(50).reached("wdbc") == (26, 2, 5)
    assert results(40).maxima("wdbc") == [0, 1, 2, 3, 4, 5]


def test_repeated_representatives():
    assert distinct("threshold", (3, 4)) == distinct("threshold", (6, 6)) == 6
    assert distinct("threshold", (7, 6)) == 9
    assert distinct("threshold", (14, 12)) == distinct("exponent", (2, 2)) == 10


def test_only_the_sigmoid_as_published_lacks_something():
    for operator in ("OWA", "SI"):
        for family in PROPER:
            assert max(faults(operator, family).values()) < 1e-9
        lacking = {name for name, gap in faults(operator, "Qs").items() if gap > 1e-9}
        assert lacking == {"bounds", "idempotency"}


def test_beyond_1_the_sugeno_integral_lacks_something_too():
    for family in PROPER:
        assert max(faults("OWA", family, beyond=True).values()) < 1e-9
        lacking = {name for name, gap in faults("SI", family, beyond=True).items() if gap > 1e-9}
        assert lacking == {"bounds", "idempotency"}
