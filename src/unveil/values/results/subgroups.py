"""Distribution of the risk: over subgroups, and over the records."""

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
    small: bool  # too few attacked to check a limit
    size: int | None = None  # people whom the attack could find; None in older evidence

    @property
    def highest(self) -> float:
        """The share linked; for a sample, the upper end of its interval."""
        return self.share if self.interval is None else self.interval.high


class Subgroups(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by subgroup: the share of its records that is linked correctly.

    People with rare values may be re-identified far more often than the average. A subgroup has one
    category, or one fifth of the numbers. Compare its share with that of all records. Categories
    with fewer than 10 attacked records are one group; with fewer than 10 in all it is only a hint.
    """

    groups: tuple[GroupRisk, ...]  # highest risk first
    highest: GroupRisk | None  # of those that are not small


class RiskBin(msgspec.Struct, frozen=True, kw_only=True):
    """The records with a risk above `low` and up to `high`; the first bin includes 0."""

    low: float
    high: float
    by_worst: int  # attack
    by_mean: int  # over all attacks, of the same records


class CarriedRisk(msgspec.Struct, frozen=True):
    """The share of the expected links on the records with the highest risk."""

    part: float  # of the records
    share: float  # of the links by the worst attack


class RiskyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A record that many attacks re-identify."""

    row: int  # of the original, from 1
    mean: float  # risk, over all attacks on it
    made: int  # number of these attacks
    found_by: int  # attacks that link it correctly with probability above one half


class RecordRisks(msgspec.Struct, frozen=True, kw_only=True):
    """The distribution of the risk over the records, by the worst attack and by all."""

    attack: str
    direction: str
    n: int  # records attacked by the worst attack
    attacks: int
    bins: tuple[RiskBin, ...]
    above: tuple[Above, ...]  # by the worst attack
    carried: tuple[CarriedRisk, ...]
    riskiest: tuple[RiskyRow, ...]  # the highest mean risk first
