"""A study: the plans that a search tried, each with its risk and its loss."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from unveil.values.results.policy import Limit
from unveil.values.search_space import Candidate

Stage = Literal["refused", "dropped", "attacked"]


class TriedPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One plan that was carried out, attacked and measured, on seeds that serve the search only.

    Risk is the largest share of a limit that is used: a figure over its limit, of all limits on
    risk; up to 1 every limit is kept. A plan that is dropped had met only some of the attacks when
    they linked more than in a plan that loses no more: its risk is at least this. A plan that
    breaks a limit on loss is not attacked and has no risk; where no attack can measure a limit,
    the risk is infinite.
    """

    number: int  # in the study, from 1
    candidate: Candidate
    masks: tuple[dict[str, Any], ...]  # as in a plan's file
    stage: Stage
    risk: float | None = None  # None: it was not carried out, or not attacked
    loss: float | None = None
    uses: dict[str, float] = {}  # the loss of each use
    limits: tuple[Limit, ...] = ()  # as judged, the dearest first
    note: str = ""  # why it was refused or dropped

    @property
    def complete(self) -> bool:
        """Whether it met every attack."""
        return self.stage == "attacked"
