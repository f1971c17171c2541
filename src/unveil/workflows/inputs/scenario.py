"""The scenario of attacks: the files and the truth, read once for several attacks."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from unveil.attacks import METHODS
from unveil.attacks.base import Attack, LearntSearch, LinkageFiles, RowPositions
from unveil.attacks.matched.calibration import Simulation
from unveil.attacks.matched.finder import matched
from unveil.engines.base import Engine
from unveil.engines.select import AUTO, SelectedEngine
from unveil.engines.select import engine as select_engine
from unveil.errors import UnveilError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.support.arrays import Ints
from unveil.support.memory import require_memory
from unveil.support.seeds import stream
from unveil.table.encoding.form_columns import add_form_columns, add_forms_of
from unveil.table.encoding.shared_attributes import recode_like_release
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.block_keys import block_columns
from unveil.values.file_pair import CanonicalOrder, FilePair
from unveil.values.intruder import Intruder
from unveil.values.links import Finder, Links
from unveil.values.release.composition import Masking
from unveil.values.release.plan import SEED_BITS, Plan, check_seed
from unveil.values.release.release import Release, Releases
from unveil.wording import count, listing
from unveil.workflows.inputs.intruder_view import (
    compared_columns,
    disjoint_columns,
    held_rows,
    known_blocks,
    table_of,
)
from unveil.workflows.inputs.joined_releases import JoinedReleases, join_releases
from unveil.workflows.inputs.known_masking import reseeded
from unveil.workflows.inputs.sources import as_microdata, schema_for_others
from unveil.workflows.inputs.stale_cells import stale_cells
from unveil.workflows.inputs.stand_in import stand_in
from unveil.workflows.inputs.truth import ROW_ORDER, correspondence
from unveil.workflows.mask import mask_again

FIRST_SIMULATION = 2000  # these seeds differ from those of other repeated maskings


@dataclass(frozen=True, repr=False, eq=False)
class Scenario:
    """Two files, the truth, and the records of an intruder: where every attack begins.

    The attack, the known columns and the direction may differ; the records may not.
    """

    original: Microdata
    release: JoinedReleases  # one, or several
    pair: FilePair  # the intruder's records and the released rows
    positions: RowPositions
    intruder: Intruder  # who holds these records
    truth: Any  # as the user stated it
    seed: int
    on_bound: Callable[[float, float], None] | None = None  # progress of learning: links, bound
    engine: SelectedEngine = field(default_factory=select_engine)
    read: Callable[[Any], Microdata] = as_microdata  # the files that an attack names

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "on_bound": None}  # a callback stays in its process

    def on(self, release: Microdata) -> Scenario:
        """The same scenario with other cells in the released rows."""
        if release is self.pair.release:
            return self
        return replace(self, pair=replace(self.pair, release=release))

    def holding(self, rows: Ints) -> Scenario:
        """The same files for an intruder who holds only these of the records."""
        truth = None if self.pair.truth is None else self.pair.truth.take_records(rows)
        return replace(
            self,
            pair=FilePair(self.pair.original.take(rows), self.pair.release, truth),
            positions=self.positions._replace(intruder=self.positions.intruder[rows]),
            intruder=msgspec.structs.replace(self.intruder, records=tuple(rows.tolist())),
        )

    def links(self, spec: Attack, intruder: Intruder) -> Links:
        """The links of one attack; see `unveil.attack`."""
        check_kinds(spec, intruder, self.truth)
        _check_records(intruder, self.intruder)
        files, pair, intruder = self.linkage_files(spec, intruder)
        _warn_of_separated(files)
        need = spec.memory(len(pair.original), len(pair.release), 2 * len(files.columns))
        require_memory(need, spec.name, "name fewer attributes (--knows), or attack a sample")
        return self.links_of(spec.read_inputs(self.read), intruder, files, pair)

    def linkage_files(
        self, spec: Attack, intruder: Intruder, simulated: Masking | None = None
    ) -> tuple[LinkageFiles, FilePair, Intruder]:
        """The compared files, the pair as this intruder sees it, and the intruder's knowledge."""
        records, released = self.pair.original, self.pair.release
        knowing = self.release.knowing(intruder)
        columns: tuple[str, ...] = ()
        others: tuple[str, ...] = ()
        if spec.needs_common_attributes:
            columns = compared_columns(spec, records, released, knowing)
        else:
            columns, others = disjoint_columns(spec.name, records, released, knowing)
        masking, pair, remask = None, self.pair, None
        if spec.knows is not None:
            if intruder.channel is False:  # a Release knows it
                intruder = msgspec.structs.replace(intruder, channel=True)
            known = self.release.known_by(intruder, self.original, self.seed)
            masking = self.release.masking_of(known, self.original, columns, self.seed, simulated)
            if masking is not None and len(known) == 1:  # several cannot be masked again
                remask = FilesMaskedAgain(self, spec, intruder, known[0].plan, masking)
            if spec.knows == "original":
                records = self.release.repeat_masking(known, records, self.seed)
                pair = replace(pair, original=records)
        else:  # who knows the masking knows what it has merged
            blocks = block_columns(intruder.blocks, released.columns)
            records = recode_like_release(released, records, (*columns, *blocks))
        records, released, described = add_form_columns(records, released, columns)
        files = LinkageFiles(
            intruder_records=records,
            reference=records,
            release=released,
            columns=columns,
            few_records=not intruder.has_all,
            reverse=intruder.reverse,
            blocks=known_blocks(records, released, intruder),
            truth=pair.truth,
            positions=self.positions,
            error=intruder.error,
            masking=masking,
            others=others,
            form_columns=described,
            seed=self.seed,
            on_bound=self.on_bound,
            engine=self.engine,
            remask=remask,
        )
        return files, pair, intruder

    def links_of(
        self, spec: Attack, intruder: Intruder, files: LinkageFiles, pair: FilePair
    ) -> Links:
        """The links of an attack on these records, whose true rows are those of the pair."""
        order = CanonicalOrder(pair, files.reverse)
        with METHODS.blame(type(spec)):
            finder = spec.finder(files)
        learnt = getattr(finder, "learnt", None)
        return Links(
            attack=spec,
            intruder=intruder,
            finder=matched(
                finder,
                spec.matching_of(finder),
                order,
                self.seed,
                Simulation(files, partial(_link_files, spec, learnt)),
                roots=spec.adds_roots,
            ),
            pair=pair,
            records=np.arange(files.queries_first(len(pair.original), len(pair.release))[0]),
            positions=files.queries_first(files.positions.intruder, files.positions.released),
            compared=tuple(dict.fromkeys((*files.columns, *files.blocks.attributes))),
            attack_strangers=StrangerAttack(self, spec, intruder, replace(files, learnt=learnt)),
            seed=self.seed,
        )


