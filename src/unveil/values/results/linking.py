"""Linkage: what the links of two files come to, for somebody who need not know the truth."""

from typing import Any

import msgspec

from unveil.values.results.risk import Risk


class Linkage(msgspec.Struct, frozen=True, kw_only=True):
    """Which attributes two files were linked by, how many links are claimed, and how sure.

    Whatever needs probabilities is none where the attack gives none, and whatever needs the truth
    is none where it is not known.
    """

    attack: str
    parameters: dict[str, Any]
    records: int  # of the first file, each of which is linked
    candidates: int  # of the second file
    common: bool  # whether attributes of one name were compared
    mine: tuple[str, ...]  # attributes of the first file that were used
    release: tuple[str, ...]  # of the second; the same ones where they are common
    left_out: dict[str, str]  # attributes that were not, and why
    like_identifiers: tuple[str, ...]  # of those compared, which nobody declared to be any
    tied: int  # records with several best candidates
    without: int  # records with no candidate
    confidence: float  # a link with more than this probability is claimed
    claimed: int | None
    unlinked: int | None  # records of which no link is claimed
    expected: float | None  # right ones among the best links of all records: their probabilities
    sure: float | None  # that all this is more than chance; none where the attack cannot tell
    risk: Risk | None  # what the truth says of the best links of all
    right: float | None  # of those claimed
    details: dict[str, Any]  # how the attack came to its links
    seed: int
