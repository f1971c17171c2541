"""What is counted of patterns, on tables made by hand; and every claim has a judge."""

import numpy as np
import polars as pl
import pytest

import unveil
from naive.antiunification import anonymise
from unveil import masks
from unveil_papers.generalization import sets, work


def people(rows):
    """A table of the eight attributes: single letters, a star, or a point for what is unknown."""
    columns = {
        key: [None if row[j] == "." else row[j] for row in rows] for j, key in enumerate(work.KEYS)
    }
    salaries = [">50K" if row[-1] == "+" else "<=50K" for row in rows]
    frame = pl.DataFrame(columns | {work.SALARY: salaries})
    schema = unveil.Schema(quasi=work.KEYS, confidential=work.SALARY, nominal=work.KEYS)
    return unveil.Microdata(frame, schema)


@pytest.fixture
def letters(monkeypatch):
    """Every attribute has the values a and b."""
    monkeypatch.setattr(work, "categories", lambda: {key: ["a", "b"] for key in work.KEYS})


@pytest.mark.usefixtures("letters")
def test_codes_of_values_stars_and_what_is_unknown():
    data = people(["ab.*aaaa-"])
    assert work.coded(data).tolist() == [[0, 1, -1, -1, 0, 0, 0, 0]]
    assert work._stars(data).sum() == 1
    assert work._coarse(data) == 0


def test_the_first_pattern_of_each_record():
    """An unknown value is a value; a pattern is for its own salary."""
    records = people(["aaaaaaaa-", "baaaaaaa-", "aaaaaaaa+", ".aaaaaaa-", "bbbbbbbb-", "aaaaaaab+"])
    found = masks.AntiUnification(k=2, stars=2, assignment="overlapping").patterns(records)
    assert [row[0] for row in found.data.to_frame("polars").iter_rows()] == ["*", "a"]
    assert work.first_of(found).tolist() == [0, 0, 1, 0, 2, 1]


@pytest.mark.usefixtures("letters")
def test_likeness_in_sets():
    codes = np.zeros((4, 8), np.int64)
    codes[:, 0] = [0, 1, 0, 1]
    codes[:, work.KEYS.index("sex")] = [0, 1, 0, 1]
    assert work.alike(codes, np.zeros(4, np.int64), work.KEYS.index("sex")) == 100
    by_country = work.alike(codes, np.zeros(4, np.int64), work.KEYS.index("native-country"))
    assert by_country == pytest.approx(100 * (5 + 0.5) / 6)


@pytest.mark.parametrize("order", ["<>", "><"])
def test_ways_are_those_of_the_naive_search(order):
    rng = np.random.default_rng(5)
    codes, classes = rng.integers(0, 3, (90, 4)), rng.integers(0, 2, 90)
    listed, left = work.ways(codes, classes, order, 3)
    many, rest = 0, set(range(90))
    for condition in order:
        before = None
        while rest != before:
            before, identified = set(rest), []
            for own in (0, 1):
                members = [i for i in sorted(rest) if classes[i] == own]
                identified += naive_list(codes, members, 3, condition) if len(members) >= 3 else []
            many += len(identified)
            rest -= {member for found in identified for member in found}
    assert (listed, left[-1]) == (many, len(rest))
    assert left[-1] == len(anonymise(codes, classes, 3, 2, order)[1])
    assert left[-1] <= left[0]


def test_how_sets_are_split():
    """By the first attribute: two become a pattern, and three are split again, into single ones.

    These are left, and in the next round are split in the same way.
    """
    codes = np.array([[0, 0, 0, 0], [0, 1, 1, 1], [0, 2, 2, 2], [1, 0, 0, 0], [1, 0, 1, 1]])
    found = sets.splits(codes, np.zeros(5, np.int64), "<", 2)
    assert found == {"depth": 1, "too small": 100 * 18 / 20, "again": [50]}


def naive_list(codes, members, k, condition):
    """The sets that become patterns, each as often as it is met."""
    here = codes[members]
    sizes = {j: len(set(here[:, j])) for j in range(4) if len(set(here[:, j])) > 1}
    if len(sizes) <= 2:
        return [members]
    wanted = (min if condition == "<" else max)(sizes.values())
    parts = [
        [i for i in members if codes[i, j] == value]
        for j in sizes if sizes[j] == wanted for value in set(here[:, j])
    ]  # fmt: skip
    return [
        one for part in parts if len(part) >= k for one in naive_list(codes, part, k, condition)
    ]
