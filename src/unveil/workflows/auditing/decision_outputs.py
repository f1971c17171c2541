"""Outputs of decisions on pairs: the table of links, a table to review, and the pair to show."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.errors import UsageError
from unveil.files.locations import locate
from unveil.files.tables import write
from unveil.measures.identity.decisions import optional_decisions
from unveil.table.microdata import Microdata
from unveil.values.links import Links
from unveil.values.pair_decisions import REVIEWED, Decisions
from unveil.values.results.pair_classes import PairClass

Target = str | os.PathLike[str] | None


@dataclass(frozen=True, kw_only=True)
class DecisionOutputs:
    """What is written of the decisions on pairs, where an attack makes them."""

    classes: Sequence[PairClass] = ("linked", "clerical")  # in the table of links
    review: Target = None  # table of clerical pairs to answer
    review_pairs: int = REVIEWED  # at most so many, drawn at random
    show_values: bool = False  # cells in the review
    pair: tuple[int, int] | None = None  # rows of the pair whose weight is explained
    figures: bool = False  # whether charts are drawn

    def check(self, links: Links) -> None:
        """Refuse, before pairs are listed, outputs of decisions that the attack does not make."""
        if self != NO_OUTPUTS and optional_decisions(links) is None:
            raise UsageError(
                "--review, --pair, --figures and their options are of decisions on pairs; give "
                "--p-link-unmatched and --p-nonlink-matched, which `probabilistic` has"
            )
        if self.review is None and (self.show_values or self.review_pairs != REVIEWED):
            raise UsageError("--show-values and --review-pairs are of a review; give --review")

    def write(
        self, links: Links, decisions: Decisions | None, target: Target, *, force: bool
    ) -> Decisions | None:
        """Write the links and the review; the decisions, with the pair to show."""
        if decisions is None:
            if target is not None:
                write(links, target, force=force)
            return None
        if target is not None:
            pairs = Microdata(decisions.pairs(self.classes))
            locate(target).save(pairs, None, force=force)
        if self.review is not None:
            table = decisions.review(self.review_pairs, show_values=self.show_values)
            locate(self.review).save(Microdata(table), None, force=force)
        return decisions if self.pair is None else decisions.of_pair(*self.pair)


NO_OUTPUTS = DecisionOutputs()
