"""Individual ranking: microaggregation of one column at a time."""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.masks.base import (
    KeepType,
    MaskedColumn,
    OnEachColumn,
    ascending,
    check_known,
    check_varies,
    sort_keys,
)
from unveil.masks.centres import centred
from unveil.support.arrays import Ints
from unveil.table.encoding.to_columns import slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Swap


class IndividualRanking(OnEachColumn, frozen=True, kw_only=True):
    """Individual ranking: each column in groups of k neighbours, replaced by their mean.

    Each value becomes that of a small group, one column at a time. It stays close to the true
    one, so that little is lost; the groups differ from column to column, so that several columns
    together protect little.

    In ascending order (equal values as they stand in the file) every k values are one
    group; the last takes the remainder. Ordered categories are replaced by the median, the
    lower of two. Univariate microaggregation with fixed groups: Muralidhar and
    Domingo-Ferrer, Rank-based record linkage for re-identification risk assessment (2016),
    Section 4 and Table 5.

    The channel is a swap by no position at all: a group stands where its members stood.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [IndividualRanking(k=3, columns=["rent"])])
    >>> release.channels[0].window
    0
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")
    chance: ClassVar[bool] = False

    k: Annotated[int, Meta(ge=2, description="The size of the groups.")]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        """There must be a group, and something to level out."""
        check_known(self, data, column, self.k)
        check_varies(self, data, column)

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        """Replace each value by its group's centre."""
        rows = ascending(sort_keys(data, column))
        groups = np.full(len(data), -1)
        groups[rows] = fixed_groups(len(rows), self.k)
        masked = centred(data, column, groups, keep_type=self.keep_type)
        slack = slack_of(data.column(column), keep_type=self.keep_type)
        return MaskedColumn(masked, Swap((column,), 0, slack=slack))


def fixed_groups(n: int, k: int) -> Ints:
    """The group of each of n positions: k in each, the last takes the remainder.

    >>> fixed_groups(7, 3).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    groups: Ints = np.minimum(np.arange(n) // k, n // k - 1)
    return groups
