"""What an audit is of: the two files read, held against each other, and whose rows are whose."""

import hashlib
import io
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unveil.attacks.distance.category_sets import comparable
from unveil.errors import DataError, SchemaError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.locations import locate, may_have_format
from unveil.files.tables import read
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release, Releases
from unveil.values.results.evidence import Input
from unveil.wording import absent_column, listing
from unveil.workflows.auditing.attack_runs import FITTED, AttackRun
from unveil.workflows.auditing.checks import check_columns, check_truth, doubts, identifiers_in
from unveil.workflows.auditing.intruder_file import IntruderFile, own_file
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.inputs.scenario import Scenario, prepare
from unveil.workflows.inputs.sources import OWN_SCHEMA, as_microdata, for_others, renamed
from unveil.workflows.inputs.truth import ROW_ORDER
from unveil.workflows.mask import check_steps, steps_of

OWN_FILE = "intruder file"  # among what goes in
GIVEN = "rows given as numbers"  # which evidence does not hold
NOBODY = "none"  # the truth of a release whose rows are nobody's


@dataclass(frozen=True, repr=False, eq=False)
class AuditInputs:
    """Two files side by side, and what is known of them."""

    scene: Scenario
    plan: Plan | None  # how the release was masked
    channel: bool | Plan  # the same, as an intruder is told it
    known: tuple[str, ...]  # what an intruder may know
    inputs: dict[str, Input]
    truth: str | None  # as it was told
    notes: tuple[str, ...] = ()
    file: IntruderFile | None = None  # of the intruder's own

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Those that the release still has."""
        return identifiers_in(self.both.original, self.both.release)

    def is_quick(self, task: AttackRun) -> bool:
        """Whether an attack can be made many times over: it need not be fitted, or to few."""
        return task.blind or len(self.scene.original) <= FITTED

    def scene_of(self, task: AttackRun) -> Scenario:
        """Where an attack is made."""
        return self.file.scene if task.by_file and self.file is not None else self.scene

    @cached_property
    def both(self) -> FilePair:
        """The tables, and the original's row of each released row."""
        return FilePair(self.scene.original, self.scene.side.data, self.scene.places.record_of_row)


def case_of(
    original: Any, release: Any, schema: Any, truth: Any, settings: AuditSettings, seed: int
) -> AuditInputs:
    """Read the files and find out which released row is whose; refuse what cannot be audited."""
    if isinstance(release, Releases):
        raise UsageError("an audit is of one release: audit each, and compare the evidence")
    nobody = isinstance(truth, str) and truth == NOBODY
    if nobody and isinstance(release, Release) and release.row_map is not None:
        raise UsageError("truth: this Release knows whose its rows are: leave out truth='none'")
    people, released = _read(original, release, schema, settings)
    for name in settings.rename.values():
        if name not in people.columns:
            raise DataError(f"rename: in the original, {absent_column(name, people.columns)}")
    plan, channel = _plan(release, settings)
    if settings.plan is not None:
        # It is carried out again, after hours perhaps.
        check_steps(steps_of(settings.plan, people), people)
    table = released.data if isinstance(released, Release) else released
    notes = check_columns(people, table)
    scene = prepare(
        people, released, intruder=Intruder(), truth=None if nobody else truth, seed=seed
    )
    if not nobody:
        check_truth(scene, released, truth)
    inputs = {"original": _input(original, people), "release": _input(release, table)}
    by_word = isinstance(truth, str) and truth in (NOBODY, ROW_ORDER, *people.columns)
    if isinstance(truth, str | os.PathLike) and not by_word:
        inputs["truth"] = _place(truth)
    file = _own_file(settings, scene, released, inputs)
    known, too_many = _comparable(_known(people, table, settings), people, table)
    case = AuditInputs(
        scene=scene,
        plan=plan,
        channel=channel,
        known=known,
        inputs=inputs,
        truth=_told(truth),
        file=file,
    )
    return replace(case, notes=(*notes, *too_many, *doubts(case.both, seed)))


def _own_file(
    settings: AuditSettings, scene: Scenario, released: Any, inputs: dict[str, Input]
) -> IntruderFile | None:
    """The intruder's own file, read as the original's schema says; it is one more input."""
    given = settings.intruder_file
    if given is None:
        return None
    declared = None if isinstance(given, Microdata) else scene.original.schema.where_there()
    data = _table(given, declared, settings)
    inputs[OWN_FILE] = _input(given, data)
    return own_file(data, scene, released)


