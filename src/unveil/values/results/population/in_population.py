"""The risk in the population as an audit finds it: every estimator beside the others."""

from typing import Literal

import msgspec

from unveil.values.results.population.model import PopulationEstimates
from unveil.values.results.population.special_uniques import SpecialUniques
from unveil.values.results.population.uniques import AttackerRisks


class PopulationKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key of the estimates, and in which form its values count."""

    column: str
    categories: int  # different values, or ranges
    ranges: bool = False  # whether a number was grouped into ranges
    before_masking: bool = False  # whether released values may be wrong: the originals count


class KeyLeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A key that the estimates leave out."""

    column: str
    categories: int
    reason: Literal["identifier", "not released", "too many combinations"]


class PopulationFigure(msgspec.Struct, frozen=True, kw_only=True):
    """An estimated number of people, with its prediction interval where there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def highest(self) -> float:
        """The upper end of the interval, or the estimate without one."""
        return self.value if self.high is None else self.high


class EstimatorResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one estimator says; a figure is null where it says nothing of it."""

    estimator: str  # log-linear, pitman, zayatz, snb, dis or benedetti-franconi
    # Sample uniques that are unique in the population.
    population_uniques: PopulationFigure | None = None
    # Expected correct matches among the sample uniques.
    unique_matches: PopulationFigure | None = None
    # Expected correct matches among all records.
    matches: PopulationFigure | None = None
    valid: bool  # whether its assumptions hold as far as the sample shows
    reason: str = ""  # why it is not valid, or says nothing


class InPopulation(msgspec.Struct, frozen=True, kw_only=True):
    """The risk in the population, for an intruder who knows the keys of everybody in it.

    The intruder knows the keys of all people of the population, and not who is in the release. A
    match is correct with probability 1 / F where F people share the keys. Nobody knows F: the
    estimators differ in what they assume about it.
    """

    keys: tuple[PopulationKey, ...]
    left_out: tuple[KeyLeftOut, ...]
    source: Literal["policy", "register"]  # what names the keys
    weight: str | None  # the column that tells the number of people
    n: int  # released records whose original is known
    population: float | None  # people, by the weights
    uniques: int  # records that are unique in the keys
    estimates: tuple[EstimatorResult, ...] = ()
    share: float | None = None  # correct matches per record, by the log-linear model
    chosen: str = ""  # of pitman, zayatz and snb, by their validity
    missing: str = ""  # why there are no estimates
    model: PopulationEstimates | None = None  # the log-linear model
    attackers: AttackerRisks | None = None
    special: SpecialUniques | None = None  # without categories

    def of(self, estimator: str) -> EstimatorResult | None:
        """What an estimator says; None if it was not made."""
        return next((one for one in self.estimates if one.estimator == estimator), None)

    @property
    def known(self) -> tuple[str, ...]:
        """The columns of the keys."""
        return tuple(one.column for one in self.keys)

    @property
    def in_ranges(self) -> tuple[str, ...]:
        """The numbers that count in ranges."""
        return tuple(one.column for one in self.keys if one.ranges)
