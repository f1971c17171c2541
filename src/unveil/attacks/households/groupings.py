"""The households of a release: by their numbers, or derived from shared columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from unveil.attacks.base import LinkageFiles
from unveil.errors import DataError, SchemaError
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Bools, Ints
from unveil.table.households import Homes, household_numbers, households_of, shared_columns
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order
from unveil.table.schema import Schema
from unveil.values.correspondence import Correspondence
from unveil.values.file_pair import FilePair
from unveil.values.household_links import CommonMembers, HouseholdLinks
from unveil.values.links import Finder, Links
from unveil.wording import count

Grouping = Literal["shown", "read-off", "none"]
MOST_MEMBERS = 500  # of a household: the work grows with the third power


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdFiles:
    """The households of both files of a linkage."""

    files: LinkageFiles
    intruder: Homes
    reference: Homes  # whose sizes count; not the intruder's if strangers are linked
    released: Homes
    grouping: Grouping
    shared: tuple[str, ...]  # compared columns that all members share, in both files

    @cached_property
    def same_sizes(self) -> bool:
        """Whether both files have as many households of each size, so that nobody is absent.

        A person may still have moved between households: the truth is never excluded.
        """
        known, shown = np.sort(self.reference.sizes), np.sort(self.released.sizes)
        if self.grouping != "shown" or not np.array_equal(known, shown):
            return False
        if self.files.truth is None:
            return True
        row = self.files.truth.row_of_record
        there = np.flatnonzero(row >= 0)
        homes, groups = self.reference.of_record[there], self.released.of_record[row[there]]
        return np.array_equal(self.reference.sizes[homes], self.released.sizes[groups])

    @property
    def details(self) -> dict[str, Any]:
        """The details about the households of the release."""
        return {"grouping": self.grouping, "released_households": len(self.released)}

    @cached_property
    def pair(self) -> FilePair:
        """The households of both files as records, which differ by their content only."""
        intruder, released = (
            Microdata(pl.DataFrame({"household": rank}), Schema(numeric="household"))
            for rank in (
                _content_ranks(self.files.intruder_records, self.intruder, self.files.columns),
                self._released_ranks,
            )
        )
        truth = self.truth
        if truth is not None and self.files.links_strangers:
            truth = Correspondence.from_rows(np.full(len(intruder), -1), len(released))
        return FilePair(intruder, released, truth)

    @cached_property
    def _released_ranks(self) -> Ints:
        return _content_ranks(self.files.release, self.released, self.files.columns)

    @cached_property
    def _overlap(self) -> Overlap:
        assert self.files.truth is not None  # noqa: S101 - for the type checker
        return Overlap.of(self.reference, self.released, self.files.truth.record_of_row)

    @cached_property
    def truth(self) -> Correspondence | None:
        """The released household of each reference household."""
        files = self.files
        if files.truth is None:
            return None
        ranks = _content_ranks(files.reference, self.reference, files.columns)
        return self._overlap.partners(ranks, self._released_ranks)

    @property
    def common(self) -> CommonMembers | None:
        """The pairs with common members; None if each household is one group, or not known."""
        if self.files.truth is None or self.files.links_strangers or self._overlap.one_to_one:
            return None
        household, group, right, share = self._overlap.pairs
        if self.files.reverse:
            return CommonMembers(group, household, right, share)
        return CommonMembers(household, group, right, right)

    def links(self, persons: Links, finder: Finder, households: Ints) -> HouseholdLinks:
        """The links of some households, given those of their members."""
        sizes = self.files.queries_first(len(self.intruder), len(self.released))
        shared = {one.name: getattr(persons, one.name) for one in fields(Links) if one.init}
        return HouseholdLinks(
            **shared
            | {
                "finder": finder,
                "pair": self.pair,
                "records": households,
                "positions": (np.arange(sizes[0]), np.arange(sizes[1])),
                "compared": (),
                "attack_strangers": lambda people: persons.on(people).households,
            },
            original=self.intruder,
            released=self.released,
            common=self.common,
            rows=persons.origin,
        )


def household_files(files: LinkageFiles, grouping: Grouping | None) -> HouseholdFiles:
    """The households of the intruder's records, and those shown or revealed by the release."""
    intruder, reference = map(households_of, (files.intruder_records, files.reference))
    if intruder is None or reference is None:
        raise SchemaError(
            "households: the intruder's records have no household number: declare its role in the "
            'schema (household = "hid")'
        )
    released, grouping = _released_groups(files, reference, grouping)
    for homes, file in ((intruder, "intruder's records"), (released, "release")):
        _check_sizes(homes, file)
    common = [shared_columns(files.reference, reference), shared_columns(files.release, released)]
    shared = tuple(name for name in files.columns if all(name in one for one in common))
    return HouseholdFiles(files, intruder, reference, released, grouping, shared)


def _released_groups(
    files: LinkageFiles, reference: Homes, grouping: Grouping | None
) -> tuple[Homes, Grouping]:
    """The households that the release shows or reveals; otherwise each row is one household."""
    alone = Homes(np.arange(len(files.release)))
    numbers = shown_numbers(files.reference.schema, files.release)
    shown = households_of(files.release, numbers)
    if grouping == "shown" and shown is None:
        raise DataError("households: the release has no household number; try grouping 'read-off'")
    if shown is not None and (
        grouping == "shown" or (grouping is None and len(shown) < len(alone))
    ):
        return shown, "shown"
    if grouping == "none" or not (grouping or clues(files.release, files.reference, reference)):
        return alone, "none"
    found = read_off(files.release, files.reference, reference)
    return (found, "read-off") if len(found) < len(alone) else (alone, "none")


