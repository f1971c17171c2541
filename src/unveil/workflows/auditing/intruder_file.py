"""The intruder's own file in an audit: whose records it has, and which attacks fit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from unveil.attacks import Attack, Pairs, Position, Structural
from unveil.errors import DataError, UsageError
from unveil.support.arrays import Ints
from unveil.table.microdata import Microdata
from unveil.table.row_identity import rows_of_ids
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.wording import listing
from unveil.workflows.auditing.attack_runs import AttackRun, default_attacks, tasks_of
from unveil.workflows.inputs.intruder_view import told_of
from unveil.workflows.inputs.scenario import Scenario, prepare

APART = 10_000  # records of either file, up to which files are linked that share no attribute


@dataclass(frozen=True, repr=False, eq=False)
class IntruderFile:
    """A file of the intruder's own about people of the original."""

    scene: Scenario
    people: Ints  # the original's row of each of its records, -1 for none

    @property
    def data(self) -> Microdata:
        """The file."""
        return self.scene.places.intruder_records

    @cached_property
    def both(self) -> FilePair:
        """The file beside the release."""
        return FilePair(self.data, self.scene.side.data, self.scene.places.record_of_row)

    @property
    def there(self) -> Ints:
        """The originals of those who are in the release, too."""
        pairs = self.scene.places.pairs
        return self.people[pairs >= 0] if pairs is not None else self.people[:0]

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """What it says of people; what names them in the original does so here, too."""
        named = self.scene.original.schema.with_role("identifier")
        return tuple(name for name in told_of(self.data) if name not in named)

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The attributes that the release has, too."""
        released = told_of(self.scene.side.data)
        return tuple(name for name in self.attributes if name in released)


def own_file(data: Microdata, scene: Scenario, release: Any) -> IntruderFile:
    """Find the people of the intruder's file in the original; refuse a file that has none.

    Who is who is told by the one identifier that the file shares with the original; which
    released row is whose is known already.

    Parameters
    ----------
    data
        The intruder's file.
    scene
        The audit's files, and its truth.
    release
        The release as it was given.
    """
    people = scene.original
    if scene.places.record_of_row is None:
        raise UsageError(
            "intruder file: the rows of this release are nobody's, so that nobody can be found in "
            "them: leave it out"
        )
    secret = people.schema.with_role("identifier")
    shared = [name for name in people.columns if name in secret and name in data.columns]
    if len(shared) != 1:
        there = f"{listing(shared)} are in both" if shared else "none is in both"
        raise DataError(
            "intruder file: who is who is told by one identifier that the file has and the "
            f"original, declared in the schema: {there}; identifiers of the original: "
            f"{listing(name for name in people.columns if name in secret) or 'none'}; the "
            f"file has: {listing(data.columns)}"
        )
    rows_of_ids(
        data.column(shared[0]), data, shared[0]
    )  # which refuses somebody who is there twice
    found = rows_of_ids(data.column(shared[0]), people, shared[0])
    if (found < 0).all():
        raise DataError(
            f"intruder file: nobody of the original is in it, by column '{shared[0]}': are the "
            "identifiers written alike?"
        )
    own = prepare(
        people,
        release,
        intruder=Intruder(records=data),
        truth=scene.places.record_of_row,
        seed=scene.seed,
    )
    if own.places.pairs is None or (own.places.pairs < 0).all():
        raise DataError(
            "intruder file: nobody who is in it and in the original is in the release, so that "
            "nobody can be found"
        )
    return IntruderFile(own, found)


def file_tasks(file: IntruderFile, asked: Sequence[Attack] | None) -> list[AttackRun]:
    """The attacks by somebody who has this file.

    Attributes that it shares with the release are compared by the attacks that were asked for, or
    those that fit the data, in both directions. Where there are none, the files are linked by how
    the records of each are placed among their own: once, since a matching is the same from both
    sides.
    """
    known = file.shared or _alone(file)
    specs = [spec for spec in asked or () if _fits(spec, file)]
    if not specs:
        fitting = default_attacks(file.both, known, told=False) if file.shared else [Structural()]
        specs = [spec for spec in fitting if _fits(spec, file)]
    return [
        AttackRun(
            task.spec,
            msgspec.structs.replace(task.intruder, records=file.data),
            task.number,
            by_file=True,
        )
        for task in tasks_of(specs, file.both, known, channel=False)
        if file.shared or not task.intruder.reverse
    ]


def _fits(spec: Attack, file: IntruderFile) -> bool:
    """Whether an attack can be made with the file, by somebody who is told of no mask."""
    if not file.shared or isinstance(spec, Structural):
        return isinstance(spec, Structural) and not file.shared
    return spec.knows is None and not isinstance(spec, Position | Pairs)


def _alone(file: IntruderFile) -> tuple[str, ...]:
    """The attributes of a file that shares none; refused where that cannot be linked."""
    many = max(len(file.data), len(file.both.release))
    if not file.attributes:
        raise DataError(
            "intruder file: beside the identifier it has no attribute, so there is nothing to link "
            "by"
        )
    if many > APART:
        raise UsageError(
            "intruder file: it shares no attribute with the release, and such files are linked if "
            f"neither has more than {APART:,} records; one has {many:,}: audit a sample"
        )
    return file.attributes
