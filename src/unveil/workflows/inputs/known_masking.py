"""What an intruder knows of the masking: channels, composed, and what can be done again."""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from unveil.errors import DataError, SpecError
from unveil.support.arrays import Ints
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import codes, numbers
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order
from unveil.values.release.channels import Channel, Exact, Groups, Transition, Unknown, fitted_noise
from unveil.values.release.composition import Masking, compose
from unveil.values.release.plan import SEED_BITS, Plan
from unveil.values.release.release import Release
from unveil.workflows.mask import as_plan, mask_again, steps_of, without_identifiers

RUNS = 5  # of the whole plan, where masks on one column have no formula


def known_release(
    release: Any, channel: bool | Plan | str | os.PathLike[str], original: Microdata, seed: int
) -> Release | None:
    """A release whose channels are those of the one that is attacked; None: nothing is known.

    From a plan alone they are found by carrying it out again, with random numbers of the
    attack's own: nobody knows the seed.
    """
    if isinstance(channel, bool):
        return release if isinstance(release, Release) else None
    return mask_again(_in_order(original), reseeded(as_plan(channel, seed=0), seed, 0))


def masking_of(known: Release, original: Microdata, columns: Sequence[str], seed: int) -> Masking:
    """What was done to some columns: by formula where there is one, else by doing it again."""
    found = compose(known.channels, columns)
    if not found.unsettled:
        return found
    people = _in_order(original)
    runs = _runs(known.plan, people, seed)
    simulated = [_simulated(people, runs, column) for column in found.unsettled]
    return replace(found, channels=(*found.channels, *simulated), unsettled=())


def _in_order(original: Microdata) -> Microdata:
    """The original in the order of what its rows hold: random numbers go by rows."""
    return original.take(np.argsort(content_order(original)))


def _runs(plan: Plan, original: Microdata, seed: int) -> list[Release]:
    """The plan carried out some times; with other random numbers it may be impossible."""
    found = []
    for run in range(1, RUNS + 1):
        with suppress(DataError):
            found.append(mask_again(original, reseeded(plan, seed, run)))
    return found


def reseeded(plan: Plan, seed: int, run: int) -> Plan:
    """The same plan with a seed of its own, drawn from that of the attack."""
    drawn = stream(seed, "attack", "plan", str(run)).integers(2**SEED_BITS)
    return replace(plan, seed=int(drawn))


def _simulated(original: Microdata, runs: Sequence[Release], column: str) -> Channel:
    """What several masks did to a column, found by doing it several times."""
    if not runs or runs[0].row_map is None or runs[0].data.schema[column].generalised:
        return Unknown((column,))
    if original.level(column) == "numeric":
        pairs = [_pair(original, run, column) for run in runs]
        before, after = (np.concatenate(side) for side in zip(*pairs, strict=True))
        return fitted_noise(column, before, after, Slack(), RUNS) or Unknown((column,))
    listed = tuple(
        dict.fromkeys(
            category
            for data in (original, *(run.data for run in runs))
            for category in codes(data, column).categories
        )
    )
    many = len(listed)
    seen = np.ones((many, many))  # one more of each: what did not happen is not impossible
    had = codes(original, column, listed).codes.astype(np.int64)
    for run in runs:
        left, right = had[_origin(run)], codes(run.data, column, listed).codes.astype(np.int64)
        there = (left >= 0) & (right >= 0)
        np.add.at(seen, (left[there], right[there]), 1)
    return Transition((column,), listed, seen / seen.sum(1, keepdims=True), RUNS)


def _pair(original: Microdata, run: Release, column: str) -> tuple[Any, Any]:
    before, after = (numbers(data, [column]).values[:, 0] for data in (original, run.data))
    return before[_origin(run)], after


def _origin(run: Release) -> Ints:
    return np.arange(len(run)) if run.row_map is None else run.row_map


def done_again(known: Release, original: Microdata, seed: int) -> Microdata:
    """The original with the first steps of the plan done again, as far as they involve no chance.

    Only columns whose groups depend on everybody: what a function makes of a value by
    itself is known anyway. The rows are shuffled first, so that ties between records are
    not broken as they were.
    """
    steps = list(takewhile(lambda step: not step.is_random, steps_of(known.plan, original)))
    if not steps:
        logging.getLogger("unveil").warning(
            "tailored: the first step of the plan draws random numbers, so that nothing can be "
            "done again: level 'original' is no more than 'parameters' here"
        )
        return original
    rng = stream(seed, "attack", "again")
    order = np.argsort(content_order(original, original, None))[rng.permutation(len(original))]
    table, channels = without_identifiers(original).take(order), list[Channel]()
    for step in steps:
        made = step.apply(table, lambda *_: rng, None)
        if made.rows is not None:  # of those who are discarded nothing is known any more
            break
        table = made.data
        channels.extend(made.channels)
    back = np.argsort(order)
    again = [
        table.column(column).gather(back)
        for column in _columns_of_groups(channels)
        if not table.schema[column].generalised
    ]
    return original.replace(again)


def _columns_of_groups(channels: Sequence[Channel]) -> Iterator[str]:
    """Columns of groups, with which nothing else was done but what does nothing twice.

    Groups along one column are known as well by positions, whichever way ties were broken.
    """
    for column in dict.fromkeys(column for channel in channels for column in channel.columns):
        own = [channel for channel in channels if column in channel.columns]
        if any(isinstance(one, Groups) for one in own) and all(
            isinstance(one, Groups | Exact) for one in own
        ):
            yield column


def check_level(level: str, *, has_all: bool) -> None:
    """Whoever does the masking again has the whole original."""
    if level == "original" and not has_all:
        raise SpecError("tailored: level 'original' is of an intruder who has all records")