def shown_numbers(schema: Schema, release: Microdata) -> tuple[str, ...]:
    """The household numbers of a release, by its own schema or by the original's."""
    own = household_numbers(release)
    return own or tuple(name for name in release.columns if "household" in schema[name].role)


def clues(release: Microdata, people: Microdata, known: Homes) -> tuple[str, ...]:
    """The released columns that all members of a household share in the original."""
    numbers = shown_numbers(people.schema, release)
    shared = shared_columns(people, known)
    return tuple(n for n in release.columns if n in shared and n not in numbers)


def read_off(release: Microdata, people: Microdata, known: Homes) -> Homes:
    """Rows with equal cells in columns that members share form a household.

    Columns masked person by person are useless; the columns whose groups look most like households
    are used. A class with more rows than any household has members contains several households,
    which cannot be separated: its rows stay ungrouped.
    """
    columns = clues(release, people, known)
    if not columns:
        raise DataError(
            "households: households cannot be derived, because no released column is constant "
            "within the original's households; grouping 'none' links persons one by one"
        )
    classes = classes_of(release, _telling(release, columns, known))
    sizes = classes.scatter(classes.sizes)
    several = sizes > known.sizes.max()
    number = classes.scatter(np.arange(len(classes.sizes)))
    return Homes.from_cells(np.where(several, -1, number))


def _telling(release: Microdata, columns: Sequence[str], known: Homes) -> tuple[str, ...]:
    """The columns by which rows form groups of household size.

    Starting with all columns or with one, columns are added and removed while this increases the
    number of rows in groups of a size that is as frequent among households.
    """
    persons = np.bincount(known.sizes, known.sizes)
    wanted = persons * (len(release) / persons.sum())

    def fit(names: frozenset[str]) -> tuple[float, list[str]]:
        sizes = classes_of(release, sorted(names)).sizes
        sizes = sizes[sizes < len(wanted)]
        rows = np.bincount(sizes, sizes, minlength=len(wanted))
        return float(np.minimum(rows, wanted).sum()), sorted(names)

    starts = [frozenset(columns), *(frozenset([name]) for name in columns)]
    chosen = max(starts, key=fit)
    while True:
        changed = [other for name in columns if (other := chosen ^ {name})]
        best = max(changed, key=fit, default=chosen)
        if fit(best)[0] <= fit(chosen)[0]:
            return tuple(name for name in columns if name in chosen)
        chosen = best


class Overlap(NamedTuple):
    """The households and released groups with common members, and the number of these members."""

    household: Ints
    group: Ints
    n: Ints  # released rows
    sizes: tuple[int, int]

    @classmethod
    def of(cls, households: Homes, groups: Homes, record_of_row: Ints) -> Overlap:
        """The overlap of households and groups, given the record of each released row."""
        rows = np.flatnonzero(record_of_row >= 0)
        household, group = households.of_record[record_of_row[rows]], groups.of_record[rows]
        keys, n = np.unique(household * len(groups) + group, return_counts=True)
        sizes = len(households), len(groups)
        return cls(keys // len(groups), keys % len(groups), n, sizes)

    @property
    def one_to_one(self) -> bool:
        """Whether each household is one group, and each group one household."""
        return all(len(np.unique(side)) == len(self.n) for side in (self.household, self.group))

    @property
    def pairs(self) -> CommonMembers:
        """The share of each group's rows that is the household's, and the reverse."""
        of_group, of_household = (
            self.n / np.bincount(side, self.n)[side] for side in (self.group, self.household)
        )
        return CommonMembers(self.household, self.group, of_group, of_household)

    def partners(self, rank: Ints, released_rank: Ints) -> Correspondence:
        """For each household the group with most of its members, and the other way round.

        Ties go to the first by content.
        """
        row_of_record, record_of_row = (np.full(n, -1) for n in self.sizes)
        best = _is_best(self.household, self.n, released_rank[self.group])
        row_of_record[self.household[best]] = self.group[best]
        best = _is_best(self.group, self.n, rank[self.household])
        record_of_row[self.group[best]] = self.household[best]
        return Correspondence(row_of_record, record_of_row)


def _is_best(groups: Ints, n: Ints, rank: Ints) -> Bools:
    """Whether a pair is the first of its group with the most members in common."""
    order = np.lexsort((rank, -n, groups))
    best = np.zeros(len(groups), np.bool_)
    best[order[np.diff(groups[order], prepend=-1) != 0]] = True
    return best


def _content_ranks(data: Microdata, homes: Homes, columns: Sequence[str]) -> Ints:
    """The rank of each household by the content of its members."""
    classes = classes_of(data, columns)
    rank = content_order(data)
    first = classes.scatter(np.minimum.reduceat(rank[classes.members], classes.starts[:-1]))
    members = np.split(first[homes.order], homes.starts[1:-1])
    content = [tuple(sorted(one.tolist())) for one in members]
    order = sorted(range(len(content)), key=content.__getitem__)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def _check_sizes(homes: Homes, file: str) -> None:
    most = int(homes.sizes.max())
    if most > MOST_MEMBERS:
        raise DataError(
            f"households: in the {file} a household has {count(most, 'member')}, and at most "
            f"{MOST_MEMBERS} are compared; declare the right household number, or all columns that "
            'form it: household = ["region", "hid"]'
        )
