"""Whom the risk falls on: subgroups, and the distribution over the records."""

import msgspec

from unveil.values.results.disclosure import Above
from unveil.values.results.risk import Interval


class GroupRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk of one subgroup, by the attack that is worst for it."""

    column: str
    group: str
    attack: str
    n: int  # attacked
    share: float
    interval: Interval | None  # where a sample of the group was attacked
    small: bool  # too few to hold against a limit

    @property
    def highest(self) -> float:
        """The share that is linked rightly; of a sample, what it may be at most."""
        return self.share if self.interval is None else self.interval.high


class Subgroups(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by subgroup: which share of its records is linked rightly.

    People who are rare in some way may be found far more often than the average tells. A subgroup
    is those with one category, or in one fifth of the numbers; its share is held against that of
    everybody, and of fewer than 10 records it is no more than a hint.
    """

    groups: tuple[GroupRisk, ...]  # highest risk first
    highest: GroupRisk | None  # of those that are not small


class RiskBin(msgspec.Struct, frozen=True, kw_only=True):
    """How many records have a risk above `low` and up to `high`; the first bin holds 0, too."""

    low: float
    high: float
    by_worst: int  # attack
    by_mean: int  # over all attacks, of the same records


class CarriedRisk(msgspec.Struct, frozen=True):
    """Which share of the expected links falls on the records with the highest risk."""

    part: float  # of the records
    share: float  # of the links by the worst attack


class RiskyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is found by many attacks."""

    row: int  # of the original, from 1
    mean: float  # risk, over all attacks that were made on it
    made: int  # so many of them
    found_by: int  # attacks that more likely than not link it rightly


class RecordRisks(msgspec.Struct, frozen=True, kw_only=True):
    """How the risk is spread over the records: by the worst attack, and over all of them."""

    attack: str
    direction: str
    n: int  # records that the worst attack was made on
    attacks: int
    bins: tuple[RiskBin, ...]
    above: tuple[Above, ...]  # by the worst attack
    carried: tuple[CarriedRisk, ...]
    riskiest: tuple[RiskyRow, ...]  # the highest mean risk first
