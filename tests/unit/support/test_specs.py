"""Specs hold in Python what they hold in a file."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.rules import words
from unveil.support.specs import Spec, describe, find_method


class RankSwapping(Spec):
    """Swap values with near ranks.

    More words.
    """

    p: Annotated[float, Meta(ge=0, le=100, description="Percent of n.")]
    columns: tuple[str, ...] = ()
    reading: Literal["text", "table"] = "table"
    k: int | None = None


def test_types_and_ranges_are_checked():
    assert RankSwapping(p=5, columns=["a"]).columns == ("a",)
    with pytest.raises(SpecError, match="^rank-swapping: p: a number of at most 100$"):
        RankSwapping(p=101)
    with pytest.raises(SpecError, match="^rank-swapping: p: a number, not text$"):
        RankSwapping(p="much")
    with pytest.raises(SpecError, match="'colums' is not a parameter; .* mean 'columns'"):
        RankSwapping(p=1, colums=["a"])
    with pytest.raises(SpecError, match="reading"):
        RankSwapping(p=1, reading="other")


def test_a_method_describes_itself():
    method = describe(RankSwapping, "mask")
    assert (method.name, method.kind, method.summary) == (
        "rank-swapping", "mask", "Swap values with near ranks.",
    )  # fmt: skip
    rows = [(p.name, p.type, p.default, p.meaning) for p in method.parameters]
    assert rows == [
        ("p", "number", "required", "Percent of n."),
        ("columns", "list of text", "[]", ""),
        ("reading", "text or table", '"table"', ""),
        ("k", "whole number", "none", ""),
    ]


def test_a_method_is_found_by_its_name():
    assert find_method([RankSwapping], "rank-swapping", "a mask") is RankSwapping
    with pytest.raises(SpecError, match="'rank' is not a mask; methods are: rank-swapping"):
        find_method([RankSwapping], "rank", "a mask")
    assert words(Literal["sum", "max"] | None) == ["sum", "max"]
