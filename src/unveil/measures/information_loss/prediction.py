"""Utility: what can be learned from a release, held against what the originals teach."""

from dataclasses import dataclass

import numpy as np

from unveil.measures.information_loss.catalogue import MeasuredLoss, measured
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.predictors import (
    LEAST,
    MOST_CLASSES,
    Predictors,
    boosted,
    few_codes,
    predictors,
)
from unveil.support.arrays import Floats
from unveil.support.seeds import stream
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import Prediction

MOST_TRAIN, MOST_TEST = 10_000, 5_000
MOST_TARGETS = 6
LEAST_GAIN = 0.02  # over a constant guess: below it there is nothing to lose


@dataclass(frozen=True, repr=False, eq=False)
class _Lesson:
    """The rows to learn from and to be tested on, as numbers."""

    both: FilePair  # the originals, train then test, and the released rows to learn from
    known: Predictors
    train: int


def predictions(
    both: FilePair, *, seed: int = 0, draws: PairedSampler | None = None
) -> tuple[Prediction, ...]:
    """Attributes predicted by who learned from the release, and by who learned from originals.

    Boosted trees predict each confidential attribute, or each attribute if none is, six at most,
    from all others; both are tested on the same held-out originals, a third of them. The
    released rows of these are not learned from; of synthetic records nobody knows whose they
    are. At most 10,000 records are learned from and 5,000 tested, drawn by their contents.

    Categories are scored by balanced accuracy, the mean share found of each category (the nine
    commonest, all others as one), with records weighted so that each category counts the same: a
    release that forgets the rare ones is seen. A constant guess has 1 / categories. Numbers are
    scored by R2, 1 - squared errors / those of the mean learned from the originals, which has 0.
    The loss is (original - release) / (original - constant), within 0 to 1; none where the
    originals gain less than 0.02.

    An unchanged file has loss 0 exactly, as both learn the same; one with shuffled columns near
    1. More records teach more, on both sides: below 10,000 the loss may move with their number.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(300).select(["age", "education", "income", "tax"])
    >>> [one.loss for one in predictions(FilePair(sample, sample, np.arange(300)))]
    [0.0, 0.0]
    """
    targets = (both.with_role("confidential") or both.columns)[:MOST_TARGETS]
    test = min(MOST_TEST, len(both.original) // 3)
    why = ""
    if test < LEAST:
        why = f"fewer than {3 * LEAST} records"
    elif len(both.columns) < 2:
        why = "there is no other attribute to predict from"
    if why:
        return tuple(_nothing(name, why) for name in targets)
    lesson = _lesson(draws or PairedSampler(both, seed), test)
    if lesson is None:
        return tuple(
            _nothing(name, "all released rows are of held-out originals") for name in targets
        )
    return tuple(
        (_number if both.level(name) == "numeric" else _category)(lesson, name) for name in targets
    )


def prediction(found: tuple[Prediction, ...]) -> MeasuredLoss:
    """The mean loss of predictions, as a measure.

    >>> prediction(()).measures[0].value is None
    True
    """
    losses = {one.target: one.loss for one in found if one.loss is not None}
    note = "" if losses else next((one.note for one in found if one.note), "no attribute")
    value = sum(losses.values()) / len(losses) if losses else None
    each = {name: {"prediction": loss} for name, loss in losses.items()}
    return MeasuredLoss((measured("prediction", value, n=len(losses), note=note),), each)


def _lesson(draws: PairedSampler, test: int) -> _Lesson | None:
    train = min(MOST_TRAIN, len(draws.both.original) - test)
    some = draws.originals(train + test, "utility")
    apart = np.zeros(len(some), np.bool_)
    rng = stream(draws.seed, "measure", "utility held out")
    apart[rng.choice(len(some), test, replace=False)] = True
    learned, held = some[~apart], some[apart]
    released = draws.released(learned, train, "utility", avoid=held)
    if not len(released):
        return None
    both = draws.taken(np.concatenate([learned, held]), released)
    return _Lesson(both, predictors(both), train)


def _number(lesson: _Lesson, name: str) -> Prediction:
    """Score R2."""
    place = lesson.known.columns.index(name)
    mine, released = lesson.known.original[:, place], lesson.known.release[:, place]
    truth = mine[lesson.train :]
    known = ~np.isnan(truth)
    taught = np.sort(mine[: lesson.train][~np.isnan(mine[: lesson.train])])
    if len(taught) < LEAST or not known.any():
        return _nothing(name, "it is hardly ever known")
    least = _errors(truth[known], np.full(int(known.sum()), taught.mean()))
    if not least > 0 or taught[0] == taught[-1]:
        return _nothing(name, "it is constant")
    scores = [
        1 - _errors(truth[known], guess[known]) / least
        for guess in _guesses(lesson, name, (mine[: lesson.train], released), classes=False)
    ]
    return _prediction(lesson, name, "R2", (scores[0], scores[1], 0.0))


def _category(lesson: _Lesson, name: str) -> Prediction:
    """Score balanced accuracy."""
    mine, released = few_codes(lesson.both, name, MOST_CLASSES)
    truth = mine[lesson.train :]
    classes = np.unique(truth[~np.isnan(truth)])
    if len(classes) < 2 or (~np.isnan(mine[: lesson.train])).sum() < LEAST:
        return _nothing(name, "it is constant, or hardly ever known")
    scores = []
    for guess in _guesses(lesson, name, (mine[: lesson.train], released), classes=True):
        shares = [float((guess[truth == one] == one).mean()) for one in classes]
        scores.append(sum(shares) / len(shares))
    return _prediction(lesson, name, "balanced accuracy", (scores[0], scores[1], 1 / len(classes)))


def _guesses(
    lesson: _Lesson, name: str, targets: tuple[Floats, Floats], *, classes: bool
) -> list[Floats]:
    """What the held-out originals are taken for by who learned from originals, from the release."""
    known = lesson.known.without(name)
    test = known.original[lesson.train :]
    made = []
    for x, y in zip((known.original[: lesson.train], known.release), targets, strict=True):
        told = ~np.isnan(y)
        distinct, which, many = np.unique(y[told], return_inverse=True, return_counts=True)
        if told.sum() < LEAST or len(distinct) < 2:  # nothing to learn: the same for everybody
            likeliest = distinct[np.argmax(many)] if len(distinct) else np.nan
            mean = np.sort(y[told]).sum() / max(told.sum(), 1)
            made.append(np.full(len(test), likeliest if classes else mean))
            continue
        weights = (1 / many)[which] * told.sum() / len(distinct) if classes else None
        said = boosted(
            x[told], y[told], test, nominal=known.nominal, classes=classes, weights=weights
        )
        made.append(distinct[np.argmax(said, axis=1)] if classes else said)
    return made


def _errors(truth: Floats, guess: Floats) -> float:
    return float(np.sort((truth - guess) ** 2).sum())


def _prediction(
    lesson: _Lesson, name: str, score: str, scores: tuple[float, float, float]
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
        train=lesson.train,
        train_release=len(lesson.both.release),
        test=len(lesson.both.original) - lesson.train,
        note="" if lost is not None else "the originals predict it hardly better than a guess",
    )


def _nothing(name: str, why: str) -> Prediction:
    return Prediction(
        target=name, score="", original=None, release=None, constant=None, loss=None, train=0,
        train_release=0, test=0, note=why,
    )  # fmt: skip
