"""Which of two has more, row by row."""

import pytest

from unveil_papers.framework.contests import contest


def test_where_one_has_more():
    result = contest({"a": (3.0, 1.0), "b": (2.0, 2.0), "c": (0.5, 0.75)})
    assert [[row[0] for row in side] for side in result] == [["a"], ["b"], ["c"], []]
    assert str(result) == (
        "more in 1 of 3 (by 2.0 points); no difference at b (2.0 and 2.0); "
        "less at c (0.50 and 0.75)"
    )


@pytest.mark.parametrize(
    ("rows", "everywhere", "on_the_whole"),
    [
        ({"a": (2, 1), "b": (4, 1)}, "holds", "holds"),
        ({"a": (2, 1), "b": (1, 1)}, "holds in part", "holds"),
        ({"a": (2, 1), "b": (1, 1), "c": (1, 1)}, "holds in part", "holds in part"),
        ({"a": (2, 1), "b": (4, 1), "c": (1, 2)}, "holds in part", "holds in part"),
        ({"a": (1, 1), "b": (1, 2)}, "does not hold", "does not hold"),
    ],
)
def test_verdicts(rows, everywhere, on_the_whole):
    result = contest(rows)
    assert (result.verdict, result.on_the_whole) == (everywhere, on_the_whole)


def test_chance_is_no_difference():
    """Runs of the same release are compared one by one; those drawn apart vary by themselves."""
    first = [1.0, 5.0, 9.0, 3.0] * 3
    second = [0.9, 4.85, 8.9, 2.88] * 3
    assert contest({"a": (first, second)}).more
    assert contest({"a": (first, second)}, paired=False).even
    assert contest({"a": ([1.0] * 10, [0.0] * 10)}).more  # nothing varies, in many runs


def test_few_runs_speak_for_neither():
    """One run says nothing of chance, nor do a few that happen to be equal."""
    for first in ([1.0], [1.0, 1.0], [1.0, 9.0]):
        result = contest({"a": (first, [0.0] * len(first))})
        assert result.open
        assert result.verdict == result.on_the_whole == "cannot be tested"
    few = {"a": ([5.0, 5.1, 5.0], [1.0, 1.0, 1.1]), "b": ([1.0, 2.0, 1.0], [1.0, 1.0, 1.5])}
    result = contest(few)
    assert (len(result.more), len(result.open), result.verdict) == (1, 1, "holds")
    assert str(result).endswith("undecided for want of runs at b (1.3 and 1.2)")
    assert contest({"a": (1, 2), "b": ([1.0], [2.0]), "c": ([1.0], [2.0])}).verdict == (
        "does not hold"
    )


def test_what_chance_may_do_is_divided_among_rows():
    runs = ([1.0, 2.0] * 5, [0.1, 1.9] * 5)
    assert contest({"a": runs}).more
    assert contest(dict.fromkeys(map(str, range(50)), runs)).even


def test_words():
    assert str(contest({"a": (2, 1)})) == "more (by 1.0 points)"
    assert str(contest({"a": (1, 2)})) == "more in none of 1; less at a (1.0 and 2.0)"
    many = contest(dict.fromkeys("abcde", (1, 1)) | {"f": (2, 1)})
    assert str(many).endswith("b (1.0 and 1.0), c (1.0 and 1.0) and 2 more")
