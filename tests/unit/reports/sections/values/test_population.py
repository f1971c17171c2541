"""The section on the population: what is said without weights, of a model that fails, to others."""

import msgspec
import pytest

from fixtures.numbered_evidence import numbered
from unveil.reports.sections.values.population import in_population
from unveil.support.phrases import plain
from unveil.values.results.population.in_population import PopulationFigure


def said(evidence, **options):
    section = in_population(evidence, **options)
    text = [*section.paragraphs, *(note for one in section.exhibits for note in one.notes)]
    return " ".join(map(plain, text))


def changed(**fields):
    found = numbered()
    return msgspec.structs.replace(
        found, in_population=msgspec.structs.replace(found.in_population, **fields)
    )


def test_without_weights_it_says_what_is_certain():
    evidence = changed(missing="no column has the role weight", weight=None, estimates=())
    text = said(evidence)
    assert "declares no sampling weights, so that nobody can say" in text
    assert "can be unique in the population" in text
    assert "upper bounds" in text
    assert [one.name for one in in_population(evidence).exhibits] == [
        "attackers", "special-uniques",
    ]  # fmt: skip
    bad = said(changed(missing="column 'w' is below 1", weight="w", estimates=()))
    assert "cannot be used (column 'w' is below 1)" in bad


def test_a_model_that_was_left_out_is_said():
    found = numbered().in_population
    without = changed(model=None, estimates=found.estimates[1:])
    assert "was left out" in said(without)


@pytest.mark.parametrize(("ratio", "word"), [(1.4, "agree"), (1.6, "disagree")])
def test_how_far_the_estimators_agree(ratio, word):
    estimates = list(numbered().in_population.estimates)
    for place, value in ((1, 100.0), (2, 100.0 * ratio)):
        figure = PopulationFigure(value=value)
        estimates[place] = msgspec.structs.replace(estimates[place], population_uniques=figure)
    assert f"estimators of population uniques {word}: from 100" in said(
        changed(estimates=tuple(estimates))
    )


def test_others_see_no_name_of_a_key():
    page = said(numbered(), external=True)
    assert "in_population." not in page
    assert "in_population.keys.0.column" in said(numbered())
    assert "special-uniques" not in {
        one.name for one in in_population(numbered(), external=True).exhibits
    }


def test_older_evidence_has_its_one_estimator():
    older = msgspec.structs.replace(numbered(), in_population=None)
    assert "By the sampling weights, an intruder would re-identify" in said(older)
    assert in_population(msgspec.structs.replace(older, population=None)) is None
