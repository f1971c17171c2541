"""Linkage learnt from simulation: the attack on any plan that can be run again."""

import logging
from collections.abc import Iterator
from math import ceil
from typing import Annotated, ClassVar

from msgspec import Meta

from unveil.attacks.base import (
    MATCHING,
    Attack,
    AuditedFiles,
    LinkageFiles,
    MaskKnowledge,
    Matching,
)
from unveil.attacks.simulated.conditional_law import MOST_BINS
from unveil.attacks.simulated.learnt_scores import (
    COMPARED_RECORDS,
    WEIGHED_RECORDS,
    LearntScores,
    TruePairs,
    learn,
)
from unveil.attacks.tailored.attack import Tailored
from unveil.errors import UsageError
from unveil.support.work import LAW_SECONDS, SIMULATED_SECONDS
from unveil.values.links import Finder
from unveil.values.release.channels import Channel
from unveil.wording import count

ENOUGH_PAIRS = 16_000  # of a column, by which its law is learnt
FEWEST, MOST = 4, 16  # simulations by which laws are learnt
WEIGHING, COMPARED = 2, 2  # those by which evidence is weighed, and the choice is made
FIRST_RUN = 100  # the earlier ones calibrate the links


class Simulated(Attack, frozen=True, kw_only=True):
    """Linkage learnt from simulation: run the plan again, and learn what it does to each column.

    The intruder knows the plan and can run it, own functions and pipelines of masks included, but
    knows no formula. The plan is run on the intruder's file with fresh random numbers, and the law
    of each masked column is learnt from those pairs of values. The score of a pair is a weighted
    sum of the log-likelihoods by these laws and by the formulas that are known (those of
    `Tailored`). It is used where it links more people than the formulas in simulations that were
    not learnt from; `details` say which of the two was chosen.

    >>> import unveil
    >>> def blur(values, rng):
    ...     return values + rng.laplace(0, 0.05 * values.std() + 0.1 * abs(values))
    >>> sample = unveil.households(300, seed=7)
    >>> known = ["income", "rent", "savings", "tax"]
    >>> step = unveil.masks.Function(function=blur, channel="unknown", columns=known)
    >>> release, found = unveil.mask(sample, [step], seed=7), {}
    >>> for attack in (unveil.attacks.Tailored(matching="posterior"), Simulated()):
    ...     links = unveil.attack(sample, release, attack, intruder=unveil.Intruder(knows=known))
    ...     found[attack.name] = unveil.measures.risk(links).share
    >>> found["simulated"] > found["tailored"]
    True
    """

    matching: Annotated[Matching, Meta(description=MATCHING)] = "posterior"
    simulations: Annotated[
        Annotated[int, Meta(ge=3)] | None,
        Meta(description="Runs of the plan to learn from; by default, by the file's size."),
    ] = None

    scores_every_pair: ClassVar[bool] = True
    costly_to_repeat: ClassVar[bool] = True

    @property
    def knows(self) -> MaskKnowledge | None:
        return "parameters"

    def uses(self, channel: Channel) -> bool:  # noqa: ARG002
        """It runs the plan, whatever that does."""
        return True

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """If the plan is known, and some known attribute has no exact formula."""
        return (cls(),) if audited.knows_masking and audited.without_formula else ()

    def runs(self, records: int) -> tuple[int, int, int]:
        """The simulations by which laws are learnt, evidence is weighed, the choice is made."""
        if self.simulations is not None:
            held = max(min(WEIGHING, self.simulations // 3), 1)
            return self.simulations - 2 * held, held, held
        return min(max(ceil(ENOUGH_PAIRS / max(records, 1)), FEWEST), MOST), WEIGHING, COMPARED

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """Of the attack and its calibration, of the simulations, and of the learning."""
        once = super().work(records, candidates, width, numeric=numeric)
        cells = sum(self.runs(records)) * max(records, candidates) * width
        return once + SIMULATED_SECONDS * cells + LAW_SECONDS * width

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """Of the attack; of the simulated files, the laws, and the matrices that are weighed."""
        simulated = 16 * sum(self.runs(records)) * max(records, candidates) * width
        weighed = 8 * (4 * WEIGHING * width * WEIGHED_RECORDS**2 + 6 * COMPARED_RECORDS**2)
        tables = 8 * 12 * width * MOST_BINS**2
        return super().memory(records, candidates, width, matching) + simulated + weighed + tables

    def finder(self, files: LinkageFiles) -> Finder:
        if files.learnt is not None:
            return files.learnt(files)
        # This refuses a plan that is not that of this release.
        search, view, channels = Tailored().search(files)
        wanted = self.runs(len(files.intruder_records))
        simulated = list(self._simulate(files, sum(wanted)))
        if len(simulated) < sum(wanted):
            raise _not_again()
        first, second = wanted[0], wanted[0] + wanted[1]
        parts = simulated[:first], simulated[first:second], simulated[second:]
        formulas = LearntScores(channels, view.functions, details=search.details)
        return learn(formulas, *parts)(files)

    def _simulate(self, files: LinkageFiles, runs: int) -> Iterator[TruePairs]:
        """The files masked again; the number of runs is logged first."""
        if files.remask is None:
            raise UsageError(
                "simulated: several releases cannot be masked again together; attack each alone, "
                "or with tailored"
            )
        logging.getLogger("unveil").info(
            "simulated: the plan is run %s; simulations sets how often", count(runs, "time")
        )
        for run in range(runs):
            again = files.remask(FIRST_RUN + run)
            if again is None:
                raise _not_again()
            pairs = TruePairs.of(again)
            if not len(pairs.records):
                raise _not_again()
            yield pairs


def _not_again() -> UsageError:
    return UsageError(
        "simulated: the plan cannot be run again on the intruder's data with other random "
        "numbers; attack with tailored, or by distance"
    )
