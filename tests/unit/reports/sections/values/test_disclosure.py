"""Titles of charts state their finding: each of the findings that a chart may have."""

import pytest

from fixtures.numbered_evidence import numbered
from unveil.reports.sections.claims import _best_margin
from unveil.reports.summary import summary
from unveil.support.phrases import plain

ROWS = "Other rows tell each confidential attribute at least as well as links"
LINKS = "Confidential attribute that links reveal most (inference.0.column): 90.0 % correct, "
BEST = {"inference.*.linked": 0.1, "inference.0.linked": 0.9, "inference.*.control": 0.2}
BEST |= {"inference.*.guess": 0.3, "inference.*.inferred": 0.4}
SCORES = {"loss.predictions.*.original": 0.8, "loss.predictions.*.constant": 0.1}
SCORES |= {"loss.predictions.*.release": 0.7, "loss.predictions.2.release": 0.4}
SAME = SCORES | {f"loss.predictions.{place}.release": 0.8 for place in range(3)}
LARGEST = "Largest drop of a prediction: loss.predictions.2.target (score 0.4, before 0.8)"


@pytest.mark.parametrize(
    ("chart", "given", "title"),
    [
        ("inference", BEST, f"{LINKS}40.0 % from the other rows"),
        ("inference", BEST | {"inference.*.inferred": None}, f"{LINKS}30.0 % from the other rows"),
        ("inference", BEST | {"inference.*.inferred": 0.9}, f"{ROWS} (at most 90.0 %)"),
        ("inference", BEST | {"inference.*.guess": 0.95}, f"{ROWS} (at most 90.0 %)"),
        ("predictions", SCORES, LARGEST),
        ("predictions", SAME,
         "Models of the release predict as well as models of the original"),
        ("predictions", SCORES | {"loss.predictions.0.release": 0.1},
         "Attributes that models of the release no longer predict: loss.predictions.0.target"),
    ],
)  # fmt: skip
def test_a_title_states_the_finding(chart, given, title):
    exhibits = summary(numbered(given)).exhibits()
    assert plain(next(one.title for one in exhibits if one.name == chart)) == title


@pytest.mark.parametrize(
    ("right", "title"),
    [
        ([0.5, 0.7, 0.6], "Right claims: 50.0 % at a margin of 10 %, 70.0 % at a margin of 20 %"),
        ([0.5, 0.4, None], "A larger margin makes claims no more reliable (50.0 % are right)"),
        ([None] * 3, "No link has a margin"),
    ],
)
def test_the_title_of_the_curve_of_claims_names_the_best_margin(right, title):
    assert plain(_best_margin({"precision": right, "margin": [0.1, 0.2, 0.3]})) == title
