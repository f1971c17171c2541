"""Evidence: what a channel says of a pair, as numbers side by side and what gaps in them cost.

The cost of a pair is minus the log of the probability that the channel made the released
cells of the original ones, but for what is the same for all pairs. What is impossible costs
infinity, and no more than that is ever impossible: rounding, ties and missing cells are given
their room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from math import erfc, log, pi

import numpy as np

from unveil.attacks.distance.attribute_costs import bounds_of, mean_and_deviation
from unveil.attacks.distance.category_sets import CategoryDistance, compare_sets, sides_of
from unveil.attacks.nearest import as_records
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.missing_cells import neutral
from unveil.engines.local.engine import density
from unveil.engines.metric import Cost, Metric, levels, prorated, squared, table
from unveil.engines.records import multiply_rows
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_categories, common_level
from unveil.table.encoding.to_columns import Slack
from unveil.values.release.channels import (
    Channel,
    Noise,
    Ranges,
    Ratio,
    Recoding,
    Sets,
    Swap,
    Transition,
    Unknown,
)

ROUNDING = 1e-12  # relative: what two ways to compute the same number may differ by
ERROR = 1e-3  # relative, of a sum of probabilities
LEAST = 1e-9  # noise below this share of the largest number is lost in its digits
FEW_GAPS = 0.05  # a share of the records that correlations may be lost for
SINGULAR = 1e-10  # a share of the noise below which digits are lost
STEPS = np.arange(1.0, 8.1, 0.25)  # of half the range: where the law of drawn steps is looked at


@dataclass(frozen=True, repr=False, eq=False)
class PairLikelihood:
    """Some attributes of both files in numbers, a NaN where one is missing."""

    intruder: Floats  # records x numbers
    released: Floats
    costs: tuple[Cost, ...]  # of gaps, where mine ask
    spread: Floats  # for each of mine the log of how many values its probability is spread over
    constant: float = 0.0  # the same for all, which depends on the channel's parameters

    @property
    def metric(self) -> Metric:
        """What pairs cost, where mine ask."""
        return Metric(self.costs)

    def without(self, some: Sequence[bool]) -> PairLikelihood:
        """The evidence less some of its numbers."""
        kept = [j for j, gone in enumerate(some) if not gone]
        return replace(
            self,
            intruder=self.intruder[:, kept],
            released=self.released[:, kept],
            costs=tuple(self.costs[j] for j in kept),
        )


def evidence_of(
    channels: Sequence[Channel], reading: MaskedView
) -> dict[tuple[str, ...], PairLikelihood]:
    """What these channels say of the columns that are compared; of others that they stayed."""
    named = {column for channel in channels for column in channel.columns}
    kept = [column for column in reading.files.columns if column not in named]
    whole = reading.by(
        reading.files.release if reading.files.few_records else reading.files.reference
    )
    found: dict[tuple[str, ...], Callable[[MaskedView], PairLikelihood]] = {
        channel.columns: partial(evidence, channel)
        for channel in channels
        if not isinstance(channel, Unknown)  # of which there is no evidence
    }
    found |= {(column,): partial(unchanged, column) for column in kept}
    each = {}
    for columns, told in found.items():
        part = told(reading)
        each[columns] = neutral(part, part if whole is reading else told(whole))
    for together in reading.together:
        _among_released(each, together)
    return each


def _among_released(each: dict[tuple[str, ...], PairLikelihood], together: tuple[str, ...]) -> None:
    """Make the rows that were released all that can come out of some columns.

    Centres lie where originals do, and are no more likely where there are more of them.
    """
    own = [columns for columns in each if set(columns) <= set(together)]
    if not own:
        return
    part = joined([each[columns] for columns in own])
    asked, base = as_records(part.intruder), as_records(part.released)
    found = density(asked, base, part.metric, error=ERROR).log_sum
    spread = np.where(np.isfinite(found), found, 0.0)
    for columns in own:  # whose probabilities now add up to 1
        each[columns] = replace(each[columns], spread=np.zeros(len(spread)), constant=0.0)
    each[own[0]] = replace(each[own[0]], spread=spread)


def joined(parts: Sequence[PairLikelihood]) -> PairLikelihood:
    """The evidence of several channels, which is independent given the original."""
    return PairLikelihood(
        np.column_stack([part.intruder for part in parts]),
        np.column_stack([part.released for part in parts]),
        tuple(cost for part in parts for cost in part.costs),
        np.sum([part.spread for part in parts], axis=0),
        sum(part.constant for part in parts),
    )


@singledispatch
def evidence(channel: Channel, reading: MaskedView) -> PairLikelihood:  # noqa: ARG001
    """What a channel says of every pair."""
    raise TypeError(f"nothing is known of what {type(channel).__name__} says of a pair")


@evidence.register(Noise)
def _(channel: Noise, reading: MaskedView) -> PairLikelihood:
    """Squared gaps in units of the noise; in those of its roots, where it is correlated.

    Each root takes in one column more. A missing cell takes the later ones with it, so
    columns with many of them come last; where many records would lose what they know by
    that, correlations are let go instead.
    """
    pairs = [reading.numbers(column)[::2] for column in channel.columns]
    order = np.argsort([np.isnan(out).sum() for _, out in pairs], kind="stable")
    largest = np.array([np.nanmax(np.abs(np.concatenate([*pair, [0.0]]))) for pair in pairs])
    rounded = [
        slack.around(big) ** 2 / 3 for slack, big in zip(channel.slack, largest, strict=True)
    ]
    covariance = channel.covariance + np.diag(np.maximum(rounded, (LEAST * largest) ** 2 + 1e-280))
    covariance = covariance[np.ix_(order, order)]
    if any(_in_part(file) > FEW_GAPS for file in zip(*pairs, strict=True)):
        covariance = np.diag(np.diag(covariance))
    deviation = np.sqrt(np.diag(covariance))
    root = np.linalg.cholesky(_regular(covariance / np.outer(deviation, deviation)))
    back = np.linalg.inv(root).T
    centre = [(mean_and_deviation(out) or (0.0, 0.0))[0] for _, out in pairs]
    files = (
        [x * t + m for (x, _), t, m in zip(pairs, channel.times, channel.mean, strict=True)],
        [out for _, out in pairs],
    )
    intruder, released = (
        _upto_each(np.column_stack([file[j] - centre[j] for j in order]) / deviation, back)
        for file in files
    )
    size = float(
        np.log(deviation).sum() + np.log(np.diag(root)).sum() + len(order) * log(2 * pi) / 2
    )
    return PairLikelihood(
        intruder, released, (squared(0.5),) * len(order), np.zeros(len(intruder)), size
    )


def _in_part(file: Sequence[Floats]) -> float:
    """The share of the records that miss some of the columns and know others."""
    absent = np.isnan(np.column_stack(file))
    return float((absent.any(axis=1) & ~absent.all(axis=1)).mean())


def _upto_each(rows: Floats, matrix: Floats) -> Floats:
    """Rows times an upper triangle, of which a missing number spoils only what it is part of."""
    found = np.zeros(rows.shape)
    for j in range(len(matrix)):
        used = np.flatnonzero(matrix[: j + 1, j])
        found[:, j : j + 1] = multiply_rows(rows[:, used], matrix[used, j : j + 1])
    return found


def _regular(correlation: Floats) -> Floats:
    """A correlation matrix with some noise in every direction, where columns add up to others."""
    values, vectors = np.linalg.eigh(correlation)
    if values.min() >= SINGULAR:
        return correlation
    found: Floats = (vectors * np.maximum(values, SINGULAR)) @ vectors.T
    return found


@evidence.register(Ratio)
def _(channel: Ratio, reading: MaskedView) -> PairLikelihood:
    """Uniform between two ends, of which the released value, but for rounding, is one."""
    intruder, _, released = reading.numbers(channel.columns[0])
    low, high = channel.ends(intruder)
    unit = np.maximum(2 * channel.slack.around(intruder), 1e-280)
    width = np.maximum(high - low, unit)
    spread = np.where(np.isnan(intruder), 0.0, np.log(width) - np.log(unit))
    return _overlap((low, high), _around(released, channel.slack), reading, spread)


@evidence.register(Ranges)
def _(channel: Ranges, reading: MaskedView) -> PairLikelihood:
    """The range holds the value, as a star, which is no missing cell, holds any."""
    column = channel.columns[0]
    released, (low, high) = bounds_of(reading.files.release, column), reading.own_ends(column)
    if column in reading.exact:
        slack = reading.slack(column)
        low, high = _around(low, slack)[0], _around(high, slack)[1]
    highest = channel.highest(released.lower, released.upper)
    return _overlap((low, high), (released.lower, highest), reading)


@evidence.register(Sets)
def _(channel: Sets, reading: MaskedView) -> PairLikelihood:
    """The cell may hold the category, as a star, which is no missing cell, may hold any."""
    column = channel.columns[0]
    listed = channel.listed(common_categories(*reading.pair, column))
    sides = sides_of(*reading.pair, column, listed)
    sides = sides._replace(intruder=channel.becomes(sides.intruder))
    found = compare_sets(column, sides, CategoryDistance(reading.beyond), stars=True)
    return PairLikelihood(*found, np.zeros(len(found.intruder)))


@evidence.register(Recoding)
def _(channel: Recoding, reading: MaskedView) -> PairLikelihood:
    """The category is the one that the table says."""
    column = channel.columns[0]
    listed = tuple(dict.fromkeys((*reading.categories(column), *channel.table.values())))
    place = {category: code for code, category in enumerate(listed)}
    becomes = [place.get(channel.table.get(category, ""), np.nan) for category in listed]
    intruder, released = reading.coded(column, listed)
    return _equal(_looked_up(np.array(becomes), intruder), released, reading)


@evidence.register(Transition)
def _(channel: Transition, reading: MaskedView) -> PairLikelihood:
    """Minus the log of the matrix's probability."""
    column, many = channel.columns[0], len(channel.categories)
    listed = tuple(dict.fromkeys((*channel.categories, *reading.categories(column))))
    intruder, released = reading.coded(column, listed)
    costs = np.full((len(listed), len(listed)), reading.beyond)
    with np.errstate(divide="ignore"):
        costs[:many, :many] = np.minimum(np.abs(np.log(channel.matrix)), reading.beyond)
    intruder = np.where(intruder < many, intruder, np.nan)  # of others the matrix says nothing
    return PairLikelihood(
        intruder[:, None], released[:, None], (table(costs),), np.zeros(len(intruder))
    )


