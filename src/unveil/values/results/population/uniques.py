"""Population uniques by estimators, and the risks by the usual attackers."""

from typing import Literal

import msgspec

from unveil.values.results.risk import AtRisk

# What the people who share a record's keys are counted or estimated by.
Basis = Literal["population", "weights", "fraction", "release"]


class UniquesEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What one estimator says of the population uniques."""

    estimator: str
    population_uniques: float | None  # of the whole population; None: no estimate
    sample_uniques: float | None  # sample uniques that are population uniques
    reason: str = ""  # why there is no estimate


class SuperPopulation(msgspec.Struct, frozen=True, kw_only=True):
    """Population uniques by each estimator, and the one that its validity chooses.

    The estimators look at the sizes of the classes of equal records alone, and take the sample for
    a simple random one.
    """

    columns: tuple[str, ...]
    n: int
    population: float
    sampling_fraction: float
    uniques: int  # in the sample
    chosen: str  # an estimator
    reason: str  # why this one
    estimates: tuple[UniquesEstimate, ...]

    @property
    def estimate(self) -> UniquesEstimate:
        """What the chosen estimator says."""
        return next(one for one in self.estimates if one.estimator == self.chosen)


class AttackerRisks(msgspec.Struct, frozen=True, kw_only=True):
    """The risks by three attackers: share of records above a threshold, highest, mean."""

    columns: tuple[str, ...]
    n: int
    basis: Basis
    note: str
    prosecutor: AtRisk
    journalist: AtRisk
    marketer: AtRisk
