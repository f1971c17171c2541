"""The law of a masked category given the original one: how often each became which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unveil.attacks.tailored.likelihood import channel_likelihood
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.support.arrays import Floats
from unveil.values.release.category_channels import Transition

MOST_CATEGORIES = 1000  # of a column whose transitions are counted


@dataclass(frozen=True, repr=False, eq=False)
class TransitionLaw:
    """A table of transitions, counted."""

    column: str
    channel: Transition

    unchanged: ClassVar[bool] = False  # the table shows it

    def likelihood(self, view: MaskedView) -> PairLikelihood:
        """The likelihood of pairs; missing cells as they are always counted."""
        files = view.files
        whole = view.with_records(files.release if files.few_records else files.reference)
        part = channel_likelihood(self.channel, view)
        population = part if whole is view else channel_likelihood(self.channel, whole)
        return part.with_missing(population, files.engine)


def learn_transitions(
    column: str, listed: tuple[str, ...], pairs: Iterable[tuple[Floats, Floats]]
) -> TransitionLaw | None:
    """The law of pairs of codes of listed categories; None if there are too many, or one."""
    if not 1 < len(listed) <= MOST_CATEGORIES:
        return None
    seen, runs = np.ones((len(listed), len(listed))), 0  # unseen is not impossible
    for before, after in pairs:
        there = ~(np.isnan(before) | np.isnan(after))
        np.add.at(seen, (before[there].astype(np.int64), after[there].astype(np.int64)), 1)
        runs += 1
    matrix = seen / seen.sum(1, keepdims=True)
    return TransitionLaw(column, Transition((column,), listed, matrix, runs))
