"""Prediction: models trained on the release, compared with models trained on the originals."""

from typing import NamedTuple

import numpy as np

from unveil.measures.information_loss.catalogue import MeasuredLoss, loss_measure, mean_or_none
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.predictors import (
    LEAF_RECORDS,
    MOST_CLASSES,
    Predictors,
    boosted_predictions,
    category_codes,
    predictors,
)
from unveil.support.arrays import Floats
from unveil.support.seeds import stream
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import Prediction

MOST_TRAIN, MOST_TEST = 10_000, 5_000
MOST_TARGETS = 6
LEAST_GAIN = 0.02  # of the originals over a constant guess, for a loss to be defined


class _TrainingData(NamedTuple):
    """The rows to train and to test on, as numbers."""

    pair: FilePair  # the originals, train then test, and the released rows to train on
    known: Predictors
    train: int  # originals to train on


def predictions(
    pair: FilePair, *, seed: int = 0, sampler: PairedSampler | None = None
) -> tuple[Prediction, ...]:
    """How well models trained on the release predict attributes, beside models of the originals.

    Boosted trees predict each confidential attribute, or each attribute if none is, six at most,
    from all others; both models are tested on the same third of the originals, whose released rows
    are not used for training. Training takes at most 10,000 records and testing 5,000, drawn by
    their contents.

    Categories are scored by balanced accuracy, the mean recall of the categories (the nine
    commonest, all others as one), with records weighted so that each category counts the same: a
    release that forgets the rare ones is seen. A constant guess has 1 / categories. Numbers are
    scored by R2, 1 - squared errors / those of the mean of the originals, which has 0.
    The loss is (original - release) / (original - constant), within 0 to 1; None if the
    originals gain less than 0.02.

    An unchanged file has loss 0 exactly; one with shuffled columns near 1. Below 10,000 records,
    the loss may change with their number.

    >>> from unveil.table.sample import households
    >>> sample = households(300).select(["age", "education", "income", "tax"])
    >>> [one.loss for one in predictions(FilePair.of(sample, sample, np.arange(300)))]
    [0.0, 0.0]
    """
    targets = (pair.with_role("confidential") or pair.columns)[:MOST_TARGETS]
    test = min(MOST_TEST, len(pair.original) // 3)
    why = ""
    if test < LEAF_RECORDS:
        why = f"fewer than {3 * LEAF_RECORDS} records"
    elif len(pair.columns) < 2:
        why = "there is no other attribute to predict from"
    data = None if why else _training_data(sampler or PairedSampler(pair, seed), test)
    if data is None:
        why = why or "all released rows are of held-out originals"
        return tuple(_no_prediction(name, why) for name in targets)
    return tuple(
        (_predict_number if pair.level(name) == "numeric" else _predict_category)(data, name)
        for name in targets
    )


def prediction_loss(predictions: tuple[Prediction, ...]) -> MeasuredLoss:
    """The mean loss of predictions, as a measure."""
    losses = {one.target: one.loss for one in predictions if one.loss is not None}
    note = "" if losses else next((one.note for one in predictions if one.note), "no attribute")
    value = mean_or_none(list(losses.values()))
    attributes = {name: {"prediction": loss} for name, loss in losses.items()}
    measure = loss_measure("prediction", value, n=len(losses), note=note)
    return MeasuredLoss((measure,), attributes)


def _training_data(sampler: PairedSampler, test: int) -> _TrainingData | None:
    train = min(MOST_TRAIN, len(sampler.pair.original) - test)
    rows = sampler.originals(train + test, "utility")
    held_out = np.zeros(len(rows), np.bool_)
    rng = stream(sampler.seed, "measure", "utility held out")
    held_out[rng.choice(len(rows), test, replace=False)] = True
    released = sampler.released(rows[~held_out], train, "utility", avoid=rows[held_out])
    if not len(released):
        return None
    pair = sampler.take(np.concatenate([rows[~held_out], rows[held_out]]), released)
    return _TrainingData(pair, predictors(pair), train)


def _predict_number(data: _TrainingData, name: str) -> Prediction:
    place = data.known.columns.index(name)
    original, released = data.known.original[:, place], data.known.release[:, place]
    train, truth = original[: data.train], original[data.train :]
    known = ~np.isnan(truth)
    ascending = np.sort(train[~np.isnan(train)])
    if len(ascending) < LEAF_RECORDS or not known.any():
        return _no_prediction(name, "it is hardly ever known")
    least = _squared_errors(truth[known], np.full(int(known.sum()), ascending.mean()))
    if not least > 0 or ascending[0] == ascending[-1]:
        return _no_prediction(name, "it is constant")
    scores = [
        1 - _squared_errors(truth[known], guess[known]) / least
        for guess in _guesses(data, name, (train, released), classes=False)
    ]
    return _prediction(data, name, "R2", (scores[0], scores[1], 0.0))


def _predict_category(data: _TrainingData, name: str) -> Prediction:
    original, released = category_codes(data.pair, name, MOST_CLASSES)
    train, truth = original[: data.train], original[data.train :]
    classes = np.unique(truth[~np.isnan(truth)])
    if len(classes) < 2 or (~np.isnan(train)).sum() < LEAF_RECORDS:
        return _no_prediction(name, "it is constant, or hardly ever known")
    scores = []
    for guess in _guesses(data, name, (train, released), classes=True):
        recalls = [float((guess[truth == code] == code).mean()) for code in classes]
        scores.append(sum(recalls) / len(recalls))
    return _prediction(data, name, "balanced accuracy", (scores[0], scores[1], 1 / len(classes)))


def _guesses(
    data: _TrainingData, name: str, targets: tuple[Floats, Floats], *, classes: bool
) -> list[Floats]:
    """Predictions for the held-out originals, by training on originals and on the release."""
    others = np.array([column != name for column in data.known.columns])
    nominal = np.array(data.known.nominal)[others]
    original = data.known.original[:, others]
    train, test = original[: data.train], original[data.train :]
    result = []
    for x, y in zip((train, data.known.release[:, others]), targets, strict=True):
        present = ~np.isnan(y)
        distinct, which, counts = np.unique(y[present], return_inverse=True, return_counts=True)
        if present.sum() < LEAF_RECORDS or len(distinct) < 2:  # one guess for everybody
            commonest = distinct[np.argmax(counts)] if len(distinct) else np.nan
            mean = np.sort(y[present]).sum() / max(present.sum(), 1)
            result.append(np.full(len(test), commonest if classes else mean))
            continue
        weights = (1 / counts)[which] * present.sum() / len(distinct) if classes else None
        predicted = boosted_predictions(
            x[present], y[present], test, nominal=nominal, classes=classes, weights=weights
        )
        result.append(distinct[np.argmax(predicted, axis=1)] if classes else predicted)
    return result


def _squared_errors(truth: Floats, guess: Floats) -> float:
    return float(np.sort((truth - guess) ** 2).sum())


def _prediction(
    data: _TrainingData, name: str, score: str, scores: tuple[float, float, float]
) -> Prediction:
    original, release, constant = scores
    gain = original - constant
    lost = float(np.clip((original - release) / gain, 0, 1)) if gain >= LEAST_GAIN else None
    return Prediction(
        target=name,
        score=score,
        original=original,
        release=release,
        constant=constant,
        loss=lost,
        train=data.train,
        train_release=len(data.pair.release),
        test=len(data.pair.original) - data.train,
        note="" if lost is not None else "the originals predict it hardly better than a guess",
    )


def _no_prediction(name: str, why: str) -> Prediction:
    return Prediction(
        target=name, score="", original=None, release=None, constant=None, loss=None, train=0,
        train_release=0, test=0, note=why,
    )  # fmt: skip
