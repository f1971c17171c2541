"""Shapes: one attribute side by side, before and after masking."""

import msgspec


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """How many records of each file have a value in one range, or one category."""

    label: str  # a range with round ends, a declared category, "category 3", "other"
    original: int
    release: int
    original_share: float  # of the records that have a value
    release_share: float


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one attribute are distributed in the original and in the release.

    Where the bars of both are alike, who counts this attribute by itself finds what was there
    before. They do not show how attributes go together, nor whose value is whose.
    """

    column: str
    level: str
    bars: tuple[Bar, ...]  # in the order of the values
    original_missing: int
    release_missing: int
    shift: float | None  # of the mean, in deviations of the original; None: no numbers
    spread: float | None  # the deviation of the release, 1 if it is that of the original
    note: str = ""  # why there are no bars
