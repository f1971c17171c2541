"""Armengol and Torra, Generalization-based k-anonymization (2015): patterns and trees on Adult.

The paper prints other counts of patterns (its list has one for each way on which one is found) and
discards within a few percent of these; what is held here is the reading that comes closest, to the
digit. Trees are held to what Weka's J48 gave for the same files.
"""

import json
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.mask import command
from unveil.masks import AntiUnification
from unveil.models import KAnonymity, check
from unveil_papers import generalization as paper
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import published
from unveil_papers.generalization import work

pytestmark = pytest.mark.slow

SIZES = (5, 10, 20, 30)
PATTERNS = {  # order: k: distinct patterns, records that satisfy none
    "><": {5: (3080, 3330), 10: (1493, 5110), 20: (714, 7568), 30: (450, 9284)},
    "<>": {5: (1096, 3243), 10: (695, 4944), 20: (435, 7168), 30: (321, 8817)},
}
LISTED = {"><": (7774, 3577, 1607, 906), "<>": (1380, 869, 547, 411)}  # once for each way
TREES = {"><": (82.38, 82.19, 82.19, 76.38), "<>": (76.38, 76.38, 81.29, 81.26)}  # J48, on uci
BY_RECORD = {("><", 30): 79.36, ("<>", 30): 82.02}  # the same of a row for each record
UNPRUNED = {("><", 30): 80.55}
BELOW = {("><", 30): 836}  # rows in groups below k, with a row for each record
UNKNOWN = {5: (2863, 5020), 30: (414, 10564)}  # equal to none
DISCARDED = {("><", 5): 4290, ("<>", 30): 10092}  # by a repair of overlapping patterns
SAME = {  # which cells of the published tables are
    "Table 1, S1": {"DB": SIZES, "(<,>)": (20, 30), "(>,<)": (5, 10, 20)},
    "Table 1, uci": {"DB": (), "(<,>)": (), "(>,<)": ()},
    "Table 1, DB": {"DB": SIZES, "(<,>)": (), "(>,<)": ()},
    "Table 2, patterns": {"(<,>)": (), "(>,<)": ()},
    "Table 2, rest": {"(<,>)": (5,), "(>,<)": (10, 20, 30)},
}


@cache
def run():
    """What the published tables need."""
    trials = list(paper.trials(quick=True))
    wanted = [one for one in trials if one.work in {"original", "patterns", "ways"}]
    return TrialLog({one.key: paper.WORK[one.work](*one.of, seed=0) for one in wanted})


@pytest.fixture
def found(paper_data):
    for name in paper.DATA:
        paper_data(name)
    return run()


@pytest.fixture
def adult(found):  # noqa: ARG001 - it is skipped where there is no file
    return work.adult(work.DB)


def test_the_tree_of_the_original_is_that_of_weka(found):
    figures = found.of("original")
    assert (figures["DB"], figures["uci"]) == pytest.approx((83.4188, 83.1091), abs=5e-5)
    assert figures["leaves"] == 300


@pytest.mark.parametrize("order", PATTERNS)
def test_patterns_and_their_trees_are_those_of_the_reading(found, order):
    for place, (k, counts) in enumerate(PATTERNS[order].items()):
        figures, ways = found.of("patterns", order, k), found.of("ways", order, k)
        assert (figures["patterns"], figures["rest"]) == counts
        assert (figures["least support"], figures["coarse"]) == (k, 0)
        assert (ways["listed"], ways["rest"][-1]) == (LISTED[order][place], counts[1])
        assert figures["uci"] == pytest.approx(TREES[order][place], abs=0.005)


def test_which_figures_are_the_printed_ones(found):
    for table in paper.printed_tables(found, published("generalization")):
        for cell in table.cells:
            same = int(cell.column.removeprefix("K = ")) in SAME[table.name][cell.row]
            assert (cell.mark == "same") == same, (table.name, cell)
            assert bool(cell.why) == (cell.mark == "different")


@pytest.mark.parametrize(("order", "k"), BY_RECORD)
def test_a_row_for_each_record(adult, order, k):
    found = work.patterns_of(order, k)
    patterns, first = found.data, work.first_of(found)
    kept = np.flatnonzero(first < len(patterns))
    assert len(adult) - len(kept) == PATTERNS[order][k][1]
    rows = patterns.take(first[kept])
    assert work.percent(work.right(work.tree(rows))) == pytest.approx(BY_RECORD[order, k], abs=5e-3)
    if (order, k) in BELOW:
        assert check(rows, KAnonymity(k=k))[0].records == BELOW[order, k]
        unpruned = work.percent(work.right(work.tree(patterns, confidence=None)))
        assert unpruned == pytest.approx(UNPRUNED[order, k], abs=0.005)


def test_unknown_values_that_equal_none(adult):
    for k, (many, rest) in UNKNOWN.items():
        found = AntiUnification(k=k, unknown="wildcard", assignment="overlapping").patterns(adult)
        assert (len(found), len(found.rest)) == (many, rest)


@pytest.mark.parametrize(("order", "k"), DISCARDED)
def test_a_disjoint_release_is_anonymous_and_discards_fewer(adult, order, k):
    release = unveil.mask(adult, AntiUnification(k=k, order=order), seed=1)
    assert len(adult) - len(release) <= 0.52 * DISCARDED[order, k]
    promise = check(release.data, KAnonymity(k=k))[0]
    assert (promise.kept, promise.records) == (True, 0)
    stars = np.column_stack(
        [(release.data.column(name) == "*").fill_null(value=False) for name in work.KEYS]
    )
    assert stars.sum(axis=1).max() == 2


@pytest.mark.parametrize("order", PATTERNS)
@pytest.mark.parametrize("k", SIZES)
def test_tables_1_and_2_from_the_command_line(order, k, adult, tmp_path):
    """`unveil mask --patterns` writes the patterns; a tree of the written file is tested on uci."""
    unveil.write(adult, tmp_path / "db.csv")
    unveil.write(adult.schema, tmp_path / "db.toml")
    plan = AntiUnification(k=k, order=order, assignment="overlapping")
    unveil.write(unveil.Plan((plan,), seed=1), tmp_path / "plan.toml")
    named = {"--schema": "db.toml", "--plan": "plan.toml", "--patterns": "patterns.csv"}
    options = [word for name, file in named.items() for word in (name, str(tmp_path / file))]
    result = CliRunner().invoke(command, [str(tmp_path / "db.csv"), *options, "--json"])
    assert result.exit_code == 0
    counts = json.loads(result.stdout)["patterns"]
    assert (counts["patterns"], counts["rest"]) == PATTERNS[order][k]
    patterns = unveil.read(tmp_path / "patterns.csv", tmp_path / "patterns.schema.toml")
    assert (len(patterns), patterns.column("count").min()) == (PATTERNS[order][k][0], k)
    tree = unveil.measures.decision_tree(patterns, work.SALARY, values=work.categories())
    accuracy = 100 * tree.test(work.adult(work.UCI)).accuracy
    assert accuracy == pytest.approx(TREES[order][SIZES.index(k)], abs=0.005)
