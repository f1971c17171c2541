"""Super-population estimators: population uniques from the sizes of the classes of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import DataError, UsageError
from unveil.measures.disclosure.population import population_risk
from unveil.measures.population.keys import column_with_role, key_columns, known_fraction
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Floats, Ints
from unveil.table.microdata import Microdata
from unveil.values.results.population.uniques import SuperPopulation, UniquesEstimate

PITMAN, ZAYATZ, SNB, BENEDETTI = "pitman", "zayatz", "snb", "benedetti-franconi"
SMALL_FRACTION = 0.1  # up to which Pitman's model is preferred
# Of log(a / (1 - a)) and log(t + a); the lower end of a is Ewens's model, in which a is 0.
PITMAN_BOUNDS = ((-8.0, 14.0), (-5.0, 40.0))
SNB_BOUNDS = -30.0, 12.0  # of log(b / (1 - b))
NO_PAIRS = "no combination of values occurs exactly twice in the sample"


class ClassSizes(NamedTuple):
    """The classes of a sample by size, and the people of its population."""

    sizes: Ints  # that occur, ascending
    classes: Ints  # of each size
    population: float

    @property
    def n(self) -> int:
        """The records of the sample."""
        return int(self.sizes @ self.classes)

    @property
    def fraction(self) -> float:
        """The share of the population in the sample."""
        return self.n / self.population

    def of(self, size: int) -> int:
        """The number of classes of a size."""
        return int(self.classes[self.sizes == size].sum())


def super_population(
    data: Microdata, columns: Sequence[str] | None = None, *, fraction: float | None = None
) -> SuperPopulation:
    """The population uniques, estimated from the sizes of the classes of a sample alone.

    Four estimators: Pitman's model (Hoshino 2001, by maximum likelihood), Zayatz (1991), the slide
    negative binomial model (SNB; Chen and Keller-McNulty 1998, with the number of classes by Haas
    and Stokes 1998), and Benedetti and Franconi (1998) of :func:`population_risk`. The first three
    take the sample for a simple random one. The choice is that of ARX, after Dankar and others
    (2012): up to a sampling fraction of 10 % Pitman, or Zayatz if there is no valid solution; above
    it the smaller of SNB and Zayatz, or Zayatz if SNB has none. An estimate is valid if it is above
    0 and names at most all sample uniques.

    Parameters
    ----------
    data
        The sample: the original, or a release whose columns are not perturbed.
    columns
        The keys; by default the quasi-identifiers. A number with more than 100 values is refused.
    fraction
        The sampling fraction; by default that of the weights.

    >>> import unveil
    >>> people = unveil.households(2000, seed=7)
    >>> found = super_population(people, ["region", "sex", "education", "age"], fraction=0.05)
    >>> found.chosen, found.uniques > found.estimate.sample_uniques > 0
    ('pitman', True)
    """
    keys = key_columns(data, columns)
    known = known_fraction(data, fraction)
    if known is None:
        raise _no_fraction(data)
    counted = np.unique(classes_of(data, keys).sizes, return_counts=True)
    counts = ClassSizes(*counted, len(data) / known)
    alone = counts.of(1)
    estimates = {name: _estimate(name, counts) for name in (PITMAN, ZAYATZ, SNB)}
    plain = population_risk(data, keys) if fraction is None else None
    estimates[BENEDETTI] = UniquesEstimate(
        estimator=BENEDETTI,
        population_uniques=float(alone),
        sample_uniques=alone * known if plain is None else plain.population_uniques,
    )
    chosen, reason = _choice(estimates, known)
    return SuperPopulation(
        columns=keys,
        n=len(data),
        population=counts.population,
        sampling_fraction=known,
        uniques=alone,
        chosen=chosen,
        reason=reason,
        estimates=tuple(estimates.values()),
    )


def _no_fraction(data: Microdata) -> DataError | UsageError:
    weight = column_with_role(data, "weight")
    remedy = (
        "give the sampling fraction (fraction). What the sample alone tells is its own uniques "
        "(measures.uniqueness), which are at least the population uniques in it"
    )
    if weight is None:
        return UsageError(f"super_population: no column has the role weight; {remedy}")
    return DataError(
        f"column '{weight}' sums to fewer people than there are records; correct it, or {remedy}"
    )


def _estimate(name: str, counts: ClassSizes) -> UniquesEstimate:
    """The answer of one estimator, if it is valid."""
    found: float | str = 0.0
    if counts.of(1):
        found = ESTIMATORS[name](counts)
        if not isinstance(found, str) and not 0 < found * counts.fraction <= counts.of(1) + 1e-6:
            found = "it would be no population unique, or more than all sample uniques"
    if isinstance(found, str):
        return UniquesEstimate(
            estimator=name, population_uniques=None, sample_uniques=None, reason=found
        )
    return UniquesEstimate(
        estimator=name, population_uniques=found, sample_uniques=found * counts.fraction
    )


def _choice(estimates: dict[str, UniquesEstimate], fraction: float) -> tuple[str, str]:
    """The estimator by the rule of Dankar and others, and why."""
    pitman, zayatz, snb = (estimates[name] for name in (PITMAN, ZAYATZ, SNB))
    if fraction <= SMALL_FRACTION:
        if pitman.population_uniques is not None:
            return PITMAN, f"the sampling fraction is at most {SMALL_FRACTION:.0%}"
        return ZAYATZ, f"Pitman's model has no valid solution: {pitman.reason}"
    if snb.population_uniques is None:
        return ZAYATZ, f"the SNB model has no valid solution: {snb.reason}"
    smaller = min((snb, zayatz), key=lambda one: one.population_uniques or 0.0)
    return smaller.estimator, (
        f"the sampling fraction is above {SMALL_FRACTION:.0%}, and of SNB and Zayatz this is the "
        "smaller"
    )


def zayatz(counts: ClassSizes) -> float:
    """By Bayes' rule, as if the classes of the population had the sizes of those of the sample.

    P(f = 1 | F = 1) is the sampling fraction, and P(f = 1 | F = j) is hypergeometric.
    """
    sizes, fraction, others = counts.sizes, counts.fraction, np.arange(1, int(counts.sizes[-1]))
    missed = np.maximum(1 - (counts.n - 1) / np.maximum(counts.population - others, 1), 0)
    once = sizes * fraction * np.append(1, np.cumprod(missed))[sizes - 1]
    alone = counts.of(1) * fraction / float(np.sort(once * counts.classes).sum())
    return counts.of(1) * alone / fraction


def pitman(counts: ClassSizes) -> float | str:
    """By the Ewens-Pitman partition, whose parameters are those of the sample.

    The expected uniques of N people are N G(t + 1) G(t + N + a - 1) / (G(t + a) G(t + N)), which
    Hoshino (2001) approximates by G(t + 1) / G(t + a) N^a.
    """
    from scipy.special import gammaln

    found, size = pitman_parameters(counts), counts.population
    if isinstance(found, str):
        return found
    a, t = found
    logs = gammaln(t + 1) - gammaln(t + a) + gammaln(t + size + a - 1) - gammaln(t + size)
    return float(size * np.exp(logs))


def pitman_parameters(counts: ClassSizes) -> tuple[float, float] | str:
    """The parameters a and t of the Ewens-Pitman partition of a sample, by maximum likelihood."""
    from scipy.optimize import minimize
    from scipy.special import expit, gammaln

    sizes, classes = counts.sizes.astype(float), counts.classes
    n, many = counts.n, int(classes.sum())
    if many == n:
        return "every record of the sample is unique"

    def parameters(at: Floats) -> tuple[float, float]:
        a = float(expit(at[0]))
        return a, float(np.exp(at[1])) - a

    def cost(at: Floats) -> float:
        a, t = parameters(at)
        begun = (many - 1) * np.log(a) + gammaln(t / a + many) - gammaln(t / a + 1)
        grown = classes @ (gammaln(sizes - a) - gammaln(1 - a))
        return float(gammaln(t + n) - gammaln(t + 1) - begun - grown)

    found = minimize(
        cost,
        (0.0, np.log(many)),
        method="Nelder-Mead",
        bounds=PITMAN_BOUNDS,
        options={"maxiter": 2000, "xatol": 1e-6, "fatol": 1e-4},
    )
    a, t = parameters(found.x)
    if not found.success or a > 1 - 1e-5 or t > 1e3 * counts.population:
        return "the likelihood has no maximum"
    return a, t


def snb(counts: ClassSizes) -> float | str:
    """By sizes that are 1 plus a negative binomial number: a, b from the uniques and the pairs.

    With x = (1 - f)(1 - b) and K classes in the population, the sample has on average
    K f (b / (1 - x))^a (1 + a x / (1 - x)) uniques and
    K f^2 / 2 a (1 - b) b^a (1 - x)^-(a + 2) (2 - (1 - a) x) pairs; K b^a are population uniques.
    """
    from scipy.optimize import brentq

    f, alone, pairs = counts.fraction, counts.of(1), counts.of(2)
    if not pairs:
        return NO_PAIRS
    if f >= 1:
        return float(alone)
    classes, ratio = population_classes(counts), pairs / alone

    def shape(b: float) -> float:
        """The a that has the right number of pairs for each unique: the root of a parabola."""
        x = (1 - f) * (1 - b)
        lead, last = f * (1 - b) * x, -2 * ratio * (1 - x) ** 2
        middle = f * (1 - b) * (2 - x) - 2 * ratio * x * (1 - x)
        return float(-2 * last / (middle + np.sqrt(middle**2 - 4 * lead * last)))

    def excess(logit: float) -> float:
        b = float(1 / (1 + np.exp(-logit)))
        a, x = shape(b), (1 - f) * (1 - b)
        return float(np.log(classes * f / alone * (1 + a * x / (1 - x))) + a * np.log(b / (1 - x)))

    if excess(SNB_BOUNDS[0]) * excess(SNB_BOUNDS[1]) > 0:
        return "its equations have no solution"
    logit = float(brentq(excess, *SNB_BOUNDS))
    b = 1 / (1 + np.exp(-logit))
    return float(classes * b ** shape(b))


def population_classes(counts: ClassSizes) -> float:
    """The classes of the population, by the modified estimator of Shlosser (Haas and Stokes)."""
    sizes, classes, f = counts.sizes.astype(float), counts.classes, counts.fraction
    left = (1 - f) ** sizes
    seen = classes @ (sizes * f**2 * (1 - f**2) ** (sizes - 1))
    met = classes @ ((1 - f**2) ** sizes - left)
    ratio = (classes @ left) / (classes @ (sizes * f * (1 - f) ** (sizes - 1)))
    return float(classes.sum() + counts.of(1) * seen / met * ratio**2)


ESTIMATORS = {PITMAN: pitman, ZAYATZ: zayatz, SNB: snb}
