"""Channels with unknown parameters: an intruder estimates them from the two files."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from unveil.attacks.distance.attribute_costs import mean_and_deviation
from unveil.attacks.distance.numeric_metrics import covariance_of
from unveil.attacks.nearest import as_records
from unveil.attacks.tailored.likelihood import has_likelihood, likelihoods_of
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import DENSITY_ERROR, PairLikelihood
from unveil.engines.metric import Metric, squared, table
from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import same_rows
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_columns import Slack
from unveil.values.release.category_channels import JointTransition, Transition, require_transitions
from unveil.values.release.channels import Channel, Estimated, Exact, Groups, Noise, Unknown
from unveil.values.release.swap import Swap

SAMPLED_ROWS = 500  # released rows by whose likelihood a parameter is chosen
NOISES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5)  # in deviations
UNKNOWN_NOISES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5)  # of an unknown channel
FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)  # distances from 1
WINDOWS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75)  # of the records
CHANGES = (0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)  # of the categories
LEAST_CHANGE = 1e-3  # the probability of a category that the release does not suggest
LEAST_TRANSITION = 1e-6  # the likelihood of a category that is too far
LEAST_LOG_LIKELIHOOD = -1e6  # of a row that is impossible
LEAST_DISTANCE = 1e-9  # in deviations: rounding
LEAST_SCATTER = 1e-4  # of records that are at their centres
LEAST_RECORDS = 10  # by whose variances noise is estimated
NO_SLACK = Slack()  # estimates include the rounding


def resolve_channels(
    channels: Sequence[Channel], view: MaskedView, *, estimated: bool = False
) -> tuple[Channel, ...]:
    """Channels that have a likelihood for each pair, in place of those that have none.

    Members of groups are scattered about their centres. Unknown channels get the most likely
    extent. If `estimated`, only the methods are known: noise is estimated by the variances that it
    added; factors, windows and probabilities of change by the likelihood of the release. A channel
    of another package without a likelihood is simplified.
    """
    channels = [one if has_likelihood(one) else one.simplified() for one in channels]
    groups = [cast("Groups", one) for one in channels if one.is_grouping]
    others = [one for one in channels if not one.is_grouping]
    if estimated:
        groups = [_with_deviations(one, view) for one in groups]
        unknown: list[Channel] = [Unknown(one.columns) for one in groups]
        others = _estimate([*others, *unknown], view)[: len(others)]
    members = [one for group in groups for one in _member_scatter(group, view)]
    return tuple(
        _scan([*others, *members], view, "extent", _unknown_at, range(len(UNKNOWN_NOISES)))
    )


def _with_deviations(channel: Groups, view: MaskedView) -> Groups:
    """Groups whose distance has the deviations of the intruder's own numbers."""
    moments = [
        mean_and_deviation(view.numbers(column)[1]) if view.is_numeric(column) else None
        for column in channel.columns
    ]
    return replace(channel, deviation=np.array([one[1] if one else 1.0 for one in moments]))


def _member_scatter(channel: Groups, view: MaskedView) -> list[Channel]:
    """Members scattered evenly about their centres, in the distance that made the groups.

    The extent is the median distance of a record from the nearest centre: a mean would be that of
    the few records in the tails, and beside it the many others could not be told apart.
    """
    columns = [c for c in channel.columns if not view.files.generalised(c)]
    found: list[Channel] = [Unknown((c,)) for c in channel.columns if c not in columns]
    if not columns:
        return found
    deviations = dict(zip(channel.columns, channel.deviation.tolist(), strict=True))
    gaps = {c: _category_gaps(c, view) for c in columns if not view.is_numeric(c)}
    compared = {c: deviations[c] for c in columns if c not in gaps or gaps[c].size}
    scale = _nearest_centre(compared, gaps, view) if compared else LEAST_SCATTER
    for column in columns:
        if column not in gaps:
            noise = np.array([[(scale * deviations[column]) ** 2]])
            found.append(Noise((column,), np.zeros(1), noise, (NO_SLACK,)))
        else:
            matrix = np.exp(-0.5 * gaps[column] ** 2 / scale**2) + LEAST_TRANSITION
            matrix /= matrix.sum(1, keepdims=True)
            found.append(Transition((column,), view.files.categories(column), matrix))
    return found


