"""What is said of supervised linkage, of figures that are made up."""

import pytest

from unveil_papers import supervised
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import published
from unveil_papers.papers import reproduction_of
from unveil_papers.supervised.files import FILES
from unveil_papers.supervised.results import STEPS, SupervisedResults, hasty
from unveil_papers.supervised.words import CONSTANTS

LISTS = {
    "importance": [0.5, 0.3, 0.2],
    "differences": [0.1, 0.2, 0.3],
    "regression": [0.5, 0.5],
    "sources": [0.25, 0.5],
    "solved": [-1.0] + [52.0] * (len(CONSTANTS) - 1),
    "counted": [52.0] * (len(CONSTANTS) - 1),
    "margins": [1e-6] * (len(CONSTANTS) - 1),
}


SEVERAL = {"knowledge": {"linked": [0.5, 0.0]}, "structure": {"linked": [4.0, 11.0]}}


class MadeUp(dict):
    """Every figure there may be."""

    def __missing__(self, figure):
        return LISTS.get(figure, 0.5)


def made_up(quick):
    """Something for every trial."""
    every = supervised.trials(quick=quick)
    return {trial.key: MadeUp(SEVERAL.get(trial.work, {})) for trial in every}


@pytest.mark.parametrize("quick", [True, False])
def test_tables_and_claims_need_no_more_than_the_trials(quick):
    paper = reproduction_of("supervised", TrialLog(made_up(quick)))
    assert paper.tables[0].rows == tuple(FILES)
    unmarked = {cell.column for cell in paper.tables[0].cells if cell.mark == "ours"}
    assert unmarked == ({"d2MD*"} if quick else set())  # of two samples
    assert [table.name for table in paper.tables].count("Whole file") == (not quick)
    claims = {claim.says: claim for claim in paper.claims}
    wrong = next(claims[one] for one in claims if one.startswith("C is the least distance"))
    assert wrong.verdict == "does not hold"
    assert "0.01: no solution, 0.03: 52 linked" in wrong.because
    assert all(claim.because for claim in paper.claims)
    structural = next(claims[one] for one in claims if one.startswith("Files without common"))
    assert structural.verdict == "holds in part"  # 4 of 400 are what chance finds at times


def test_what_is_compared_is_of_the_same_samples():
    plain = {f"plain {name} {run}": {"d2AM": run} for name in FILES for run in range(100)}
    beside = {f"beside {name} {run}": {"tailored": 7.0} for name in FILES for run in range(5)}
    results = SupervisedResults(TrialLog(plain | beside), published("supervised"))
    assert results.columns("d2AM", "tailored") == [[2.0] * 6, [7.0] * 6]
    assert results.columns("d2AM") == [[49.5] * 6]


def test_verdicts_can_come_out_otherwise():
    """What no longer holds by its construction: made up so that it does, and does not."""
    found = made_up(quick=False)
    for name in FILES:
        for run in range(5):
            found[f"sampled {name} {run}"] = MadeUp({"all": 300, "half": 190, "released": 200})
            found[f"parameters {name} {run}"] = MadeUp()  # whatever is given, the same
    found["operators"] = MadeUp.fromkeys(("mean", "maximum", "median", "minimum"), 0)
    found["miscoded"] = MadeUp(
        {"found": 100, "alone": 500, "alone before": 400, "both": 200, "as they were": 500}
    )
    paper = reproduction_of("supervised", TrialLog(found))
    verdicts = {claim.says: claim.verdict for claim in paper.claims}
    for begin, verdict in {
        "Where sampling is combined": "does not hold",
        "The user needs to give": "holds",
        "Any aggregation operator": "holds",
        "Misclassification matters": "does not hold",
        "So it makes no sense": "holds",
        "It is a mixed integer linear program": "does not hold",
        "With identifiers removed": "does not hold",
    }.items():
        assert next(verdicts[one] for one in verdicts if one.startswith(begin)) == verdict, begin


def test_a_full_run_takes_the_figures_of_all_steps():
    few, every = (f"learnt M5-38 d2CI {steps} 0" for steps in (hasty("M5-38", "d2CI"), 12_000))
    assert STEPS["d2CI"] == 12_000 > hasty("M5-38", "d2CI")
    paper = published("supervised")
    hurried = SupervisedResults(TrialLog({few: {"linked": 0.5}}), paper)
    assert hurried.learnt("M5-38", "d2CI") == [0.5]
    full = SupervisedResults(TrialLog({few: {"linked": 0.5}, every: {"linked": 0.75}}), paper)
    assert full.learnt("M5-38", "d2CI") == [0.75]


def test_a_cell_that_differs_says_how_many_samples_are_as_high():
    every = made_up(quick=True)
    for number in range(100):
        every[f"plain M4-33 {number}"] = MadeUp({"d2AM": 0.5 + number / 10000})
    table = reproduction_of("supervised", TrialLog(every)).tables[0]
    assert table.at("M4-33", "d2AM").mark == "different"
    assert table.at("M4-33", "d2AM").why.endswith("0 of our 100 samples are as high")
