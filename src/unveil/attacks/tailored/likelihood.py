"""The likelihood of a pair under each channel.

Only impossible pairs cost infinity: the costs allow for rounding, ties and missing cells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, singledispatch
from math import erfc, log, pi

import numpy as np

from unveil.attacks.distance.attribute_costs import mean_and_deviation, range_bounds, range_ends
from unveil.attacks.distance.category_sets import CategoryDistance, CategorySets, compare_sets
from unveil.attacks.nearest import as_records
from unveil.attacks.tailored.masked_view import Ends, MaskedView
from unveil.attacks.tailored.pair_likelihood import DENSITY_ERROR, PairLikelihood
from unveil.attacks.tailored.stale_cells import with_stale_cells
from unveil.engines.base import Engine
from unveil.engines.metric import Cost, levels, prorated, squared, table
from unveil.engines.records import multiply_rows
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_categories
from unveil.table.encoding.to_arrays import code_numbers
from unveil.table.encoding.to_columns import Slack
from unveil.values.release import category_channels, channels
from unveil.values.release.swap import Swap

ROUNDING = 1e-12  # relative: by which two ways to compute a number may differ
LEAST_NOISE = 1e-9  # relative to the largest number, whose digits hide less
IMPROBABLE = 9.2  # log 10,000: the cost of what an estimated channel excludes
DEVIATIONS = 2.0  # of noise, by which a swapped value may have left its place
MOST_STALE = 2.0  # the mean number of stale cells of a record that correlated noise bears
MOST_INCOMPLETE = 0.05  # the share of records that correlated noise may lose to missing cells
SINGULAR = 1e-10  # the least eigenvalue of a correlation matrix
STEPS = np.arange(1.0, 8.1, 0.25)  # in mean steps or deviations: knots of the law of drawn steps

Likelihoods = dict[tuple[str, ...], PairLikelihood]  # by the columns of a channel


def likelihoods_of(applied: Sequence[channels.Channel], view: MaskedView) -> Likelihoods:
    """The likelihood of each channel; compared columns without a channel were not masked."""
    named = {column for channel in applied for column in channel.columns}
    unmasked = [column for column in view.files.columns if column not in named]
    files = view.files
    whole = view.with_records(files.release if files.few_records else files.reference)
    likelihood: dict[tuple[str, ...], Callable[[MaskedView], PairLikelihood]] = {
        channel.columns: partial(channel_likelihood, channel)
        for channel in applied
        if channel.estimated != "extent"  # of which nothing is known
    }
    likelihood |= {(column,): partial(unmasked_likelihood, column) for column in unmasked}
    likelihood |= {(column,): partial(_form_likelihood, column) for column in files.form_columns}
    replaced = {channel.columns: channel.replaced_share for channel in applied}
    parts = {}
    for columns, of_view in likelihood.items():
        error = 1 - (1 - files.error) * (1 - replaced.get(columns, 0.0))
        part = of_view(view.with_error(error))
        population = part if whole is view else of_view(whole.with_error(error))
        if error:
            part, population = (
                with_stale_cells(one, population, error, files.engine) for one in (part, population)
            )
        parts[columns] = part.with_missing(population, files.engine)
    for channel in files.masking.channels if files.masking else ():
        if channel.is_grouping:
            _normalise_groups(parts, channel.columns, files.engine)
    return parts


def _normalise_groups(parts: Likelihoods, grouped: tuple[str, ...], engine: Engine) -> None:
    """Make the released rows the only possible values of columns that were replaced by centres.

    Centres are among the originals, but are not more probable where originals are denser.
    """
    own = [columns for columns in parts if set(columns) <= set(grouped)]
    if not own:
        return
    part = PairLikelihood.join([parts[columns] for columns in own])
    queries, base = as_records(part.intruder), as_records(part.released)
    search = engine.prepare(queries, base, part.metric)
    log_sum = search.density(None, error=DENSITY_ERROR).log_sum
    spread = np.where(np.isfinite(log_sum), log_sum, 0.0)
    for columns in own:  # whose probabilities now sum to 1
        parts[columns] = replace(parts[columns], spread=np.zeros(len(spread)), constant=0.0)
    parts[own[0]] = replace(parts[own[0]], spread=spread)


@singledispatch
def channel_likelihood(channel: channels.Channel, view: MaskedView) -> PairLikelihood:  # noqa: ARG001
    """The likelihood of every pair under a channel; `register` adds that of another channel."""
    raise TypeError(f"no likelihood is known for the channel {type(channel).__name__}")


def has_likelihood(channel: channels.Channel) -> bool:
    """Whether the likelihood of a channel is known, or estimated by that of another channel."""
    unregistered = channel_likelihood.dispatch(channels.Channel)
    known = channel_likelihood.dispatch(type(channel)) is not unregistered
    return known or channel.is_grouping or channel.estimated == "extent"


@channel_likelihood.register(channels.Noise)
def _(channel: channels.Noise, view: MaskedView) -> PairLikelihood:
    """Squared gaps in units of the noise, or of its Cholesky roots if it is correlated.

    Each root involves one column more, so a missing cell makes the later roots missing. Columns
    with many missing cells come last; if many records would still lose known cells, or have many
    that are out of date, correlations are ignored instead.
    """
    pairs = [view.numbers(column)[::2] for column in channel.columns]
    order = np.argsort([np.isnan(out).sum() for _, out in pairs], kind="stable")
    largest = np.array([np.nanmax(np.abs(np.concatenate([*pair, [0.0]]))) for pair in pairs])
    rounding = [s.around(big) ** 2 / 3 for s, big in zip(channel.slack, largest, strict=True)]
    least = np.maximum(rounding, (LEAST_NOISE * largest) ** 2 + 1e-280)
    covariance = (channel.covariance + np.diag(least))[np.ix_(order, order)]
    absent = [np.isnan(np.column_stack(file)) for file in zip(*pairs, strict=True)]
    incomplete = max((one.any(axis=1) & ~one.all(axis=1)).mean() for one in absent)
    if incomplete > MOST_INCOMPLETE or view.files.error * len(order) > MOST_STALE:
        covariance = np.diag(np.diag(covariance))
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    values, vectors = np.linalg.eigh(correlation)
    if values.min() < SINGULAR:  # some columns depend on others
        correlation = (vectors * np.maximum(values, SINGULAR)) @ vectors.T
    root = np.linalg.cholesky(correlation)
    back = np.linalg.inv(root).T
    centre = [(mean_and_deviation(out) or (0.0, 0.0))[0] for _, out in pairs]
    files = (
        [x * t + m for (x, _), t, m in zip(pairs, channel.times, channel.mean, strict=True)],
        [out for _, out in pairs],
    )
    intruder, released = (
        _times_triangle(np.column_stack([file[j] - centre[j] for j in order]) / deviation, back)
        for file in files
    )
    log_det = np.log(deviation).sum() + np.log(np.diag(root)).sum()
    constant = float(log_det + len(order) * log(2 * pi) / 2)
    costs = (squared(0.5),) * len(order)
    n_cells = tuple(np.count_nonzero(np.triu(back), axis=0).tolist())
    return PairLikelihood(intruder, released, costs, np.zeros(len(intruder)), constant, n_cells)


def _times_triangle(rows: Floats, matrix: Floats) -> Floats:
    """Rows times an upper triangle; a missing number spoils only the sums that it is part of."""
    found = np.zeros(rows.shape)
    for j in range(len(matrix)):
        used = np.flatnonzero(matrix[: j + 1, j])
        found[:, j : j + 1] = multiply_rows(rows[:, used], matrix[used, j : j + 1])
    return found


@channel_likelihood.register(channels.Replaced)
def _(channel: channels.Replaced, view: MaskedView) -> PairLikelihood:
    """Of the cells that were not replaced; `likelihoods_of` mixes it with that of the others."""
    if channel.earlier is None:
        return unmasked_likelihood(channel.columns[0], view)
    return channel_likelihood(channel.earlier, view)


@channel_likelihood.register(channels.Ratio)
def _(channel: channels.Ratio, view: MaskedView) -> PairLikelihood:
    """Uniform between two ends, up to rounding."""
    intruder, _, released = view.numbers(channel.columns[0])
    low, high = channel.ends(intruder)
    unit = np.maximum(2 * channel.slack.around(intruder), 1e-280)
    width = np.maximum(high - low, unit)
    spread = np.where(np.isnan(intruder), 0.0, np.log(width) - np.log(unit))
    return _overlap((low, high), _around(released, channel.slack), view, spread)


@channel_likelihood.register(channels.Ranges)
def _(channel: channels.Ranges, view: MaskedView) -> PairLikelihood:
    """The range contains the value; a star contains any, and is not missing."""
    column = channel.columns[0]
    released = range_bounds(view.files.release, column)
    ends = range_ends(view.files.intruder_records, column)
    low, high = ends.lower, ends.upper
    for function in view.functions.get(column, ()):
        low, high = function.becomes(low), function.becomes(high)
    if column in view.functions:
        slack = view.slack(column)
        low, high = _around(low, slack)[0], _around(high, slack)[1]
    highest = channel.highest(released.lower, released.upper)
    return _overlap((low, high), (released.lower, highest), view)


@channel_likelihood.register(category_channels.Sets)
def _(channel: category_channels.Sets, view: MaskedView) -> PairLikelihood:
    """The set contains the category; a star contains any, and is not missing."""
    column = channel.columns[0]
    listed = channel.listed(common_categories(*view.files.pair, column))
    sets = CategorySets.of(*view.files.pair, column, listed)
    sets = sets._replace(intruder=channel.becomes(sets.intruder))
    compared = compare_sets(column, sets, CategoryDistance(view.impossible_cost), stars=True)
    return PairLikelihood(*compared, np.zeros(len(compared.intruder)))


@channel_likelihood.register(category_channels.Recoding)
def _(channel: category_channels.Recoding, view: MaskedView) -> PairLikelihood:
    """The released category is the one that the table gives."""
    column = channel.columns[0]
    listed = tuple(dict.fromkeys((*view.categories(column), *channel.table.values())))
    place = {category: code for code, category in enumerate(listed)}
    becomes = [place.get(channel.table.get(category, ""), np.nan) for category in listed]
    intruder, released = view.codes(column, listed)
    code = np.where(np.isnan(intruder), len(listed), intruder).astype(np.int64)
    return _equal(np.array([*becomes, np.nan])[code], released, view)


@channel_likelihood.register(category_channels.Transition)
def _(channel: category_channels.Transition, view: MaskedView) -> PairLikelihood:
    """The negative log of the matrix's probability."""
    column, n = channel.columns[0], len(channel.categories)
    listed = tuple(dict.fromkeys((*channel.categories, *view.categories(column))))
    intruder, released = view.codes(column, listed)
    size = max(len(listed), 1)  # a column of missing cells has no category
    category_channels.require_transitions(size)
    costs = np.full((size, size), view.impossible_cost)
    with np.errstate(divide="ignore"):
        costs[:n, :n] = np.minimum(np.abs(np.log(channel.matrix)), view.impossible_cost)
    intruder = np.where(intruder < n, intruder, np.nan)[:, None]  # the matrix omits the others
    return PairLikelihood(intruder, released[:, None], (table(costs),), np.zeros(len(intruder)))


