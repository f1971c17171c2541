"""A choice: the plan of the least loss that keeps a policy, and what the search found around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from unveil.support import display
from unveil.values.release.release import Release
from unveil.values.results.evidence import Audit
from unveil.values.results.study import TriedPlan


class FigureOverSeeds(msgspec.Struct, frozen=True, kw_only=True):
    """The figure of one limit in the search, on fresh seeds, and in the audit."""

    limit: str
    scenario: str
    use: str = ""  # which use may lose so much
    allowed: float
    searched: float | None  # on the seeds of the search
    fresh: tuple[float, ...]  # on each fresh seed
    mean: float  # over the fresh seeds
    bound: float  # what nearly every seed stays below
    audited: float | None = None  # of the release that is published; None: not audited


class Confirmation(msgspec.Struct, frozen=True, kw_only=True):
    """A plan carried out again on fresh seeds, against every attack.

    The plan that looks best in a search looks better than it is, so it is tested on seeds that the
    search has not seen. The bound of a figure lies above its mean over these seeds, by a margin
    that grows with their spread: 99.9 % of all seeds stay below it, with a confidence of 90 %.
    A plan is accepted if every bound is within its limit.
    """

    number: int  # of the plan
    repetitions: int
    kept: int  # of these, how many keep every limit
    accepted: bool  # whether nearly every seed keeps every limit
    loss: float  # mean over the fresh seeds
    figures: tuple[FigureOverSeeds, ...]  # the dearest first


class LimitCost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of one limit: the loss saved if it were one step looser.

    A limit binds if a plan that loses less than the chosen one breaks this limit alone, and by no
    more than the step. A plan that was confirmed counts by its bounds on fresh seeds; any other by
    its figures in the search with an estimated margin. One step is half as much again.
    """

    limit: str
    scenario: str
    allowed: float
    binds: bool  # whether a plan that breaks only this limit loses less
    loosened: float  # by one step
    plan: int | None  # of the least loss that breaks this limit alone; None: it does not bind
    loss: float | None
    saves: float | None  # None: it does not bind, or no plan keeps every limit
    estimated: bool = False  # whether that plan was not confirmed on fresh seeds


class MissedLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A limit that the nearest plan misses on nearly every seed.

    A plan that was confirmed is judged by its upper bound on fresh seeds; any other by its figure
    in the search with an expected margin. One that was not attacked is judged by its loss.
    """

    limit: str
    scenario: str
    use: str = ""
    allowed: float | None  # None: no number, such as whether the row order may tell who is who
    searched: float | None  # on the seeds of the search
    bound: float | None = None  # on fresh seeds; None: not confirmed
    never: bool  # whether every plan misses it


class MethodReach(msgspec.Struct, frozen=True, kw_only=True):
    """The best result of one combination of masks."""

    combination: str
    tried: int
    kept: int | None  # the plan of the least loss that keeps every limit
    loss: float | None  # of that plan
    safest: int | None  # the plan of the least risk
    risk: float | None


class StudyResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a search found, and what was chosen."""

    version: str
    records: int  # of the original
    trials: int  # that were asked for
    seed: int
    policy: dict[str, Any]
    space: dict[str, Any]
    grid: int  # plans of the declared grid among those tried
    tried: tuple[TriedPlan, ...]
    frontier: tuple[int, ...]  # plans that no other dominates, the least loss first
    chosen: int | None  # None: no plan keeps every limit
    nearest: int | None  # where none does
    missed: tuple[MissedLimit, ...] = ()  # the limits that the nearest plan misses, the worst first
    confirmations: tuple[Confirmation, ...]  # in the order in which they were made
    costs: tuple[LimitCost, ...]
    reach: tuple[MethodReach, ...]
    uses: tuple[str, ...]  # by whose largest loss plans are compared
    notes: tuple[str, ...] = ()
    study: str = ""  # a digest of the seed of the release; empty: none was drawn
    original: str = ""  # a digest of the original; empty: no seed was drawn
    stopped: bool = False  # by the user, before there was a release with its audit

    def __getitem__(self, number: int) -> TriedPlan:
        """One plan by its number."""
        return next(one for one in self.tried if one.number == number)

    @property
    def confirmation(self) -> Confirmation | None:
        """How the chosen plan did on fresh seeds."""
        made = (one for one in self.confirmations if one.number == self.chosen and one.accepted)
        return next(made, None)


@dataclass(frozen=True, repr=False, eq=False)
class Choice:
    """The chosen plan carried out once with a seed of its own, its audit, and the study."""

    study: StudyResult
    release: Release | None  # None: no plan keeps every limit
    audit: Audit | None

    @property
    def passed(self) -> bool:
        """Whether the audit of the chosen release keeps every limit."""
        verdict = None if self.audit is None else self.audit.verdict
        return verdict is not None and verdict.passed

    def __repr__(self) -> str:
        study = self.study
        if study.stopped:
            return f"Choice(stopped after {len(study.tried)} of {study.trials} plans)"
        if study.chosen is None:
            return f"Choice(none of {len(study.tried)} plans keeps every limit)"
        return f"Choice(plan {study.chosen} of {len(study.tried)}, loss {self.loss:.3f})"

    @property
    def loss(self) -> float:
        """The loss of the chosen plan on fresh seeds."""
        made = self.study.confirmation
        return float("nan") if made is None else made.loss

    _repr_html_ = display.html

    def chart(self, name: str = "risk") -> Any:
        """One chart of the page as an Altair chart, which a notebook draws.

        "risk" sets the risk of every plan against its loss. An unknown name is refused with the
        list of names, which are those of the figures of `unveil.report`.
        """
        return display.chart(self, name)
