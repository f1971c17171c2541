"""The inputs of an audit: both files read and checked for consistency, and the truth."""

import hashlib
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from unveil.attacks.base import Attack, AuditedFiles
from unveil.attacks.distance.category_sets import comparable
from unveil.errors import DataError, SchemaError, UnveilError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.locations import locate
from unveil.measures import read_off
from unveil.measures.identity.subgroups import Subgrouping, every_subgroup
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.release.channels import Channel
from unveil.values.release.composition import compose
from unveil.values.release.plan import Plan
from unveil.values.release.release import Release, Releases
from unveil.values.results.evidence import Input, KnownMask
from unveil.values.results.read_off import ReadOff
from unveil.wording import absent_column, listing
from unveil.workflows.auditing.checks import check_columns, check_truth, doubts
from unveil.workflows.auditing.intruder_file import IntruderFile, find_people
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.inputs.known_masking import groups_are_repeatable
from unveil.workflows.inputs.scenario import Scenario, prepare
from unveil.workflows.inputs.sources import OWN_SCHEMA, renamed, schema_for_others, table_in
from unveil.workflows.inputs.truth import ROW_ORDER
from unveil.workflows.mask import check_masks, masks_of

INTRUDER_FILE = "intruder file"  # among the input files
ROW_NUMBERS = "rows given as numbers"  # which evidence does not hold
SYNTHETIC = "none"  # the truth of a release without real people


@dataclass(frozen=True, repr=False, eq=False)
class AuditInputs:
    """The two files of an audit, the truth, and what an intruder may know."""

    scenario: Scenario  # of the attacks: what can be read off the release is filled in
    pair: FilePair  # the original and the release as it is
    plan: Plan | None  # how the release was masked
    channel: bool | Plan  # what an intruder knows of the plan
    known: tuple[str, ...]  # attributes that an intruder may know
    files: dict[str, Input]
    truth: str | None  # as the user stated it
    notes: tuple[str, ...] = ()
    file: IntruderFile | None = None
    show_values: bool = False  # whether undeclared categories are named by their codes
    read_off: ReadOff | None = None  # None: no cell is suppressed or generalised

    @property
    def audited_files(self) -> AuditedFiles:
        """The files of the audit, from which attacks decide whether they suit it."""
        plan, people = self.plan, self.pair.original
        return AuditedFiles(
            self.pair,
            self.known,
            knows_masking=self.channel is not False,
            repeats_groups=plan is not None and groups_are_repeatable(plan, people, self.known),
            without_formula=self._lacks_formula(),
        )

    def _lacks_formula(self) -> bool:
        """Whether the masking does something to known attributes that no formula describes."""
        masking = compose(self.channels, self.known)
        return bool(masking.unsettled) or any(one.is_fitted for one in masking.channels)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """What an intruder knows that the masks did; nothing without a plan."""
        scenario, intruder = self.scenario, Intruder(channel=self.channel)
        with suppress(UnveilError):  # a plan that fails has no attack either
            known = scenario.release.known_by(intruder, scenario.original, scenario.seed)
            return tuple(channel for one in known for channel in one.channels)
        return ()

    def mask_knowledge(self, attacks: Mapping[str, Attack]) -> tuple[KnownMask, ...]:
        """Which of these attacks use how each mask of known attributes works.

        An attack uses a mask if it uses every channel of these attributes: what one mask did cannot
        be told from what another did to the same cells.
        """
        if self.plan is None:
            return ()
        masks = list[KnownMask]()
        for mask in masks_of(self.plan, self.pair.original):
            with suppress(UnveilError):  # of columns that another mask has changed before
                columns = [one for one in mask.targets(self.pair.original) if one in self.known]
                channels = [
                    one for one in self.channels if not set(columns).isdisjoint(one.columns)
                ]
                names = [name for name, one in attacks.items() if all(map(one.uses, channels))]
                if columns:
                    made = tuple(names if channels else ())
                    masks.append(KnownMask(mask=mask.step, columns=tuple(columns), attacks=made))
        return tuple(masks)

    @cached_property
    def groupings(self) -> tuple[Subgrouping, ...]:
        """The originals grouped by each stratum and quasi-identifier."""
        return every_subgroup(self.pair.original, show_values=self.show_values)


