"""Information loss: every measure at once, one number over all, and the classical score."""

from collections.abc import Iterable, Sequence

from unveil.errors import DataError, UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss.catalogue import MeasuredLoss, measured
from unveil.measures.information_loss.categorical import categorical
from unveil.measures.information_loss.discernibility import discernibility
from unveil.measures.information_loss.generalisation import openness
from unveil.measures.information_loss.numeric import numeric
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.prediction import prediction, predictions
from unveil.measures.information_loss.propensity import propensity
from unveil.measures.information_loss.suppression import discarded, suppression
from unveil.measures.information_loss.tables import tables
from unveil.support.options import whole_number
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import AttributeLoss, Loss, LossMeasure
from unveil.wording import absent_column

NOT_ANALYSED = ("household", "weight")  # roles: numbers of households, and of the survey's design
LARGEST_SEED = 2**63 - 1


def loss(
    both: FilePair,
    *,
    columns: Sequence[str] | None = None,
    groupings: Sequence[Subgrouping] = (),
    seed: int = 0,
) -> Loss:
    """Everything that a release lost.

    Parameters
    ----------
    both
        Original and release. Where it is not known which released row is whose, what compares
        cell by cell is none, and says so.
    columns
        Those to measure; by default all that both files have, but for identifiers, households
        and weights.
    groupings
        Subgroups of the original, for discarded records, suppressed and generalised cells.
    seed
        Of the records drawn for what is learned: the same seed, the same numbers.

    >>> import numpy as np
    >>> import unveil
    >>> sample = unveil.households(500)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> found = loss(FilePair(sample, release.data, release.row_map))
    >>> print(found["IL1s"].reading)
    IL1s 0... (0 is best, no upper end)
    >>> 0 < found.overall.value < 1
    True
    >>> loss(FilePair(sample, sample, np.arange(500))).overall.value
    0.0
    """
    whole_number(seed, "seed", 0, LARGEST_SEED)
    some = _chosen(both, columns)
    draws = PairedSampler(some, seed)
    left_out = suppression(some, groupings)
    learned = predictions(some, seed=seed, draws=draws)
    found = (
        numeric(some),
        categorical(some),
        tables(some),
        openness(some),
        discernibility(some),
        discarded(left_out),
        propensity(some, seed=seed, draws=draws),
        prediction(learned),
    )
    measures = tuple(one for part in found for one in part.measures)
    return Loss(
        overall=overall(measures),
        measures=measures,
        attributes=_attributes(some, found),
        suppression=left_out,
        predictions=learned,
        original=len(some.original),
        release=len(some.release),
        pairs=len(some.released),
        columns=some.columns,
        seed=seed,
    )


def overall(measures: Iterable[LossMeasure]) -> LossMeasure:
    """One loss from 0 to 1: the mean over the families of measures that there are.

    At 0 nothing was lost that any of them looks at, at 1 everything. It puts releases of one file
    in an order to begin with, and is no verdict: a release may lose little on average, and
    everything that some use needs.

    Each family counts the same, by those of its measures that lie in 0 to 1 and do not repeat
    another: numbers by the mean of PIL (what became of statistics) and IL1s / (1 + IL1s) (what
    became of cells); categories by the mean of change and entropy; tables by those of pairs;
    cells by generalisation; records by the share discarded; propensity by told apart;
    prediction by its loss. Classes are left out: they are the work of generalised cells and
    discarded records, which are in already. A family of which nothing could be measured is left
    out, and the note names those that are in: compare two releases only where these are the same.

    >>> from unveil.measures.information_loss.catalogue import measured
    >>> overall([measured("IL1s", 1.0, n=5), measured("discarded", 0.1, n=5)]).value
    0.3
    """
    values = {one.name: one.value for one in measures if one.value is not None}
    if "IL1s" in values:
        values["IL1s"] = values["IL1s"] / (1 + values["IL1s"])
    families = {}
    for family, names in FAMILIES.items():
        there = [values[name] for name in names if name in values]
        if there:
            families[family] = sum(there) / len(there)
    note = f"of {', '.join(families)}" if families else "nothing could be measured"
    mean = sum(families.values()) / len(families) if families else None
    return measured("overall", mean, n=len(families), note=note)


FAMILIES = {
    "numbers": ("PIL", "IL1s"),
    "categories": ("change", "entropy"),
    "tables": ("pair tables",),
    "cells": ("generalisation",),
    "records": ("discarded",),
    "propensity": ("told apart",),
    "prediction": ("prediction",),
}


def classical_score(
    information_loss: float,
    *,
    interval_disclosure: float,
    distance: float,
    probabilistic: float,
) -> float:
    """The classical score: half of the information loss and half of the disclosure risk.

    It goes from 0, neither loss nor risk, to 100. It is there to compare with published numbers,
    and never a verdict: it lets loss pay for risk, so that a file released as it is scores like
    one that says nothing at all.

    (IL + DR) / 2 with DR = ID / 2 + (DBRL + PRL) / 4, all in percent, after Domingo-Ferrer and
    Torra, A quantitative comparison of disclosure control methods for microdata (2001). No gain of
    information makes it right to disclose somebody. And DR is a mean over attacks, where an
    intruder takes the best one.

    Parameters
    ----------
    information_loss
        In percent.
    interval_disclosure
        Percent of the cells that lie within an interval around the released one.
    distance, probabilistic
        Percent of the records that distance-based and probabilistic record linkage link rightly.

    >>> classical_score(20, interval_disclosure=40, distance=10, probabilistic=30)
    25.0
    >>> classical_score(0, interval_disclosure=100, distance=100, probabilistic=100)
    50.0
    >>> classical_score(100, interval_disclosure=0, distance=0, probabilistic=0)
    50.0
    """
    given = {
        "information_loss": information_loss,
        "interval_disclosure": interval_disclosure,
        "distance": distance,
        "probabilistic": probabilistic,
    }
    for name, value in given.items():
        if isinstance(value, bool | str) or not 0 <= float(value) <= 100:
            raise UsageError(f"{name}: a number from 0 to 100, in percent")
    risk = interval_disclosure / 2 + (distance + probabilistic) / 4
    return float((information_loss + risk) / 2)


def _chosen(both: FilePair, columns: Sequence[str] | None) -> FilePair:
    """Both files with the columns to measure only."""
    for name in columns or ():
        if name not in both.columns:
            raise UsageError(absent_column(name, both.columns))
    chosen = columns
    if columns is None:
        aside = {name for role in NOT_ANALYSED for name in both.with_role(role)}
        chosen = [name for name in both.columns if name not in aside]
    if not chosen:
        raise DataError("the two files have no attribute in common whose loss could be measured")
    return FilePair(both.original.select(chosen), both.release.select(chosen), both.rows)


def _attributes(both: FilePair, found: Sequence[MeasuredLoss]) -> tuple[AttributeLoss, ...]:
    made = []
    for name in both.columns:
        values: dict[str, float] = {}
        for part in found:
            values |= part.attributes.get(name, {})
        made.append(AttributeLoss(column=name, level=both.level(name), values=values))
    return tuple(made)
