"""Where the search for a structure begins: what simpler attacks hold for likely, and chance."""

from collections.abc import Iterator

import numpy as np

from unveil.attacks.structural.alignment import likeness, related_alike
from unveil.attacks.structural.canonical import CanonicalCorrelations, FeaturePair
from unveil.attacks.structural.file_features import correlations_of
from unveil.attacks.structural.representatives import NORMALISATIONS, representatives
from unveil.attacks.structural.soft_matching import posterior_of
from unveil.support.arrays import Floats

# How much likelier a pair at no distance is than one at the usual, as a log: by the log of how many
# candidates there are, and at least. Among many, a start that is too soft is forgotten.
SHARPER, LESS, SHARP = 6.5, 25.0, 5.0
DIGITS, EVEN = 9, 1e-6  # of a loading: so many decimals; a sum of them that is none
NARROW, WIDE = 0.02, 0.5  # how much shapes may differ, of alignments that are drawn
WELL = 0.9  # the correlation of attributes that say the same


def turned(values: Floats, scores: Floats) -> Floats:
    """Attributes such that most go the same way: by the signs of the first component."""
    return values * main_signs(scores)


def main_signs(scores: Floats) -> Floats:
    """The sign of each feature in the first principal component, that of the most being 1."""
    loading = main_loadings(scores)
    return np.where(loading < 0, -1.0, 1.0)


def main_component(scores: Floats) -> Floats:
    """The first principal component, on which most features count positively."""
    return scores @ main_loadings(scores)


def main_loadings(scores: Floats) -> Floats:
    """How much each feature counts in the first principal component, most of them positively.

    Where as much counts either way, the one that counts most is positive, the first of them: no
    rounding may say it, which depends on the order of the records.
    """
    loading = np.linalg.eigh(correlations_of(scores))[1][:, -1].round(DIGITS)
    main = loading.sum() if abs(loading.sum()) > EVEN else loading[np.abs(loading).argmax()]
    return loading if main >= 0 else -loading


def starts_of(
    values: tuple[Floats, Floats],
    pair: FeaturePair,
    gaps: tuple[Floats, Floats],
    rng: np.random.Generator,
    drawn: int,
) -> Iterator[Floats]:
    """Posteriors to begin with: of each simple attack, and of alignments drawn at random.

    `values` are those of the records of the pair, `gaps` how much the shapes of attributes differ.
    """
    scores, (same, other) = (pair.intruder, pair.released), gaps
    for width in (NARROW, 0.1, WIDE):
        alike = related_alike(pair.related, gaps, width)
        yield _by_product(scores, alike)
        yield _by_supposing(pair, alike)
    ways = [(turned(own, score), own) for own, score in zip(values, scores, strict=True)]
    for straight in zip(*ways, strict=True):
        for how in NORMALISATIONS:
            yield _by_distance(
                *(_known(representatives(own, normalisation=how)) for own in straight)
            )
    first, second = (main_component(score)[:, None] for score in scores)
    yield _by_distance(_standard(first), _standard(second))
    yield _by_distance(_standard(first), -_standard(second))
    yield _by_distance(*(_standard(score.sum(1, keepdims=True)) for score in scores))
    for width in (NARROW, 0.1, WIDE):
        yield _by_product(scores, likeness(same, width))
        yield _by_product(scores, likeness(same, width) - likeness(other, width))
    for place in range(drawn):
        width = float(np.exp(rng.uniform(np.log(NARROW), np.log(WIDE))))
        alike = likeness(same, width) - (place % 2) * likeness(other, width)
        yield _by_product(scores, alike * rng.standard_exponential(alike.shape))


def _known(values: Floats) -> Floats:
    return np.where(np.isnan(values), 0.0, values)


def _standard(values: Floats) -> Floats:
    size = values.std(0)
    found: Floats = (values - values.mean(0)) / np.where(size > 0, size, 1.0)
    return found


def _by_distance(intruder: Floats, released: Floats) -> Floats:
    gaps = (intruder**2).sum(1)[:, None] + (released**2).sum(1) - 2 * intruder @ released.T
    return _sharpened(-gaps)


def _by_product(scores: tuple[Floats, Floats], alike: Floats) -> Floats:
    return _sharpened(scores[0] @ alike @ scores[1].T)


def _by_supposing(pair: FeaturePair, alike: Floats) -> Floats:
    """The posterior if attributes that are taken to say the same are correlated well."""
    supposed = CanonicalCorrelations(pair, 1.0)
    supposed.suppose(WELL * alike)
    return posterior_of(supposed.weights())


def _sharpened(weights: Floats) -> Floats:
    """A posterior in which the best of each record are a good deal likelier than the usual."""
    below = weights.max(1, keepdims=True) - weights
    usual = float(np.median(below))
    sharpness = max(SHARP, SHARPER * float(np.log(below.shape[1])) - LESS)
    return posterior_of(-below * (sharpness / usual if usual > 0 else 0.0))
