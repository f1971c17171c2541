"""Risk: the success of an attack, with its baseline, ceiling and interval."""

from typing import Any, Literal, NamedTuple

import msgspec

from unveil.support.display import html, shown
from unveil.wording import fitted

# How the p-value was found: exactly, for random one-to-one matchings; by the binomial law of links
# that are right independently; from truths drawn at random; or by the Poisson law.
LawOfChance = Literal["matching", "binomial", "drawn", "poisson"]


class Interval(msgspec.Struct, frozen=True):
    """The confidence interval of a share."""

    low: float
    high: float
    confidence: float


class AtRisk(NamedTuple):
    """ARX's three numbers: records above a threshold, the highest risk, the mean risk."""

    above: float  # share of the records
    highest: float
    mean: float
    threshold: float


class Claims(msgspec.Struct, frozen=True):
    """The links that an intruder would claim because of a clear margin."""

    n: int  # records examined
    claimed: int
    right: float  # correct ones among those claimed


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The success that an intruder expects of an attack, compared with the truth."""

    n: int  # records examined
    share: float  # of the links, expected to be correct
    found: float | None  # the share that is correct; None where the truth is not known
    above: float  # links with a higher probability than this are claimed
    claimed: int
    right: float | None  # correct ones among those claimed


class ReliabilityBin(msgspec.Struct, frozen=True, kw_only=True):
    """Links of about the same claimed probability."""

    n: int
    claimed: float  # the mean probability
    right: float  # the share that is correct


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """The probabilities that an attack claims for its links, compared with the truth."""

    n: int  # links examined
    bins: tuple[ReliabilityBin, ...]  # of equal size, the lowest probability first
    error: float  # mean difference between the share claimed and the share correct
    log_score: float  # the mean of minus the log of the probability given to what is true
    base_log_score: float  # the same, if all links had the share that is correct


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """The number of records that an attack re-identifies, with its baseline and ceiling.

    A record is re-identified if the attack links it to the row that was made from it. Where several
    rows tie, the record counts by its share, so the number may be a fraction. It ranges from 0 to
    all records attacked; compare it with a guess and with the ceiling.

    `expected` counts a tie with the true row by its share, `unique` only links without a tie.
    `confirmed` are links that the intruder can recognise, since the second best candidate is much
    farther away; `control` is the same without the true rows. Both are None for attacks whose
    scores are no distances. `ceiling` is None where the release has household numbers: it bounds
    attacks on single records, and who lives together tells more. `interval`
    exists only where a sample of the records was attacked.
    """

    attack: str
    parameters: dict[str, Any]
    direction: str
    intruder: dict[str, Any]
    attributes: tuple[str, ...]  # those compared
    expected: float
    unique: int
    confirmed: Claims | None
    n: int  # records attacked that have a true row
    absent: int  # records attacked that have none
    population: int  # the intruder's records with a known true row
    candidates: int
    share: float  # expected / n
    ceiling: float | None  # the most that any attack on these attributes can expect
    interval: Interval | None
    baseline: float  # expected hits of a guess
    control: Claims | None
    p_value: float  # probability of so many hits or more by chance
    law_of_chance: LawOfChance | None = None  # that it is from; None: older evidence
    supervised: bool  # trained with the truth, so no real intruder's attack
    seed: int

    def __str__(self) -> str:
        return fitted(shown(self))

    def __repr__(self) -> str:
        return fitted(f"Risk({shown(self)})")

    _repr_html_ = html


def best_claims(risk: Risk, forecast: Forecast | None) -> Claims | None:
    """The claims by a clear margin or by the probability of a link, whichever are more right."""
    made = [] if risk.confirmed is None else [risk.confirmed]
    if forecast is not None and forecast.right is not None:
        made.append(Claims(forecast.n, forecast.claimed, forecast.right))
    return max(made, key=lambda one: one.right / max(one.n, 1), default=None)
