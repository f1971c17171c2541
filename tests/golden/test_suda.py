"""SUDA scores that others published.

The table of the practice guide (International Household Survey Network, Statistical disclosure
control for microdata: a practice guide, tables 4.4 and 4.5), the one of Templ's book (Statistical
disclosure control for microdata, 2017) as sdcMicro computes it, and two small tables whose
attribute contributions the authors of sdcMicro confirmed (its issues 275 and 356).
"""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema, measures
from unveil.measures.population.suda import dis_scores, file_level

GUIDE = """urban female secondary-incomplete employed
urban female secondary-incomplete employed
urban female primary-incomplete non-lf
urban male secondary-complete employed
rural female secondary-complete unemployed
urban male secondary-complete employed
urban female primary-complete non-lf
urban male post-secondary unemployed
urban female secondary-incomplete non-lf
urban female secondary-incomplete non-lf"""
BOOK = """20s male 50k+ highschool
20s male 50k+ highschool
20s male 50k- highschool
20s male 50k- highschool
20s female 50k- university
20s female 50k- highschool
20s female 50k- middleschool
60s male 50k- university"""


def table(text):
    rows = [line.split() for line in text.splitlines()]
    names = list("abcdef"[: len(rows[0])])
    frame = pl.DataFrame(rows, schema=names, orient="row")
    return Microdata(frame, Schema(quasi=names, nominal=names))


def contributions(found):
    return [one.share for one in found.summary.attributes]


def test_the_table_of_the_practice_guide():
    found = measures.suda(table(GUIDE), max_size=3)
    assert found.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    assert found.minimal[4] == 4  # record 5 has one of size 1, three of size 2
    assert found.smallest[4] == 1
    assert (found.summary.uniques, found.summary.special) == (4, 4)


def test_the_dis_scores_of_the_practice_guide():
    """By its first version of the scores, which differ by more than a factor from the others."""
    scores = np.array([1.75, 3.25, 1.75, 2.75])
    published = [0.005120313, 0.010702061, 0.005120313, 0.008775093]
    assert dis_scores(scores, 4, file_level(4, 3, 0.01)) == pytest.approx(published, rel=1e-6)


def test_the_table_of_the_book():
    assert measures.suda(table(BOOK)).scores.tolist() == [0, 0, 0, 0, 4, 2, 6, 8]


def test_confirmed_contributions():
    found = measures.suda(table("2 0 0\n1 3 6\n1 0 0"))
    assert contributions(found) == [0.5, 0.375, 0.375]
    found = measures.suda(table("A X P\nB X Q\nA Y Q\nC Z R\nB Y R\nA X P\nB Z Q"))
    assert found.scores.tolist() == [0, 2, 3, 3, 3, 0, 2]
    assert contributions(found) == pytest.approx([0.6153846, 0.6923077, 0.5384615])
