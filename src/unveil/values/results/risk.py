"""Risk: what an attack gained, and what to hold it against."""

from typing import Any

import msgspec

from unveil.support.display import shown


class Interval(msgspec.Struct, frozen=True):
    """Where a share lies, with the stated confidence."""

    low: float
    high: float
    confidence: float


class Claims(msgspec.Struct, frozen=True):
    """The links that an intruder would claim, who sees a clear margin."""

    n: int  # records looked at
    claimed: int
    right: float  # of those claimed


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What an intruder expects of an attack, and what the truth says of that."""

    n: int  # records looked at
    share: float  # of the links, expected to be right
    found: float | None  # the share that is right; none where the truth is not known
    above: float  # links held to be right with more than this probability are claimed
    claimed: int
    right: float | None  # of those claimed


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """How many records an attack links rightly, and what to hold that against.

    A record is linked rightly where the attack takes it for the very row that was made of it;
    where several rows are equally near, it counts by its share, so that the number may be a
    fraction. It goes from 0 to all records attacked, and is held against a guess and the ceiling.

    `expected` counts a tie with the true one by its share, `unique` only links without a tie.
    `confirmed` are the links that the intruder could tell to be good: the second best is
    much farther. `control` is the same with the true ones not there. Both are none for attacks
    whose scores are no distances. `interval` is there only where the records attacked are a
    sample of those that the intruder has.
    """

    attack: str
    parameters: dict[str, Any]
    direction: str
    intruder: dict[str, Any]
    attributes: tuple[str, ...]  # those compared
    expected: float
    unique: int
    confirmed: Claims | None
    n: int  # records attacked whose true row is in the other file
    absent: int  # records attacked that have none there
    population: int  # records that might be attacked: the intruder's, their true row known
    candidates: int
    share: float  # expected / n
    ceiling: float  # what no attack on these attributes can expect to exceed
    interval: Interval | None
    baseline: float  # what a guess can expect
    control: Claims | None
    p_value: float  # of so many hits or more by chance
    supervised: bool  # made with the truth in hand: no intruder's
    seed: int

    def __str__(self) -> str:
        return shown(self)
