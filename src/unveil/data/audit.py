"""Audit: all that is said of one release, and the evidence that it leaves."""

from __future__ import annotations

from typing import Any

import msgspec

from unveil.data.risk import Forecast, Interval, Risk

FORMAT = 1  # of the evidence; another number, another meaning


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A file that went into an audit: its name as it was given, and what it holds."""

    file: str | None  # None: a table in memory
    sha256: str
    records: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one attack found, in one direction."""

    name: str
    spec: dict[str, Any]
    risk: Risk
    top: dict[str, Any]  # how often the true row is among the k best
    at_risk: dict[str, Any]
    precision: dict[str, Any] | None  # against coverage, by the margin that is demanded
    forecast: Forecast | None
    details: dict[str, Any]

    @property
    def highest(self) -> float:
        """The share that is linked rightly; of a sample, what it may be at most."""
        return self.risk.share if self.risk.interval is None else self.risk.interval.high


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """An attack that was not made, and why."""

    name: str
    direction: str
    reason: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder who knows these attributes."""

    attributes: tuple[str, ...]
    share: float
    interval: Interval | None
    highest: float  # the most with these or fewer: who knows more may ignore it


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk against the number of known attributes, the worst so many of them.

    They are chosen one by one on one half of a sample, and their risk is that of the other.
    """

    attack: str
    direction: str
    chosen_on: int  # records
    among: int  # candidates, when they were chosen
    estimated_on: int  # records, against all candidates
    steps: tuple[Known, ...]
    worst: Risk  # the worst of them, attacked in full


class Erring(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder whose values are wrong by so much."""

    error: float
    share: float
    interval: Interval | None


class NoisyKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk against the error in what the intruder knows.

    An error of e adds to each number normal noise of e of its deviation, and replaces a
    category, with probability e, by that of somebody else.
    """

    attack: str
    direction: str
    n: int
    points: tuple[Erring, ...]


class Remasking(msgspec.Struct, frozen=True, kw_only=True):
    """The risk when the same plan is carried out with other random numbers."""

    attack: str
    direction: str
    n: int
    shares: tuple[float, ...]  # of each new seed
    lowest: float
    highest: float
    mean: float
    at_risk: dict[str, float]  # share of the records whose mean risk is above some


class GroupRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk of one subgroup, by the worst attack."""

    column: str
    group: str
    n: int  # attacked
    share: float
    small: bool  # too few to hold against a limit


class Subgroups(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by subgroup."""

    attack: str
    direction: str
    groups: tuple[GroupRisk, ...]  # highest risk first
    highest: GroupRisk | None  # of those that are not small


class HouseholdRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The chance that at least one member of a household is found, by the worst attack."""

    attack: str
    direction: str
    households: int
    expected: float
    share: float
