"""Phrases: how figures are written, at the edges too, and what may stand in a name."""

import msgspec
import pytest

from unveil.support.phrases import (
    LISTED,
    Figure,
    Name,
    Term,
    as_given,
    chance,
    counted,
    decimal,
    expected,
    level,
    name,
    names,
    percent,
    phrase,
    plain,
    points,
    several,
)


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (counted, {0: "0", 1: "1", 0.00001: "under 0.001", 0.99999: "1.0", 1e6: "1,000,000",
                   0.04: "0.04", 9.5: "9.5", 12.5: "13", 1234567: "1,234,567", -1: "-1"}),
        (expected, {0: "0.0", 1: "1.0", 0.00001: "0.0", 0.99999: "1.0", 1e6: "1,000,000.0",
                    -0.25: "-0.2"}),
        (percent, {0: "0 %", 1: "100 %", 0.00001: "under 0.1 %", 0.99999: "over 99.9 %",
                   0.0005: "0.1 %", 0.9994: "99.9 %", 0.5: "50.0 %", 1e6: "100000000.0 %",
                   -0.1: "-10.0 %"}),
        (level, {0: "0 %", 1: "100 %", 0.05: "5 %", 0.29: "29 %", 0.125: "12.5 %"}),
        (points, {0: "0.0", 1: "100.0", -0.0123: "-1.2", 0.00001: "under 0.1"}),
        (decimal, {0: "0", 1: "1", 0.00001: "0.000", 0.99999: "over 0.999", 1e6: "1,000,000",
                   -0.25: "-0.25", 999.4: "999", 999.7: "1,000", -999.7: "-1,000",
                   -0.00001: "0.000", 0.0817908665: "0.0818"}),
        (chance, {0: "under 0.001", 1: "1", 0.00001: "under 0.001", 0.99999: "1", 0.005: "0.005"}),
        (as_given, {0: "0", 1: "1", 0.05: "0.05", 0.00001: "1e-05", 1e6: "1,000,000", -3: "-3",
                    12345678901234567890: "12,345,678,901,234,567,890"}),
    ],
)  # fmt: skip
def test_figures_at_the_edges(form, written):
    for value, words in written.items():
        assert str(form(value)) == words
        assert form(value).value is value  # exactly what it was


def test_no_two_forms_of_one_number_are_at_odds():
    """What is not nothing is not written as nothing, nor what is not all as all, in shares."""
    for value in (1e-12, 1e-5, 4e-4):
        assert "0 %" not in str(percent(value)).replace("0.1 %", "")
        assert str(percent(1 - value)) != "100 %"


def test_a_phrase_has_a_part_for_each_place():
    said = phrase("{} of [people](linked): {}", counted(3), names(["a", "b"]))
    assert said == (
        Figure(3, "count"), " of ", Term("people", "linked"), ": ", Name("a"), ", ", Name("b"),
    )  # fmt: skip
    assert plain(said) == "3 of people: a, b"
    assert phrase("") == ()
    for text, parts in (("none", (counted(1),)), ("{}", ()), ("{} {}", (counted(1),))):
        with pytest.raises(ValueError, match="a phrase has a {} for each of its parts"):
            phrase(text, *parts)


def test_what_stands_in_a_name_is_no_markup_of_ours():
    """A name with {} or [words](key) in it stays a name."""
    given = "{} [a](b) `c`"
    assert phrase("{}", name(given)) == (Name(given),)
    assert phrase("{}{}", name(given), counted(1)) == (Name(given), Figure(1, "count"))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("age", "age"),
        ("größe 年", "größe 年"),
        ("a\u202eb", "a\\u202eb"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("a\x1b[31mb\nc\td\0", "a\\x1b[31mb\\nc\\td\\x00"),
        ("\u200bx\ufeff", "\\u200bx\\ufeff"),
        ("\ud800", "\\ud800"),
        ("", ""),
    ],
)
def test_a_name_moves_no_words_around_it(given, shown):
    assert name(given).text == shown
    name(given).text.encode()


def test_many_names_are_cut_short():
    assert names([]) == ()
    assert plain(names(["a"])) == "a"
    assert plain(names("ab", limit=2)) == "a, b"
    assert plain(names("abc", limit=2)) == "a, b and 1 more"
    assert plain(names(map(str, range(LISTED + 5)))).endswith(f"{LISTED - 1} and 5 more")


def test_nothing_is_said_of_nothing():
    assert plain(None) == ""
    assert plain("words") == "words"


def test_phrases_are_plain_values():
    said = phrase("{} {} [x](y)", percent(0.5), name("n"))
    shown = msgspec.to_builtins(said)
    assert shown[0] == {"type": "figure", "value": 0.5, "form": "share"}


def test_a_count_has_its_noun():
    assert plain(several(1, "attribute")) == "1 attribute"
    assert plain(several(2, "person")) == "2 people"
