"""The scene of several attacks: the files that are read, and the truth that is told, once."""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from unveil.attacks import Attack, Pairs, Position, Structural
from unveil.attacks.base import LinkageFiles, RowPositions
from unveil.attacks.matched.finder import matched
from unveil.errors import SpecError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.support.arrays import Ints
from unveil.table.encoding.shared_attributes import recode_like_release
from unveil.table.microdata import Microdata
from unveil.table.row_identity import CanonicalOrder, RowIdentity
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.release.plan import check_seed
from unveil.values.release.release import Release, Releases
from unveil.wording import count, listing
from unveil.workflows.inputs.intruder_view import (
    as_others,
    columns_apart,
    compared_columns,
    drawn_rows,
    known_blocks,
)
from unveil.workflows.inputs.joined_releases import JoinedReleases, together
from unveil.workflows.inputs.known_masking import check_level
from unveil.workflows.inputs.sources import as_microdata, for_others
from unveil.workflows.inputs.truth import ROW_ORDER, TruthSources, true_rows


@dataclass(frozen=True, repr=False, eq=False)
class Scenario:
    """Two files, and the records of an intruder: what every attack on them begins with.

    Attacks, the columns that are known and the direction may differ; whose records these are
    may not.
    """

    original: Microdata
    side: JoinedReleases  # the release, or several
    places: RowIdentity  # of the intruder's records and of the released rows
    positions: RowPositions
    intruder: Intruder  # whose records these are
    truth: Any  # as it was told
    seed: int
    told: Callable[[float, float], None] | None = None  # how learning goes on: links, and a bound

    def links(self, spec: Attack, intruder: Intruder) -> Links:
        """The links of one attack; see `unveil.attack`.

        >>> import unveil
        >>> people = unveil.households(100)
        >>> intruder = unveil.Intruder(knows=["age", "rent"])
        >>> scene = prepare(people, people, intruder=intruder, truth="person", seed=1)
        >>> scene.links(unveil.attacks.Distance(), intruder)
        Links(distance: 100 records, 100 candidates, truth known)
        """
        check_kinds(spec, intruder, self.truth)
        _check_records(intruder, self.intruder)
        mine, released = self.places.intruder_records, self.side.data
        knowing = self.side.knowing(intruder)
        if isinstance(spec, Structural):
            columns, others = columns_apart(mine, released, knowing)
        else:
            columns, others = compared_columns(spec, mine, released, knowing), ()
        masking, places = None, self.places
        if spec.knows is not None:
            if intruder.channel is False:  # a Release tells it
                intruder = msgspec.structs.replace(intruder, channel=True)
            known = self.side.known_by(intruder, self.original, self.seed)
            masking = self.side.masking_of(known, self.original, columns, self.seed)
            if spec.knows == "original":
                mine = self.side.done_again(known, mine, self.seed)
                places = replace(places, intruder_records=mine)
        else:  # who knows the masking knows what it has merged
            mine = recode_like_release(released, mine, (*columns, *intruder.blocks))
        files = LinkageFiles(
            intruder_records=mine,
            reference=mine,
            release=released,
            columns=columns,
            few_records=not intruder.has_all,
            reverse=intruder.reverse,
            blocks=known_blocks(mine, released, intruder),
            pairs=places.pairs,
            positions=self.positions,
            masking=masking,
            others=others,
            seed=self.seed,
            on_bound=self.told,
        )
        _tell_moved(files)
        if isinstance(spec, Pairs):
            spec = msgspec.structs.replace(spec, pairs=as_microdata(spec.pairs))
        return self._links(spec, intruder, files, places)

    def _links(
        self, spec: Attack, intruder: Intruder, files: LinkageFiles, places: RowIdentity
    ) -> Links:
        """The links of an attack on records that have these places, and these true rows."""
        records, candidates = files.queries_first(len(files.intruder_records), len(files.release))
        known = places.record_of_row if files.reverse else places.pairs

        def again(source: Any) -> Links:
            people = self.side.copied(as_others(source, self.places.intruder_records.schema))
            for name in files.columns:
                people.check(name)
            if spec.knows is None:
                people = recode_like_release(
                    files.release, people, (*files.columns, *intruder.blocks)
                )
            blocks = known_blocks(people, files.release, intruder)
            positions = files.positions._replace(
                intruder=np.arange(len(people)), file_size=len(people)
            )
            others = replace(
                files,
                intruder_records=people,
                blocks=blocks,
                positions=positions,
                learnt=getattr(finder, "learnt", None),
            )
            nobody = np.full(len(people), -1)  # strangers are nobody in the release
            return self._links(spec, intruder, others, RowIdentity(people, files.release, nobody))

        order = CanonicalOrder(places, files.reverse)
        finder = spec.finder(files)
        return Links(
            attack=spec,
            intruder=intruder,
            finder=matched(finder, spec.matching_of(finder), order, self.seed),
            records=np.arange(records),
            truth=known,
            population=records if known is None else int((known >= 0).sum()),
            candidates=candidates,
            positions=files.queries_first(files.positions.intruder, files.positions.released),
            order=order,
            attack_strangers=again,
            seed=self.seed,
        )


