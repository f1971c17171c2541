"""Starting points of the search: the links of simpler attacks, and random alignments."""

from collections.abc import Iterator

import numpy as np

from unveil.attacks.structural.alignment import align_softly, similarity
from unveil.attacks.structural.canonical import CanonicalCorrelations, FeaturePair
from unveil.attacks.structural.file_features import correlation_matrix
from unveil.attacks.structural.representatives import NORMALISATIONS, representatives
from unveil.attacks.structural.soft_matching import match_probabilities
from unveil.support.arrays import Floats

# The log-likelihood ratio of the best candidate against the median one: a multiple of the log of
# the number of candidates less a constant, and at least. EM forgets a start that is too soft.
SHARPNESS_PER_LOG, SHARPNESS_LESS, LEAST_SHARPNESS = 6.5, 25.0, 5.0
LOADING_DIGITS, EVEN = 9, 1e-6  # decimals of a loading; a sum of loadings that is 0
NARROW, MEDIUM, WIDE = 0.02, 0.1, 0.5  # gaps between like shapes
ASSUMED_CORRELATION = 0.9  # of attributes that measure the same


def main_loadings(scores: Floats) -> Floats:
    """The loadings of the first principal component, most of them positive.

    If both signs have the same sum, the largest loading is positive, the first of them: rounding
    errors, which depend on the row order, must not decide.
    """
    loading = np.linalg.eigh(correlation_matrix(scores))[1][:, -1].round(LOADING_DIGITS)
    main = loading.sum() if abs(loading.sum()) > EVEN else loading[np.abs(loading).argmax()]
    return loading if main >= 0 else -loading


def main_signs(scores: Floats) -> Floats:
    """The signs of the loadings of the first principal component."""
    return np.where(main_loadings(scores) < 0, -1.0, 1.0)


def starting_posteriors(
    values: tuple[Floats, Floats],
    pair: FeaturePair,
    gaps: tuple[Floats, Floats],
    rng: np.random.Generator,
    n_random: int,
) -> Iterator[Floats]:
    """Posteriors to start from: of each simple attack, and of random alignments.

    `values` are the features of the records of the pair, `gaps` the differences of shapes.
    """
    scores, (same, reverse) = (pair.intruder, pair.released), gaps
    for width in (NARROW, MEDIUM, WIDE):
        aligned = align_softly(pair.correlations, gaps, width)
        yield _by_product(scores, aligned)
        assumed = CanonicalCorrelations(pair, 1.0)
        assumed.assume(ASSUMED_CORRELATION * aligned)
        yield match_probabilities(assumed.weights())
    one_way = [own * main_signs(score) for own, score in zip(values, scores, strict=True)]
    for sides in (one_way, values):
        for method in NORMALISATIONS:
            yield _by_distance(
                *(np.nan_to_num(representatives(own, normalisation=method)) for own in sides)
            )
    first, second = (_standardise((score @ main_loadings(score))[:, None]) for score in scores)
    yield _by_distance(first, second)
    yield _by_distance(first, -second)
    yield _by_distance(*(_standardise(score.sum(1, keepdims=True)) for score in scores))
    for width in (NARROW, MEDIUM, WIDE):
        yield _by_product(scores, similarity(same, width))
        yield _by_product(scores, similarity(same, width) - similarity(reverse, width))
    for number in range(n_random):
        width = float(np.exp(rng.uniform(np.log(NARROW), np.log(WIDE))))
        alike = similarity(same, width) - (number % 2) * similarity(reverse, width)
        yield _by_product(scores, alike * rng.standard_exponential(alike.shape))


def _standardise(values: Floats) -> Floats:
    size = values.std(0)
    scaled: Floats = (values - values.mean(0)) / np.where(size > 0, size, 1.0)
    return scaled


def _by_distance(intruder: Floats, released: Floats) -> Floats:
    gaps = (intruder**2).sum(1)[:, None] + (released**2).sum(1) - 2 * intruder @ released.T
    return _sharpen(-gaps)


def _by_product(scores: tuple[Floats, Floats], alike: Floats) -> Floats:
    return _sharpen(scores[0] @ alike @ scores[1].T)


def _sharpen(weights: Floats) -> Floats:
    """A posterior in which the best candidate of each record is much likelier than the median."""
    below = weights.max(1, keepdims=True) - weights
    median = float(np.median(below))
    by_size = SHARPNESS_PER_LOG * float(np.log(below.shape[1])) - SHARPNESS_LESS
    sharpness = max(LEAST_SHARPNESS, by_size)
    return match_probabilities(-below * (sharpness / median if median > 0 else 0.0))
