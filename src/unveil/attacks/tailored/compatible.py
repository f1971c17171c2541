"""Linkage by compatibility: a released row is compatible with a record or excluded."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from unveil.attacks.base import Attack, AuditedFiles, LinkageFiles
from unveil.attacks.distance.attribute_costs import nothing_to_compare
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.tailored.likelihood import unmasked_likelihood
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.engines.metric import Metric
from unveil.values.file_pair import FilePair
from unveil.values.links import Finder


class Compatible(Attack, frozen=True, kw_only=True):
    """Linkage by compatibility: link each record to any released row that is compatible with it.

    A row is compatible if each cell equals the person's value, or is a range, set, group or star
    that contains it. All compatible rows are equally likely; the others are excluded. The attack
    suits files that were generalised and contain no false values.

    A missing cell, like a star, excludes nothing. There is no distance: a value just outside a
    range is not compatible, so perturbed files yield few links. k-anonymity and related models
    bound the number of compatible rows: Samarati, Protecting respondents' identities in microdata
    release (2001); `unveil.measures.compatible_rows` counts them.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> coarse = unveil.masks.GlobalRecoding(intervals=10, columns=["age"])
    >>> links = unveil.attack(
    ...     sample,
    ...     unveil.mask(sample, [coarse]),
    ...     Compatible(),
    ...     intruder=unveil.Intruder(knows=["age", "sex", "region"]),
    ... )
    >>> unveil.measures.compatible_rows(links).none
    0
    """

    excludes_only: ClassVar[bool] = True

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """A false cell would exclude the true row."""
        return tuple(name for name in known if pair.is_truthful(name))

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """Once, if a known attribute is generalised in the release."""
        return (
            (cls(),)
            if any(audited.pair.release.schema[name].generalised for name in audited.known)
            else ()
        )

    def finder(self, files: LinkageFiles) -> Finder:
        if not files.columns:
            raise nothing_to_compare()
        view = MaskedView(files)
        pair = FilePair(files.reference, files.release, files.truth)
        compared = (*files.columns, *self.comparable(pair, tuple(files.form_columns)))
        pairs = PairLikelihood.join([unmasked_likelihood(name, view) for name in compared])
        metric = Metric(tuple(replace(cost, missing=0.0) for cost in pairs.costs))
        return NearestSearch(
            files,
            as_records(pairs.intruder),
            as_records(pairs.released),
            metric.reversed if files.reverse else metric,
            files.columns,
            margins="likelihood",
        )