def prepare(
    original: Any,
    release: Any,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    intruder: Intruder,
    truth: Any,
    seed: int,
) -> Scenario:
    """Read the files, and find out which released row is whose; see `unveil.attack`.

    Of the intruder it matters which records it has.
    """
    seed = check_seed(seed)
    whole = original if isinstance(original, Microdata) else as_microdata(original, schema)
    others = _for_others(original, release, intruder, schema)
    if not isinstance(original, Microdata):
        others = for_others(whole, others)
    side = together(release, others)
    released = side.data
    own = as_others(intruder.records, others) if intruder.has_file else None
    where = TruthSources(
        mine=side.copied(whole if own is None else own),
        rows=np.arange(len(whole)) if own is None else None,
        original=whole,
        release=released,
        row_map=side.row_map,
        origin=side.origin,
    )
    pairs = true_rows(truth, where)
    drawn = drawn_rows(intruder, where.mine, released, pairs, seed)
    mine = where.mine if drawn is None else where.mine.take(drawn)
    origin = np.arange(len(mine)) if drawn is None else drawn
    return Scenario(
        original=whole,
        side=side,
        places=RowIdentity(mine, released, None if pairs is None else pairs[origin]),
        positions=RowPositions(origin, len(where.mine), _as_written(release, len(released))),
        intruder=intruder,
        truth=truth,
        seed=seed,
    )


def _for_others(
    original: Any,
    release: Any,
    intruder: Intruder,
    schema: Schema | str | os.PathLike[str] | None,
) -> Schema | None:
    """What the columns of a release, or of the intruder's own file, are, unless they say it.

    As the schema says; without one as the original's does.
    """
    every = release.releases if isinstance(release, Releases) else (release,)
    read = isinstance(original, Microdata), all(isinstance(r, Microdata | Release) for r in every)
    own = intruder.has_file and not isinstance(intruder.records, Microdata)
    if schema is not None and all(read) and not own:
        raise UsageError("these Microdata have a schema already: leave out schema=")
    declared = as_schema(schema)
    return original.schema if declared is None and read[0] else declared


def _as_written(release: Any, n: int) -> Ints:
    """Where each released row stands in the file that is, or would be, written."""
    if not isinstance(release, Release) or release.plan.keep_order:
        return np.arange(n)
    places = np.empty(n, np.int64)
    places[release.written_order()] = np.arange(n)
    return places


def check_kinds(spec: Any, intruder: Any, truth: Any) -> None:
    """An attack and an intruder that go together."""
    if not isinstance(spec, Attack):
        raise UsageError(f"an attack is one of unveil.attacks, not {type(spec).__name__}")
    if not isinstance(intruder, Intruder):
        raise UsageError(f"an intruder is an Intruder, not {type(intruder).__name__}")
    if spec.knows is not None:
        check_level(spec.knows, has_all=intruder.has_all)
    elif intruder.channel is not False:
        raise SpecError(
            f"{spec.name}: this attack makes no use of how the release was masked: leave out "
            "channel"
        )
    if isinstance(spec, Position) and isinstance(truth, str) and truth == ROW_ORDER:
        raise SpecError(
            "position: with the truth told by the order of the rows, the order of the rows tells "
            "the truth; give an identifier or a row map"
        )
    if isinstance(spec, Pairs) and intruder.blocks:
        raise SpecError("pairs: blocks are for attacks that compare; these pairs are made")
    if isinstance(spec, Pairs) and not (intruder.has_all or intruder.has_file):
        raise SpecError(
            "pairs: the pairs themselves say which records are linked: leave out records"
        )


def _check_records(intruder: Intruder, other: Intruder) -> None:
    """Both have the same records: which those are is settled once."""
    files = intruder.has_file or other.has_file  # which are not compared cell by cell
    if intruder.records is not other.records and (files or intruder.records != other.records):
        raise UsageError("intruder: records: not those that this scene was prepared for")


def _tell_moved(files: LinkageFiles) -> None:
    """Warn where blocks part records from their true rows."""
    if not files.blocks.columns or files.pairs is None:
        return
    there = files.pairs >= 0
    apart = ~files.blocks.compatible(
        files.blocks.intruder[there], files.blocks.released[files.pairs[there]]
    )
    if apart.any():
        logging.getLogger("unveil").warning(
            "blocks by %s part %s from their true rows, which cannot be found then: were these "
            "columns left unmasked?",
            listing(files.blocks.columns),
            count(int(apart.sum()), "record"),
        )
