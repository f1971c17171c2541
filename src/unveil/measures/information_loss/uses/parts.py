"""Parts of a use, put together: one loss with its standard error."""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats
from unveil.values.results.loss import UseLoss, UsePart
from unveil.values.results.risk import Interval
from unveil.values.use import Use

LISTED, CONFIDENCE = 12, 0.95


class UseParts(NamedTuple):
    """How far a release is from the original in each part, and how far a destroyed file is.

    The rows are all records, then those without each group.
    """

    names: tuple[str, ...]
    distance: Floats  # rows x parts
    destroyed: Floats  # rows x parts
    note: str = ""
    before: Floats | None = None  # of estimates: lower and upper ends x parts
    after: Floats | None = None


def use_loss(use: Use, parts: UseParts, definition: str, records: int) -> UseLoss:
    """The loss of a use: the root mean square of its parts' distances, over a destroyed file's.

    A mean would forgive what destroys one part of many: of 12 equal parts, one destroyed costs .29.
    """
    values = _ratio(parts.distance, parts.destroyed)
    found = len(parts.names) > 0 and bool(np.isfinite(values[0]))
    single = _part_losses(parts) if found else np.zeros(0)
    order = np.argsort(-parts.distance[0], kind="stable")[:LISTED] if found else ()
    return UseLoss(
        name=use.name,
        kind=use.kind,
        value=float(values[0]) if found else None,
        error=_jackknife(values[1:]) if found else None,
        n=len(parts.names),
        records=records,
        parts=tuple(
            UsePart(
                name=parts.names[i],
                value=float(single[i]),
                before=_interval(parts.before, i),
                after=_interval(parts.after, i),
            )
            for i in order
        ),
        definition=definition,
        columns=use.columns,
        target=use.target,
        by=use.by,
        max_loss=use.max_loss,
        note=parts.note if found else parts.note or "it cannot be computed",
    )


def _interval(ends: Floats | None, part: int) -> Interval | None:
    if ends is None:
        return None
    return Interval(float(ends[0, part]), float(ends[1, part]), CONFIDENCE)


def _ratio(distance: Floats, destroyed: Floats) -> Floats:
    """Of each row: 0 where nothing is lost, at most 1."""
    lost, most = (np.sqrt((side**2).sum(axis=1)) for side in (distance, destroyed))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(lost == 0, 0.0, lost / most)
    return np.minimum(ratio, 1.0)


def _part_losses(parts: UseParts) -> Floats:
    """The loss of each part, in units of which the loss of the use is the root mean square."""
    scale = np.sqrt((parts.destroyed[0] ** 2).mean())
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(parts.distance[0] == 0, 0.0, parts.distance[0] / scale)
    return np.minimum(losses, 1.0)


def _jackknife(values: Floats) -> float | None:
    """The standard error by the values without each group."""
    n = len(values)
    if n < 2 or not np.isfinite(values).all():
        return None
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))
