"""Pseudonyms: the identifiers that a plan releases under a keyed hash, apart from its other steps.

No other step sees them, so that what it does depends neither on identifiers nor on the key.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unveil.errors import SpecError, errors_at
from unveil.masks import METHODS, Mask
from unveil.table.columns import labels_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release
from unveil.wording import listing


@dataclass(frozen=True, repr=False, eq=False)
class PseudonymColumns:
    """The pseudonyms of each record of an original, by column."""

    data: Microdata
    columns: tuple[str, ...]
    channels: tuple[Channel, ...]
    details: dict[str, Any]


def pseudonym_columns(original: Microdata, plan: Plan) -> PseudonymColumns:
    """Replace the identifiers of a table by the steps of a plan that do so."""
    data, columns = original, list[str]()
    channels, details = list[Channel](), dict[str, Any]()
    for number, mask in enumerate(plan.masks, start=1):
        if not isinstance(mask, Mask) or not mask.replaces_identifiers:
            continue
        with errors_at(plan.place(number)):
            found = mask if plan.locate is None else mask.locate_files(plan.locate)
            found.check(data)
        with METHODS.blame(type(found)):
            masked = found.apply(data, plan.stream)
        if masked.remark:
            logging.getLogger("unveil").warning("%s: %s", found.step, masked.remark)
        columns += found.targets(data)
        data, details[found.step] = masked.data, masked.details
        channels += masked.channels
    return PseudonymColumns(data, tuple(columns), tuple(channels), details)


def with_pseudonyms(release: Release, found: PseudonymColumns) -> Release:
    """A release with the pseudonyms of its records, in the places of the identifiers."""
    if not found.columns:
        return release
    if release.row_map is None:
        raise SpecError(
            f"synthetic records belong to nobody, so {listing(found.columns)} can have no "
            "pseudonyms; leave out one of the two steps"
        )
    data = release.data
    for name in found.columns:
        cells = found.data.column(name).gather(release.row_map)
        data = data.with_column(cells, found.data.schema[name])
    ordered = [name for name in found.data.columns if name in data.columns]
    return replace(
        release,
        data=data.select(ordered),
        channels=(*release.channels, *found.channels),
        details=release.details | found.details,
    )


def are_pseudonyms(people: Microdata, released: Microdata, column: str) -> bool:
    """Whether a released column replaces identifiers of the original: it has none of them.

    The release's schema has to give it another role.
    """
    role = released.schema[column].role
    if not role or "identifier" in role or column not in people.columns:
        return False
    identifiers = labels_of(people.column(column)).drop_nulls()
    return not np.isin(labels_of(released.column(column)).drop_nulls(), identifiers).any()
