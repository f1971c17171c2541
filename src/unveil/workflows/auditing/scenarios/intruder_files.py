"""The file that the intruder of a scenario holds: of whom, how exact, how old."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from unveil.attacks.base import RowPositions
from unveil.support.arrays import Ints
from unveil.support.options import part_of
from unveil.support.seeds import stream
from unveil.table.encoding.to_arrays import numbers
from unveil.table.encoding.to_columns import as_column
from unveil.table.microdata import Microdata
from unveil.values.disclosure_scenario import DisclosureScenario
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.inputs.scenario import Scenario
from unveil.workflows.inputs.stale_cells import stale_cells

TENTHS = 10
MOST_ALONE = 20_000  # people attacked one at a time; of more, a sample


@dataclass(frozen=True, repr=False, eq=False)
class HeldFile:
    """The records of an intruder beside the release, and whose they are."""

    scenario: Scenario
    people: Ints  # the original's row of each record

    @property
    def intruder(self) -> Intruder:
        """Who holds these records."""
        return self.scenario.intruder


def held_file(inputs: AuditInputs, scenario: DisclosureScenario, draw: int) -> HeldFile:
    """The file of one draw: the people whom the intruder holds, with his values of them."""
    base = inputs.scenario
    rows = _held_rows(inputs, scenario, draw)
    pair, intruder = base.pair, Intruder()
    people = np.arange(len(pair.original)) if rows is None else rows
    columns, seed = scenario.knows or (), base.seed
    records = pair.original
    if scenario.error:
        records = stale_cells(records, columns, scenario.error, pair.original_order, seed)
    if scenario.coarse:
        records = records.replace(
            [one for n in columns if (one := coarse_column(records, n)) is not None]
        )
    truth = pair.truth
    if rows is not None:
        intruder = Intruder(records=tuple(rows.tolist()))
        records, truth = records.take(rows), None if truth is None else truth.take_records(rows)
    positions = RowPositions(people, len(pair.original), base.positions.released)
    files = FilePair(records, pair.release, truth)
    return HeldFile(replace(base, pair=files, positions=positions, intruder=intruder), people)


def _held_rows(inputs: AuditInputs, scenario: DisclosureScenario, draw: int) -> Ints | None:
    """The rows of the original that are held, ascending; None for all of them.

    Draws are disjoint, so that all together are a sample of people without repetition.
    """
    pair = inputs.pair
    members = np.sort(pair.originals)
    if not scenario.member:
        return None
    held, size = scenario.records, len(members)
    if held is not None:
        size = held if isinstance(held, int) else max(part_of(size, held), 1)
    if not scenario.together:
        size = min(size, MOST_ALONE)
    if size >= len(members):
        whole = scenario.together and len(members) == len(pair.original)
        return None if whole else members
    rng = stream(inputs.scenario.seed, "scenario", scenario.name, "people")
    order = members[np.argsort(pair.original_order[members])][rng.permutation(len(members))]
    return np.sort(order[draw * size : (draw + 1) * size])


def most_draws(inputs: AuditInputs, scenario: DisclosureScenario) -> int:
    """The number of disjoint draws of people that the release has; 1 if all are held."""
    first, members = _held_rows(inputs, scenario, 0), len(inputs.pair.originals)
    return 1 if first is None else max(members // max(len(first), 1), 1)


def coarse_column(people: Microdata, name: str) -> pl.Series | None:
    """Numbers by the median of their tenth; None where a column has no more values than that."""
    if people.level(name) != "numeric" or people.schema[name].generalised:
        return None
    values = numbers(people, [name]).values[:, 0]
    known = values[~np.isnan(values)]
    if len(np.unique(known)) <= TENTHS:
        return None
    ends = np.quantile(known, np.arange(1, TENTHS) / TENTHS)
    tenth = np.searchsorted(ends, values, "left")
    middles = np.full(TENTHS, np.nan)
    for one in np.unique(tenth[~np.isnan(values)]):
        middles[one] = np.nanmedian(values[tenth == one])
    rounded = np.where(np.isnan(values), np.nan, middles[tenth])
    return as_column(people.column(name), rounded, keep_type=False)