def _link_files(
    spec: Attack, learnt: LearntSearch | None, files: LinkageFiles
) -> tuple[Finder, FilePair]:
    """The finder of an attack on other files, and who is who in them."""
    finder = spec.finder(replace(files, learnt=learnt))
    pair = FilePair(*files.pair, files.truth)
    order = CanonicalOrder(pair, files.reverse)
    return matched(finder, spec.matching_of(finder), order, files.seed), pair


@dataclass(frozen=True, repr=False, eq=False)
class FilesMaskedAgain:
    """The intruder's file, filled up with released rows, masked by the same plan with other seeds.

    The intruder knows his own records, of all people or of some, the release and the plan. Of a
    release of other columns and rows than he has, the released cells stand in for the original.
    His own records are then out of date in as many cells as he believes.
    """

    scenario: Scenario
    spec: Attack
    intruder: Intruder
    plan: Plan
    masking: Masking

    def __call__(self, run: int) -> LinkageFiles | None:
        scenario, seed = self.scenario, self.scenario.seed
        pair = scenario.pair.original, scenario.pair.release
        blocks = block_columns(self.intruder.blocks, pair[1].columns)
        known = {*compared_columns(self.spec, *pair, self.intruder), *blocks}
        rng = stream(seed, "attack", "simulation", str(run))
        try:
            people, own = stand_in(scenario.pair, known, rng)
            release = mask_again(people, reseeded(self.plan, seed, FIRST_SIMULATION + run))
            held = None if self.intruder.has_all else tuple(own.tolist())
            intruder = msgspec.structs.replace(self.intruder, records=held, channel=True)
            again = prepare(
                people, release, intruder=intruder, truth=None, seed=seed, engine=scenario.engine
            )
            if intruder.error:
                own_seed = int(rng.integers(2**SEED_BITS))
                columns = sorted(known.difference(blocks))
                held_pair = again.pair
                records = stale_cells(
                    held_pair.original, columns, intruder.error, held_pair.original_order, own_seed
                )
                again = replace(again, pair=replace(again.pair, original=records))
            files, *_ = again.linkage_files(self.spec, intruder, self.masking)
        except UnveilError:  # the stand-in does not fit the plan
            return None
        return replace(files, remask=None)


