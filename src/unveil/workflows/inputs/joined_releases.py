"""Several releases of the same people, joined row by row by a key."""

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
from unveil.table.households import household_numbers
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.release.composition import Masking
from unveil.values.release.release import Release, Releases
from unveil.wording import absent_column, count
from unveil.workflows.inputs.intruder_view import table_of
from unveil.workflows.inputs.known_masking import known_release, masking_of, repeat_masking
from unveil.workflows.inputs.sources import renamed

Names = dict[str, str]


@dataclass(frozen=True, repr=False, eq=False)
class JoinedReleases:
    """One release, or several joined: the second's income is called income (2)."""

    data: Microdata
    row_map: Ints | None
    origin: dict[str, int]
    names: tuple[Names, ...]  # of each release: its columns, and their names here
    releases: tuple[Any, ...]  # as the user gave them

    def copied(self, people: Microdata) -> Microdata:
        """The people with a copy of each column for each release that has it."""
        if len(self.names) == 1:
            return people
        columns = {name: people.column(name) for name in people.columns}
        codes = {name: people.missing_code(name) for name in people.columns}
        attributes = {name: people.schema[name] for name in people.columns}
        for names in self.names[1:]:
            for name, other in names.items():
                if name in people.columns and "identifier" not in people.schema[name].role:
                    columns[other] = people.column(name).alias(other)
                    codes[other] = codes[name]
                    attributes[other] = people.schema[name]
        frame = pl.DataFrame(list(columns.values()))
        return Microdata.from_columns(frame, Schema(attributes), codes)

    def knowing(self, intruder: Intruder) -> Intruder:
        """The same intruder, with each known attribute under all of its names."""
        if intruder.knows is None or len(self.names) == 1:
            return intruder
        listed = (names[name] for name in intruder.knows for names in self.names if name in names)
        return msgspec.structs.replace(
            intruder, knows=tuple(dict.fromkeys((*intruder.knows, *listed)))
        )

    def known_by(self, intruder: Intruder, original: Microdata, seed: int) -> list[Release]:
        """For each release one with its channels; none if any is not known."""
        plans = intruder.channel
        if not isinstance(plans, list | tuple):
            plans = [plans] * len(self.releases)
        if len(plans) != len(self.releases):
            releases = count(len(self.releases), "release")
            raise SpecError(f"intruder: channel: {count(len(plans), 'plan')} for {releases}")
        known = [
            known_release(one, plan, original, seed)
            for one, plan in zip(self.releases, plans, strict=True)
        ]
        return [one for one in known if one is not None] if None not in known else []

    def masking_of(
        self,
        known: Sequence[Release],
        original: Microdata,
        columns: Sequence[str],
        seed: int,
        simulated: Masking | None = None,
    ) -> Masking | None:
        """The masking of the compared columns; None if it is not known."""
        if not known:
            return None
        masking = Masking()
        for release, names in zip(known, self.names, strict=True):
            own = [name for name, other in names.items() if other in columns]
            masking += masking_of(release, original, own, seed, simulated).renamed(names)
        return masking

    def repeat_masking(self, known: Sequence[Release], people: Microdata, seed: int) -> Microdata:
        """The people after the first steps of each plan, up to its first random one."""
        for release, names in zip(known, self.names, strict=True):
            back = {other: name for name, other in names.items() if other in people.columns}
            plain = people.select(list(dict.fromkeys([*back, *household_numbers(people)])))
            if len(self.names) > 1:
                plain = renamed(plain, back)
            again = repeat_masking(release, plain, seed)
            people = people.replace(
                [again.column(name).alias(other) for other, name in back.items()]
            )
        return people


def join_releases(release: Any, schema: Schema | None) -> JoinedReleases:
    """The release; several are joined row by row by their key."""
    if isinstance(release, Releases):
        return _joined(release, schema)
    data = _data_of(release, schema)
    names: Names = {name: name for name in data.columns}
    is_release = isinstance(release, Release)
    row_map, origin = (release.row_map, release.origin) if is_release else (None, {})
    return JoinedReleases(data, row_map, origin, (names,), (release,))


def _data_of(release: Any, schema: Schema | None) -> Microdata:
    return release.data if isinstance(release, Release) else table_of(release, schema)


def _joined(releases: Releases, schema: Schema | None) -> JoinedReleases:
    tables = [_data_of(one, schema) for one in releases.releases]
    keys = [
        _keys(one, table, releases.key)
        for one, table in zip(releases.releases, tables, strict=True)
    ]
    all_keys = pl.concat(keys).unique(maintain_order=True)
    names: list[Names] = []
    columns: dict[str, pl.Series] = {}
    codes: dict[str, pl.Series] = {}
    attributes = {}
    for number, (table, own_keys) in enumerate(zip(tables, keys, strict=True), start=1):
        row_of = dict(zip(own_keys.to_list(), range(len(own_keys)), strict=True))
        rows = np.array([row_of.get(key, -1) for key in all_keys.to_list()])
        new_names = {}
        for name in table.columns:
            cells = donated(table.column(name), rows)
            if number > 1 and name == releases.key:  # of rows that the first release lacks
                columns[name] = columns[name].zip_with(columns[name].is_not_null(), cells)
                continue
            new_names[name] = new = name if number == 1 else _free_name(name, number, columns)
            columns[new], codes[new] = cells.alias(new), donated(table.missing_code(name), rows)
            attributes[new] = table.schema[name]
        names.append(new_names)
    frame = pl.DataFrame(list(columns.values()))
    data = Microdata.from_columns(frame, Schema(attributes), codes)
    row_map = all_keys.cast(pl.Int64).to_numpy() if releases.key is True else None
    origin = _origin(releases.releases) if releases.key is True else {}
    return JoinedReleases(data, row_map, origin, tuple(names), releases.releases)


def _free_name(name: str, number: int, taken: Mapping[str, Any]) -> str:
    free = f"{name} ({number})"
    while free in taken:
        free += "'"
    return free


def _origin(releases: Sequence[Release]) -> dict[str, int]:
    """The fingerprints of the table that all were made of."""
    first = releases[0].origin
    if any(release.origin != first for release in releases):
        raise DataError(
            "releases: these were made from different tables or row orders; name the column "
            "that identifies rows as key"
        )
    return first


def _keys(release: Any, table: Microdata, key: str | bool) -> pl.Series:
    if key is True:
        if not isinstance(release, Release) or release.row_map is None:
            raise UsageError(
                "releases: key: true is for Releases made in this program; for files, name the "
                "column that identifies rows"
            )
        return pl.Series(release.row_map.astype(str))
    if key not in table.columns:
        raise DataError(f"releases: key: {absent_column(str(key), table.columns)}")
    labels = labels_of(table.column(str(key)))
    twice = len(labels) - labels.n_unique()
    if twice or labels.null_count():
        raise DataError(
            f"releases: key: column '{key}' is missing or repeated in "
            f"{count(twice + labels.null_count(), 'row')}; a key identifies one row"
        )
    return labels
