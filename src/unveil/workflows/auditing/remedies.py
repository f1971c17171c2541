"""What would help: masks tried on top of a release, each attacked and measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.errors import UnveilError
from unveil.masks import Mask, Microaggregation, Pram, RankSwapping
from unveil.measures import loss
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.support.seeds import stream
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.release.plan import Plan
from unveil.values.results.remedies import Remedies, Remedy
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.attribute_ablation import few_for, highest, known_sets, leaving
from unveil.workflows.auditing.checkpoints import quietly
from unveil.workflows.auditing.knowledge_sweep import SampledAttack, SampledShare, halves, smaller
from unveil.workflows.inputs.scenario import Scenario, prepare

Sets = tuple[tuple[str, ...], ...]


NAMED = 8  # columns in a sentence
CATEGORIES = 1000  # of a column, up to which a probability of each to become each is soon made


class MaskTemplate(NamedTuple):
    """A way to mask columns of some levels."""

    levels: tuple[str, ...]
    mask: Callable[[tuple[str, ...]], Mask]
    words: str


class ProposedRemedy(NamedTuple):
    """Something that may help: masks, or, without any, columns that are left out."""

    does: str
    masks: tuple[Mask, ...]
    columns: tuple[str, ...]


def remedies(
    task: AttackRun,
    scene: Scenario,
    told: Progress,
    *,
    every: Sequence[str],
    known: Sequence[str],
    tells: str | None,
) -> Remedies | None:
    """Mask a release once more, in several ways, and attack each on the same people.

    Of large files some people only are masked, attacked and measured, with their rows. The rows
    are masked in the order of what they and their people hold: which order the file has means
    nothing. What cannot be done is left out; None: nothing can.

    Parameters
    ----------
    task
        An attack that knows no mask.
    scene
        The files.
    told
        How far it has come.
    every
        All attributes that the attack compares.
    known
        What an intruder may know: what is masked.
    tells
        The attribute that tells the most, to be left out.
    """
    _, people = halves(scene)
    if not len(people):
        return None
    trial = RemedyTrial.of(smaller(task, scene, people, among=few_for(task)))
    sets = known_sets(task, every)
    ideas = ideas_for(trial.release, known, compared=every, tells=tells)
    with quietly():  # nobody released what is tried here
        before = trial.linked(trial.release, sets)
        tried = []
        for done, idea in enumerate(ideas, start=1):
            told(done, len(ideas) + 1)
            with suppress(UnveilError):
                tried += trial.tried(idea, sets)
        if before is None or not tried:
            return None
        return Remedies(
            attack=task.name,
            direction=task.intruder.direction,
            n=len(people),
            among=len(trial.mine if task.intruder.reverse else trial.release),
            share=before.share,
            interval=before.interval,
            loss=trial.lost(trial.release),
            tried=tuple(sorted(tried, key=lambda one: one.share)),
        )


GROUP = MaskTemplate(
    ("numeric",),
    lambda names: Microaggregation(k=10, columns=names),
    "microaggregate {} in groups of 10",
)
SWAP = MaskTemplate(
    ("numeric", "ordinal"),
    lambda names: RankSwapping(p=15, columns=names),
    "swap {} with values up to 15 % of the ranks away",
)
DRAW = MaskTemplate(  # invariant, only the rarest category would change so often
    ("nominal", "ordinal"),
    lambda names: Pram(theta=0.3, invariant=False, columns=names),
    "change {} with a probability of 30 % (PRAM)",
)


def ideas_for(
    release: Microdata, known: Sequence[str], *, compared: Sequence[str], tells: str | None
) -> list[ProposedRemedy]:
    """What may help against an attack: what masks something that it compares, and can be done.

    >>> import unveil
    >>> names = ["age", "income", "sex"]
    >>> for one in ideas_for(unveil.households(100), names, compared=names, tells="age"):
    ...     print(one.does)
    leave out age
    microaggregate age and income in groups of 10
    swap age and income with values up to 15 % of the ranks away
    change sex with a probability of 30 % (PRAM)
    swap age and income with values up to 15 % of the ranks away, and change sex with a ...
    """
    found = [] if tells is None else [ProposedRemedy(f"leave out {tells}", (), (tells,))]
    alone = [_idea(way, release, known, compared) for way in (GROUP, SWAP, DRAW)]
    swapped = alone[1]
    # Together, ordered categories are swapped: each column is masked once more, and not twice.
    others = _idea(DRAW._replace(levels=("nominal",)), release, known, compared)
    found += [one for one in alone if one is not None]
    if swapped is not None and others is not None:
        does = f"{swapped.does}, and {others.does}"
        both = ProposedRemedy(does, swapped.masks + others.masks, swapped.columns + others.columns)
        found.append(both)
    return found


def _idea(
    way: MaskTemplate, release: Microdata, known: Sequence[str], compared: Sequence[str]
) -> ProposedRemedy | None:
    """One way to mask all known columns that can be masked like this."""
    columns = tuple(name for name in known if _is_maskable(way, release, name))
    if not set(columns) & set(compared):
        return None
    return ProposedRemedy(way.words.format(_in_words(columns)), (way.mask(columns),), columns)


def _is_maskable(way: MaskTemplate, release: Microdata, name: str) -> bool:
    if release.schema[name].generalised or release.level(name) not in way.levels:
        return False
    if release.level(name) != "numeric" and release.column(name).n_unique() > CATEGORIES:
        return False
    with suppress(UnveilError):
        way.mask((name,)).check(release)
        return True
    return False


def _in_words(names: Sequence[str]) -> str:
    """Names in a sentence, the first few of many: age, income and hours."""
    more = len(names) - NAMED
    *before, last = names if more <= 0 else (*names[:NAMED], f"{more} more")
    return f"{', '.join(before)} and {last}" if before else last


@dataclass(frozen=True, repr=False, eq=False)
class RemedyTrial:
    """People, and their rows in the order of what these hold: what every remedy is tried on."""

    task: AttackRun
    people: Ints  # who is attacked
    mine: Microdata
    release: Microdata
    back: Ints  # whose each row is
    seed: int

    @classmethod
    def of(cls, stage: SampledAttack) -> RemedyTrial:
        """What is tried on the people of a stage."""
        places, scene = stage.scene.places, stage.scene
        back = (
            np.full(len(places.release), -1)
            if places.record_of_row is None
            else places.record_of_row
        )
        order = np.argsort(places.release_order)
        rows = places.release.take(order)
        return cls(stage.task, stage.people, places.intruder_records, rows, back[order], scene.seed)

    def tried(self, idea: ProposedRemedy, sets: Sets) -> list[Remedy]:
        """What a remedy does; nothing, if the attack cannot be made then."""
        table = self.release
        if idea.masks:
            for mask in idea.masks:
                mask.check(table)
                draw = partial(stream, self.seed, "audit", "remedies", mask.step)
                table = mask.apply(table, draw).data
            found = self.linked(table, sets)
        else:
            found = self.linked(table, leaving(sets, *idea.columns))
            table = table.replace([_emptied(table.column(name)) for name in idea.columns])
        if found is None:
            return []
        return [
            Remedy(
                does=idea.does,
                plan=tuple(Plan(idea.masks).to_dict()["mask"]),
                columns=idea.columns,
                share=found.share,
                interval=found.interval,
                loss=self.lost(table),
            )
        ]

    def linked(self, release: Microdata, sets: Sets) -> SampledShare | None:
        """What the attack links of a release of these rows."""
        scene = prepare(self.mine, release, intruder=Intruder(), truth=self.back, seed=self.seed)
        stage = SampledAttack(self.task, scene, self.people)
        return highest(stage.share(known) for known in sets)

    def lost(self, release: Microdata) -> float | None:
        """The overall loss of the original against a release of these rows."""
        with suppress(UnveilError):
            return loss(FilePair(self.mine, release, self.back), seed=self.seed).overall.value
        return None


def _emptied(column: pl.Series) -> pl.Series:
    """A column that is left out, as loss is measured: it tells nothing of anybody."""
    return pl.Series(column.name, [None], dtype=column.dtype).extend_constant(None, len(column) - 1)
