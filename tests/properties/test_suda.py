"""SUDA finds what an exhaustive search finds, whatever the order of rows and columns."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.suda as naive
from strategies.examples import examples
from unveil import Microdata, Schema, measures

TABLES = st.integers(1, 5).flatmap(
    lambda m: st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "c", None])] * m), min_size=2, max_size=30
    )
)


def table(rows, order=None):
    names = [f"k{i}" for i in range(len(rows[0]))]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    names = names if order is None else [names[i] for i in order]
    return Microdata(frame.select(names), Schema(quasi=names, nominal=names))


@examples(1)
@given(TABLES, st.data())
def test_it_is_the_exhaustive_search(rows, data):
    m = len(rows[0])
    most = data.draw(st.integers(1, m))
    found = measures.suda(table(rows), max_size=most)
    sets = [[one for one in of if len(one) <= most] for of in naive.minimal_uniques(rows)]
    scores = [naive.score(of, m, most) for of in sets]
    assert found.scores.tolist() == scores
    assert found.minimal.tolist() == list(map(len, sets))
    assert found.smallest.tolist() == [min(map(len, of), default=0) for of in sets]
    for attribute in range(m):
        held = [[one for one in of if attribute in one] for of in sets]
        parts = [naive.score(of, m, most) for of in held]
        shares = [part / max(total, 1) for part, total in zip(parts, scores, strict=True)]
        assert found.contributions[:, attribute] == pytest.approx(shares)
        whole = sum(parts) / max(sum(scores), 1)
        assert found.summary.attributes[attribute].share == pytest.approx(whole)
        groups = [one.share for one in found.summary.categories if one.column == f"k{attribute}"]
        assert sum(groups) == pytest.approx(whole)
    counted = {one.columns: one.records for one in found.summary.sets}
    for columns, records in counted.items():
        places = tuple(int(name[1:]) for name in columns)
        assert records == sum(places in of for of in sets)


@examples(1 / 4)
@given(TABLES, st.randoms())
def test_the_order_of_rows_and_columns_does_not_matter(rows, random):
    m = len(rows[0])
    shuffled, order = list(range(len(rows))), list(range(m))
    random.shuffle(shuffled)
    random.shuffle(order)
    first = measures.suda(table(rows), fraction=0.1)
    second = measures.suda(table([rows[i] for i in shuffled]), fraction=0.1)
    assert second.summary == first.summary
    assert second.scores.tolist() == first.scores[shuffled].tolist()
    assert second.dis_scores.tolist() == first.dis_scores[shuffled].tolist()
    turned = measures.suda(table(rows, order), fraction=0.1)
    assert turned.scores.tolist() == first.scores.tolist()
    assert turned.contributions.tolist() == first.contributions[:, order].tolist()


@examples(1 / 4)
@given(TABLES)
def test_a_twin_hides_a_record_and_another_column_hides_nobody(rows):
    doubled = measures.suda(table(rows + rows))
    assert not doubled.scores.any()
    assert doubled.summary.uniques == 0
    wider = measures.suda(table([(*row, "same") for row in rows]))
    assert (wider.minimal == measures.suda(table(rows)).minimal).all()
    assert np.isfinite(wider.scores).all()
