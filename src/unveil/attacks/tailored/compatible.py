"""Compatible rows: a released row fits a record, or it does not."""

from dataclasses import replace

from unveil.attacks.base import Attack, LinkageFiles
from unveil.attacks.distance.attack import nothing_left
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.tailored.likelihood import joined, unchanged
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.engines.metric import Metric
from unveil.values.links import Finder


class Compatible(Attack, frozen=True, kw_only=True):
    """Compatible rows: each record is linked with any of the released rows that it fits.

    A row fits if every cell can hold the person's value: it is the same, a range or a set that
    holds it, a group that it belongs to, or a star. All rows that fit are as likely; the others are
    ruled out. So it is the attack on files that were made coarser and tell nothing false.

    A missing cell, like a star, rules nothing out. There is no distance: a value just outside
    a range does not fit, so that of files that were perturbed it links little. How many rows
    fit is what k-anonymity and its kin promise: Samarati, Protecting respondents' identities in
    microdata release (2001); `unveil.measures.compatible_rows` counts them.

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

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        if not files.columns:
            raise nothing_left()
        reading = MaskedView(files)
        together = joined([unchanged(column, reading) for column in files.columns])
        metric = Metric(tuple(replace(cost, missing=0.0) for cost in together.costs))
        return NearestSearch(
            files,
            as_records(together.intruder),
            as_records(together.released),
            metric.reversed if files.reverse else metric,
            files.columns,
            margins="likelihood",
        )