def _category_gaps(column: str, view: MaskedView) -> Floats:
    """The distances between categories by which groups are made."""
    listed = view.files.categories(column)
    require_transitions(len(listed))
    place = np.arange(len(listed)) / max(len(listed) - 1, 1)
    gaps: Floats = np.abs(place - place[:, None])
    return np.sign(gaps) if common_level(*view.files.pair, column) == "nominal" else gaps


def _nearest_centre(
    deviations: dict[str, float], gaps: dict[str, Floats], view: MaskedView
) -> float:
    """The median distance from the nearest centre, in deviations per column.

    If most records are at a centre, as those are for which groups were made again, it is the least.
    """
    sides: list[tuple[Floats, Floats]] = []
    for column, deviation in deviations.items():
        if column in gaps:
            sides.append(view.codes(column, view.files.categories(column)))
        else:
            intruder, _, released = view.numbers(column)
            sides.append((intruder / deviation, released / deviation))
    costs = tuple(table(gaps[c] ** 2) if c in gaps else squared() for c in deviations)
    records, rows = (np.column_stack(side) for side in zip(*sides, strict=True))
    queries = as_records(records).take(_sample_rows(records))
    search = view.files.engine.prepare(queries, as_records(rows), Metric(costs))
    nearest = search.nearest(None).scores[:, 0]
    distance = float(np.sqrt(np.median(nearest) / len(costs))) if len(nearest) else 0.0
    return distance if LEAST_DISTANCE < distance < np.inf else LEAST_SCATTER


def _estimate(channels: list[Channel], view: MaskedView) -> list[Channel]:
    by_variances = [
        (_noise_by_variances(one.columns, view, cast("Noise", one).slack) or one)
        if one.estimated == "noise"
        else one
        for one in channels
    ]
    found = by_variances
    if any(one.estimated == "noise" for one in channels):
        # Or noise in proportion to the columns: if these are correlated, what was added to their
        # covariances is small beside them. The only choice with too few records for variances.
        found = _scan(by_variances, view, "noise", _noise_at, NOISES)
        pairs = zip(by_variances, channels, strict=True)
        if not any(old.estimated == "noise" and new is old for new, old in pairs):
            found = _most_likely([by_variances, found], view)
    found = _scan(found, view, "factor", _ratio_at, FACTORS)
    found = _scan(found, view, "window", _swap_at, WINDOWS)
    found = _scan(found, view, "exchange", _exchange_at, CHANGES)
    return _scan(found, view, "transitions", _transition_at, CHANGES)


def estimate_function(function: Exact, released: Floats) -> Exact | None:
    """A function with the parameter that the released values show; None if they show none."""
    known = released[~np.isnan(released)]
    return function.estimate(known) if len(known) else None


def _scan(
    channels: list[Channel],
    view: MaskedView,
    estimated: Estimated,
    with_parameter: Callable[[Channel, MaskedView, float], Channel],
    parameters: Sequence[float],
) -> list[Channel]:
    if not any(channel.estimated == estimated for channel in channels):
        return channels
    tried = [
        [
            with_parameter(one, view, value) if one.estimated == estimated else one
            for one in channels
        ]
        for value in parameters
    ]
    return _most_likely(tried, view)


def _most_likely(tried: list[list[Channel]], view: MaskedView) -> list[Channel]:
    return max(tried, key=lambda channels: _log_likelihood(channels, view))


def _log_likelihood(channels: Sequence[Channel], view: MaskedView) -> float:
    """The log-likelihood of some released rows; with few records, of these in the release."""
    parts = list(likelihoods_of(channels, view).values())
    if not parts:
        return 0.0
    pairs = PairLikelihood.join(parts)
    intruder, released = as_records(pairs.intruder), as_records(pairs.released)
    if view.files.few_records:
        rows, metric = _sample_rows(pairs.intruder), pairs.metric
        queries, base = intruder.take(rows), released
    else:
        rows, metric = _sample_rows(pairs.released), pairs.metric.reversed
        queries, base = released.take(rows), replace(intruder, offset=pairs.spread)
    found = (
        view.files.engine.prepare(queries, base, metric).density(None, error=DENSITY_ERROR).log_sum
    )
    return float(np.maximum(found, LEAST_LOG_LIKELIHOOD).sum() - len(rows) * pairs.constant)


