"""Linkage: the summary of the links between two files, with or without the truth."""

from typing import Any

import msgspec

from unveil.values.results.pair_classes import PairClasses
from unveil.values.results.risk import Risk

PROVEN = 0.9  # sureness from which links are held to be more than chance


class Linkage(msgspec.Struct, frozen=True, kw_only=True):
    """The attributes by which two files were linked, the links claimed and their confidence.

    Fields that need probabilities are None if the attack gives none, and fields that need the truth
    are None if it is not known.
    """

    attack: str
    engine: str | None  # that compared the files; None: none did
    parameters: dict[str, Any]
    records: int  # of the first file
    candidates: int  # of the second file
    common: bool  # whether attributes of the same name were compared
    mine: tuple[str, ...]  # attributes used of the first file
    release: tuple[str, ...]  # of the second
    blocks: tuple[str, ...]  # columns in which compared records are equal
    left_out: dict[str, str]  # attributes not used, and why
    like_identifiers: tuple[str, ...]  # attributes compared that look like undeclared identifiers
    tied: int  # records with several best candidates
    without: int  # records with no candidate
    confidence: float  # links with a higher probability are claimed
    claimed: int | None
    unlinked: int | None  # records without a claimed link
    expected: float | None  # correct ones among the best links, by their probabilities
    sure: float | None  # confidence that the links are no chance; None: not available
    risk: Risk | None  # of the best links, by the truth
    right: float | None  # correct ones among those claimed
    details: dict[str, Any]  # of the attack
    seed: int
    pair_classes: PairClasses | None = None  # decisions on all pairs, where error rates were given
