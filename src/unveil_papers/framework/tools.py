"""Arrays and attacks that the trials of several papers share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil import Microdata, attacks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def numbers(data: Microdata) -> Floats:
    """All columns as numbers: one row per record."""
    return np.column_stack([data.column(name).to_numpy() for name in data.columns]).astype(float)


def percent(values: NDArray[Any]) -> float:
    """The mean in percent: of hits, or of what is true.

    >>> percent(np.array([True, False]))
    50.0
    """
    return 100 * float(values.mean())


def categories_of(channel: Any) -> tuple[str, ...]:
    """The categories that a channel tells of: none where it is of other masks."""
    return tuple(
        channel.categories if hasattr(channel, "matrix") else getattr(channel, "table", ())
    )


def distances_given_mask(
    channel: Any, *, ordinal: bool, inclusive: bool = False
) -> attacks.Distances:
    """Distances between categories, infinite where the mask does not make this one of that.

    Domingo-Ferrer and Torra, Validating distance-based record linkage with probabilistic record
    linkage (2002), Section 4.

    Parameters
    ----------
    channel
        What the mask did to a column: a table of what became of each category, or a matrix.
    ordinal
        Whether distances go by the places of the categories; else they are equal or not.
    inclusive
        Whether ordinal places are counted with both ends.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> recoded = SimpleNamespace(table={"few": "few", "many": "few"})
    >>> distances_given_mask(recoded, ordinal=False).distances
    ((0.0, inf), (1.0, inf))
    """
    names = categories_of(channel)
    if hasattr(channel, "matrix"):
        possible = channel.matrix > 0
    else:
        possible = np.array([[channel.table[one] == other for other in names] for one in names])
    gaps = np.abs(np.subtract.outer(np.arange(len(names)), np.arange(len(names))))
    if ordinal:
        apart = (gaps + 1) / len(names) if inclusive else gaps / max(len(names) - 1, 1)
    else:
        apart = np.minimum(gaps, 1)
    distances = np.where(possible, apart, np.inf)
    return attacks.Distances(names, tuple(map(tuple, distances.tolist())))
