"""Every number on a page is in the evidence, and is that very number."""

import json
import re

import msgspec
import pytest

from fixtures import choices
from fixtures.pages import Page, leaves, rows_of, texts
from unveil.files.documents.evidence import evidence_json
from unveil.files.documents.study_result import study_json
from unveil.reports.page import page
from unveil.reports.summary import choice_summary, comparison_summary, summary
from unveil.support.phrases import LISTED, Figure
from unveil.wording import printable
from unveil.workflows.compare import compare

# What is said with digits and is no finding: ends of ranges, our version, names of measures.
FIXED = re.compile(
    r", from 0 to 1|from 0, nothing is lost, to 1|of 100: no verdict|Made by unveil [\d.]+\.|"
    r"^IL1s$|^R2$|^release \d$"
)


def derived(document):
    """Figures of two numbers of the document: right claims of all, people in the population."""
    if isinstance(document, list):
        yield from (one for item in document for one in derived(item))
    if not isinstance(document, dict):
        return
    if document.get("sampling_fraction"):
        yield float(f"{1 / document['sampling_fraction']:.2g}")
    if document.get("estimates"):  # of the population, whose people are rounded as well
        yield float(f"{document['population']:.2g}")
    right, wrong = (document.get(key) for key in ("confirmed", "wrongly_confirmed"))
    if right and wrong:
        same = right["of"] == wrong["of"]
        found = right["count"] if same else right["share"] * document["released"]
        yield from (found, found + wrong["count"])
    if isinstance(document.get("limits"), list) and "passed" in document:  # "3 of 9 limits kept"
        yield sum(one["kept"] for one in document["limits"])
    yield from (one for item in document.values() for one in derived(item))


def checked(text, document):
    """The page, of which every number and every name is one of the document."""
    read, known = Page(text), set(leaves(document))
    known |= {many - LISTED for many in known if isinstance(many, int)}  # "and 3 more"
    known |= set(derived(document))
    assert read.figures
    assert not [value for value in read.figures if value not in known]
    for name, chart in read.charts().items():
        rows = list(rows_of(chart))
        assert rows, name
        cells = [cell for row in rows for cell in row.values()]
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        assert not [value for value in numbers if value not in known], name
    told = [said.strip() for said in read.prose]
    assert not [said for said in told if re.search(r"\d", said) and not FIXED.search(said)]
    written = "\n".join(printable(one) for one in texts(document)).lower()
    ours = {f"{key} {value}".lower() for key, value in document.get("software", {}).items()}
    for name in read.names:
        for part in name.lower().split(": "):  # a limit stands behind its intruder
            wanted = {part.rstrip("."), part.replace(" ", "_")}
            assert any(one in written for one in wanted) or part in ours, name
    return read


@pytest.mark.parametrize("external", [False, True])
def test_of_an_audit(evidence, external):
    document = json.loads(evidence_json(evidence))
    read = checked(page(summary(evidence, external=external)), document)
    assert len(read.figures) > 200
    assert len(read.charts()) >= (7 if external else 20)


@pytest.mark.parametrize("external", [False, True])
def test_of_a_comparison(evidence, external):
    better = msgspec.structs.replace(evidence, attacks=evidence.attacks[1:], verdict=None)
    synthetic = msgspec.structs.replace(evidence, attacks=(), known=())
    found = compare([evidence, better, synthetic], names=["<i>", "'b'", "c"])
    document = json.loads(msgspec.json.encode(found))
    document["numbered"] = [f"release {number}" for number in (1, 2, 3)]
    read = checked(page(comparison_summary(found, external=external)), document)
    assert set(read.charts()) == {"risk-loss", "by-attack", "by-measure"}
    assert ("<i>" in read.names) is not external


@pytest.mark.parametrize("found", [choices.study(), choices.study_without_choice()])
def test_of_a_choice(found):
    read = checked(page(choice_summary(found)), json.loads(study_json(found)))
    assert set(read.charts()) == {"frontier"}
    assert len(read.figures) > 90


def test_a_figure_keeps_its_exact_value(evidence):
    """Rounding is for the eye: of a third the page has all digits."""
    worst = evidence.attacks[0]
    third = msgspec.structs.replace(worst.risk, share=1 / 3)
    one = msgspec.structs.replace(worst, risk=third)
    said = summary(msgspec.structs.replace(evidence, attacks=(one,)))
    assert Figure(1 / 3, "share") in said["attacks"].paragraphs[0]
    assert f'<data value="{1 / 3!r}">33.3\N{NO-BREAK SPACE}%</data>' in page(said)


def test_the_table_is_what_is_drawn(evidence):
    """A chart draws rows of its table, in whole or in part, and no others."""
    said = summary(evidence)
    charts = Page(page(said)).charts()
    for exhibit in said.exhibits():
        if exhibit.chart is None:
            continue
        records = exhibit.table.records()
        for row in rows_of(charts[exhibit.name]):
            assert any(record.items() <= row.items() for record in records), exhibit.name
