"""What is said of supervised linkage, of figures that are made up."""

import pytest

from unveil.workflows.reproducing import reproduced, supervised
from unveil.workflows.reproducing.experiment import Found
from unveil.workflows.reproducing.published import published
from unveil.workflows.reproducing.supervised.files import FILES
from unveil.workflows.reproducing.supervised.results import STEPS, Results, hasty
from unveil.workflows.reproducing.supervised.words import CONSTANTS

LISTS = {
    "importance": [0.5, 0.3, 0.2],
    "differences": [0.1, 0.2, 0.3],
    "regression": [0.5],
    "solved": [-1.0] + [52.0] * (len(CONSTANTS) - 1),
    "counted": [52.0] * (len(CONSTANTS) - 1),
    "margins": [1e-6] * (len(CONSTANTS) - 1),
}


class MadeUp(dict):
    """Every figure there may be."""

    def __missing__(self, figure):
        return LISTS.get(figure, 0.5)


@pytest.mark.parametrize("quick", [True, False])
def test_tables_and_claims_need_no_more_than_the_trials(quick):
    found = Found({trial.key: MadeUp(cells=0) for trial in supervised.trials(quick=quick)})
    paper = reproduced("supervised", found)
    assert paper.tables[0].rows == tuple(FILES)
    assert sum(paper.marks().values()) == 30
    assert [table.name for table in paper.tables].count("Whole file") == (not quick)
    claims = {claim.says: claim for claim in paper.claims}
    wrong = next(claims[one] for one in claims if one.startswith("C is the least distance"))
    assert wrong.verdict == "does not hold"
    assert "0.01: no solution, 0.03: 52 linked" in wrong.because
    assert all(claim.because for claim in paper.claims)


def test_a_full_run_takes_the_figures_of_all_steps():
    few, every = (f"learnt M5-38 d2CI {steps} 0" for steps in (hasty("M5-38", "d2CI"), 12_000))
    assert STEPS["d2CI"] == 12_000 > hasty("M5-38", "d2CI")
    paper = published("supervised")
    hurried = Results(Found({few: {"linked": 0.5}}), paper)
    assert hurried.learnt("M5-38", "d2CI") == [0.5]
    full = Results(Found({few: {"linked": 0.5}, every: {"linked": 0.75}}), paper)
    assert full.learnt("M5-38", "d2CI") == [0.75]


def test_a_cell_that_differs_says_how_many_samples_are_as_high():
    every = {trial.key: MadeUp(cells=0) for trial in supervised.trials(quick=True)}
    for number in range(5):
        every[f"plain M4-33 {number}"] = MadeUp({"d2AM": 0.5 + number / 1000})
    table = reproduced("supervised", Found(every)).tables[0]
    assert table.at("M4-33", "d2AM").mark == "different"
    assert table.at("M4-33", "d2AM").why.endswith("0 of our 5 samples are as high")
