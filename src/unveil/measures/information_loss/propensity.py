"""Propensity: how well a classifier separates released records from originals (pMSE)."""

import numpy as np

from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.predictors import (
    LEAF_RECORDS,
    boosted_predictions,
    predictors,
)
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.values.file_pair import FilePair

MOST_RECORDS, FOLDS = 10_000, 3


def propensity(
    pair: FilePair, *, seed: int = 0, sampler: PairedSampler | None = None
) -> MeasuredLoss:
    """How well a classifier separates released records from originals: two measures, 0 to 1.

    Boosted trees, fitted to two folds of three, predict for each record of the third the
    probability p that it is released; c is the share of released records. A record and its twin are
    in the same fold. Boosted trees detect differences that linear models miss, and are faster than
    deep models. After Snoke, Raab, Nowok, Dibben and Slavkovic, General and
    specific utility measures for synthetic data (2018), who fit and predict on the same records.

    "pMSE" is the mean of (p - c)^2 over c (1 - c). It also counts overfitting: for two samples of
    the same people it is some hundredths, less with more records. "told apart" is 1 - mean
    (y - p)^2 / (c (1 - c)), at least 0: equal to pMSE for a calibrated classifier, and 0 for one
    that only overfits. In an unchanged file each fold holds everybody twice, once as released, so
    that no split gains anything: both are 0. Shuffled columns are seen as far as attributes depend
    on each other.

    At most 10,000 records of each file are drawn by their contents, the released twins of the drawn
    originals first. Below that number, told apart grows with the number of records.

    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> [one.value for one in propensity(FilePair.of(sample, sample, np.arange(100))).measures]
    [0.0, 0.0]
    """
    names = ("pMSE", "told apart")
    fewest = FOLDS * LEAF_RECORDS
    why = ""
    if not pair.columns:
        why = "no attribute"
    elif min(len(pair.original), len(pair.release)) < fewest:
        why = f"fewer than {fewest} records"
    if why:
        return MeasuredLoss(tuple(loss_measure(name, None, n=0, note=why) for name in names), {})
    sampler = sampler or PairedSampler(pair, seed)
    originals = sampler.originals(MOST_RECORDS, "propensity")
    released = sampler.released(originals, MOST_RECORDS, "propensity")
    p, y = _cross_fitted(sampler.take(originals, released), seed)
    n, c = len(p), y.mean()
    scale = c * (1 - c) * n
    pmse = float(np.sort((p - c) ** 2).sum() / scale)
    told_apart = 1 - float(np.sort((y - p) ** 2).sum() / scale)
    values = np.clip([pmse, told_apart], 0, 1).tolist()
    measures = (loss_measure(name, v, n=n) for name, v in zip(names, values, strict=True))
    return MeasuredLoss(tuple(measures), {})


def _cross_fitted(pair: FilePair, seed: int) -> tuple[Floats, Floats]:
    """The probability that each record is released, from the other folds; and whether it is."""
    known = predictors(pair)
    x = np.concatenate([known.original, known.release])
    released = np.repeat([0, 1], [len(known.original), len(known.release)])
    folds = _folds(pair, stream(seed, "measure", "propensity folds"))
    probability = np.empty(len(x))
    for fold in range(FOLDS):
        held_out = folds == fold
        probability[held_out] = boosted_predictions(
            x[~held_out], released[~held_out], x[held_out], nominal=known.nominal, classes=True
        )[:, 1]
    return probability, released.astype(np.float64)


def _folds(pair: FilePair, rng: np.random.Generator) -> Ints:
    """The fold of each original, then of each released row: that of its twin, if it has one."""
    originals = rng.permutation(len(pair.original)) % FOLDS
    released = rng.permutation(len(pair.release)) % FOLDS
    released[pair.released] = originals[pair.originals]
    return np.concatenate([originals, released])
