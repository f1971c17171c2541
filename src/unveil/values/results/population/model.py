"""What a log-linear model of the population says of a sample."""

from dataclasses import dataclass

import msgspec

from unveil.support.arrays import Floats
from unveil.values.results.disclosure import Above
from unveil.wording import count


class Predicted(msgspec.Struct, frozen=True):
    """A number about the population that nobody knows, and where it probably is."""

    value: float
    low: float
    high: float
    confidence: float


class ModelStep(msgspec.Struct, frozen=True, kw_only=True):
    """A model that was tried, and by how much it is estimated to overstate."""

    term: tuple[str, ...]  # added to the model before; empty: the columns are independent
    tau1: float
    tau2: float
    bias1: float  # estimated overstatement of tau1; below 0: understatement
    bias2: float
    error1: float  # standard error of bias1
    error2: float


class PopulationEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """The risk in the population by a Poisson log-linear model of its counts.

    For an intruder who knows the columns of everybody in the population, and not who is in the
    sample.
    """

    columns: tuple[str, ...]
    weights: str  # what tells the number of people: a column, "fraction" or "strata"
    n: int  # records
    population: float  # people, by the weights or the fraction
    cells: int  # possible combinations of values
    occurring: int  # of these, in the sample
    uniques: int  # records that are unique in the sample
    # Sample uniques that are unique in the population: the sum of P(F = 1 | f = 1).
    tau1: Predicted
    # Correct matches among the sample uniques: the sum of E(1 / F | f = 1).
    tau2: Predicted
    # Correct matches among all records: the sum of f E(1 / F | f) over the cells.
    expected_matches: Predicted
    highest: float  # risk of a record
    above: tuple[Above, ...]
    terms: tuple[tuple[str, ...], ...]  # of the model
    path: tuple[ModelStep, ...]  # to the model, from independent columns
    acceptable: bool  # whether the estimated overstatement is within its noise, or negligible
    not_converged: tuple[tuple[str, ...], ...]  # terms left out, as the fit failed with them
    perturbed: tuple[str, ...] = ()  # columns whose released values may be wrong


@dataclass(frozen=True, repr=False, eq=False)
class PopulationModel:
    """A model of the population: its estimates, and the risk of each record.

    `risks` has E(1 / F | f) of each record, `unique` its probability to be unique in the
    population. Where released values may be wrong, they are the risk of a correct match, and the
    probability that the record is right and unique.
    """

    estimates: PopulationEstimates
    risks: Floats
    unique: Floats

    def __repr__(self) -> str:
        found = self.estimates
        doubts = "" if found.acceptable else "; does not fit"
        if found.not_converged:
            doubts += f"; {count(len(found.not_converged), 'term')} left out, not converged"
        return (
            f"PopulationModel({count(found.n, 'record')}; "
            f"{count(len(found.terms), 'term')}; "
            f"{found.expected_matches.value:,.0f} correct matches expected{doubts})"
        )
