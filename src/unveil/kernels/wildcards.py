"""Who needs stars where a star fits anything: one record after the other, cheapest stars first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.kernels.jit import kernel

if TYPE_CHECKING:
    from unveil.kernels.arrays import Ints, Ints32


@kernel()
def place_stars(labels: Ints32, cheapest: Ints, alike: Ints, classes: Ints, k: int,
                counts: Ints32, mask: Ints) -> None:  # fmt: skip
    """Give each record in turn its cheapest mask, unless enough others fit it by then.

    `labels` says for each mask and record with whom it agrees in what the mask tells, `counts`
    how many of those have got that mask. Of each record's class, `alike` are not starred yet: they
    fit. Once k fit a record, it needs no star: later ones take nobody away.
    """
    for v in range(labels.shape[1]):
        fits = alike[classes[v]]
        for m in range(labels.shape[0]):
            fits += counts[m, labels[m, v]]
        mask[v] = -1
        if fits < k:
            mask[v] = cheapest[v]
            counts[cheapest[v], labels[cheapest[v], v]] += 1
            alike[classes[v]] -= 1
