"""An intruder's knowledge of the masking: composed channels, and steps that can be repeated."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from unveil.errors import DataError
from unveil.masks.per_household import apply_mask
from unveil.support.arrays import Ints
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order
from unveil.values.release.category_channels import Transition, require_transitions
from unveil.values.release.channels import Channel, Unknown, fitted_noise
from unveil.values.release.composition import Masking, compose
from unveil.values.release.plan import SEED_BITS, Plan
from unveil.values.release.release import Release
from unveil.workflows.inputs.plans import as_plan
from unveil.workflows.inputs.released_columns import columns_of_masks, declared_households
from unveil.workflows.mask import mask_again, masks_of

SIMULATIONS = 5  # of the whole plan, where masks on one column have no formula


def known_release(
    release: Any, channel: bool | Plan | str | os.PathLike[str], original: Microdata, seed: int
) -> Release | None:
    """A release with the channels of the one that is attacked; None if nothing is known.

    A plan alone is carried out again to find its channels, with random numbers of the attack's
    own: no intruder knows the seed.
    """
    if isinstance(channel, bool):
        return release if isinstance(release, Release) else None
    return mask_again(_in_order(original), reseeded(as_plan(channel, seed=0), seed, 0))


def masking_of(
    known: Release,
    original: Microdata,
    columns: Sequence[str],
    seed: int,
    simulated: Masking | None = None,
) -> Masking:
    """The masking of some columns: by formula, or as it was `simulated`, or by simulation."""
    found = compose(known.channels, columns)
    if not found.unsettled:
        return found
    if simulated is not None:
        again = (one for one in simulated.channels if {*one.columns} <= {*found.unsettled})
        return replace(found, channels=(*found.channels, *again), unsettled=())
    return settle(found, original, simulations(known.plan, original, seed))


def simulations(plan: Plan, original: Microdata, seed: int) -> list[Release]:
    """The people in the order of their content, masked by the plan with other random numbers."""
    people, runs = _in_order(original), list[Release]()
    for run in range(1, SIMULATIONS + 1):
        with suppress(DataError):  # with other random numbers a plan may be impossible
            runs.append(mask_again(people, reseeded(plan, seed, run)))
    return runs


def settle(masking: Masking, original: Microdata, runs: Sequence[Release]) -> Masking:
    """The masking with channels estimated from simulations where there is no formula."""
    people = _in_order(original)
    simulated = [_simulated(people, runs, column) for column in masking.unsettled]
    return replace(masking, channels=(*masking.channels, *simulated), unsettled=())


def _in_order(original: Microdata) -> Microdata:
    """The original in the order of the content of its rows: random numbers go by rows."""
    return original.take(np.argsort(content_order(original)))


def reseeded(plan: Plan, seed: int, run: int) -> Plan:
    """The same plan with another seed, drawn from that of the attack."""
    other = stream(seed, "attack", "plan", str(run)).integers(2**SEED_BITS)
    return replace(plan, seed=int(other))


def _simulated(original: Microdata, runs: Sequence[Release], column: str) -> Channel:
    """The channel of several masks on a column, estimated from simulations."""
    if not runs or runs[0].row_map is None or runs[0].data.schema[column].generalised:
        return Unknown((column,))
    if original.level(column) == "numeric":
        values = numbers(original, [column]).values[:, 0]
        before = np.concatenate([values[_origin(run)] for run in runs])
        after = np.concatenate([numbers(run.data, [column]).values[:, 0] for run in runs])
        return fitted_noise(column, before, after, Slack(), SIMULATIONS) or Unknown((column,))
    listed = tuple(
        dict.fromkeys(
            category
            for data in (original, *(run.data for run in runs))
            for category in codes(data, column).categories
        )
    )
    require_transitions(len(listed))
    seen = np.ones((len(listed), len(listed)))  # one more of each: unseen is not impossible
    had = codes(original, column, listed).codes.astype(np.int64)
    for run in runs:
        left, right = had[_origin(run)], codes(run.data, column, listed).codes.astype(np.int64)
        there = (left >= 0) & (right >= 0)
        np.add.at(seen, (left[there], right[there]), 1)
    return Transition((column,), listed, seen / seen.sum(1, keepdims=True), SIMULATIONS)


def _origin(run: Release) -> Ints:
    return np.arange(len(run)) if run.row_map is None else run.row_map


def groups_are_repeatable(plan: Plan, original: Microdata, known: Sequence[str]) -> bool:
    """Whether known columns become centres of groups before the first random step."""
    first = takewhile(lambda mask: not mask.is_random, masks_of(plan, original))
    return any(
        mask.makes_centres and not set(known).isdisjoint(mask.targets(original)) for mask in first
    )


def repeat_masking(known: Release, original: Microdata, seed: int) -> Microdata:
    """The original after the first steps of the plan, up to the first random one.

    Only columns whose groups depend on all records change: a function of a single value is known
    anyway. The rows are shuffled first, so that ties between records are broken anew.
    """
    masks = list(takewhile(lambda mask: not mask.is_random, masks_of(known.plan, original)))
    if not masks:
        logging.getLogger("unveil").warning(
            "tailored: the first step of the plan draws random numbers, so level 'original' "
            "adds nothing to 'parameters'"
        )
        return original
    rng = stream(seed, "attack", "again")
    table, channels = columns_of_masks(original, known.plan, masks), list[Channel]()
    order = np.argsort(content_order(table, table, None))[rng.permutation(len(table))]
    table = table.take(order)
    homes = declared_households(original, warn=False)
    homes = None if homes is None else homes.take(order)
    for mask in masks:
        masked = apply_mask(mask, table, homes, lambda *_: rng, None)
        if masked.rows is not None:  # nothing is known of discarded records
            break
        table = masked.data
        channels.extend(masked.channels)
    back = np.argsort(order)
    again = [
        table.column(column).gather(back)
        for column in _columns_of_groups(channels)
        if not table.schema[column].generalised
    ]
    return original.replace(again)


def _columns_of_groups(channels: Sequence[Channel]) -> Iterator[str]:
    """Columns that were grouped and not changed otherwise."""
    for column in dict.fromkeys(column for channel in channels for column in channel.columns):
        used = [channel for channel in channels if column in channel.columns]
        grouped = any(channel.is_grouping for channel in used)
        if grouped and all(channel.is_grouping or channel.is_function for channel in used):
            yield column
