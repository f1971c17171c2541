"""Text, dates and codes by distance: 1 - similarity, dates by the days between them."""

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.comparators.comparison import TextComparison
from unveil.attacks.comparators.text_pairs import (
    TextColumn,
    day_numbers,
    similar_pairs,
    text_column,
)
from unveil.attacks.distance.attribute_costs import CostRule, standardised_values, warn_constant
from unveil.attacks.distance.category_sets import ComparedAttribute
from unveil.engines.code_pairs import CodePairs
from unveil.engines.metric import listed
from unveil.support.arrays import Floats


def compare_text(
    files: LinkageFiles, column: str, comparison: TextComparison, rule: CostRule, weight: float
) -> ComparedAttribute | None:
    """A column of text by the distances of texts that are alike; None for a constant column.

    Texts that do not reach the last level are at distance 1, as different categories are.
    """
    if comparison.by == "days":
        days = standardised_values(files, column, rule.scaling, day_numbers(files, column))
        if days is None:
            return None
        return ComparedAttribute(days[0][:, None], days[1][:, None], (rule.gap(weight),))
    texts = text_column(files, column, comparison)
    if len(texts.texts) < 2:
        warn_constant(files, column, "original, nor in the release")
        return None
    pairs = similar_pairs(files, column, texts, comparison)
    costs = weight * _distances(pairs, texts, comparison) ** rule.power
    cost = listed(pairs.with_values(costs), weight)
    if files.reverse:
        cost = cost.reversed
    return ComparedAttribute(texts.intruder[:, None], texts.released[:, None], (cost,))


def _distances(pairs: CodePairs, texts: TextColumn, comparison: TextComparison) -> Floats:
    """1 - similarity; a number of edits or characters is a share of the longer text's."""
    scores = pairs.values
    if comparison.by in ("damerau-levenshtein", "prefix"):
        length = np.array([len(text) for text in texts.texts], np.float64)
        longer = np.maximum(length[pairs.rows], length[pairs.codes])
        scores = np.minimum(scores / longer, 1.0)
    elif comparison.by == "parts":
        scores = scores / comparison.comparator.most
    distances: Floats = scores if comparison.is_distance else 1 - scores
    return distances