@dataclass(frozen=True, repr=False, eq=False)
class StrangerAttack:
    """The same attack on people who are not in the release: ranks and scales stay."""

    scenario: Scenario
    spec: Attack
    intruder: Intruder
    files: LinkageFiles

    def __call__(self, source: Any) -> Links:
        """The links of these people, who have no released row."""
        scenario, files = self.scenario, self.files
        people = scenario.release.copied(table_of(source, scenario.pair.original.schema))
        for name in files.columns:
            people.check(name)
        if self.spec.knows is None:
            compared = (*files.columns, *files.blocks.attributes)
            people = recode_like_release(files.release, people, compared)
        people = add_forms_of(people, files.release, files.form_columns)
        others = replace(
            files,
            intruder_records=people,
            blocks=known_blocks(people, files.release, self.intruder),
            positions=files.positions._replace(
                intruder=np.arange(len(people)), file_size=len(people)
            ),
        )
        nobody = FilePair.of(people, files.release, np.full(len(files.release), -1))
        return scenario.links_of(self.spec, self.intruder, others, nobody)


def prepare(
    original: Any,
    release: Any,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    intruder: Intruder,
    truth: Any,
    seed: int,
    engine: str | Engine = AUTO,
) -> Scenario:
    """Read the files and the truth; the intruder says which records are held."""
    seed, chosen = check_seed(seed), select_engine(engine)
    declared = _schema_of_others(original, release, intruder, schema)
    if isinstance(original, Microdata):
        people = original
    else:
        people = as_microdata(original, schema)
        declared = schema_for_others(people, declared)
    joined = join_releases(release, declared)
    released = joined.data
    file = table_of(intruder.records, declared) if intruder.has_file else None
    records = joined.copied(people if file is None else file)
    rows = np.arange(len(people)) if file is None else None
    pair = FilePair(records, released, correspondence(truth, records, rows, people, joined))
    scenario = Scenario(
        original=people,
        release=joined,
        pair=pair,
        positions=RowPositions(
            np.arange(len(records)), len(records), _as_written(release, len(released))
        ),
        intruder=intruder,
        truth=truth,
        seed=seed,
        engine=chosen,
    )
    held = held_rows(intruder, pair, seed)
    return scenario if held is None else replace(scenario.holding(held), intruder=intruder)


def _schema_of_others(
    original: Any, release: Any, intruder: Intruder, schema: Schema | str | os.PathLike[str] | None
) -> Schema | None:
    """The schema of files beside the original that have none; without one, the original's."""
    releases = release.releases if isinstance(release, Releases) else (release,)
    files = [] if isinstance(original, Microdata) else [original]
    files += [one for one in releases if not isinstance(one, Microdata | Release)]
    if intruder.has_file and not isinstance(intruder.records, Microdata):
        files.append(intruder.records)
    if schema is not None and not files:
        raise UsageError("Microdata has its own schema; leave out schema=")
    if schema is None and isinstance(original, Microdata):
        return original.schema
    return as_schema(schema)


def _as_written(release: Any, n: int) -> Ints:
    """The position of each released row in the file, as it is or would be written."""
    if not isinstance(release, Release) or release.plan.keep_order:
        return np.arange(n)
    places = np.empty(n, np.int64)
    places[release.written_order()] = np.arange(n)
    return places


def check_kinds(spec: Any, intruder: Any, truth: Any) -> None:
    """Refuse an attack, an intruder and a truth that do not go together."""
    if not isinstance(spec, Attack):
        raise UsageError(f"an attack is one of unveil.attacks, not {type(spec).__name__}")
    if not isinstance(intruder, Intruder):
        raise UsageError(f"an intruder is an Intruder, not {type(intruder).__name__}")
    spec.check(intruder, ordered_truth=isinstance(truth, str) and truth == ROW_ORDER)


def _check_records(intruder: Intruder, other: Intruder) -> None:
    files = intruder.has_file or other.has_file  # not compared cell by cell
    if intruder.records is not other.records and (files or intruder.records != other.records):
        raise UsageError(
            "intruder: records: differ from those of the scenario; prepare another scenario"
        )


def _warn_of_separated(files: LinkageFiles) -> None:
    """Warn where blocks separate records from their true rows."""
    if not files.blocks.columns or files.truth is None:
        return
    rows = files.truth.row_of_record
    there = np.flatnonzero(rows >= 0)
    apart = ~files.blocks.between.compares(there, rows[there])
    if apart.any():
        logging.getLogger("unveil").warning(
            "blocks by %s separate %s from their true rows, which therefore cannot be linked; "
            "block by unmasked columns only",
            listing(files.blocks.columns),
            count(int(apart.sum()), "record"),
        )
