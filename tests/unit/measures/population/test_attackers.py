"""Prosecutor, journalist, marketer: their formulas by hand, with and without a population."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.disclosure as naive
import unveil
from strategies.examples import examples
from unveil import Microdata, Schema, measures
from unveil.errors import DataError, UnveilError, UsageError

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=20)


def table(rows, weight=None):
    frame = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    schema = {"quasi": ["a", "b"], "nominal": ["a", "b"]}
    if weight is None:
        return Microdata(frame, Schema(**schema))
    return Microdata(frame.with_columns(w=pl.Series(weight)), Schema(**schema, weight="w"))


@examples(1 / 2)
@given(ROWS, ROWS)
def test_the_formulas_with_a_population_file(rows, others):
    people = rows + others
    found = measures.attackers(table(rows), table(people), threshold=0.3)
    f, big = Counter(rows), Counter(people)
    prosecutor, marketer = [1 / f[row] for row in rows], [1 / big[row] for row in rows]
    for own, risks in ((found.prosecutor, prosecutor), (found.marketer, marketer)):
        assert own.highest == max(risks)
        assert own.mean == pytest.approx(np.mean(risks))
        assert own.above == pytest.approx(np.mean([risk > 0.3 for risk in risks]))
    assert found.prosecutor.mean == pytest.approx(len(f) / len(rows))  # classes over records
    assert found.journalist.highest == found.marketer.highest
    over_people = len(f) / sum(big[row] for row in f)
    assert found.journalist.mean == pytest.approx(max(np.mean(marketer), over_people))
    assert (found.basis, found.n) == ("population", len(rows))


def test_a_record_that_fits_nobody_has_no_risk():
    found = measures.attackers(table([("a", "x"), ("b", "y")]), table([("a", "x")] * 4))
    assert (found.marketer.highest, found.marketer.mean) == (0.25, 0.125)
    assert found.note.startswith("fitting nobody of the population, risk 0: 1 record; recode")
    nobody = measures.attackers(table([("b", "y")]), table([("a", "x")]))
    assert (nobody.journalist.mean, nobody.prosecutor.mean) == (0, 1)


def test_a_file_that_does_not_hold_the_sample_is_noted():
    found = measures.attackers(table([("a", "x")] * 3), table([("a", "x")] * 2))
    assert found.marketer.mean > found.prosecutor.mean
    assert "fewer people than the release for the keys of 3 records" in found.note
    assert measures.attackers(table([("a", "x")] * 2), table([("a", "x")] * 2)).note == ""


def test_without_a_file_people_are_estimated():
    rows = [("a", "x"), ("a", "x"), ("b", "y")]
    found = measures.attackers(table(rows, [4.0, 6.0, 2.0]))
    risks = [naive.mean_of_inverse(2, 0.2)] * 2 + [naive.mean_of_inverse(1, 0.5)]
    assert found.basis == "weights"
    assert found.marketer.mean == pytest.approx(np.mean(risks))
    assert found.marketer.highest == pytest.approx(max(risks))
    share = measures.attackers(table(rows), fraction=0.25)
    risks = [naive.mean_of_inverse(2, 0.25)] * 2 + [naive.mean_of_inverse(1, 0.25)]
    assert share.basis == "fraction"
    assert share.marketer.mean == pytest.approx(np.mean(risks))
    alone = measures.attackers(table(rows))
    assert alone.basis == "release"
    assert "upper bounds" in alone.note
    assert alone.marketer == alone.prosecutor == alone.journalist


def test_a_generalised_release_is_counted_by_what_fits():
    people = unveil.households(300, seed=7)
    release = unveil.mask(people, [unveil.masks.Mondrian(k=5, columns=["age", "region"])], seed=7)
    found = measures.attackers(release, people, columns=["age", "region"])
    assert found.prosecutor.highest <= 0.2
    assert 0 < found.journalist.mean <= found.journalist.highest <= 0.2
    order = np.random.default_rng(3).permutation(len(release.data))
    assert found == measures.attackers(release.data.take(order), people, columns=["age", "region"])


def test_a_release_names_its_perturbed_keys():
    people = unveil.households(200, seed=7)
    plan = [unveil.masks.RankSwapping(p=10, columns=["age"])]
    release = unveil.mask(people, plan, seed=7)
    found = measures.attackers(release, columns=["sex", "age"])
    assert found.note.endswith("these risks do not count: age")
    assert measures.attackers(release, columns=["sex"]).note == ""


def test_what_is_refused():
    rows = [("a", "x")]
    with pytest.raises(DataError, match="below 1 in 1 record"):
        measures.attackers(table(rows, [0.5]))
    with pytest.raises(UsageError, match="above 0 and at most 1"):
        measures.attackers(table(rows), fraction=1.5)
    with pytest.raises(UsageError, match="threshold"):
        measures.attackers(table(rows), threshold=2)
    with pytest.raises(UnveilError, match="'b' is not in the data"):
        measures.attackers(table(rows), Microdata(pl.DataFrame({"a": ["a"]})))
