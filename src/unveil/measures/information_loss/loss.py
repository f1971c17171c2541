"""Information loss: all measures at once, the overall loss, and the classical score."""

from collections.abc import Iterable, Sequence

from unveil.errors import DataError, UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure, mean_or_none
from unveil.measures.information_loss.categorical import categorical
from unveil.measures.information_loss.discernibility import discernibility
from unveil.measures.information_loss.further import LossMethod, as_loss_methods
from unveil.measures.information_loss.generalisation import openness
from unveil.measures.information_loss.numeric import numeric
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.prediction import prediction_loss, predictions
from unveil.measures.information_loss.propensity import propensity
from unveil.measures.information_loss.suppression import discarded_records, suppression
from unveil.measures.information_loss.tables import tables
from unveil.support.options import whole_number
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import AttributeLoss, Loss, LossMeasure
from unveil.wording import absent_column

NOT_MEASURED = ("household", "weight")  # roles: they describe the survey and not people
LARGEST_SEED = 2**63 - 1
FAMILIES = {  # the measures of each family that count in the overall loss
    "numbers": ("PIL", "IL1s"),
    "categories": ("change", "entropy"),
    "tables": ("pair tables",),
    "cells": ("generalisation",),
    "records": ("discarded",),
    "propensity": ("told apart",),
    "prediction": ("prediction",),
}


def loss(
    pair: FilePair,
    *,
    columns: Sequence[str] | None = None,
    groupings: Sequence[Subgrouping] = (),
    seed: int = 0,
    further: Iterable[str | LossMethod] = (),
) -> Loss:
    """The information loss of a release, by all measures.

    Parameters
    ----------
    pair
        Original and release. If the pairs are not known, pairwise measures are None, and their
        notes state why.
    columns
        Columns to measure; by default all that both files have, except identifiers, households
        and weights.
    groupings
        Subgroups of the original, for discarded records, suppressed and generalised cells.
    seed
        Random seed of the records drawn for propensity and prediction.
    further
        Measures of the user's own, or their names; the overall loss does not count them.

    >>> import numpy as np
    >>> import unveil
    >>> sample = unveil.households(500)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> found = loss(FilePair.of(sample, release.data, release.row_map))
    >>> print(found["IL1s"].reading)
    IL1s 0... (0 is best, no upper end)
    >>> 0 < found.overall.value < 1
    True
    >>> loss(FilePair.of(sample, sample, np.arange(500))).overall.value
    0.0
    """
    whole_number(seed, "seed", 0, LARGEST_SEED)
    pair = _with_measured_columns(pair, columns)
    sampler = PairedSampler(pair, seed)
    left_out = suppression(pair, groupings)
    learned = predictions(pair, seed=seed, sampler=sampler)
    losses = (
        numeric(pair),
        categorical(pair),
        tables(pair),
        openness(pair),
        discernibility(pair),
        discarded_records(left_out),
        propensity(pair, seed=seed, sampler=sampler),
        prediction_loss(learned),
        *(one.measure(pair) for one in as_loss_methods(further)),
    )
    measures = tuple(measure for part in losses for measure in part.measures)
    return Loss(
        overall=overall(measures),
        families=_family_losses(measures),
        measures=measures,
        attributes=_attributes(pair, losses),
        suppression=left_out,
        predictions=learned,
        original=len(pair.original),
        release=len(pair.release),
        pairs=len(pair.released),
        columns=pair.columns,
        seed=seed,
    )


def overall(measures: Iterable[LossMeasure]) -> LossMeasure:
    """One loss from 0 to 1: the mean over the families of measures.

    At 0 nothing was lost that any of them measures, at 1 everything. It gives releases of one file
    a first order and is no verdict: a release may lose little on average, and everything that a
    certain use needs.

    Each family counts the same, by those of its measures that lie in 0 to 1 and do not repeat
    another: numbers by the mean of PIL (statistics) and IL1s / (1 + IL1s) (cells); categories by
    the mean of change and entropy; tables by those of pairs; cells by generalisation; records by
    the share discarded; propensity by told apart; prediction by its loss. Classes are left out:
    they follow from generalised cells and discarded records. A family without a value is left out,
    and the note lists the families: compare two releases only if these are the same.

    >>> overall([loss_measure("IL1s", 1.0, n=5), loss_measure("discarded", 0.1, n=5)]).value
    0.3
    """
    families = _family_losses(measures)
    note = f"of {', '.join(families)}" if families else "nothing could be measured"
    value = mean_or_none(list(families.values()))
    return loss_measure("overall", value, n=len(families), note=note)


def _family_losses(measures: Iterable[LossMeasure]) -> dict[str, float]:
    """The mean of each family that has a value, of the measures that count."""
    values = {measure.name: measure.value for measure in measures if measure.value is not None}
    if "IL1s" in values:
        values["IL1s"] = values["IL1s"] / (1 + values["IL1s"])
    means = {
        family: mean_or_none([values[name] for name in names if name in values])
        for family, names in FAMILIES.items()
    }
    return {family: mean for family, mean in means.items() if mean is not None}


def classical_score(
    information_loss: float, *, interval_disclosure: float, distance: float, probabilistic: float
) -> float:
    """The classical score: half of the information loss and half of the disclosure risk.

    It goes from 0, neither loss nor risk, to 100. Use it to compare with published numbers, and
    never as a verdict: loss and risk offset each other, so that an unmasked file scores like one
    without any information.

    (IL + DR) / 2 with DR = ID / 2 + (DBRL + PRL) / 4, all in percent, after Domingo-Ferrer and
    Torra, A quantitative comparison of disclosure control methods for microdata (2001): interval
    disclosure, and the records that distance-based and probabilistic record linkage link correctly.
    DR is a mean over attacks, whereas an intruder takes the best one.

    >>> classical_score(0, interval_disclosure=100, distance=100, probabilistic=100)
    50.0
    """
    percents = {
        "information_loss": information_loss,
        "interval_disclosure": interval_disclosure,
        "distance": distance,
        "probabilistic": probabilistic,
    }
    for name, value in percents.items():
        if isinstance(value, bool | str) or not 0 <= float(value) <= 100:
            raise UsageError(f"{name}: a number from 0 to 100, in percent")
    risk = interval_disclosure / 2 + (distance + probabilistic) / 4
    return float((information_loss + risk) / 2)


def _with_measured_columns(pair: FilePair, columns: Sequence[str] | None) -> FilePair:
    for name in columns or ():
        if name not in pair.columns:
            raise UsageError(absent_column(name, pair.columns))
    if columns is None:
        excluded = {name for role in NOT_MEASURED for name in pair.with_role(role)}
        columns = [name for name in pair.columns if name not in excluded]
    if not columns:
        raise DataError("the two files have no attribute in common whose loss could be measured")
    return FilePair(pair.original.select(columns), pair.release.select(columns), pair.truth)


def _attributes(pair: FilePair, losses: Sequence[MeasuredLoss]) -> tuple[AttributeLoss, ...]:
    attributes = []
    for name in pair.columns:
        values: dict[str, float] = {}
        for part in losses:
            values |= part.attributes.get(name, {})
        attributes.append(AttributeLoss(column=name, level=pair.level(name), values=values))
    return tuple(attributes)