@channel_likelihood.register(category_channels.JointTransition)
def _(channel: category_channels.JointTransition, view: MaskedView) -> PairLikelihood:
    """The negative log of the matrix's probability; a combination without a row is missing."""
    intruder, released = (code_numbers(channel.places(data)) for data in view.files.pair)
    with np.errstate(divide="ignore"):
        costs = np.minimum(np.abs(np.log(channel.matrix)), view.impossible_cost)
    part = PairLikelihood(
        intruder[:, None], released[:, None], (table(costs),), np.zeros(len(intruder))
    )
    return replace(part, n_cells=(len(channel.columns),))


@channel_likelihood.register(Swap)
def _(channel: Swap, view: MaskedView) -> PairLikelihood:
    """Within the window, in positions of blocks of equal values; or by the law of steps."""
    column, moved = channel.columns[0], channel.window > 0
    if channel.noise:  # moves a value to anywhere, but hardly farther than this
        slack = Slack(channel.slack.absolute + DEVIATIONS * channel.noise, channel.slack.relative)
        view = replace(view, impossible_cost=min(view.impossible_cost, IMPROBABLE))
        intruder, released = view.noisy_positions(column, slack)
    else:
        intruder, released = view.positions(column, channel.slack, moved=moved)
    if not channel.mean:  # no law of steps; a mean of 0 moves nothing
        window = channel.window if channel.mean is None else 0
        reach = intruder[0] - window, intruder[1] + window
        last = np.nanmax(released[1], initial=0.0)  # at the ends there are fewer positions
        room = np.minimum(reach[1], last) - np.maximum(reach[0], 0.0) + 1
        spread = np.where(np.isnan(room), 0.0, np.log(np.fmax(room, 1.0)))
        return _overlap(reach, released, view, spread)
    knots, costs, constant = _step_law(channel)
    part = _overlap(intruder, released, view, cost=partial(prorated, knots, costs))
    return replace(part, constant=constant)


