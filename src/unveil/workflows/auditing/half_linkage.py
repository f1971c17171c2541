"""Linkage of two halves of the attributes: what a file without a common attribute could do."""

from dataclasses import replace

import numpy as np

from unveil.attacks import Structural
from unveil.attacks.structural.file_features import FEWEST, side_of
from unveil.errors import UnveilError
from unveil.measures import forecast, risk
from unveil.support.options import Progress
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.results.knowledge import AttributeMatch, Halves
from unveil.wording import count
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.half_split import SMALLEST_HALF, HalfSplit, split_attributes
from unveil.workflows.auditing.memory_limit import in_units, memory_of
from unveil.workflows.inputs.intruder_view import personal_attributes
from unveil.workflows.inputs.scenario import prepare

SAMPLE = 2_000  # people, of whom all pairs are quickly compared


def link_halves(
    pair: FilePair, seed: int, progress: Progress, *, limit: int | None = None
) -> Halves | str:
    """Link one half of the originals' attributes with the released other half; or say why not.

    The attack uses at most 2,000 people, sampled by the content of their rows, each among the
    released rows of the same people. The intruder knows the half with more quasi-identifiers.
    `limit` is the memory in bytes.

    >>> import unveil
    >>> people = unveil.households(5)
    >>> link_halves(FilePair(people, people, np.arange(5)), 1, lambda *_: None)
    '5 pairs of records; it takes 10'
    """
    if pair.rows is None:
        return "the rows of the release are nobody's"
    if len(pair.released) < FEWEST:
        return f"{count(len(pair.released), 'pair')} of records; it takes {FEWEST}"
    rows = pair.sample(SAMPLE, seed, "halves")
    sample = FilePair(
        pair.original.take(pair.originals[rows]), pair.release.take(pair.released[rows]), None
    )
    released = personal_attributes(sample.release)
    columns = [name for name in personal_attributes(sample.original) if name in released]
    too_few = (
        f"of {count(len(columns), 'attribute')} too few go together to make two halves, each of "
        f"{SMALLEST_HALF} or more"
    )
    try:
        if len(columns) < 2 * SMALLEST_HALF or not (split := _split(sample, columns)).enough:
            return too_few
        return _linked(sample, split, seed, progress, limit)
    except UnveilError as error:
        return str(error)


def _split(pair: FilePair, columns: list[str]) -> HalfSplit:
    """The halves by the originals' correlations, of columns that can be used in both files."""
    unusable = side_of(pair.release, columns, "release").left_out
    split = split_attributes(pair.original, [name for name in columns if name not in unusable])
    reasons = {name: f"{reason} in the release" for name, reason in unusable.items()}
    first, second = split.first, split.second
    quasi = set(pair.with_role("quasi"))
    if len(quasi & set(second)) > len(quasi & set(first)):
        first, second = second, first
    return replace(split, first=first, second=second, dropped=split.dropped | reasons)


def _linked(
    pair: FilePair, split: HalfSplit, seed: int, progress: Progress, limit: int | None
) -> Halves | str:
    intruder = Intruder(knows=split.first)
    need = memory_of(AttackRun(Structural(), intruder), pair)
    if limit is not None and need > limit:
        return f"it needs about {in_units(need)} of memory, more than {in_units(limit)}"
    scenario = prepare(
        pair.original.select(split.first),
        pair.release.select(split.second),
        intruder=Intruder(),
        truth=np.arange(len(pair.release)),
        seed=seed,
    )
    links = replace(scenario.links(Structural(), intruder), progress=progress)
    details = links.finder.details
    return Halves(
        known=split.first,
        released=split.second,
        dropped=split.dropped,
        together=split.together,
        risk=risk(links),
        forecast=forecast(links),
        method=details["method"],
        sure=details["sure"],
        correspondence=tuple(
            AttributeMatch(
                known=one["mine"], released=one["release"], correlation=float(one["correlation"])
            )
            for one in details["correspondence"]
            if one["mine"] in split.first and one["release"] in split.second
        ),
    )
