"""Our privacy models beside pycanon's, on the same tables.

pycanon 1.3.5 asks for exact versions of numpy and pandas that are not ours, so what it counts is
kept in `pycanon.json`; `python benchmarks/peers.py` makes it anew, in an environment of its own.

k, alpha, the distinct values and t are the same. Three things differ, and are held here to what
pycanon does and to what the definition says:

- Entropy: pycanon cuts e to the power of the entropy off to a whole number. Of n equally frequent
  values that power is n, or a little less by rounding in its last digit, and then pycanon says
  n - 1: 1 of two values, 2 of three. Ours is not cut off, and n values are n.
- Recursive diversity: the definition (Machanavajjhala et al., 2007, Definition 4.2) orders the
  frequencies from the largest, and asks for r1 < c (rl + ... + rm). pycanon orders them from the
  smallest, so that its r1 is the rarest value and its sum leaves out the rarest ones. Then c is
  1, or 2 if the sum is as small as r1, however skewed a class is. Ours follows the definition.
- A missing cell among the keys: pycanon leaves out these records, so that a record that stands
  alone with its missing cell is not seen. It is in the file, and so it counts here.
"""

import json
from math import exp, floor, log
from pathlib import Path

import pytest

from fixtures.tables import HOURS, SALARY, made_up, of_adult
from unveil import models

pytestmark = pytest.mark.slow

GOLDEN = json.loads((Path(__file__).parent / "pycanon.json").read_text())["tables"]
MANY = 1e9  # a bound that is only there to be told what is found


@pytest.fixture(scope="module")
def tables():
    return made_up()


def found(one, model):
    return models.check(one.data, model, keys=one.keys)[-1].found


def counts(one, column):
    """For each class how frequent each value is, by plain counting."""
    frame = one.data.to_frame("polars")
    classes = {}
    for key, value in zip(frame.select(one.keys).rows(), frame[column], strict=True):
        of_class = classes.setdefault(key, {})
        of_class[value] = of_class.get(value, 0) + 1
    return [sorted(of_class.values()) for of_class in classes.values()]


def same(one, theirs):
    """Compare all that is defined alike, and hold what is not to its reason."""
    assert found(one, models.KAnonymity(k=1)) == theirs["k"]
    for column in one.confidential:
        of, runs = theirs["of"][column], counts(one, column)
        assert found(one, models.AlphaKAnonymity(alpha=1, k=1, columns=[column])) == of["alpha"]
        assert found(one, models.LDiversity(l=1, columns=[column])) == of["l"]
        ours = found(one, models.TCloseness(t=1, columns=[column]))
        assert ours == pytest.approx(of["t"], rel=1e-9, abs=1e-12)
        entropy_holds(one, column, of, runs)
        recursive_holds(one, column, of, runs)


def entropy_holds(one, column, of, runs):
    ours = found(one, models.LDiversity(l=1, kind="entropy", columns=[column]))
    by_hand = min(exp(-sum(r / sum(run) * log(r / sum(run)) for r in run)) for run in runs)
    assert ours == pytest.approx(by_hand, rel=1e-12)
    whole = abs(ours - round(ours)) < 1e-9  # then the last digit decides
    assert of["entropy_l"] in ({round(ours) - 1, round(ours)} if whole else {floor(ours)})


def recursive_holds(one, column, of, runs):
    level = of["l"]
    asked = models.LDiversity(l=level, kind="recursive", c=MANY, columns=[column])
    ratios = [run[-1] / sum(run[: len(run) - level + 1]) for run in runs]
    assert found(one, asked) == pytest.approx(max(ratios), rel=1e-12)
    if level == 1:
        assert of["c"] is None  # pycanon does not say
    else:
        assert of["c"] == max(floor(run[0] / sum(run[level - 1 :]) + 1) for run in runs)


def test_models_of_made_up_tables_are_those_of_pycanon(tables):
    for name, one in tables.items():
        if name != "with gaps":
            same(one, GOLDEN[name])


def test_models_of_adult_and_of_its_releases_are_those_of_pycanon(paper_data):
    for name, one in of_adult(paper_data("adult_train")).items():
        assert one.confidential == (SALARY, HOURS)
        same(one, GOLDEN[name])


def test_a_record_with_a_missing_key_counts(tables):
    one = tables["with gaps"]
    assert GOLDEN["with gaps"]["k"] == 3
    assert GOLDEN["with gaps"]["of"]["illness"]["l"] == 2
    assert found(one, models.KAnonymity(k=1)) == 1
    assert found(one, models.LDiversity(l=1, columns=["illness"])) == 1


def test_the_last_digit_of_an_entropy_decides_in_pycanon():
    found = {n: GOLDEN[f"evenly {n}"]["of"]["illness"]["entropy_l"] for n in (1, 2, 3, 5, 6, 7)}
    assert found == {1: 1, 2: 1, 3: 2, 5: 5, 6: 5, 7: 6}


def test_every_table_was_counted(tables):
    assert set(GOLDEN) == set(tables) | {"adult", "adult, mondrian"}
