"""Codes of categories: on the internal page of an audit that was asked for them, nowhere else."""

import numpy as np
import polars as pl
import pytest

from fixtures import audits
from unveil import Microdata, Policy, Schema
from unveil.reports.page import page
from unveil.reports.summary import summary

N = 60
CODES = ("zwiebel", "quitte")  # of a town
QUICK = {
    "attacks": ["distance"], "sweep": False, "remedies": False, "worst_case": False, "errors": (),
    "remask": 0, "truth": "person", "policy": Policy(max_subgroup_risk=0.1),
}  # fmt: skip


@pytest.fixture(scope="module")
def files():
    town = np.repeat(CODES, [35, 25])
    age = np.where(town == CODES[1], np.arange(N), 40)
    schema = Schema(identifier="person", quasi=["town", "age"], numeric="age", nominal="town")
    people = Microdata(pl.DataFrame({"person": np.arange(N), "town": town, "age": age}), schema)
    kept = np.delete(np.arange(N), np.arange(35, 50))  # discards fall on one town
    return people, people.take(kept)


def test_by_default_nothing_has_a_code(files):
    evidence = audits.audit(*files, **QUICK).evidence
    assert evidence.subgroups.highest.group == "B (2nd most frequent)"
    assert "shown as letters by frequency" in page(summary(evidence))
    for text in (page(summary(evidence)), repr(evidence)):
        assert not any(code in text for code in CODES)


def test_an_internal_page_has_the_codes_that_the_audit_was_asked_for(files):
    evidence = audits.audit(*files, show_values=True, **QUICK).evidence
    assert evidence.settings["show_values"] is True
    assert evidence.subgroups.highest.group == "quitte"
    assert {one.group for one in evidence.subgroups.groups} >= {"quitte", "zwiebel"}
    assert evidence.verdict.limits[0].reason.startswith("town, quitte: ")
    assert evidence.loss.suppression.most_discarded.name == "quitte"
    assert [bar.label for bar in evidence.shapes[0].bars] == ["zwiebel", "quitte"]
    text = page(summary(evidence))
    assert "quitte" in text
    assert "2nd most frequent" not in text
    assert "show-values" not in text


def test_a_page_for_others_has_no_code(files):
    evidence = audits.audit(*files, show_values=True, **QUICK).evidence
    text = page(summary(evidence, external=True))
    assert not any(code in text for code in CODES)