def _sample_rows(values: Floats) -> Ints:
    firsts = same_rows(np.ascontiguousarray(values), np.zeros(0), 1).firsts
    return firsts[:: max(1, len(firsts) // SAMPLED_ROWS)]


def _noise_by_variances(
    columns: tuple[str, ...], view: MaskedView, slack: tuple[Slack, ...]
) -> Noise | None:
    """The noise by which variances and covariances differ; None with too few records."""
    if view.files.few_records or not columns:
        return None
    reference, released = (_complete_rows(columns, view, side) for side in (1, 2))
    if min(len(reference), len(released)) < LEAST_RECORDS:
        return None
    varies = np.flatnonzero((np.ptp(reference, axis=0) > 0) & (np.ptp(released, axis=0) > 0))
    if not len(varies):
        return None
    covariance = np.zeros((len(columns), len(columns)))
    groups = [list(range(len(varies)))]
    covariance[np.ix_(varies, varies)] = covariance_of(
        "moments", reference[:, varies], released[:, varies], None, groups
    )
    return Noise(columns, np.zeros(len(columns)), covariance, slack)


def _complete_rows(columns: tuple[str, ...], view: MaskedView, side: int) -> Floats:
    """The complete rows of the reference (1) or of the release (2), sorted by content."""
    numbers = np.column_stack([view.numbers(column)[side] for column in columns])
    known = numbers[~np.isnan(numbers).any(axis=1)]
    return known[np.lexsort(known.T)]  # so that sums do not depend on the row order


def _noise_at(channel: Channel, view: MaskedView, scale: float) -> Channel:
    """Noise of a multiple of the release's deviation, correlated as the release is."""
    released, width = _complete_rows(channel.columns, view, 2), len(channel.columns)
    covariance = np.eye(width) if len(released) < 2 else np.atleast_2d(np.cov(released.T))
    return replace(  # type: ignore[call-arg]
        channel, mean=np.zeros(width), covariance=scale**2 * covariance, slope=None
    )


def _unknown_at(channel: Channel, view: MaskedView, step: float) -> Channel:
    """An unknown channel as noise, or random change, of one of the extents."""
    column = channel.columns[0]
    if view.files.generalised(column):
        return channel
    if not view.is_numeric(column):
        return _transition_at(channel, view, CHANGES[int(step)])
    reference, released = (mean_and_deviation(side) for side in view.numbers(column)[1:])
    (centre, deviation), scale = released or (0.0, 1.0), UNKNOWN_NOISES[int(step)]
    if reference is None or view.files.few_records:
        noise = np.array([[(scale * deviation) ** 2]])
        return Noise((column,), np.zeros(1), noise, (NO_SLACK,))
    # The means and variances of both files, and a correlation between them.
    kept = 1 / (1 + scale**2)  # of the variance
    slope = kept**0.5 * deviation / reference[1]
    noise = np.array([[(1 - kept) * deviation**2]])
    mean = np.array([centre - slope * reference[0]])
    return Noise((column,), mean, noise, (NO_SLACK,), slope=np.array([slope]))


def _ratio_at(channel: Channel, view: MaskedView, distance: float) -> Channel:  # noqa: ARG001
    return replace(channel, low=1 - distance, high=1 + distance)  # type: ignore[call-arg]


def _swap_at(channel: Channel, view: MaskedView, share: float) -> Channel:
    """A window of a share of the records; a window of 0 stays."""
    swap = cast("Swap", channel)
    if not swap.window:
        return swap
    n = int((~np.isnan(view.sort_keys(swap.columns[0])[2])).sum())
    if swap.mean is None:
        return replace(swap, window=max(1, round(share * n)))
    return replace(swap, window=n, mean=share * n / 2, deviation=share * n / 2)


def _exchange_at(channel: Channel, view: MaskedView, change: float) -> Channel:  # noqa: ARG001
    return cast("JointTransition", channel).evenly(change)


def _transition_at(channel: Channel, view: MaskedView, change: float) -> Channel:
    """Categories move to those that the release has more of; a share of them to any."""
    column = channel.columns[0]
    listed = view.categories(column)
    require_transitions(len(listed))
    before, after = (
        np.bincount(coded[~np.isnan(coded)].astype(np.int64), minlength=len(listed)) + 1e-9
        for coded in view.codes(column, listed)
    )
    before, after = before / before.sum(), after / after.sum()
    stay = np.minimum(before, after) / before
    surplus = np.maximum(after - before, 1e-12)
    flow = np.diag(stay) + np.outer(1 - stay, surplus / surplus.sum())
    anywhere = (1 - LEAST_CHANGE) * after + LEAST_CHANGE / max(len(listed), 1)
    return Transition((column,), listed, (1 - change) * flow + change * anywhere)
