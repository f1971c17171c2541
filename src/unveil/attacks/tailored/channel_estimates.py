"""What an intruder estimates who knows the method, not its parameters; and what has none."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd
from typing import cast

import numpy as np

from unveil.attacks.distance.attribute_costs import mean_and_deviation
from unveil.attacks.distance.mahalanobis import covariance_of
from unveil.attacks.nearest import as_records
from unveil.attacks.tailored.likelihood import evidence_of, joined
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.engines.local.engine import density
from unveil.engines.local.index import same_rows
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_columns import Slack
from unveil.values.release.channels import (
    Channel,
    Clip,
    Exact,
    Groups,
    Noise,
    Ratio,
    Recoding,
    Rounded,
    Swap,
    Transition,
    Unknown,
)

LOOKED_AT = 500  # released rows by which a parameter is chosen
DOUBT = 9.2  # what lies beyond an estimated bound is 10,000 times less likely, not impossible
NOISES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5)  # over the deviation
SCALES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5)  # of what is unknown
FACTORS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)  # how far from 1
WINDOWS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75)  # of the records
CHANGES = (0.005, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)  # of the categories
LEAST_CHANGE = 1e-3
HARDLY = 1e-6  # how likely a category is that is too far
DECIMALS = 6  # of a base
IMPOSSIBLE = 1e6
LEAST_RECORDS = 10  # of whose variances something can be learnt
ROUNDED = Slack()  # what is estimated has the rounding in it


def settled(
    channels: Sequence[Channel], reading: MaskedView, *, estimated: bool = False
) -> tuple[Channel, ...]:
    """Channels that say how likely each pair is, in the place of those that do not.

    Groups scatter their members round their centre as much as variances have fallen, or as
    far in every direction, whichever is more likely; of what is unknown it is estimated how
    far it goes. If `estimated`, nothing but the methods is known: noise is told by the
    variances that it added; a factor, a window, a probability of change by the likelihood of
    the release.
    """
    groups = [one for one in channels if isinstance(one, Groups)]
    others = [one for one in channels if not isinstance(one, Groups)]
    if estimated:  # but for groups, of which variances tell all there is to know
        blind: list[Channel] = [Unknown(one.columns) for one in groups]
        others = _estimated([*others, *blind], reading)[: len(others)]
    members = [one for group in groups for one in _of_groups(group, reading)]
    usual = _scanned([*others, *members], reading, Unknown, _unknown_at, range(len(SCALES)))
    if estimated or not groups:
        return tuple(usual)
    # Or as far in every direction, by the distance that made the groups.
    tried = [
        [*others, *(one for group in groups for one in _alike(group, reading, far))]
        for far in NOISES
    ]
    whole = [some for some in tried if not any(isinstance(one, Unknown) for one in some)]
    return tuple(_likeliest([usual, *whole], reading))


def _alike(channel: Groups, reading: MaskedView, far: float) -> list[Channel]:
    """Members so far from their centre, in the distance by which groups are alike."""
    found: list[Channel] = []
    for column, deviation in zip(channel.columns, channel.deviation.tolist(), strict=True):
        if reading.files.generalised(column):
            found.append(Unknown((column,)))
        elif (level := common_level(*reading.pair, column)) == "numeric":
            noise = np.array([[(far * deviation) ** 2]])
            found.append(Noise((column,), np.zeros(1), noise, (ROUNDED,)))
        else:
            listed = reading.files.categories(column)
            place = np.arange(len(listed)) / max(len(listed) - 1, 1)
            gaps = np.abs(place - place[:, None])
            likely = np.exp(-0.5 * (gaps if level == "ordinal" else np.sign(gaps)) ** 2 / far**2)
            matrix = likely + HARDLY
            found.append(Transition((column,), listed, matrix / matrix.sum(1, keepdims=True)))
    return found


def _estimated(channels: list[Channel], reading: MaskedView) -> list[Channel]:
    told = [_by_itself(channel, reading) for channel in channels]
    if any(isinstance(channel, Noise) for channel in told):
        told = _noise_of_release(told, channels, reading)
    told = _scanned(told, reading, Ratio, _ratio_at, FACTORS)
    told = _scanned(told, reading, Swap, _swap_at, WINDOWS)
    return _scanned(told, reading, (Transition, Recoding), _transition_at, CHANGES)


def _noise_of_release(
    found: list[Channel], channels: list[Channel], reading: MaskedView
) -> list[Channel]:
    """Noise by the variances that it added, or in proportion to the columns, as likely.

    Where variances say nothing, there are too few records. Where columns are correlated,
    what was added to their covariances is small beside these, and all but lost.
    """
    scanned = _scanned(found, reading, Noise, _noise_at, NOISES)
    if any(isinstance(old, Noise) and new is old for new, old in zip(found, channels, strict=True)):
        return scanned
    return _likeliest([found, scanned], reading)


def estimated_function(function: Exact, released: Floats) -> Exact | None:
    """A function's parameter from what it has made; None where that does not show it."""
    known = released[~np.isnan(released)]
    if not len(known):
        return None
    if isinstance(function, Clip):
        low = -np.inf if np.isinf(function.low) else float(known.min())
        high = np.inf if np.isinf(function.high) else float(known.max())
        return replace(function, low=low, high=high)
    base = _common_divisor(known) if isinstance(function, Rounded) else None
    return None if base is None else replace(function, base=base)  # type: ignore[call-arg]