def read_inputs(
    original: Any, release: Any, schema: Any, truth: Any, settings: AuditSettings, seed: int
) -> AuditInputs:
    """Read the files and the truth; refuse what cannot be audited."""
    if isinstance(release, Releases):
        raise UsageError("an audit takes one release; audit each, and compare the evidence")
    synthetic = isinstance(truth, str) and truth == SYNTHETIC
    if synthetic and isinstance(release, Release) and release.row_map is not None:
        raise UsageError("truth: this Release has a row map; leave out truth='none'")
    people, released = _read(original, release, schema, settings)
    for name in settings.rename.values():
        if name not in people.columns:
            raise DataError(f"rename: in the original, {absent_column(name, people.columns)}")
    plan, channel = settings.plan, False if settings.plan is None else settings.plan
    if isinstance(release, Release):
        if plan is not None:
            raise UsageError("plan: a Release has its own plan; leave it out")
        plan, channel = release.plan, True
    elif plan is not None:  # remasking carries it out at the end: refuse an impossible one now
        check_masks(plan, masks_of(plan, people), people)
    table = released.data if isinstance(released, Release) else released
    notes = check_columns(people, table)
    scenario = prepare(
        people,
        released,
        intruder=Intruder(),
        truth=None if synthetic else truth,
        seed=seed,
        engine=settings.engine,
    )
    if not synthetic:
        check_truth(scenario, released, truth)
    files = {"original": _input(original, people), "release": _input(release, table)}
    if isinstance(truth, str | os.PathLike) and truth not in (
        SYNTHETIC,
        ROW_ORDER,
        *people.columns,
    ):
        files["truth"] = _located(truth)
    file = None
    if settings.intruder_file is not None:
        source = settings.intruder_file
        declared = None if isinstance(source, Microdata) else people.schema.where_there()
        records = table_in(settings.format, source, declared)
        files[INTRUDER_FILE] = _input(source, records)
        file = find_people(records, scenario, released)
    known, too_many = _comparable(_known(people, table, settings), people, table)
    stated = os.fspath(truth) if isinstance(truth, str | os.PathLike) else ROW_NUMBERS
    filled = read_off(scenario.pair)
    found = filled.found if filled.found.columns else None
    if file is not None:
        file = replace(file, scenario=file.scenario.on(filled.data))
    inputs = AuditInputs(
        scenario=scenario.on(filled.data),
        pair=scenario.pair,
        plan=plan,
        channel=channel,
        known=known,
        files=files,
        truth=None if truth is None else stated,
        file=file,
        show_values=settings.show_values,
        read_off=found,
    )
    smaller = [found.note] if found is not None and found.note else []
    return replace(inputs, notes=(*notes, *too_many, *doubts(inputs.pair, seed), *smaller))


def _read(
    original: Any, release: Any, schema: Any, settings: AuditSettings
) -> tuple[Microdata, Any]:
    """Both files, the release with the column names of the original."""
    ready = [isinstance(one, Microdata | Release) for one in (original, release)]
    if schema is not None and all(ready):
        raise UsageError("Microdata has its own schema; leave out schema=")
    people = table_in(settings.format, original, None if ready[0] else as_schema(schema))
    if isinstance(release, Release):
        if settings.rename:
            raise UsageError("rename: a Release has the column names of its original; leave it out")
        return people, release
    if isinstance(release, Microdata):
        return people, _renamed(release, settings.rename)

    def released(declared: Schema) -> Microdata:
        return _renamed(table_in(settings.format, release, declared), settings.rename)

    if settings.release_schema is not None:
        return people, released(settings.release_schema)
    back = {new: old for old, new in settings.rename.items()}
    declared = schema_for_others(people, as_schema(schema)) or people.schema
    declared = Schema({back.get(name, name): declared[name] for name in declared}).where_there()
    try:
        return people, released(declared)
    except (DataError, SchemaError) as error:
        error.or_else(OWN_SCHEMA)
        # Columns declared as numbers may hold text here: then one error names all of them.
        others = {name: declared[name] for name in declared if declared[name].level != "numeric"}
        loose = None
        with suppress(DataError, SchemaError):
            loose = released(Schema(others).where_there())
        if loose is not None:
            with suppress(DataError):
                check_columns(people, loose)
        raise


def _renamed(data: Microdata, names: dict[str, str]) -> Microdata:
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


def _known(people: Microdata, released: Microdata, settings: AuditSettings) -> tuple[str, ...]:
    """The attributes that an intruder may know: quasi-identifiers of both files."""
    if settings.knows is not None:
        for name in settings.knows:
            for data, whose in ((people, "original"), (released, "release")):
                if name not in data.columns:
                    raise DataError(f"knows: in the {whose}, {absent_column(name, data.columns)}")
        return settings.knows
    quasi = people.require("quasi")
    known = tuple(name for name in quasi if name in released.columns)
    if not known:
        raise SchemaError(
            f"the release has none of the quasi-identifiers {listing(quasi)}; it has: "
            f"{listing(released.columns)}; name renamed columns (--rename NEW=OLD)"
        )
    return known


def _comparable(
    known: tuple[str, ...], people: Microdata, released: Microdata
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The known attributes without those that have too many sets of categories; notes on these."""
    kept = tuple(name for name in known if comparable(people, released, name))
    if not kept:  # then the attacks say why
        return known, ()
    return kept, tuple(
        f"column '{name}' is left out of the known attributes, because it has too many different "
        "sets of categories to compare; the risk may be higher"
        for name in known
        if name not in kept
    )


def _input(source: Any, data: Microdata) -> Input:
    if isinstance(source, str | os.PathLike):
        return _located(source, len(data))
    text = io.BytesIO()
    data.to_text_frame().write_csv(text)
    return Input(file=None, sha256=hashlib.sha256(text.getvalue()).hexdigest(), records=len(data))


def _located(source: str | os.PathLike[str], records: int | None = None) -> Input:
    place = locate(source)
    return Input(file=str(place), sha256=place.digest(), records=records)
