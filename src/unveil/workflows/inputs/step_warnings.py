"""Warnings of one step of a plan: what a mask did not change, cover or keep."""

import logging

import numpy as np

from unveil.masks import Mask
from unveil.masks.base import Guarantee, MaskedTable
from unveil.measures import discards, every_subgroup, uneven_discards
from unveil.support.arrays import Ints
from unveil.support.phrases import plain
from unveil.table.microdata import Microdata
from unveil.wording import listing

logger = logging.getLogger("unveil")
MANY_DISCARDED = 0.1  # share of the records from which a warning is due


def warn_of_step(
    mask: Mask,
    table: Microdata,
    masked: MaskedTable,
    guarantees: tuple[Guarantee, ...],
    people: Microdata | None,
) -> None:
    """Warn of the limits of a mask; `people`: the originals of the table's rows."""
    if masked.remark:
        logger.warning("%s: %s", mask.step, masked.remark)
    _warn_of_uncovered(mask, table, guarantees)
    if masked.rows is None and not masked.synthetic and not guarantees:
        _warn_of_unchanged(mask, table, masked.data)
    if masked.rows is not None and people is not None and not mask.is_random:
        _warn_of_discards(mask, people, masked.rows)


def _warn_of_unchanged(mask: Mask, before: Microdata, after: Microdata) -> None:
    same = [name for name in mask.targets(before) if after.column(name).equals(before.column(name))]
    if same:
        logger.warning("%s: no cell of %s changed; check the parameters", mask.step, listing(same))


def _warn_of_uncovered(mask: Mask, table: Microdata, guarantees: tuple[Guarantee, ...]) -> None:
    """Warn of quasi-identifiers that a guarantee does not cover."""
    quasi = [name for name in table.columns if "quasi" in table.schema[name].role]
    for _, keys in guarantees:
        if others := [name for name in quasi if name not in keys]:
            logger.warning(
                "%s: the guarantee covers only %s. An intruder who also knows %s is not "
                "covered; add such columns to `columns`, or accept the risk",
                *(mask.step, listing(keys), listing(others)),
            )


def _warn_of_discards(mask: Mask, people: Microdata, kept: Ints) -> None:
    """Warn where a mask discards many records, or those of a minority.

    Subgroups are of the original values, not of those that an earlier mask changed.
    """
    gone = len(people) - len(np.unique(kept))
    if not gone:
        return
    uneven = uneven_discards(discards(len(people), kept, every_subgroup(people)))
    if uneven:
        logger.warning("%s: %s", mask.step, plain(uneven))
    elif gone >= MANY_DISCARDED * len(people):
        share = f"{gone:,} of {len(people):,} records are not released"
        logger.warning("%s: %s (%.1f %%)", mask.step, share, 100 * gone / len(people))
