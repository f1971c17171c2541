"""The loss of each use: what depends on the original alone is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from unveil.errors import DataError, UsageError
from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.uses.cells import ColumnCells
from unveil.measures.information_loss.uses.coded_file import CodedFile
from unveil.measures.information_loss.uses.design import original_design, release_design
from unveil.measures.information_loss.uses.distributions import ColumnDistributions
from unveil.measures.information_loss.uses.estimates import Estimates
from unveil.measures.information_loss.uses.models import Models
from unveil.measures.information_loss.uses.parts import use_loss
from unveil.measures.information_loss.uses.relations import Relations
from unveil.support.arrays import Floats, Ints
from unveil.support.checked_calls import checked_class
from unveil.table.microdata import Microdata
from unveil.table.roles import Level
from unveil.table.row_identity import content_order
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import UseLoss
from unveil.values.use import DEFAULT_USES, Use
from unveil.wording import absent_column

ESTIMATES = Use(name="estimates", kind="estimates")
MOST_RECORDS = 10_000  # of each file; estimates take all
UNUSED = {"identifier", "household", "weight"}  # roles of columns that no use needs by default

Measured = ColumnDistributions | Relations | Models | Estimates


@checked_class
class UseReference:
    """An original and its uses, to measure the losses of many releases of it.

    Parameters
    ----------
    original
        The original. By default a use needs all of its columns but identifiers, household numbers
        and weights: a release without one of them has lost it.
    uses
        The uses; by default distributions, relations, and models of the confidential columns.
    seed
        Random seed of the records drawn from more than 10,000, and of the groups of the jackknife.
    levels
        The levels of columns; by default those of the original.

    >>> import numpy as np
    >>> import unveil
    >>> sample = unveil.households(300)
    >>> reference = UseReference(sample)
    >>> unchanged = reference.losses(FilePair.of(sample, sample, np.arange(300)))
    >>> [(use.name, use.value) for use in unchanged]
    [('distributions', 0.0), ('relations', 0.0), ('models', 0.0)]
    """

    def __init__(
        self,
        original: Microdata,
        uses: Iterable[Use] | None = None,
        *,
        seed: int = 0,
        levels: Mapping[str, Level] | None = None,
    ) -> None:
        self.original, self.seed = original, seed
        self.uses = tuple(DEFAULT_USES if uses is None else uses)
        self._levels = dict({} if levels is None else levels)
        for use in self.uses:
            for name in (*(use.columns or ()), use.target, use.by):
                if name is None:
                    continue
                if name not in original.columns:
                    rule = absent_column(name, original.columns)
                    raise DataError(f"use '{use.name}': in the original, {rule}")
                if "identifier" in original.schema[name].role:
                    raise UsageError(
                        f"use '{use.name}': {name}: an identifier is not released: leave it out"
                    )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that a use needs by default."""
        schema = self.original.schema
        return tuple(name for name in self.original.columns if not schema[name].role & UNUSED)

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        """The columns that any of the uses needs."""
        needed = set[str]()
        for use in self.uses:
            needed |= {*(use.columns or self.columns), *self._targets(use), use.by or ""}
        return tuple(name for name in self.original.columns if name in needed)

    @cached_property
    def _cells(self) -> dict[str, ColumnCells]:
        return {
            name: ColumnCells(
                self.original, name, self._levels.get(name) or self.original.level(name)
            )
            for name in self._needed
        }

    @cached_property
    def _whole(self) -> CodedFile:
        """All originals, in the order of their file."""
        ranks = content_order(self.original)
        coded = {name: cells.coded for name, cells in self._cells.items()}
        return CodedFile(self._cells, coded, original_design(self.original, ranks, self.seed))

    @cached_property
    def _sample(self) -> CodedFile:
        """At most 10,000 originals, in the order of their contents."""
        alone = PairedSampler(FilePair(self.original, self.original, None), self.seed)
        return self._whole.take(alone.originals(MOST_RECORDS, "uses"))

    @cached_property
    def _measured(self) -> tuple[Measured, ...]:
        return tuple(self._prepared(use) for use in self.uses)

    def _prepared(self, use: Use) -> Measured:
        columns = use.columns or self.columns
        if use.kind == "distributions":
            return ColumnDistributions(self._sample, columns)
        if use.kind == "relations":
            return Relations(self._sample, columns)
        if use.kind == "model":
            return Models(self._sample, self._targets(use), columns)
        return Estimates(self._whole, columns, use.by)

    def _targets(self, use: Use) -> tuple[str, ...]:
        """The columns that a model predicts: its target, else those that are confidential."""
        if use.kind != "model":
            return ()
        if use.target is not None:
            return (use.target,)
        confidential = self.original.schema.with_role("confidential")
        return tuple(name for name in self.columns if name in confidential) or self.columns

    def losses(self, pair: FilePair) -> tuple[UseLoss, ...]:
        """The loss of each use in a release of this original."""
        if len(pair.original) != len(self.original) or not set(self._needed) <= set(
            pair.original.columns
        ):
            raise UsageError("the reference was made of another original")
        whole = self._coded(pair)
        sample = whole.take(self._released_rows(pair))
        losses = []
        for use, measured in zip(self.uses, self._measured, strict=True):
            parts = measured.parts(whole if measured.of_all_records else sample)
            records = len((self._whole if measured.of_all_records else self._sample).design.unit)
            losses.append(use_loss(use, parts, measured.definition, records))
        return tuple(losses)

    def interval_losses(self, pair: FilePair) -> tuple[tuple[str, ...], Floats]:
        """One less the overlap of each estimate of the released columns, and their names."""
        columns = [name for name in self.columns if name in pair.columns]
        parts = Estimates(self._whole, columns).parts(self._coded(pair))
        return parts.names, parts.distance[0]

    def _coded(self, pair: FilePair) -> CodedFile:
        """The whole release."""
        # Equal originals are in the order of their released rows, whatever that of the file.
        ranked = original_design(self.original, pair.original_order, self.seed)
        coded = {name: cells.read(pair.release) for name, cells in self._cells.items()}
        return CodedFile(self._cells, coded, release_design(pair, ranked, self.seed))

    def _released_rows(self, pair: FilePair) -> Ints:
        """At most 10,000 released rows, those of the sampled originals first, by their contents."""
        if pair.truth is None:  # drawn as the originals are: the same rows of an unchanged file
            pair = FilePair(pair.release, pair.original, None)
            return PairedSampler(pair, self.seed).originals(MOST_RECORDS, "uses")
        sampler = PairedSampler(pair, self.seed)
        return sampler.released(sampler.originals(MOST_RECORDS, "uses"), MOST_RECORDS, "uses")


