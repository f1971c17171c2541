"""Answers of a review: read back by row numbers, and refused with file, row and remedy."""

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.errors import DataError

LIMITS = {"p_link_unmatched": 1e-4, "p_nonlink_matched": 0.1}


def files(n=200, seed=2):
    """People, and the same people with errors."""
    rng = np.random.default_rng(seed)
    before = rng.integers(0, [4, 8, 12, 20], (n, 4))
    after = np.where(rng.random((n, 4)) < 0.2, rng.integers(0, [4, 8, 12, 20], (n, 4)), before)
    return [
        Microdata(
            pl.DataFrame(one.astype(str), list("abcd"), orient="row"),
            Schema(quasi=list("abcd"), nominal=list("abcd")),
        )
        for one in (before, after)
    ]


def decided(answers=None, *, truth="row-order", blocks=(), records=None, **options):
    spec = attacks.Probabilistic(answers=answers, **LIMITS | options)
    intruder = Intruder(blocks=blocks, records=records)
    return measures.decisions(unveil.attack(*files(), spec, intruder=intruder, truth=truth))


def answered(review):
    """The right answers of a review; in these files the same row is the same person."""
    right = [left == row for left, row in review.select("unique_id_l", "unique_id_r").rows()]
    return review.with_columns(answer=pl.Series(["Yes" if one else " no" for one in right]))


def table(*rows):
    return pl.DataFrame(rows, ["unique_id_l", "unique_id_r", "answer"], orient="row")


def test_answered_pairs_are_decided_and_leave_the_review():
    first = decided()
    review = first.review(150)
    assert len(review) == 150
    answers = answered(review)
    found = decided(answers)
    classes = found.classes
    assert classes.answered == 150
    assert classes.answered_yes == (answers["answer"] == "Yes").sum() > 0
    listed = found.pairs(["linked", "clerical", "non-linked"])
    joined = listed.join(answers, on=["unique_id_l", "unique_id_r"])
    wanted = joined["answer"].replace_strict({"Yes": "linked", " no": "non-linked"})
    assert (joined["class"] == wanted).all()
    assert (joined["match_probability"] == (joined["answer"] == "Yes").cast(float)).all()
    assert review.join(found.review(10**5), on=["unique_id_l", "unique_id_r"]).is_empty()
    assert {row.name: row.pairs for row in classes.classes} == dict(
        listed["class"].value_counts().rows()
    )


def test_answers_move_the_estimates_towards_the_truth():
    everything = decided().pairs(["clerical"]).with_columns(answer=pl.lit(None, pl.String))
    found = decided(answered(everything))
    plain, labelled = (
        measures.decisions(one.links).links.finder.details["comparisons"]
        for one in (decided(), found)
    )
    before, after = (
        np.array([one["comparison_levels"][0]["m_probability"] for one in each])
        for each in (plain, labelled)
    )
    own = files()
    true = np.array([(own[0].column(n) == own[1].column(n)).mean() for n in "abcd"])
    assert np.abs(after - true).sum() <= np.abs(before - true).sum()
    assert found.classes.classes[1].pairs < decided().classes.classes[1].pairs


def test_blank_answers_say_nothing():
    review = decided().review(30)
    assert decided(review).classes == decided().classes


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([(1, 1, "maybe"), (1, 2, "no")], {}, "1 answer cannot be read, the first in row 1; write"),
        ([(1, 1, ""), (1, 999, "no")], {}, "in row 2 unique_id_r is not a row of the release"),
        ([(0, 1, "yes")], {}, "in row 1 unique_id_l is not a row of the original"),
        ([("x", 1, "yes")], {}, "unique_id_l holds text, not row numbers"),
        ([(1, 1, "yes"), (2, 2, ""), (1, 1, "no")], {}, "rows 1 and 3 answer yes and no for the"),
        ([(1, 1, "yes"), (1, 2, "yes")], {"matching": "one-to-one"},
         "rows 1 and 2 answer yes for the same unique_id_l, and links are one to one: keep"),
        ([(1, 1, "yes"), (2, 1, "yes")], {"matching": "posterior"},
         "rows 1 and 2 answer yes for the same unique_id_r"),
    ],
)  # fmt: skip
def test_wrong_answers_are_refused_with_their_row(rows, options, message, tmp_path):
    path = tmp_path / "review.csv"
    table(*rows).write_csv(path)
    with pytest.raises(DataError, match=message) as error:
        decided(str(path), **options)
    assert str(error.value).startswith(f"{path}: answers: ")


def test_a_table_without_answers_is_no_review():
    with pytest.raises(DataError, match="answer is not there; write it with --review"):
        decided(pl.DataFrame({"unique_id_l": [1], "unique_id_r": [1]}))


def test_two_partners_are_a_warning_where_each_record_is_linked_alone(caplog):
    with caplog.at_level(logging.WARNING, "unveil"):
        decided(table((1, 1, "yes"), (1, 2, "yes"), (1, 1, "yes")))
    assert "rows 1 and 2 answer yes for the same unique_id_l: it has two partners" in caplog.text


def test_pairs_that_blocks_separate_are_unknown():
    own = files()
    apart = next(row for row in range(1, 200) if own[0].column("a")[0] != own[1].column("a")[row])
    with pytest.raises(
        DataError, match="row 1 is not compared, because it differs in the blocks a"
    ):
        decided(table((1, apart + 1, "no")), blocks=["a"])


def test_answers_on_records_that_the_intruder_does_not_hold_are_left_out():
    found = decided(table((1, 1, "yes"), (200, 200, "yes")), records=range(100))
    assert found.classes.answered == 1


def test_a_frame_has_no_name_in_messages():
    with pytest.raises(DataError) as refused:
        decided(table((1, 1, "maybe")))
    assert str(refused.value).startswith("answers: 1 answer cannot be read")