@evidence.register(Swap)
def _(channel: Swap, reading: MaskedView) -> PairLikelihood:
    """No farther apart than the window, in positions of blocks of equal values."""
    intruder, released = reading.positions(
        channel.columns[0], channel.slack, moved=channel.window > 0
    )
    if not channel.mean:  # no law of steps; a mean of none at all moves nothing
        window = channel.window if channel.mean is None else 0
        reach = intruder[0] - window, intruder[1] + window
        last = np.nanmax(released[1], initial=0.0)  # at the ends there is less room to move
        room = np.minimum(reach[1], last) - np.maximum(reach[0], 0.0) + 1
        spread = np.where(np.isnan(room), 0.0, np.log(np.fmax(room, 1.0)))
        return _overlap(reach, released, reading, spread)
    knots, costs, constant = _step_law(channel)
    part = _overlap(intruder, released, reading, cost=partial(prorated, knots, costs))
    return replace(part, constant=constant)


def _step_law(channel: Swap) -> tuple[list[float], list[float], float]:
    """What steps cost whose length is drawn, never less for a longer one."""
    mean, deviation = (max(size or 0.0, 0.5) for size in (channel.mean, channel.deviation))
    steps = STEPS * max(mean, deviation)
    if channel.bound:  # any step within the drawn bound is as likely
        upto = np.concatenate([[0.0], steps])
        lengths = np.arange(1.0, upto[-1] + 2)[:: max(1, int(upto[-1] // 5000))]
        weight = np.exp(-0.5 * ((lengths - mean) / deviation) ** 2)
        weight += np.exp(-0.5 * ((lengths + mean) / deviation) ** 2)
        tail = np.cumsum((weight / lengths)[::-1])[::-1] / weight.sum()
        chance = tail[np.minimum(np.searchsorted(lengths, upto), len(tail) - 1)]
        costs = np.maximum.accumulate(np.log(chance[0] / np.maximum(chance, 1e-12)))
        return upto.tolist(), costs.tolist(), -log(chance[0] / 2)
    far = 0.5 * (np.maximum(steps - mean, 0.0) / deviation) ** 2
    size = deviation * (2 * pi) ** 0.5 * erfc(-mean / deviation / 2**0.5)
    return [0.0, *steps.tolist()], [0.0, *far.tolist()], log(size)


def unchanged(column: str, reading: MaskedView) -> PairLikelihood:
    """A column that was not masked, or by functions of its own value only."""
    generalised = reading.files.generalised(column)
    if common_level(*reading.pair, column) == "numeric":
        if generalised:
            return evidence(Ranges((column,)), reading)
        made, _, out = reading.numbers(column)
        if column not in reading.exact:  # nothing was computed: equal to the last digit, or not
            return _equal(*_places(made, out), reading)
        return _overlap((made, made), _around(out, reading.slack(column)), reading)
    if generalised:
        return evidence(Sets((column,)), reading)
    listed = reading.categories(column)
    ours, theirs = reading.coded(column, listed)
    return _equal(ours, theirs, reading)


def _places(intruder: Floats, released: Floats) -> tuple[Floats, Floats]:
    """The place of each number among all of both files: small whole numbers, exactly compared."""
    both = np.concatenate([intruder, released])
    places = np.unique(both, return_inverse=True)[1].astype(np.float64)
    places[np.isnan(both)] = np.nan
    return places[: len(intruder)], places[len(intruder) :]


def _equal(intruder: Floats, released: Floats, reading: MaskedView) -> PairLikelihood:
    cost = levels([0], [0, reading.beyond])
    return PairLikelihood(intruder[:, None], released[:, None], (cost,), np.zeros(len(intruder)))


def _overlap(
    intruder: tuple[Floats, Floats],
    released: tuple[Floats, Floats],
    reading: MaskedView,
    spread: Floats | None = None,
    *,
    cost: Callable[..., Cost] | None = None,
) -> PairLikelihood:
    """Two intervals have a value in common; or, with a cost, the gap between them has one.

    Mine show the upper end, which the lower end of the others is not to be above; then the
    lower end, which their upper end is not to be below.
    """
    ends = np.concatenate([*intruder, *released])
    finite = ends[np.isfinite(ends)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    lower, upper, other_lower, other_upper = (
        np.clip(end, low, high) for end in (*intruder, *released)
    )
    none = np.zeros(len(lower)) if spread is None else spread
    if cost is None and (lower == upper).all() and (other_lower == other_upper).all():
        return replace(_equal(upper, other_lower, reading), spread=none)
    each = cost or partial(levels, [0], [0, reading.beyond])
    return PairLikelihood(
        np.column_stack([upper, lower]),
        np.column_stack([other_lower, other_upper]),
        (each(side="above"), each(side="below")),
        none,
    )


def _around(values: Floats, slack: Slack) -> tuple[Floats, Floats]:
    """The values with the room that rounding needs."""
    room = slack.around(values) * (1 + LEAST) + ROUNDING * np.abs(values)
    return values - room, values + room


def _looked_up(becomes: Floats, codes: Floats) -> Floats:
    known = ~np.isnan(codes)
    found = np.full(len(codes), np.nan)
    found[known] = becomes[codes[known].astype(np.int64)]
    return found
