"""A release tested against itself: whether two halves of its attributes can be linked."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from unveil.attacks import Structural
from unveil.attacks.structural.file_features import FEWEST, side_of
from unveil.errors import UnveilError
from unveil.measures import forecast, risk
from unveil.support.options import Progress
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.results.knowledge import AttributeMatch, Halves
from unveil.wording import count
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.half_split import LEAST, HalfSplit, halved
from unveil.workflows.auditing.memory_limit import bytes_of, size_of
from unveil.workflows.inputs.intruder_view import told_of
from unveil.workflows.inputs.scenario import prepare

TRIED = 2_000  # people, of whom all pairs are soon looked at


def linked_halves(
    both: FilePair, seed: int, told: Progress, *, limit: int | None = None
) -> Halves | str:
    """What links the originals' one half of the attributes with the released other; or why not.

    At most 2,000 people are tried, drawn by what their rows hold, each among the released rows of
    the same people. The intruder knows the half that has more of the quasi-identifiers.

    Parameters
    ----------
    both
        The files, and whose rows are whose.
    seed
        Of what is drawn.
    told
        How far it has come.
    limit
        The most bytes of memory.

    >>> import unveil
    >>> people = unveil.households(5)
    >>> linked_halves(FilePair(people, people, np.arange(5)), 1, lambda *_: None)
    '5 pairs of records; it takes 10'
    """
    if both.rows is None:
        return "the rows of the release are nobody's"
    if len(both.released) < FEWEST:
        return f"{count(len(both.released), 'pair')} of records; it takes {FEWEST}"
    some = both.sample(TRIED, seed, "halves")
    pairs = FilePair(
        both.original.take(both.originals[some]), both.release.take(both.released[some]), None
    )
    columns = _attributes(pairs)
    too_few = (
        f"of {count(len(columns), 'attribute')} too few go together to make two halves, each of "
        f"{LEAST} or more"
    )
    try:
        if len(columns) < 2 * LEAST or not (halving := _halving(pairs, columns)).enough:
            return too_few
        return _linked(pairs, halving, seed, told, limit)
    except UnveilError as error:
        return str(error)


def _attributes(pairs: FilePair) -> list[str]:
    """What says something of a person, in both files."""
    released = told_of(pairs.release)
    return [name for name in told_of(pairs.original) if name in released]


def _halving(pairs: FilePair, columns: list[str]) -> HalfSplit:
    """The halves by the originals' correlations, of what can be used in both files."""
    gone = side_of(pairs.release, columns, "release").left_out
    found = halved(pairs.original, [name for name in columns if name not in gone])
    told = {name: f"{reason} in the release" for name, reason in gone.items()}
    if _known(pairs, found.second) > _known(pairs, found.first):
        found = replace(found, first=found.second, second=found.first)
    return replace(found, dropped=found.dropped | told)


def _known(pairs: FilePair, half: tuple[str, ...]) -> int:
    return len(set(half) & set(pairs.with_role("quasi")))


def _linked(
    pairs: FilePair, halving: HalfSplit, seed: int, told: Progress, limit: int | None
) -> Halves | str:
    """The attack on these people, by somebody who has the first half."""
    intruder = Intruder(knows=halving.first)
    need = bytes_of(AttackRun(Structural(), intruder), pairs)
    if limit is not None and need > limit:
        return f"it needs about {size_of(need)} of memory, more than {size_of(limit)}"
    mine, released = pairs.original.select(halving.first), pairs.release.select(halving.second)
    whose = np.arange(len(released))
    scene = prepare(mine, released, intruder=Intruder(), truth=whose, seed=seed)
    links = replace(scene.links(Structural(), intruder), progress=told)
    details = links.finder.details
    return Halves(
        known=halving.first,
        released=halving.second,
        dropped=halving.dropped,
        together=halving.together,
        risk=risk(links),
        forecast=forecast(links),
        method=details["method"],
        sure=details["sure"],
        correspondence=tuple(_corresponding(links, halving)),
    )


def _corresponding(links: Links, halving: HalfSplit) -> Iterator[AttributeMatch]:
    """Which attributes found each other: names of columns, and of nothing else."""
    for one in links.finder.details["correspondence"]:
        if one["mine"] in halving.first and one["release"] in halving.second:
            yield AttributeMatch(
                known=one["mine"], released=one["release"], correlation=float(one["correlation"])
            )
