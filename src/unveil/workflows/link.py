"""Link two files about the same people, with or without common attributes."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np

from unveil.attacks import Attack, Distance, Probabilistic, Structural
from unveil.engines.select import AUTO
from unveil.engines.select import engine as select_engine
from unveil.errors import DataError, SchemaError, SpecError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.formats.base import Format
from unveil.files.locations import check_outputs
from unveil.measures import forecast, risk
from unveil.measures.identity.decisions import optional_decisions
from unveil.measures.identity.forecast import SURE_PROBABILITY
from unveil.measures.identity.risk import parameters_of
from unveil.support.options import TaskProgress
from unveil.table.encoding.shared_attributes import has_mixed_levels
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.release.release import Release, Releases
from unveil.values.results.linking import Linkage
from unveil.wording import absent_column, listing
from unveil.workflows.auditing.attack_names import attack_from, with_parameters
from unveil.workflows.auditing.decision_outputs import NO_OUTPUTS, DecisionOutputs
from unveil.workflows.inputs.common_attributes import common, common_of, like_identifiers
from unveil.workflows.inputs.intruder_view import (
    check_no_identifier,
    disjoint_columns,
    personal_attributes,
)
from unveil.workflows.inputs.link_blocks import check_blocks, check_candidates, checked_blocks
from unveil.workflows.inputs.scenario import Scenario, check_kinds, prepare
from unveil.workflows.inputs.sources import read_table, table_in

EVERYBODY = Intruder()
PROBABILISTIC_ATTRIBUTES = 3  # with fewer, agreement by chance cannot be estimated


@dataclass(frozen=True, kw_only=True)
class LinkSettings:
    """Settings of a linkage of files, beyond the files, the attack and the truth."""

    knows: tuple[str, ...] | None = None  # attributes of the first file to link by
    blocks: tuple[str, ...] = ()  # columns in which compared records are equal
    parameters: Mapping[str, Any] | None = None  # of the default attack, as values or texts
    confidence: float = SURE_PROBABILITY  # probability above which a link is claimed
    format: Format | None = None  # of the files, if its options matter
    links: str | os.PathLike[str] | None = None  # table for the links
    force: bool = False  # overwrite files that exist
    engine: str = AUTO  # that compares the files
    decisions: DecisionOutputs = NO_OUTPUTS  # of decisions on pairs


DEFAULTS = LinkSettings()


def link(  # noqa: PLR0913 - the inputs of a verb, by name
    a: Any,
    b: Any,
    spec: Attack | str | Mapping[str, Any] | None = None,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    other_schema: Schema | str | os.PathLike[str] | None = None,
    blocks: Sequence[str] = (),
    truth: Any = None,
    seed: int = 0,
    engine: str = AUTO,
    progress: TaskProgress | None = None,
) -> Links:
    """Link the records of one file with those of another about (partly) the same people.

    Files that share attributes are compared in these; files that share none are linked by
    structure. No truth is needed: `links.pairs()` has a probability for each pair, and
    :func:`unveil.write` writes them. Links are computed on demand; the order of the rows means
    nothing.

    Roles need not be declared. All common attributes are compared; if some of them are
    quasi-identifiers in either schema, only those. Identifiers, weights, households, strata and
    the column of the truth are never compared. To link by fewer, `select` them.

    Parameters
    ----------
    a, b
        Paths, frames or Microdata. Each record of `a` is linked with a record of `b`, which
        messages call the release; it may be a :class:`~unveil.Release`.
    spec
        The attack, one of :mod:`unveil.attacks`, or its name. Default: `Probabilistic` with three
        or more common attributes, `Distance` with fewer, both with posterior probabilities of
        one-to-one matchings; `Structural` with none.
    schema
        The roles and levels of the columns of `a`; of both files without `other_schema`, and then
        either file may lack some of them.
    other_schema
        The schema of `b`.
    blocks
        Blocking columns of both files: records are compared only where they are equal in all of
        them. They are not compared otherwise; a missing cell equals any.
    truth
        Who is who, to count correct links: the name of an identifier of both files, the path of
        a row map, the row of `a` of each row of `b` (from 0; -1: none), or "row-order".
    seed
        Random seed.
    engine
        The engine that compares the files, as for :func:`unveil.attack`.
    progress
        Called with the task, how much is done, and the total, when links are computed.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> bank = people.select(["person", "income", "tax", "age"])
    >>> health = people.select(["person", "age", "education", "hours", "savings"])
    >>> unveil.link(bank, health)  # by age, which both have
    Links(distance: 100 records, 100 candidates, truth not known)
    >>> unveil.link(bank.select(["person", "income", "tax"]), health, truth="person")
    Links(structural: 100 records, 100 candidates, truth known)
    """
    chosen, (first, second) = select_engine(engine), _read(a, b, schema, other_schema)
    scenario = prepare(first, second, intruder=EVERYBODY, truth=truth, seed=seed, engine=chosen)
    links = link_scenario(scenario, spec, blocks=checked_blocks(blocks), progress=progress)
    left_out = common_of(links, scenario).left_out if links.intruder.knows else {}
    for name, reason in left_out.items():
        logging.getLogger("unveil").warning("column '%s' is not compared: it %s", name, reason)
    return links


def link_summary(  # noqa: PLR0913 - the inputs of a verb, by name
    a: Any,
    b: Any,
    spec: Attack | str | Mapping[str, Any] | None = None,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    other_schema: Schema | str | os.PathLike[str] | None = None,
    truth: Any = None,
    seed: int = 0,
    settings: LinkSettings = DEFAULTS,
    progress: TaskProgress | None = None,
) -> Linkage:
    """Link two files as :func:`link` does; what was compared, claimed and, if known, right."""
    named = [getattr(spec, name, None) for name in ("pairs", "answers")]
    inputs = (a, b, schema, other_schema, truth, *named, *(settings.parameters or {}).values())
    tables = [settings.links, settings.decisions.review]
    check_outputs((), inputs, force=settings.force, tables=tables)
    chosen = select_engine(settings.engine)
    if progress is not None:
        progress("reading the files", 0, 0)
    first, second = _read(a, b, schema, other_schema, settings.format)
    scenario = prepare(first, second, intruder=EVERYBODY, truth=truth, seed=seed, engine=chosen)
    links = link_scenario(
        scenario,
        spec,
        settings.knows,
        blocks=settings.blocks,
        parameters=settings.parameters,
        progress=progress,
    )
    settings.decisions.check(links)
    result = linkage(links, scenario, confidence=settings.confidence)
    made = optional_decisions(links)
    decisions = settings.decisions.write(links, made, settings.links, force=settings.force)
    classes = None if decisions is None else decisions.classes
    return msgspec.structs.replace(result, pair_classes=classes)


def link_scenario(
    scenario: Scenario,
    spec: Attack | str | Mapping[str, Any] | None = None,
    knows: tuple[str, ...] | None = None,
    *,
    blocks: tuple[str, ...] = (),
    parameters: Mapping[str, Any] | None = None,
    progress: TaskProgress | None = None,
) -> Links:
    """The links of two files, by the attributes named; by default by all that are suitable.

    `parameters` are those of the default attack.
    """
    _check_known(scenario, knows)
    check_blocks(scenario, blocks, knows or ())
    if spec is None:
        spec = with_parameters(default_attack(scenario, knows, blocks), parameters or {})
    spec = attack_from(spec)
    check_kinds(spec, Intruder(blocks=blocks), scenario.truth)
    if knows is None and spec.compares_attributes and spec.needs_common_attributes:
        knows, left_out = common(scenario, blocks, spec)
        for name in left_out:
            if name in spec.compared_as_written:
                raise SpecError(f"{spec.name}: comparisons: column '{name}' {left_out[name]}")
        if not knows:
            remedy = "leave out the attack to compare their structure"
            raise _nothing_common(scenario, remedy, blocks)
    links = scenario.links(spec, Intruder(knows=knows, blocks=blocks))
    check_candidates(links)
    return links if progress is None else replace(links, progress=partial(progress, links.name))


def _read(
    a: Any,
    b: Any,
    schema: Schema | str | os.PathLike[str] | None,
    other_schema: Schema | str | os.PathLike[str] | None,
    file_format: Format | None = None,
) -> tuple[Microdata, Any]:
    """Both files as Microdata; the second may be a Release."""
    is_release = isinstance(b, Release | Releases)
    if other_schema is not None:
        if is_release:
            raise UsageError("a Release has its own schema; leave out other_schema=")
        pair = (a, as_schema(schema)), (b, as_schema(other_schema))
        first, second = (table_in(file_format, source, declared) for source, declared in pair)
        return first, second
    read = isinstance(a, Microdata), is_release or isinstance(b, Microdata)
    if schema is not None and all(read):
        raise UsageError("Microdata has its own schema; leave out schema=")
    declared = shared = as_schema(schema)
    first = a if read[0] else read_table(a, shared, file_format, part=shared is not None)
    if shared is None and read[0]:
        shared = first.schema
    second = b if read[1] else read_table(b, shared, file_format, part=shared is not None)
    if declared is not None and not isinstance(second, Releases):
        check_named(declared, first, second.data if isinstance(second, Release) else second)
    return first, second


def check_named(schema: Schema, first: Microdata, second: Microdata) -> None:
    """Refuse a schema for two files with a column that neither has."""
    columns = tuple(dict.fromkeys((*first.columns, *second.columns)))
    for name in schema:
        if name not in columns:
            raise SchemaError(f"of both files, {absent_column(name, columns)}")


def linkage(links: Links, scenario: Scenario, *, confidence: float = SURE_PROBABILITY) -> Linkage:
    """The result of linking two files: attributes, claims, and the risk if the truth is known."""
    details, disjoint = links.finder.details, not links.attack.needs_common_attributes
    expected = forecast(links, confidence, sample=len(links))
    mine = theirs = links.finder.columns
    left_out: dict[str, str] = {}
    if disjoint:
        files = scenario.pair.original, scenario.pair.release
        columns = disjoint_columns(links.name, *files, links.intruder)
        left_out = {
            name: why for file in details.get("left_out", {}).values() for name, why in file.items()
        }
        mine, theirs = (tuple(n for n in names if n not in left_out) for names in columns)
    elif mine:
        shared = common_of(links, scenario)
        left_out = shared.left_out if set(links.intruder.knows or ()) == {*shared.columns} else {}
    return Linkage(
        attack=links.name,
        engine=links.finder.engine,
        parameters=parameters_of(links),
        records=len(links),
        candidates=links.candidates,
        common=bool(mine) and not disjoint,
        mine=mine,
        release=theirs,
        blocks=links.intruder.blocks,
        left_out=left_out,
        like_identifiers=() if disjoint else like_identifiers(scenario, mine),
        tied=int(np.count_nonzero(links.n_best > 1)),
        without=int(np.count_nonzero(links.best < 0)),
        confidence=confidence,
        claimed=None if expected is None else expected.claimed,
        unlinked=None if expected is None else expected.n - expected.claimed,
        expected=None if expected is None else expected.share * expected.n,
        sure=details.get("sure"),
        risk=None if links.truth is None else risk(links),
        right=None if expected is None else expected.right,
        details=details,
        seed=links.seed,
    )


def default_attack(
    scenario: Scenario, knows: tuple[str, ...] | None = None, blocks: Sequence[str] = ()
) -> Attack:
    """The attack that suits two files."""
    _check_known(scenario, knows)
    first, second = scenario.pair.original, scenario.pair.release
    shared = [name for name in knows or () if name in second.columns]
    if knows is not None and shared and len(shared) < len(knows):
        other = [name for name in knows if name not in shared]
        raise DataError(
            f"knows: the second file has {listing(shared)} and lacks {listing(other)}; name only "
            "common attributes, or only attributes that it lacks, or choose an attack"
        )
    attributes, mixed = tuple(shared), any(has_mixed_levels(first, second, n) for n in shared)
    if knows is None:
        attributes = common(scenario, blocks).columns
        mixed = not attributes and bool(common(scenario, blocks, Distance()).columns)
    if len(attributes) >= PROBABILISTIC_ATTRIBUTES and not mixed:
        return Probabilistic(matching="posterior")
    if attributes or mixed:
        # One scale for both: people of one file only would shift the other's mean.
        return Distance(scale="release", matching="posterior")
    if knows is None and common(scenario, blocks).left_out:
        own = (
            set(personal_attributes(data)) - set(other.columns)
            for data, other in ((first, second), (second, first))
        )
        if not all(own):
            remedy = "declare them in a schema, or give files with attributes of their own"
            raise _nothing_common(scenario, remedy, blocks)
    return Structural()


def _check_known(scenario: Scenario, knows: Sequence[str] | None) -> None:
    first = scenario.pair.original
    for name in knows or ():
        if name not in first.columns:
            raise DataError(f"knows: in the first file, {absent_column(name, first.columns)}")
        check_no_identifier(name, first)


def _nothing_common(scenario: Scenario, remedy: str, blocks: Sequence[str]) -> DataError:
    left_out = common(scenario, blocks).left_out
    listed = "; ".join(f"'{name}' {reason}" for name, reason in left_out.items())
    beside = f" beside the blocks {listing(blocks)}" if blocks else ""
    return DataError(
        f"the two files have no attribute in common{beside} that can be compared"
        f"{f' ({listed})' if listed else ''}; {remedy}"
    )