def _common_divisor(values: Floats) -> float | None:
    """The largest number of which all are multiples, if it has few decimals."""
    for decimals in range(DECIMALS + 1):
        scaled = np.unique(values) * 10.0**decimals
        whole = np.rint(scaled)
        if (np.abs(scaled - whole) <= 1e-9 * np.maximum(np.abs(scaled), 1)).all():
            divisor = 0
            for number in np.abs(whole).astype(np.int64).tolist():
                divisor = gcd(divisor, number)
            return divisor / 10.0**decimals if divisor else None
    return None


def _scanned(
    channels: list[Channel],
    reading: MaskedView,
    kind: type | tuple[type, ...],
    at: Callable[[Channel, MaskedView, float], Channel],
    parameters: Sequence[float],
) -> list[Channel]:
    """Channels of one kind with the parameter under which the release is most likely."""
    if not any(isinstance(channel, kind) for channel in channels):
        return channels
    tried = [
        [at(one, reading, value) if isinstance(one, kind) else one for one in channels]
        for value in parameters
    ]
    return _likeliest(tried, reading)


def _likeliest(tried: list[list[Channel]], reading: MaskedView) -> list[Channel]:
    """The channels under which the release is most likely."""
    return max(tried, key=lambda some: log_likelihood(some, reading))


def log_likelihood(channels: Sequence[Channel], reading: MaskedView) -> float:
    """How likely the release is, as far as some of its rows tell; for few people, they."""
    parts = list(evidence_of(channels, reading).values())
    if not parts:
        return 0.0
    together = joined(parts)
    intruder, released = as_records(together.intruder), as_records(together.released)
    if reading.files.few_records:
        rows = _looked_at(together.intruder)
        found = density(intruder.take(rows), released, together.metric, error=1e-3).log_sum
    else:
        rows = _looked_at(together.released)
        base = replace(intruder, offset=together.spread)
        found = density(released.take(rows), base, together.metric.reversed, error=1e-3).log_sum
    return float(np.maximum(found, -IMPOSSIBLE).sum() - len(rows) * together.constant)


