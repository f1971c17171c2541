"""Spellings that a release keeps are categories to attacks, as they are to classes and ceilings."""

import numpy as np
import pytest

import unveil
from unveil import Schema, attacks, measures

SPELLINGS = [f"1.5{'0' * zeros}" for zeros in range(15)]
SCHEMA = Schema(numeric=["x", "y"], quasi=["x", "y"], identifier="id")
ATTACKS = [
    attacks.Distance(),
    attacks.Distance(matching="posterior"),
    attacks.Probabilistic(),
    attacks.Compatible(),
    attacks.Supervised(),
]


def spelt(path, rows):
    """A text file, read; its cells stay spelt as they are."""
    lines = [f"{number},{x},{y}" for number, (x, y) in enumerate(rows)]
    path.write_text("\n".join(["id,x,y", *lines]))
    return unveil.read(path, SCHEMA)


@pytest.fixture
def one_value(tmp_path):
    """200 rows of one value in x and y; their texts differ."""
    return spelt(tmp_path / "a.csv", [(SPELLINGS[n % 15], SPELLINGS[n // 15]) for n in range(200)])


@pytest.mark.parametrize("spec", ATTACKS, ids=lambda spec: f"{spec.name} {spec.matching}")
def test_attacks_link_what_a_join_of_text_links(one_value, spec, caplog):
    risk = measures.risk(unveil.attack(one_value, one_value, spec, truth="id"))
    assert (risk.expected, risk.ceiling) == (pytest.approx(200), 200)
    assert risk.attributes == ("x", "y")
    assert "does not vary" not in caplog.text


def test_values_that_vary_count_as_well(tmp_path):
    rows = [(["1.5", "1.50", "2", "3"][n % 4], ["1", "1.0", "+1"][n % 3]) for n in range(60)]
    data = spelt(tmp_path / "a.csv", rows)
    risk = measures.risk(unveil.attack(data, data, attacks.Distance(), truth="id"))
    assert risk.expected == pytest.approx(12)


def test_an_audit_sees_the_spellings(tmp_path):
    rows = [(SPELLINGS[n % 14] if n % 50 else "2.5", SPELLINGS[n // 14]) for n in range(196)]
    data = spelt(tmp_path / "a.csv", rows)
    shuffled = data.take(np.random.default_rng(1).permutation(196))
    audit = unveil.audit(data, shuffled, truth="id", policy=unveil.Policy(max_risk=0.05))
    assert audit.worst.risk.expected == pytest.approx(196)
    assert not audit.verdict.passed


def test_one_spelling_in_a_file_adds_nothing(one_value, tmp_path):
    plain = spelt(tmp_path / "b.csv", [("1.5", f"{n}.5") for n in range(200)])
    links = unveil.attack(one_value, plain, attacks.Compatible(), truth="id")
    assert links.finder.columns == ("x", "y")
    assert not links.finder.files.form_columns


def test_strangers_are_compared_by_their_spellings(one_value, tmp_path):
    others = spelt(tmp_path / "b.csv", [("1.5", "1.50"), ("01.5", "1.5"), ("7", "")])
    links = unveil.attack(one_value, one_value, attacks.Distance(), truth="id")
    strangers = links.on(others)
    assert strangers.score[0] == 0
    assert strangers.score[1] > 0
