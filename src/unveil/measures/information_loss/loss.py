"""Information loss: the uses and all measures at once, and the classical score."""

from collections.abc import Iterable, Sequence

from unveil.errors import DataError, UsageError
from unveil.measures.identity.subgroups import Subgrouping
from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure
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
from unveil.measures.information_loss.uses.reference import (
    interval_overlap,
    largest_loss,
    use_losses,
)
from unveil.support.options import whole_number
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import AttributeLoss, Loss, LossMeasure, UseLoss
from unveil.values.use import Use
from unveil.wording import absent_column

NOT_MEASURED = ("household", "weight")  # roles: they describe the survey and not people
LARGEST_SEED = 2**63 - 1


def loss(
    pair: FilePair,
    *,
    columns: Sequence[str] | None = None,
    groupings: Sequence[Subgrouping] = (),
    uses: Sequence[Use] | None = None,
    seed: int = 0,
    further: Iterable[str | LossMethod] = (),
) -> Loss:
    """The information loss of a release: of its uses, and by measures that describe it.

    The overall loss is the largest loss of a use.

    Parameters
    ----------
    pair
        Original and release. If the pairs are not known, pairwise measures are None, and their
        notes state why.
    columns
        Columns to measure; by default all that both files have, except identifiers, households
        and weights. The default uses also need those that the release lacks.
    groupings
        Subgroups of the original, for discarded records, suppressed and generalised cells.
    uses
        What the release is for; by default distributions, relations, and models.
    seed
        Random seed of the records drawn for uses, propensity and prediction.
    further
        Measures of the user's own, or their names; the overall loss does not count them.

    >>> import numpy as np
    >>> import unveil
    >>> sample = unveil.households(500)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> found = loss(FilePair.of(sample, release.data, release.row_map))
    >>> print(found["IL1s"].reading)
    IL1s 0... (0 is best, no upper end)
    >>> print(found.overall.reading, found.overall.note)
    overall 0... (0 is best, 1 is worst) the largest: relations
    >>> loss(FilePair.of(sample, sample, np.arange(500))).overall.value
    0.0
    """
    whole_number(seed, "seed", 0, LARGEST_SEED)
    whole = pair if columns is None else _with_design(pair, columns)
    pair = _with_measured_columns(pair, columns)
    lost = use_losses(whole, uses, seed=seed)
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
        interval_overlap(_with_design(whole, pair.columns), seed=seed),
        *(one.measure(pair) for one in as_loss_methods(further)),
    )
    measures = tuple(measure for part in losses for measure in part.measures)
    return Loss(
        overall=overall(lost),
        uses=lost,
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


def overall(uses: Iterable[UseLoss]) -> LossMeasure:
    """One loss from 0 to 1: the largest of the uses, which the note names.

    At 0 no use has lost anything, at 1 one of them is destroyed: nothing that is kept for another
    use makes up for it. Releases of one file are compared by the same uses.

    >>> overall([]).note
    'no use could be measured'
    """
    uses = tuple(uses)
    worst = largest_loss(uses)
    if worst is None:
        return loss_measure("overall", None, n=len(uses), note="no use could be measured")
    return loss_measure("overall", worst.value, n=len(uses), note=f"the largest: {worst.name}")


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


def _with_design(pair: FilePair, columns: Sequence[str]) -> FilePair:
    """Both files with some columns, the weights and the household numbers."""
    original, release = pair.original, pair.release
    for name in columns:
        if name not in pair.columns:
            raise UsageError(absent_column(name, pair.columns))
    design = {name for role in NOT_MEASURED for name in original.schema.with_role(role)}
    kept = [name for name in original.columns if name in {*columns, *design}]
    released = [name for name in kept if name in release.columns]
    return FilePair(original.select(kept), release.select(released), pair.truth)


def _attributes(pair: FilePair, losses: Sequence[MeasuredLoss]) -> tuple[AttributeLoss, ...]:
    attributes = []
    for name in pair.columns:
        values: dict[str, float] = {}
        for part in losses:
            values |= part.attributes.get(name, {})
        attributes.append(AttributeLoss(column=name, level=pair.level(name), values=values))
    return tuple(attributes)