def _told(truth: Any) -> str | None:
    if truth is None or isinstance(truth, str | os.PathLike):
        return None if truth is None else os.fspath(truth)
    return GIVEN


def _read(
    original: Any, release: Any, schema: Any, settings: AuditSettings
) -> tuple[Microdata, Any]:
    """Both files, the release's columns called as the original's are."""
    ready = [isinstance(one, Microdata | Release) for one in (original, release)]
    if schema is not None and all(ready):
        raise UsageError("these Microdata have a schema already: leave out schema=")
    people = _table(original, None if ready[0] else as_schema(schema), settings)
    if isinstance(release, Release):
        if settings.rename:
            raise UsageError("rename: a Release has the names of the table that it was made of")
        return people, release
    if isinstance(release, Microdata):
        return people, _renamed(release, settings.rename)
    own: Schema | None = settings.release_schema
    if own is not None:
        return people, _renamed(_table(release, own, settings), settings.rename)
    back = {new: old for old, new in settings.rename.items()}
    declared = for_others(people, as_schema(schema)) or people.schema
    own = Schema({back.get(name, name): declared[name] for name in declared}).where_there()
    try:
        return people, _renamed(_table(release, own, settings), settings.rename)
    except (DataError, SchemaError) as error:
        error.or_else(OWN_SCHEMA)
        # What is declared as numbers may be none here: then all such columns are told at once.
        others = Schema({name: own[name] for name in own if own[name].level != "numeric"})
        loose = None
        with suppress(DataError, SchemaError):
            loose = _renamed(_table(release, others.where_there(), settings), settings.rename)
        if loose is not None:
            with suppress(DataError):
                check_columns(people, loose)
        raise


def _table(source: Any, schema: Schema | None, settings: AuditSettings) -> Microdata:
    if isinstance(source, str | os.PathLike):
        given = settings.format
        fits = given is not None and may_have_format(source, type(given))
        return read(source, schema, format=given if fits else None)
    return as_microdata(source, schema)


def _renamed(data: Microdata, names: dict[str, str]) -> Microdata:
    """The release under the original's names; refused where these do not fit."""
    if not names:
        return data
    for old in names:
        if old not in data.columns:
            raise DataError(f"rename: in the release, {absent_column(old, data.columns)}")
    called = [names.get(name, name) for name in data.columns]
    twice = sorted({name for name in called if called.count(name) > 1})
    if twice:
        raise UsageError(f"rename: two columns of the release would be called {listing(twice)}")
    return renamed(data, names)


def _plan(release: Any, settings: AuditSettings) -> tuple[Plan | None, bool | Plan]:
    if isinstance(release, Release):
        if settings.plan is not None:
            raise UsageError("plan: a Release knows its own: leave it out")
        return release.plan, True
    if settings.plan is None:
        return None, False
    return settings.plan, settings.plan


def _known(people: Microdata, released: Microdata, settings: AuditSettings) -> tuple[str, ...]:
    """What an intruder may know: quasi-identifiers that both files have."""
    if settings.knows is not None:
        for name in settings.knows:
            for data, whose in ((people, "original"), (released, "release")):
                if name not in data.columns:
                    raise DataError(f"knows: in the {whose}, {absent_column(name, data.columns)}")
        return settings.knows
    quasi = people.require("quasi")
    found = tuple(name for name in quasi if name in released.columns)
    if not found:
        raise SchemaError(
            f"the release has none of the quasi-identifiers {listing(quasi)}; it has: "
            f"{listing(released.columns)}; if they are called otherwise, say so by rename "
            "(--rename NEW=OLD)"
        )
    return found


def _comparable(
    known: tuple[str, ...], people: Microdata, released: Microdata
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is known, but for sets of categories too many to compare; and a note of these."""
    kept = tuple(name for name in known if comparable(people, released, name))
    if not kept:  # then the attacks say why
        return known, ()
    return kept, tuple(
        f"column '{name}' is left out of what the intruder knows: it has more different sets of "
        "categories than can be compared, so that the risk may be higher"
        for name in known
        if name not in kept
    )


def _input(source: Any, data: Microdata) -> Input:
    if isinstance(source, str | os.PathLike):
        return _place(source, len(data))
    text = io.BytesIO()
    data.to_text_frame().write_csv(text)
    return Input(file=None, sha256=hashlib.sha256(text.getvalue()).hexdigest(), records=len(data))


def _place(source: str | os.PathLike[str], records: int | None = None) -> Input:
    place = locate(source)
    return Input(file=str(place), sha256=place.digest(), records=records)
