"""The attack of somebody who knows how the release was masked."""

import logging
from dataclasses import replace
from typing import Annotated

import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, Level, LinkageFiles
from unveil.attacks.distance.attack import nothing_left
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.tailored.channel_estimates import DOUBT, estimated_function, settled
from unveil.attacks.tailored.likelihood import PairLikelihood, evidence_of, joined
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.engines.local.engine import costs_of, density
from unveil.engines.records import multiply_rows
from unveil.errors import DataError, UsageError
from unveil.support.arrays import Floats
from unveil.values.links import Finder
from unveil.values.release.channels import Channel
from unveil.wording import listing

ERROR = 1e-2  # relative, of the sum over everybody


class Tailored(Attack, frozen=True, kw_only=True):
    """Knowing the mask: each record is linked with the row that the masking likeliest made of it.

    It is the attack of somebody who was told how the release was masked, but not the random
    numbers. What the masking cannot have done rules a row out; where that leaves one, the
    intruder is certain.

    For an intruder who knows what was done to each column, but not the seed: it reads the
    release's channels. A pair's score is the log-likelihood of the released row given the
    original; a row that many originals explain well is weak evidence for any of them, so an
    original that looks for its row sets it against how well everybody explains that row.
    What the masking cannot have done excludes a candidate; where that leaves one, the
    intruder knows. See Nin, Herranz and Torra, Rethinking rank swapping to decrease disclosure
    risk (2008), for the idea.

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
        Level,
        Meta(
            description="What is known of the masking: the method, its parameters being "
            "estimated; the parameters too; or the whole original besides, so that what "
            "involves no chance is done again."
        ),
    ] = "parameters"
    corrected: Annotated[
        bool,
        Meta(
            description="Whether a row's likelihood is set against how well everybody explains "
            "it, when originals look for rows."
        ),
    ] = True

    @property
    def knows(self) -> Level | None:
        """What the intruder needs to know of the masking."""
        return self.level

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        reading, channels = self._known(files)
        parts = evidence_of(channels, reading)
        if not parts:
            raise nothing_left()
        together = joined(list(parts.values()))
        intruder, released = as_records(together.intruder), as_records(together.released)
        metric = together.metric
        corrected = self.corrected and not files.reverse
        if corrected or files.pairs is None:  # which refuses what nobody can have become
            everybody = self._everybody(reading, channels, parts)
        if corrected:
            released = replace(released, offset=everybody)
        if files.reverse:
            metric, intruder = metric.reversed, replace(intruder, offset=together.spread)
        finder = NearestSearch(
            files,
            intruder,
            released,
            metric,
            tuple(column for columns in parts for column in columns),
            margins="likelihood",
            details={"level": self.level, "channels": [repr(channel) for channel in channels]},
        )
        _check_truth(files, parts)
        return finder

    def _known(self, files: LinkageFiles) -> tuple[MaskedView, tuple[Channel, ...]]:
        """The files as the intruder reads them, and the channels in which they differ."""
        if files.masking is None:
            raise UsageError(
                "tailored: this attack needs to know how the release was masked: give the "
                "Release that unveil.mask made, or its plan"
            )
        if not files.masking.columns:
            raise UsageError(
                "tailored: the plan did nothing to what the intruder knows; give the plan that "
                "made this release, or attack by distance"
            )
        exact = files.masking.exact
        if self.level != "method":
            reading = MaskedView(files, exact)
            return reading, settled(files.masking.channels, reading.by(files.reference))
        plain = MaskedView(files, beyond=DOUBT)
        guessed = {
            column: tuple(
                made
                for function in functions
                if (made := estimated_function(function, plain.numbers(column)[2])) is not None
            )
            for column, functions in exact.items()
            if not files.generalised(column)  # where it does not show
        }
        reading = replace(plain, exact=guessed)
        reference = reading.by(files.reference)
        return reading, settled(files.masking.channels, reference, estimated=True)

    def _everybody(
        self,
        reading: MaskedView,
        channels: tuple[Channel, ...],
        parts: dict[tuple[str, ...], PairLikelihood],
    ) -> Floats:
        """For each released row the log of how well all the people explain it, added up.

        Somebody with few records takes the released rows themselves for the people; where
        noise was added, a normal distribution like theirs: a row explains itself too well.
        """
        files = reading.files
        reference = files.release if files.few_records else files.reference
        by = reading.by(reference)
        told = parts if by is reading else evidence_of(channels, by)
        together = joined(list(told.values()))
        rows = np.arange(len(files.release))
        bell = np.zeros(len(rows))
        if files.few_records:
            smooth = [cost.is_squared for cost in together.costs]
            bell, together = _bell(together.released[:, smooth]), together.without(smooth)
            if not together.costs:
                return bell
        base = replace(as_records(together.intruder), offset=together.spread)
        asking = NearestSearch(
            replace(by.files, reverse=True),
            base,
            as_records(together.released),
            together.metric.reversed,
            (),
        )
        found = bell + asking.log_sums(rows, ERROR)
        impossible = np.isneginf(found)
        if impossible.any() and not files.few_records and files.pairs is None:
            raise _contradiction(by, channels, int(impossible.sum()))
        return np.where(impossible, found[~impossible].min(initial=0.0), found)


def _bell(values: Floats) -> Floats:
    """The log of the density of a normal distribution fitted to the rows, but for a constant."""
    if not values.shape[1] or len(values) < 2:
        return np.zeros(len(values))
    known = ~np.isnan(values)
    means = np.where(known, values, 0.0).sum(0) / np.maximum(known.sum(0), 1)
    centred = np.where(known, values - means, 0.0)
    back = np.linalg.pinv(np.atleast_2d(np.cov(centred.T)), hermitian=True)
    found: Floats = -0.5 * (multiply_rows(centred, back) * centred).sum(1)
    return found


def _check_truth(files: LinkageFiles, parts: dict[tuple[str, ...], PairLikelihood]) -> None:
    """Refuse channels that cannot have made the true rows: of another plan, or another file."""
    if files.pairs is None or files.reference is not files.intruder_records:
        return
    intruder = np.flatnonzero(files.pairs >= 0)
    excluded = {
        columns: int(
            np.isinf(
                costs_of(
                    as_records(part.intruder),
                    as_records(part.released),
                    part.metric,
                    (intruder, files.pairs[intruder]),
                )
            ).sum()
        )
        for columns, part in parts.items()
    }
    if not any(excluded.values()):
        return
    error = contradicted(excluded, "true rows")
    if not files.few_records:
        raise error
    logging.getLogger("unveil").warning("%s; or are these records not known exactly?", error)


def _contradiction(reading: MaskedView, channels: tuple[Channel, ...], rows: int) -> DataError:
    """Which column the people cannot explain, and in how many released rows."""
    excluded = {}
    for columns, part in evidence_of(channels, reading).items():
        found = density(as_records(part.released), as_records(part.intruder), part.metric.reversed)
        excluded[columns] = int(np.isneginf(found.log_sum).sum())
    return contradicted(excluded, "released rows", rows)


def contradicted(excluded: dict[tuple[str, ...], int], what: str, rows: int = 0) -> DataError:
    """The error where the channels cannot have made the release."""
    each = [f"{listing(columns)} ({many:,})" for columns, many in excluded.items() if many]
    which = (
        f"column {'; '.join(each)}"
        if each
        else f"the columns together, though none alone ({rows:,})"
    )
    return DataError(
        f"tailored: the masking that is known cannot have made these {what}: {which}; is it the "
        "plan of this release, and is this its original? Otherwise attack with level 'method'"
    )
