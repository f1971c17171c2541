"""Several releases of the same people as one: their rows, by a key, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import polars as pl

from unveil.errors import DataError, SpecError, UsageError
from unveil.support.arrays import Ints
from unveil.table.columns import labels_of
from unveil.table.encoding.to_columns import donated
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.release.composition import Masking
from unveil.values.release.release import Release, Releases
from unveil.wording import absent_column, count
from unveil.workflows.inputs.intruder_view import as_others
from unveil.workflows.inputs.known_masking import done_again, known_release, masking_of
from unveil.workflows.inputs.sources import renamed

Names = dict[str, str]


@dataclass(frozen=True, repr=False, eq=False)
class JoinedReleases:
    """Releases side by side: the second's income is called income (2)."""

    data: Microdata
    row_map: Ints | None
    origin: dict[str, int]
    names: tuple[Names, ...]
    each: tuple[Any, ...]  # the releases as they were given

    def copied(self, people: Microdata) -> Microdata:
        """People with a copy of each column for each release that has it."""
        if len(self.names) == 1:
            return people
        columns = {name: people.column(name) for name in people.columns}
        attributes = {name: people.schema[name] for name in people.columns}
        for names in self.names[1:]:
            for name, other in names.items():
                if name in people.columns and "identifier" not in people.schema[name].role:
                    columns[other] = people.column(name).alias(other)
                    attributes[other] = people.schema[name]
        return Microdata(pl.DataFrame(list(columns.values())), Schema(attributes))

    def knowing(self, intruder: Intruder) -> Intruder:
        """The same intruder, who knows what he knows under every name that it has."""
        if intruder.knows is None or len(self.names) == 1:
            return intruder
        listed = (names[name] for name in intruder.knows for names in self.names if name in names)
        return msgspec.structs.replace(
            intruder, knows=tuple(dict.fromkeys((*intruder.knows, *listed)))
        )

    def known_by(self, intruder: Intruder, original: Microdata, seed: int) -> list[Release]:
        """For each release one whose channels are its own; none, if any is not known."""
        plans = intruder.channel
        if not isinstance(plans, list | tuple):
            plans = [plans] * len(self.each)
        if len(plans) != len(self.each):
            of = count(len(self.each), "release")
            raise SpecError(f"intruder: channel: {count(len(plans), 'plan')} for {of}")
        found = [
            known_release(one, plan, original, seed)
            for one, plan in zip(self.each, plans, strict=True)
        ]
        return [one for one in found if one is not None] if None not in found else []

    def masking_of(
        self, known: Sequence[Release], original: Microdata, columns: Sequence[str], seed: int
    ) -> Masking | None:
        """What was done to the columns that are compared; none, if it is not known."""
        if not known:
            return None
        found = Masking()
        for release, names in zip(known, self.names, strict=True):
            own = [name for name, other in names.items() if other in columns]
            found += masking_of(release, original, own, seed).renamed(names)
        return found

    def done_again(self, known: Sequence[Release], people: Microdata, seed: int) -> Microdata:
        """People whose columns went again through what involves no chance."""
        for release, names in zip(known, self.names, strict=True):
            back = {other: name for name, other in names.items() if other in people.columns}
            plain = people.select(list(back))
            if len(self.names) > 1:
                plain = renamed(plain, back)
            again = done_again(release, plain, seed)
            people = people.replace(
                [again.column(name).alias(names[name]) for name in plain.columns]
            )
        return people


def together(release: Any, schema: Schema | None) -> JoinedReleases:
    """The release; of several, their rows side by side, by their key."""
    if isinstance(release, Releases):
        return _side_by_side(release, schema)
    made = isinstance(release, Release)
    data = release.data if made else as_others(release, schema)
    names: Names = {name: name for name in data.columns}
    row_map, origin = (release.row_map, release.origin) if made else (None, {})
    return JoinedReleases(data, row_map, origin, (names,), (release,))


def _side_by_side(releases: Releases, schema: Schema | None) -> JoinedReleases:
    tables = [
        one.data if isinstance(one, Release) else as_others(one, schema)
        for one in releases.releases
    ]
    both = zip(releases.releases, tables, strict=True)
    keys = [_keys(one, table, releases.key) for one, table in both]
    every = pl.concat(keys).unique(maintain_order=True)
    places = [_places(own, every) for own in keys]
    names: list[Names] = []
    columns: dict[str, pl.Series] = {}
    attributes = {}
    for number, (table, place) in enumerate(zip(tables, places, strict=True), start=1):
        called = {}
        for name in table.columns:
            cells = donated(table.column(name), place)
            if number > 1 and name == releases.key:  # whoever the first has not
                columns[name] = columns[name].zip_with(columns[name].is_not_null(), cells)
                continue
            called[name] = name if number == 1 else _free_name(name, number, columns)
            columns[called[name]] = cells.alias(called[name])
            attributes[called[name]] = table.schema[name]
        names.append(called)
    data = Microdata(pl.DataFrame(list(columns.values())), Schema(attributes))
    row_map = every.cast(pl.Int64).to_numpy() if releases.key is True else None
    origin = _origin(releases.releases) if releases.key is True else {}
    return JoinedReleases(data, row_map, origin, tuple(names), releases.releases)


def _free_name(name: str, number: int, taken: Mapping[str, Any]) -> str:
    """A name for the column of another release: income (2)."""
    free = f"{name} ({number})"
    while free in taken:
        free += "'"
    return free


def _origin(releases: Sequence[Release]) -> dict[str, int]:
    """The table that all were made of."""
    first = releases[0].origin
    if any(release.origin != first for release in releases):
        raise DataError(
            "releases: these were not made of the same table, its rows in the same order: name the "
            "column by which their rows are known as key"
        )
    return first


def _keys(release: Any, table: Microdata, key: str | bool) -> pl.Series:
    """What the rows of a release are known by."""
    if key is True:
        if not isinstance(release, Release) or release.row_map is None:
            raise UsageError(
                "releases: key: true is for Releases made here, which know their rows; name the "
                "column by which those of files are known"
            )
        return pl.Series(release.row_map.astype(str))
    if key not in table.columns:
        raise DataError(f"releases: key: {absent_column(str(key), table.columns)}")
    labels = labels_of(table.column(str(key)))
    twice = len(labels) - labels.n_unique()
    if twice or labels.null_count():
        raise DataError(
            f"releases: key: column '{key}' is missing, or of two rows, in "
            f"{count(twice + labels.null_count(), 'row')}: a key is of one row only"
        )
    return labels


def _places(own: pl.Series, every: pl.Series) -> Ints:
    """The row of each of all keys; -1: this release has none."""
    rows = dict(zip(own.to_list(), range(len(own)), strict=True))
    return np.array([rows.get(key, -1) for key in every.to_list()])