def _step_law(channel: Swap) -> tuple[list[float], list[float], float]:
    """Knots and costs of steps of random length, never less for a longer one; and a constant."""
    mean, deviation = (max(size or 0.0, 0.5) for size in (channel.mean, channel.deviation))
    steps = STEPS * max(mean, deviation)
    if channel.bound:  # all steps within a drawn bound are equally likely
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


def unmasked_likelihood(column: str, view: MaskedView) -> PairLikelihood:
    """A column that was not masked, or only by exact functions of its value."""
    numeric = view.is_numeric(column)
    if view.files.generalised(column):
        return channel_likelihood(
            channels.Ranges((column,)) if numeric else category_channels.Sets((column,)), view
        )
    if not numeric:
        return _equal(*view.codes(column, view.categories(column)), view)
    intruder, _, released = view.numbers(column)
    if column in view.functions:
        return _overlap((intruder, intruder), _around(released, view.slack(column)), view)
    # Nothing was computed: numbers are equal to the last digit or not, as their places are.
    values = np.concatenate([intruder, released])
    places = np.unique(values, return_inverse=True)[1].astype(np.float64)
    places[np.isnan(values)] = np.nan
    return _equal(places[: len(intruder)], places[len(intruder) :], view)


def _form_likelihood(column: str, view: MaskedView) -> PairLikelihood:
    """The written form of a column: masks keep codes, but no channel says so: none is excluded."""
    cost = min(view.impossible_cost, IMPROBABLE)
    return unmasked_likelihood(column, replace(view, impossible_cost=cost))


