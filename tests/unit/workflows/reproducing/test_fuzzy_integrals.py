"""The paper on fuzzy integrals: what its trials come to, whatever they have found."""

import numpy as np
import pytest

from unveil.workflows.reproducing import experiment, reproduced
from unveil.workflows.reproducing.experiment import Found
from unveil.workflows.reproducing.fuzzy_integrals.files import READINGS, WAYS
from unveil.workflows.reproducing.fuzzy_integrals.results import Results
from unveil.workflows.reproducing.fuzzy_integrals.theory import distinct, faults
from unveil.workflows.reproducing.published import published

PAPER = experiment("fuzzy-integrals")
FIGURES = {
    "distance": WAYS,
    "few": WAYS,
    "probability": (*WAYS, "converged"),
    "ranking": ("first component", "sum of z-scores"),
    "readings": [f"{reading} {way}" for reading in READINGS for way in WAYS],
    "structure": ("linked", "sure", "guess"),
    "split": ("together", "apart", "with none", "attributes"),
    "standard": ("refused", "of"),
}


def found(level, quick=True):
    """Figures that nobody has found, about so high."""
    rng = np.random.default_rng(0)
    return Found({
        trial.key: {name: level + float(rng.integers(0, 4)) for name in FIGURES[trial.work]}
        for trial in PAPER.trials(quick=quick)
    })  # fmt: skip


def test_in_a_hurry_all_kinds_of_trials_are_run_in_little_time():
    assert sum(trial.cost for trial in PAPER.trials(quick=True)) < 90
    assert {trial.work for trial in PAPER.trials(quick=True)} == set(PAPER.WORK) == set(FIGURES)


@pytest.mark.parametrize("level", [0, 8, 60])
def test_every_claim_is_judged_and_every_difference_told(level):
    paper = reproduced("fuzzy-integrals", found(level))
    assert [claim.number for claim in paper.claims] == list(range(1, 47))
    assert all(claim.because for claim in paper.claims)
    for table in paper.tables:
        for cell in table.cells:
            assert bool(cell.why) == (cell.mark in ("different", "not reproducible")), cell
            assert cell.mark == "ours" or cell.ours is not None
    by_number = {claim.number: claim.verdict for claim in paper.claims}
    assert by_number[26] == {0: "does not hold", 8: "holds in part", 60: "holds"}[level]
    assert by_number[1] == ("holds" if level else "does not hold")


def test_curves_are_three_families_and_a_law():
    *families, law = PAPER.curves(found(8), published("fuzzy-integrals"))
    assert [len({line for line, *_ in curve.points}) for curve in families] == [10, 10, 10]
    for curve in families:
        for line in {line for line, *_ in curve.points}:
            heights = [y for name, _, y in curve.points if name == line]
            assert heights == sorted(heights)
    assert law.logarithmic
    assert all(0 < y <= 1 for *_, y in law.points)


def test_pairs_of_cells_that_are_equal_count_for_nobody():
    results = Results(found(8), published("fuzzy-integrals"))
    # With N1 and Qt they are the same, and once more by chance.
    assert results.ahead("OWA", "SI", printed=True).pairs == 48 - 8 - 1
    one, other = results.ahead("N1", "N2"), results.ahead("N2", "N1")
    assert one.more + other.more == one.pairs == other.pairs
    assert one.by == -other.by


def test_repeated_representatives():
    assert distinct("threshold", (3, 4)) == distinct("threshold", (6, 6)) == 6
    assert distinct("threshold", (7, 6)) == 9
    assert distinct("threshold", (14, 12)) == distinct("exponent", (2, 2)) == 10


def test_only_the_sigmoid_as_published_lacks_something():
    for operator in ("OWA", "SI"):
        for family in ("Qe", "Qt"):
            assert max(faults(operator, family).values()) < 1e-9
        lacking = {name for name, gap in faults(operator, "Qs").items() if gap > 1e-9}
        assert lacking == {"bounds", "idempotency"}
