"""Attack a release: link the records of an intruder with the released rows."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from unveil.attacks import Attack
from unveil.engines.select import AUTO
from unveil.errors import UsageError
from unveil.files.documents.toml import as_schema
from unveil.files.formats.base import Format
from unveil.files.locations import check_outputs, is_table_path
from unveil.support.options import TaskProgress
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.release.plan import Plan
from unveil.values.release.release import Releases
from unveil.workflows.auditing.attack_names import attack_from
from unveil.workflows.auditing.attack_summary import AttackSummary, describe_attack
from unveil.workflows.auditing.checkpoints import each_warning_once
from unveil.workflows.auditing.decision_outputs import NO_OUTPUTS, DecisionOutputs
from unveil.workflows.inputs.scenario import check_kinds, prepare
from unveil.workflows.inputs.sources import read_table, schema_for_others, table_in

EVERYBODY = Intruder()


@dataclass(frozen=True, kw_only=True)
class AttackSettings:
    """Settings of an attack on files, beyond the original, the release and the intruder."""

    release_schema: Schema | str | os.PathLike[str] | None = None  # if it differs
    format: Format | None = None  # of the files, if its options matter
    also: tuple[Any, ...] = ()  # further releases of the same people
    key: str | None = None  # column that joins the rows of several releases
    plans: tuple[Plan, ...] = ()  # known to the intruder: one for all releases, or one for each
    outsiders: Any = None  # people who are not in the release: the control
    sample: int | None = None  # records to attack, drawn at random
    top: int = 5  # largest k of the top-k curve
    links: str | os.PathLike[str] | None = None  # table for the links
    force: bool = False  # overwrite files that exist
    engine: str = AUTO  # that compares the files
    decisions: DecisionOutputs = NO_OUTPUTS  # of decisions on pairs
    formal: bool = False  # whether results are compatible with the truth is counted


DEFAULTS = AttackSettings()


def attack(  # noqa: PLR0913 - the inputs of a verb, by name
    original: Any,
    release: Any,
    spec: Attack | str | Mapping[str, Any],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    intruder: Intruder = EVERYBODY,
    truth: Any = None,
    seed: int = 0,
    engine: str = AUTO,
    progress: TaskProgress | None = None,
) -> Links:
    """Link the records of an intruder with the rows of a release.

    Links are computed on demand; :func:`unveil.measures.risk` counts the correct ones. The order
    of the rows means nothing.

    Parameters
    ----------
    original, release
        Paths, frames or Microdata; the release may be a :class:`~unveil.Release`, or several
        :class:`~unveil.Releases`.
    spec
        The attack, one of :mod:`unveil.attacks`, or its name: "distance", "rank-max".
    schema
        The roles and levels of the columns of paths and frames; the release may lack some.
    intruder
        What the intruder knows, and of whom; default: all quasi-identifiers of all records. An
        intruder with few records ranks and scales them by the release.
    truth
        Which released row belongs to which record: the name of an identifier of both files, the
        path of a row map (as `unveil.write` makes it), the original's row of each released row,
        or "row-order" where both files have the same order. A Release knows it already.
    seed
        Random seed.
    engine
        The engine that compares the files: "auto", "local", or one that is installed. Every
        engine gives the same integers; `links.finder.engine` names the one that answers.
    progress
        Called with the task, how much is done, and the total, when links are computed.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(1000, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> links = unveil.attack(sample, release, "rank-max", intruder=intruder)
    >>> links
    Links(rank: 1,000 records, 1,000 candidates, truth known)
    >>> links.n_closer.shape
    (1000,)
    """
    settings = AttackSettings(engine=engine)
    files, chosen = (original, release, truth), attack_from(spec)
    return _links(files, chosen, intruder, schema, seed, settings, progress)


def attack_summary(  # noqa: PLR0913 - the inputs of a verb, by name
    original: Any,
    release: Any,
    spec: Attack | str | Mapping[str, Any],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    intruder: Intruder = EVERYBODY,
    truth: Any = None,
    seed: int = 0,
    settings: AttackSettings = DEFAULTS,
    progress: TaskProgress | None = None,
) -> AttackSummary:
    """Attack one release or several, and count: every measure of the links.

    The parameters are those of :func:`attack`; of several releases without a key, `truth` may be a
    tuple with one for each.
    """
    spec = attack_from(spec)
    truths = truth if isinstance(truth, tuple) else (truth,)
    _check_releases(settings, truths)
    inputs = (original, release, schema, settings.release_schema, settings.outsiders)
    named = getattr(spec, "pairs", None), getattr(spec, "answers", None)
    others = (intruder.records, *named, *truths, *settings.also)
    tables = [settings.links, settings.decisions.review]
    check_outputs((), (*inputs, *others), force=settings.force, tables=tables)
    tell = progress or (lambda _task, _done, _total: None)
    tell("reading the original", 0, 0)
    people = table_in(settings.format, original, as_schema(schema))
    declared = schema_for_others(people, as_schema(schema))
    if isinstance(intruder.records, str | os.PathLike):
        records = read_table(intruder.records, declared, settings.format, part=True)
        intruder = msgspec.structs.replace(intruder, records=records)
    tell("reading the release", 0, 0)
    own = settings.release_schema
    released = [
        read_table(file, own or declared, settings.format, part=own is None)
        for file in (release, *settings.also)
    ]
    links = []
    for target, plan, true_rows in _targets(released, settings, truths):
        informed = msgspec.structs.replace(intruder, channel=plan)
        files = people, target, true_rows
        one = _links(files, spec, informed, None, seed, settings, progress)
        links.append(one if settings.sample is None else one.sample(settings.sample))
    control = None
    shown = links[-1] if settings.key else links[0]
    settings.decisions.check(shown)
    if settings.outsiders is not None:
        control = shown.on(read_table(settings.outsiders, declared, settings.format, part=True))
    with each_warning_once():  # links and their control warn of the same
        summary = describe_attack(shown, top=settings.top, outsiders=control)
        if settings.also and shown.truth is not None:
            summary = summary.of_several(links, keyed=settings.key is not None)
        if settings.formal:
            summary = summary.with_formal()
        return summary.writing(settings.decisions, settings.links, force=settings.force)


def _links(
    files: tuple[Any, Any, Any],
    spec: Attack,
    intruder: Intruder,
    schema: Schema | str | os.PathLike[str] | None,
    seed: int,
    settings: AttackSettings,
    progress: TaskProgress | None,
) -> Links:
    """The links of one attack on an original and a release, with the truth."""
    original, release, truth = files
    check_kinds(spec, intruder, truth)
    engine = settings.engine
    scenario = prepare(
        original, release, schema=schema, intruder=intruder, truth=truth, seed=seed, engine=engine
    )
    if progress is None:
        return scenario.links(spec, intruder)

    def show_bound(linked: float, bound: float) -> None:
        counted = f"{linked:,.6g} linked, at most {bound:,.6g}"
        progress(f"{spec.name}: {counted}; Ctrl-C stops here", linked, bound)

    links = replace(scenario, on_bound=show_bound).links(spec, intruder)
    return replace(links, progress=partial(progress, spec.name))


def _check_releases(settings: AttackSettings, truths: tuple[Any, ...]) -> None:
    also, key, plans = settings.also, settings.key, settings.plans
    if key is not None and not also:
        raise UsageError("--key needs several releases; name the others by --also")
    if len(truths) > 1 and (key is not None or len(truths) != 1 + len(also)):
        raise UsageError("--truth: give one, or, for several releases without a key, one for each")
    one_file = len(truths) == 1 and isinstance(truths[0], str) and is_table_path(truths[0])
    if also and key is None and one_file:
        raise UsageError(
            "--truth: a row map fits one release; give one for each, or a common --key"
        )
    if len(plans) not in (0, 1, 1 + len(also)):
        raise UsageError("--plan: give one for all releases, or one for each")


def _targets(
    released: list[Microdata], settings: AttackSettings, truths: tuple[Any, ...]
) -> Iterator[tuple[Any, Any, Any]]:
    """The releases to attack, each with its plan and its truth: joined by a key, or one by one."""
    plans, key = settings.plans, settings.key
    several, channel = len(plans) > 1, plans[0] if plans else False
    for number, release in enumerate(released):
        truth = truths[number] if len(truths) > 1 else truths[0]
        if key is None or number == 0:
            yield release, plans[number] if several else channel, truth
        else:
            joined = Releases(tuple(released[: number + 1]), key)
            yield joined, plans[: number + 1] if several else channel, truth
