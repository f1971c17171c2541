"""Method-aware linkage: the attack of an intruder who knows how the release was masked."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, AuditedFiles, LinkageFiles, MaskKnowledge
from unveil.attacks.distance.attribute_costs import nothing_to_compare
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.tailored.channel_estimates import estimate_function, resolve_channels
from unveil.attacks.tailored.likelihood import IMPROBABLE, Likelihoods, likelihoods_of
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.engines.records import multiply_rows
from unveil.errors import DataError, UsageError
from unveil.support.arrays import Floats
from unveil.values.links import Finder
from unveil.values.release.channels import Channel
from unveil.wording import listing

Details = dict[str, Any]
DENSITY_ERROR = 1e-2  # relative, of the sum over the population
OTHERWISE = "attack with level='method' (--level method)"


class Tailored(Attack, frozen=True, kw_only=True):
    """Method-aware linkage: link each record to the row that the mask most probably made of it.

    The intruder knows the masking method and its parameters, but not the seed. Rows that the mask
    cannot have produced are excluded; if a single row remains, the link is certain.

    The score of a pair is the log-likelihood of the released row given the original, by the
    channels of the release. A row that many originals explain well is weak evidence for any of
    them, so its likelihood is divided by that of the whole population where originals look for
    rows. Extends Nin, Herranz and Torra, Rethinking rank swapping to decrease disclosure risk
    (2008), from rank swapping to every mask with a channel.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=10)], seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> found = {}
    >>> for attack in (unveil.attacks.Rank(criterion="max"), Tailored()):
    ...     links = unveil.attack(sample, swapped, attack, intruder=intruder)
    ...     found[attack.name] = unveil.measures.risk(links).expected
    >>> found["tailored"] > found["rank"]
    True
    """

    level: Annotated[
        MaskKnowledge,
        Meta(
            description="The intruder's knowledge of the masking. The method, with parameters to "
            "estimate; the parameters; or the whole original, to repeat deterministic masks."
        ),
    ] = "parameters"
    corrected: Annotated[
        bool,
        Meta(
            description="Divide a row's likelihood by that of the population, where originals look "
            "for rows."
        ),
    ] = True

    scores_every_pair: ClassVar[bool] = True

    @property
    def knows(self) -> MaskKnowledge | None:
        return self.level

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """If the plan is known, by nearest rows, by posterior, and by groups made again."""
        if not audited.knows_masking:
            return ()
        again = (cls(level="original"),) if audited.repeats_groups else ()
        return (cls(), *again, cls(matching="posterior"))

    def finder(self, files: LinkageFiles) -> Finder:
        return self.search(files)[0]

    def search(
        self, files: LinkageFiles, *, impossible_cost: float | None = None
    ) -> tuple[NearestSearch, MaskedView, tuple[Channel, ...]]:
        """The search by likelihood, the files as the intruder sees them, and the channels.

        A finite `impossible_cost` allows for wrong cells: nothing is then excluded.
        """
        view, channels = self.known_masking(files)
        if impossible_cost is not None:
            view = replace(view, impossible_cost=min(impossible_cost, view.impossible_cost))
        details = {"level": self.level, "channels": [repr(channel) for channel in channels]}
        search = self.search_by(partial(likelihoods_of, channels), view, details)
        return search, view, channels

    def search_by(
        self, likelihoods: Callable[[MaskedView], Likelihoods], view: MaskedView, details: Details
    ) -> NearestSearch:
        """The search by likelihoods, which a view of the files determines."""
        files, parts = view.files, likelihoods(view)
        if not parts:
            raise nothing_to_compare()
        pairs = PairLikelihood.join(list(parts.values()))
        intruder, released = as_records(pairs.intruder), as_records(pairs.released)
        metric = pairs.metric
        corrected = self.corrected and not files.reverse
        if corrected or files.truth is None:  # the latter refuses rows that nobody can explain
            log_evidence = self._log_evidence(view, likelihoods, parts)
        if corrected:
            released = replace(released, offset=log_evidence)
        if files.reverse:
            metric, intruder = metric.reversed, replace(intruder, offset=pairs.spread)
        check_truth(files, parts)
        return NearestSearch(
            files,
            intruder,
            released,
            metric,
            tuple(column for columns in parts for column in columns),
            margins="likelihood",
            details=details,
        )

    def known_masking(self, files: LinkageFiles) -> tuple[MaskedView, tuple[Channel, ...]]:
        """The files as the intruder sees them, and the channels of the masking."""
        if files.masking is None:
            raise UsageError(
                "tailored: this attack needs the masking; give the Release of unveil.mask, or "
                "its plan"
            )
        if not files.masking.columns:
            raise UsageError(
                "tailored: the plan did not change the known attributes; give the plan of this "
                "release, or attack by distance"
            )
        functions, channels = files.masking.exact, files.masking.channels
        if self.level != "method":
            view = MaskedView(files, functions)
            return view, resolve_channels(channels, view.with_records(files.reference))
        plain = MaskedView(files, impossible_cost=IMPROBABLE)
        estimates = {
            column: tuple(
                estimate
                for function in of_column
                if (estimate := estimate_function(function, plain.numbers(column)[2])) is not None
            )
            for column, of_column in functions.items()
            if not files.generalised(column)  # where a function leaves no trace
        }
        view = replace(plain, functions=estimates)
        reference = view.with_records(files.reference)
        return view, resolve_channels(channels, reference, estimated=True)

    def _log_evidence(
        self, view: MaskedView, likelihoods: Callable[[MaskedView], Likelihoods], parts: Likelihoods
    ) -> Floats:
        """The log of the summed likelihoods of each released row over the population.

            An intruder with few records takes the released rows for the population. If
        noise was added, a normal distribution fitted to them replaces them, because a row explains
        itself too well. This is not done if cells may be out of date: extreme rows would then fit
        anyone.
        """
        files = view.files
        population = view.with_records(files.release if files.few_records else files.reference)
        if population is not view:
            parts = likelihoods(population)
        pairs = PairLikelihood.join(list(parts.values()))
        rows = np.arange(len(files.release))
        log_normal = np.zeros(len(rows))
        if files.few_records:
            smooth = [cost.is_squared for cost in pairs.costs]
            log_normal, pairs = _log_normal(pairs.released[:, smooth]), pairs.without(smooth)
            if not pairs.costs:
                return log_normal
        by_row = NearestSearch(
            replace(population.files, reverse=True),
            replace(as_records(pairs.intruder), offset=pairs.spread),
            as_records(pairs.released),
            pairs.metric.reversed,
            (),
        )
        evidence = log_normal + by_row.log_sums(rows, DENSITY_ERROR)
        impossible = np.isneginf(evidence)
        if impossible.any() and not files.few_records and files.truth is None:
            excluded = {}
            for columns, part in likelihoods(population).items():
                released, base = as_records(part.released), as_records(part.intruder)
                search = files.engine.prepare(released, base, part.metric.reversed)
                log_sum = search.density(None).log_sum
                excluded[columns] = int(np.isneginf(log_sum).sum())
            raise _contradiction(excluded, "released rows", int(impossible.sum()))
        return np.where(impossible, evidence[~impossible].min(initial=0.0), evidence)


def _log_normal(values: Floats) -> Floats:
    """The log-density of a normal distribution fitted to the rows, up to a constant."""
    if not values.shape[1] or len(values) < 2:
        return np.zeros(len(values))
    known = ~np.isnan(values)
    means = np.where(known, values, 0.0).sum(0) / np.maximum(known.sum(0), 1)
    centred = np.where(known, values - means, 0.0)
    inverse = np.linalg.pinv(np.atleast_2d(np.cov(centred.T)), hermitian=True)
    log_density: Floats = -0.5 * (multiply_rows(centred, inverse) * centred).sum(1)
    return log_density


def check_truth(
    files: LinkageFiles, parts: Likelihoods, place: str = "tailored", otherwise: str = OTHERWISE
) -> None:
    """Refuse channels that exclude true rows: they belong to another plan or another file.

    If some of the intruder's cells may be out of date, no row is excluded.
    """
    if files.truth is None or files.links_strangers or files.error:
        return
    rows = files.truth.row_of_record
    records = np.flatnonzero(rows >= 0)
    excluded = {}
    for columns, part in parts.items():
        sides = as_records(part.intruder), as_records(part.released)
        costs = files.engine.prepare(*sides, part.metric).costs(records, rows[records])
        excluded[columns] = int(np.isinf(costs).sum())
    if not any(excluded.values()):
        return
    error = _contradiction(excluded, "true rows", place=place, otherwise=otherwise)
    if not files.few_records:
        raise error
    logging.getLogger("unveil").warning(
        "%s; if the values are partly wrong, give their error", error
    )


def _contradiction(
    excluded: dict[tuple[str, ...], int],
    what: str,
    rows: int = 0,
    place: str = "tailored",
    otherwise: str = OTHERWISE,
) -> DataError:
    counts = [f"{listing(columns)} ({n:,})" for columns, n in excluded.items() if n]
    where = f"the columns together, though none alone ({rows:,})"
    if counts:
        where = f"column {'; '.join(counts)}"
    return DataError(
        f"{place}: the known masking cannot have produced these {what}: {where}; give the plan "
        f"and the original of this release, or {otherwise}"
    )
