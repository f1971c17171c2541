"""Households linked as units: what an attack on them found."""

from __future__ import annotations

import msgspec

from unveil.values.results.risk import Claims, Forecast, Risk, best_claims


class HouseholdGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The share of the households of one subgroup that are linked."""

    column: str
    group: str
    n: int  # households attacked
    share: float | None  # None: none was attacked
    small: bool  # too few to be informative


class LinkedHouseholds(msgspec.Struct, frozen=True, kw_only=True):
    """The households that an attack links as units, before the persons in them.

    A household is linked correctly if the rows of its members are found. The intruder
    knows who lives together and the values of every member; the release shows it, or gives it away
    by columns that members share. A group of rows of several households counts the share that is
    the household's own. Where no rows are grouped, the link of one member, taken at random, finds
    the household if the row is any member's. It ranges from 0 to all households with a released
    member. It cannot see an intruder who knows only some members.
    """

    grouping: str  # "shown" by a number, "read-off" from what members share, or "none"
    risk: Risk  # of households: their number, a guess, a ceiling, claims
    forecast: Forecast | None
    subgroups: tuple[HouseholdGroup, ...] = ()

    @property
    def together(self) -> bool:
        """Whether persons are linked through their households, not one by one."""
        return self.grouping != "none"

    @property
    def claims(self) -> Claims | None:
        """The links of households that an intruder would claim."""
        return best_claims(self.risk, self.forecast)

    @property
    def highest(self) -> float:
        """The share of the households linked; for a sample, the upper end of its interval."""
        return self.risk.share if self.risk.interval is None else self.risk.interval.high
