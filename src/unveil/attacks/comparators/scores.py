"""Scores of many pairs of texts at once: those that reach a comparison's last level are listed."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from unveil.attacks.comparators.comparison import SAME_SCORE, TextComparison
from unveil.attacks.comparators.text_keys import date_parts, soundex, words
from unveil.errors import import_optional
from unveil.support.arrays import Floats, Ints
from unveil.support.threads import cores

CUTOFF_SLACK = 0.01
FEW_PAIRS = 1 << 16  # that are scored before a thread has started
PAIRS_AT_ONCE = 1 << 22  # whose scores are held together

Texts = Sequence[str]
Scorer = Callable[[slice], Floats]  # of some texts of one list with all of the other


class ListedScores(NamedTuple):
    """Pairs by their places in two lists, and their scores."""

    first: Ints
    second: Ints
    score: Floats


def listed_scores(comparison: TextComparison, a: Texts, b: Texts) -> ListedScores:
    """The pairs of two lists of texts whose score reaches the comparison's last level.

    >>> found = listed_scores(TextComparison("soundex"), ["Robert"], ["Rupert", "Anna"])
    >>> found.second.tolist(), found.score.tolist()
    ([0], [0.5])
    """
    own = {"tokens": _shared_words, "soundex": _same_sound, "parts": _same_parts}
    prepare = own.get(comparison.by)
    scorer = _of_rapidfuzz(comparison, a, b) if prepare is None else prepare(a, b)
    least, step = comparison.ends[-1], max(1, PAIRS_AT_ONCE // max(len(b), 1))
    parts = []
    for start in range(0, len(a), step):
        scores = scorer(slice(start, start + step))
        kept = scores <= least if comparison.is_distance else scores >= least - SAME_SCORE
        first, second = np.nonzero(kept)
        parts.append((first + start, second, scores[first, second].astype(np.float64)))
    return ListedScores(*map(np.concatenate, zip(*parts, strict=True)))


def _of_rapidfuzz(comparison: TextComparison, a: Texts, b: Texts) -> Scorer:
    import_optional("rapidfuzz", "text", f"a comparison by {comparison.by}")
    from rapidfuzz.distance import DamerauLevenshtein, JaroWinkler, Prefix
    from rapidfuzz.process import cdist

    scorer, kind, slack = {
        "jaro-winkler": (JaroWinkler.similarity, np.float64, CUTOFF_SLACK),
        "damerau-levenshtein": (DamerauLevenshtein.distance, np.int32, 0),
        "prefix": (Prefix.similarity, np.int32, 0),
    }[comparison.by]
    place = {text: at for at, text in enumerate(b)}
    # Below a similarity it answers 0, above a distance more; near its cutoff it rounds.
    cutoff = max(comparison.ends[-1] - slack, 0)

    def score(rows: slice) -> Floats:
        many = len(a[rows]) * len(b) > FEW_PAIRS
        options: dict[str, Any] = {"dtype": kind, "workers": cores(None) if many else 1}
        found: Floats = cdist(a[rows], b, scorer=scorer, score_cutoff=cutoff, **options)
        if comparison.by == "prefix":  # equal texts are equal in all characters, however few
            for row, text in enumerate(a[rows]):
                if text in place:
                    found[row, place[text]] = max(comparison.ends[0], len(text))
        return found

    return score


def _shared_words(a: Texts, b: Texts) -> Scorer:
    """The share of words in both texts among those in either."""
    from scipy.sparse import csr_array

    sets = [[words(text) for text in side] for side in (a, b)]
    place = {word: at for at, word in enumerate(frozenset().union(*sets[0], *sets[1]))}
    left, right = (
        csr_array(
            (
                np.ones(sum(map(len, side))),
                [place[word] for own in side for word in own],
                np.cumsum([0, *map(len, side)]),
            ),
            shape=(len(side), len(place)),
        )
        for side in sets
    )
    sizes, others = (np.array([len(own) for own in side]) for side in sets)

    def score(rows: slice) -> Floats:
        common = (left[rows] @ right.T).toarray()
        either = sizes[rows, None] + others - common
        shared: Floats = np.divide(common, either, out=np.zeros(common.shape), where=either > 0)
        return shared

    return score


def _same_sound(a: Texts, b: Texts) -> Scorer:
    """1 for equal texts, 0.5 for the same Soundex code."""
    codes: dict[str, int] = {}
    (texts, sounds), (others, other_sounds) = (
        [
            np.array([codes.setdefault(key, len(codes)) for key in keys], np.int64)
            for keys in (side, map(soundex, side))
        ]
        for side in (a, b)
    )

    def score(rows: slice) -> Floats:
        alike = sounds[rows, None] == other_sounds
        found: Floats = (alike.astype(np.float64) + (texts[rows, None] == others)) / 2
        return found

    return score


def _same_parts(a: Texts, b: Texts) -> Scorer:
    """How many of year, month and day are equal; two, if day and month are exchanged."""
    (years, months, days), (other_years, other_months, other_days) = (
        np.array([date_parts(text) or ("0", "0", "0") for text in side]).astype(np.int64).T
        for side in (a, b)
    )

    def score(rows: slice) -> Floats:
        year = years[rows, None] == other_years
        month, day = months[rows, None] == other_months, days[rows, None] == other_days
        exchanged = (months[rows, None] == other_days) & (days[rows, None] == other_months)
        equal = year.astype(np.int8) + month + day
        found: Floats = np.where(year & exchanged, np.maximum(equal, 2), equal)
        return found

    return score
