"""Individual ranking: microaggregation of one column at a time."""

from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.masks.base import KeepType, MaskedColumn, UnivariateMask, ascending_rows, sort_keys
from unveil.masks.centres import group_centres
from unveil.support.arrays import Ints
from unveil.table.encoding.to_columns import slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.swap import Swap


class IndividualRanking(UnivariateMask, frozen=True, kw_only=True):
    """Individual ranking: replace each value by the mean of k neighbours in its column.

    Each column is averaged on its own, over small groups of similar values. Values stay close to
    the true ones, so that little is lost; groups differ between columns, so that several columns
    together protect little.

    In ascending order (ties in file order) every `k` values form a group; the last one takes the
    remainder. Ordered categories become the lower median. Univariate microaggregation with fixed
    group size: Muralidhar and Domingo-Ferrer, Rank-based record linkage for re-identification
    risk assessment (2016), Section 4 and Table 5.

    The channel is a swap over no distance, since the ranks of a group do not change.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [IndividualRanking(k=3, columns=["rent"])])
    >>> release.channels[0].window
    0
    """

    levels: ClassVar[tuple[str, ...]] = ("numeric", "ordinal")
    is_random: ClassVar[bool] = False

    k: Annotated[int, Meta(ge=2, description="Group size.")]
    keep_type: KeepType = True

    def check_column(self, data: Microdata, column: str) -> None:
        self.check_known(data, column, self.k)
        self.check_varies(data, column)

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:  # noqa: ARG002
        rows = ascending_rows(sort_keys(data, column))
        groups = np.full(len(data), -1)
        groups[rows] = groups_of_k(len(rows), self.k)
        masked = group_centres(data, column, groups, keep_type=self.keep_type)
        slack = slack_of(data.column(column), keep_type=self.keep_type)
        return MaskedColumn(masked, Swap((column,), 0, slack=slack))


def groups_of_k(n: int, k: int) -> Ints:
    """The group of each of n ranks: k in each, the last one takes the remainder."""
    groups: Ints = np.minimum(np.arange(n) // k, n // k - 1)
    return groups