def _equal(intruder: Floats, released: Floats, view: MaskedView) -> PairLikelihood:
    cost = levels([0], [0, view.impossible_cost])
    return PairLikelihood(intruder[:, None], released[:, None], (cost,), np.zeros(len(intruder)))


def _overlap(
    intruder: Ends,
    released: Ends,
    view: MaskedView,
    spread: Floats | None = None,
    *,
    cost: Callable[..., Cost] | None = None,
) -> PairLikelihood:
    """Two intervals overlap; or, with a cost, the gap between them costs.

    The first number is the intruder's upper end against the released lower end, the second the
    lower end against the upper.
    """
    ends = np.concatenate([*intruder, *released])
    finite = ends[np.isfinite(ends)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    lower, upper, other_lower, other_upper = (
        np.clip(end, low, high) for end in (*intruder, *released)
    )
    none = np.zeros(len(lower)) if spread is None else spread
    if cost is None and (lower == upper).all() and (other_lower == other_upper).all():
        return replace(_equal(upper, other_lower, view), spread=none)
    each = cost or partial(levels, [0], [0, view.impossible_cost])
    return PairLikelihood(
        np.column_stack([upper, lower]),
        np.column_stack([other_lower, other_upper]),
        (each(side="above"), each(side="below")),
        none,
    )


def _around(values: Floats, slack: Slack) -> Ends:
    """The ends of what rounding may have made of values; an open end of a range stays open."""
    size = np.where(np.isinf(values), 0.0, values)
    room = slack.around(size) * (1 + LEAST_NOISE) + ROUNDING * np.abs(size)
    return values - room, values + room
