"""Remedies: masks tried on top of a release, each attacked and measured."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from unveil.errors import UnveilError
from unveil.masks import Mask, Microaggregation, Pram, RankPermutation
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
from unveil.workflows.auditing.attribute_ablation import Sets, known_sets, leaving_out
from unveil.workflows.auditing.checkpoints import quietly
from unveil.workflows.auditing.sampled_attack import (
    SampledAttack,
    SampledShare,
    highest,
    split_people,
    with_fewer_candidates,
)
from unveil.workflows.inputs.scenario import Scenario, prepare

NAMED_COLUMNS = 8  # columns named in a sentence
PRAM_CATEGORIES = 1000  # categories up to which a transition matrix is soon made


def remedies(
    run: AttackRun,
    scenario: Scenario,
    progress: Progress,
    *,
    compared: Sequence[str],
    known: Sequence[str],
    riskiest: str | None,
) -> Remedies | None:
    """Mask a release once more, in several ways, and attack each on the same people.

    The attack is blind. The masks cover what an intruder may know; one remedy leaves out the
    riskiest attribute. In large files a sample of the people is masked, attacked and measured.
    Rows are masked in the order of their content, so that the order of the file means nothing.
    Impossible remedies are left out; None if there is no other.
    """
    _, people = split_people(scenario)
    if not len(people):
        return None
    attack = with_fewer_candidates(run, scenario, people)
    pair = attack.scenario.pair
    order = np.argsort(pair.release_order)
    row_map = np.full(len(order), -1) if pair.truth is None else pair.truth.record_of_row
    trial = RemedyTrial(attack, pair.release.take(order), row_map[order])
    sets = known_sets(run, compared)
    proposals = proposed_remedies(trial.release, known, compared=compared, riskiest=riskiest)
    with quietly():  # nobody released what is tried here
        before = trial.linked(trial.release, sets)
        tried = []
        for done, proposal in enumerate(proposals, start=1):
            progress(done, len(proposals) + 1)
            with suppress(UnveilError):
                if (remedy := trial.outcome(proposal, sets)) is not None:
                    tried.append(remedy)
        if before is None or not tried:
            return None
        return Remedies(
            attack=run.name,
            direction=run.intruder.direction,
            n=len(people),
            among=attack.candidates,
            share=before.share,
            interval=before.interval,
            loss=trial.loss_of(trial.release),
            tried=tuple(sorted(tried, key=lambda remedy: remedy.share)),
        )


class MaskTemplate(NamedTuple):
    """A mask for columns of some levels of measurement."""

    levels: tuple[str, ...]
    mask: Callable[[tuple[str, ...]], Mask]
    description: str

    def fits(self, release: Microdata, name: str) -> bool:
        """Whether the mask can be applied to a column."""
        if release.schema[name].generalised or release.level(name) not in self.levels:
            return False
        if release.level(name) != "numeric" and release.column(name).n_unique() > PRAM_CATEGORIES:
            return False
        with suppress(UnveilError):
            self.mask((name,)).check(release)
            return True
        return False


class ProposedRemedy(NamedTuple):
    """Masks that may help; or, without masks, columns that are left out."""

    description: str
    masks: tuple[Mask, ...]
    columns: tuple[str, ...]


GROUPING = MaskTemplate(
    ("numeric",),
    lambda names: Microaggregation(k=10, columns=names),
    "microaggregate {} in groups of 10",
)
PERMUTATION = MaskTemplate(  # not swapping: its pairs can be followed back
    ("numeric", "ordinal"),
    lambda names: RankPermutation(p=20, columns=names),
    "permute {} within 20 % of the ranks",
)
PRAM = MaskTemplate(  # an invariant matrix would change only the rarest category so often
    ("nominal", "ordinal"),
    lambda names: Pram(theta=0.3, invariant=False, columns=names),
    "change {} with a probability of 30 % (PRAM)",
)


def proposed_remedies(
    release: Microdata, known: Sequence[str], *, compared: Sequence[str], riskiest: str | None
) -> list[ProposedRemedy]:
    """The remedies that can be applied and that mask something which the attack compares."""

    def proposal(template: MaskTemplate) -> ProposedRemedy | None:
        columns = tuple(name for name in known if template.fits(release, name))
        if not set(columns) & set(compared):
            return None
        named = template.description.format(_in_words(columns))
        return ProposedRemedy(named, (template.mask(columns),), columns)

    left_out = () if riskiest is None else (riskiest,)
    found = [ProposedRemedy(f"leave out {name}", (), (name,)) for name in left_out]
    grouped, permuted, drawn = map(proposal, (GROUPING, PERMUTATION, PRAM))
    found += [one for one in (grouped, permuted, drawn) if one is not None]
    # Combined, ordered categories are permuted: each column is masked once, not twice.
    nominal = proposal(PRAM._replace(levels=("nominal",)))
    if permuted is not None and nominal is not None:
        description = f"{permuted.description}, and {nominal.description}"
        masks, columns = permuted.masks + nominal.masks, permuted.columns + nominal.columns
        found.append(ProposedRemedy(description, masks, columns))
    return found


def _in_words(names: Sequence[str]) -> str:
    """The first eight names in a sentence: age, income and hours."""
    more = len(names) - NAMED_COLUMNS
    *before, last = names if more <= 0 else (*names[:NAMED_COLUMNS], f"{more} more")
    return f"{', '.join(before)} and {last}" if before else last


@dataclass(frozen=True, repr=False, eq=False)
class RemedyTrial:
    """The files on which every remedy is tried, the released rows in the order of their content."""

    attack: SampledAttack
    release: Microdata
    row_map: Ints  # the person of each released row, -1 for none

    @property
    def people(self) -> Microdata:
        """The people whose rows these are."""
        return self.attack.scenario.pair.original

    def outcome(self, proposal: ProposedRemedy, sets: Sets) -> Remedy | None:
        """The risk and the loss with a remedy; None if the attack is then impossible."""
        table, seed = self.release, self.attack.scenario.seed
        if proposal.masks:
            for mask in proposal.masks:
                mask.check(table)
                draw = partial(stream, seed, "audit", "remedies", mask.step)
                table = mask.apply(table, draw).data
            linked = self.linked(table, sets)
        else:
            linked = self.linked(table, leaving_out(sets, *proposal.columns))
            table = table.replace([_emptied(table.column(name)) for name in proposal.columns])
        if linked is None:
            return None
        return Remedy(
            does=proposal.description,
            plan=tuple(Plan(proposal.masks).to_dict()["mask"]),
            columns=proposal.columns,
            share=linked.share,
            interval=linked.interval,
            loss=self.loss_of(table),
        )

    def linked(self, release: Microdata, sets: Sets) -> SampledShare | None:
        """What the attack links if these rows are released so."""
        scenario = prepare(
            self.people,
            release,
            intruder=Intruder(),
            truth=self.row_map,
            seed=self.attack.scenario.seed,
            engine=self.attack.scenario.engine,
        )
        return highest(map(replace(self.attack, scenario=scenario).share, sets))

    def loss_of(self, release: Microdata) -> float | None:
        """The overall loss if these rows are released so."""
        pair = FilePair.of(self.people, release, self.row_map)
        with suppress(UnveilError):
            return loss(pair, seed=self.attack.scenario.seed).overall.value
        return None


def _emptied(column: pl.Series) -> pl.Series:
    """A column of missing cells: the loss of a column that is left out."""
    return pl.Series(column.name, [None], dtype=column.dtype).extend_constant(None, len(column) - 1)