def _looked_at(values: Floats) -> Ints:
    """Some rows, whatever their order."""
    firsts = same_rows(np.ascontiguousarray(values), np.zeros(0), 1).firsts
    return firsts[:: max(1, len(firsts) // LOOKED_AT)]


def _of_groups(channel: Groups, reading: MaskedView) -> list[Channel]:
    """Centres of groups: noise for numbers, for categories nobody knows what."""
    plain = [c for c in channel.columns if common_level(*reading.pair, c) == "numeric"]
    other: list[Channel] = [Unknown((column,)) for column in channel.columns if column not in plain]
    noise = _noise_of(tuple(plain), reading, *(ROUNDED for _ in plain))
    return [*([Unknown((column,)) for column in plain] if noise is None else [noise]), *other]


def _by_itself(channel: Channel, reading: MaskedView) -> Channel:
    """A channel whose parameters show in each file's own figures."""
    if isinstance(channel, Noise):
        return _noise_of(channel.columns, reading, *channel.slack) or channel
    return channel


def _noise_of(columns: tuple[str, ...], reading: MaskedView, *slack: Slack) -> Noise | None:
    """The noise by which variances, and covariances, differ; None: there are too few records."""
    if reading.files.few_records or not columns:
        return None
    reference, released = (_complete(columns, reading, side) for side in (1, 2))
    if min(len(reference), len(released)) < LEAST_RECORDS:
        return None
    varies = np.flatnonzero((np.ptp(reference, axis=0) > 0) & (np.ptp(released, axis=0) > 0))
    if not len(varies):
        return None
    covariance = np.zeros((len(columns), len(columns)))
    some = reference[:, varies], released[:, varies]
    covariance[np.ix_(varies, varies)] = covariance_of(
        "moments", *some, None, [list(range(len(varies)))]
    )
    return Noise(columns, np.zeros(len(columns)), covariance, slack)


def _complete(columns: tuple[str, ...], reading: MaskedView, side: int) -> Floats:
    """The numbers of the people (1) or of the release (2), of records that miss none."""
    numbers = np.column_stack([reading.numbers(column)[side] for column in columns])
    known = numbers[~np.isnan(numbers).any(axis=1)]
    return known[np.lexsort(known.T)]  # the same sums in whatever order rows stand


def _noise_at(channel: Channel, reading: MaskedView, scale: float) -> Channel:
    """Noise of so many deviations of the release; correlated as that, if of several columns."""
    released, width = _complete(channel.columns, reading, 2), len(channel.columns)
    covariance = np.eye(width) if len(released) < 2 else np.atleast_2d(np.cov(released.T))
    return replace(  # type: ignore[call-arg]
        channel, mean=np.zeros(width), covariance=scale**2 * covariance, slope=None
    )


def _unknown_at(channel: Channel, reading: MaskedView, step: float) -> Channel:
    """Something that goes about so far."""
    column = channel.columns[0]
    if reading.files.generalised(column):
        return channel  # of ranges and sets nothing can be said
    if common_level(*reading.pair, column) != "numeric":
        return _transition_at(channel, reading, CHANGES[int(step)])
    reference, released = (mean_and_deviation(side) for side in reading.numbers(column)[1:])
    (centre, deviation), size = released or (0.0, 1.0), SCALES[int(step)]
    if reference is None or reading.files.few_records:
        noise = np.array([[(size * deviation) ** 2]])
        return Noise((column,), np.zeros(1), noise, (ROUNDED,))
    # Both files as they stand, and a correlation between them.
    kept = 1 / (1 + size**2)  # of the variance
    slope = kept**0.5 * deviation / reference[1]
    noise = np.array([[(1 - kept) * deviation**2]])
    mean = np.array([centre - slope * reference[0]])
    return Noise((column,), mean, noise, (ROUNDED,), slope=np.array([slope]))


def _ratio_at(channel: Channel, reading: MaskedView, far: float) -> Channel:  # noqa: ARG001
    return replace(channel, low=1 - far, high=1 + far)  # type: ignore[call-arg]


def _swap_at(channel: Channel, reading: MaskedView, share: float) -> Channel:
    """A window of so many of the records; where nothing moves, it stays at none."""
    swap = cast("Swap", channel)
    if not swap.window:
        return swap
    many = int((~np.isnan(reading.keys(swap.columns[0])[2])).sum())
    if swap.mean is None:
        return replace(swap, window=max(1, round(share * many)))
    return replace(swap, window=many, mean=share * many / 2, deviation=share * many / 2)


def _transition_at(channel: Channel, reading: MaskedView, change: float) -> Channel:
    """Categories go where the release has more of them, and a share of them anywhere."""
    column = channel.columns[0]
    listed = reading.categories(column)
    before, after = (
        np.bincount(coded[~np.isnan(coded)].astype(np.int64), minlength=len(listed)) + 1e-9
        for coded in reading.coded(column, listed)
    )
    before, after = before / before.sum(), after / after.sum()
    stay = np.minimum(before, after) / before
    surplus = np.maximum(after - before, 1e-12)
    flow = np.diag(stay) + np.outer(1 - stay, surplus / surplus.sum())
    anywhere = (1 - LEAST_CHANGE) * after + LEAST_CHANGE / max(len(listed), 1)
    return Transition((column,), listed, (1 - change) * flow + change * anywhere)