def use_losses(
    pair: FilePair,
    uses: Iterable[Use] | None = None,
    *,
    seed: int = 0,
    reference: UseReference | None = None,
) -> tuple[UseLoss, ...]:
    """The loss of each use: 0 for the original, 1 for a file in which the use is destroyed.

    A use is destroyed by columns permuted independently (relations, models), or by values drawn
    evenly over their range (distributions, estimates). For many releases of one original, make a
    :class:`UseReference` and pass it, in place of uses and seed.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankPermutation(p=5)], seed=7)
    >>> lost = use_losses(FilePair.of(sample, release.data, release.row_map))
    >>> [use.name for use in lost if use.value > 0]
    ['distributions', 'relations', 'models']
    """
    if reference is None:
        levels = {name: pair.level(name) for name in pair.columns}
        reference = UseReference(pair.original, uses, seed=seed, levels=levels)
    return reference.losses(pair)


def interval_overlap(pair: FilePair, *, seed: int = 0) -> MeasuredLoss:
    """How far confidence intervals of means and shares move: one less their mean overlap.

    After Karr, Kohnen, Oganian, Reiter and Sanil, A framework for evaluating the utility of data
    altered to protect confidentiality (2006).

    >>> import numpy as np
    >>> import unveil
    >>> sample = unveil.households(100)
    >>> interval_overlap(FilePair.of(sample, sample, np.arange(100))).measures[0].value
    0.0
    """
    levels = {name: pair.level(name) for name in pair.columns}
    reference = UseReference(pair.original, [ESTIMATES], seed=seed, levels=levels)
    names, losses = reference.interval_losses(pair)
    mean = float(np.sort(losses).mean()) if names else None
    measure = loss_measure("interval overlap", mean, n=len(names))
    return MeasuredLoss((measure,), {})


def largest_loss(losses: Iterable[UseLoss]) -> UseLoss | None:
    """The use that lost most, the first of equal ones; None if none could be measured."""
    measured = [use for use in losses if use.value is not None]
    return max(measured, key=lambda use: use.value or 0.0, default=None)
