"""Disclosure: what a release tells of people, whether or not anybody is linked."""

from __future__ import annotations

import msgspec


class Inside(msgspec.Struct, frozen=True):
    """How many originals lie in the interval around their released value, and by chance."""

    width: float  # in percent, to either side: of the records, or of a standard deviation
    share: float
    chance: float  # expected where originals and released rows are paired at random


class IntervalCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Shares inside by the width of the interval, the width reported first before the others."""

    column: str | None  # None: of several
    n: int  # pairs whose original is there
    by_rank: tuple[Inside, ...]
    by_deviation: tuple[Inside, ...]


class IntervalDisclosure(msgspec.Struct, frozen=True, kw_only=True):
    """Interval disclosure: on average over the attributes, in all at once, and in each."""

    n: int  # pairs
    average: IntervalCurve
    together: IntervalCurve  # records inside in every attribute
    looked_at: int  # records on which the chance to be inside in every one was counted
    attributes: tuple[IntervalCurve, ...]


class Uniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """How many records share their combination of values with how many."""

    columns: tuple[str, ...]
    n: int
    classes: int  # different combinations
    smallest: int  # records in the smallest class
    uniques: int  # records alone in their class: they violate 2-anonymity
    below_3: int  # in classes of fewer than 3: they violate 3-anonymity
    below_5: int


class ReleaseUniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """Uniques before and after masking, and whether those after mean anything."""

    original: Uniqueness
    release: Uniqueness
    meaningful: bool
    reason: str  # why, or why not
    perturbed: tuple[str, ...]  # columns whose released values are nobody's in particular
    unperturbed: Uniqueness | None  # the release on the others; None: there are no others
    unperturbed_original: Uniqueness | None
