"""Features: the records of one file as numbers, where two files have no common attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unveil.errors import DataError
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import codes_of, labels_of
from unveil.table.encoding.to_arrays import (
    LARGEST_SQUARABLE,
    code_numbers,
    codes,
    normal_scores,
    numbers,
)
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order
from unveil.wording import count

LEAST_RECORDS = 10  # of a file of which anything can be said
MOST_CATEGORIES = 12  # of a nominal attribute, each of which is a feature
LEAST_SHARE, LEAST_COUNT = 0.02, 3  # of a category that is a feature
RIDGE = 1e-3  # added to correlations, so that they can be inverted
LEAST_VARIANCE = 0.05  # of any direction, where correlations impute missing scores


class Feature(NamedTuple):
    """A number of each record: an attribute in its order, or whether it has one category."""

    column: str
    order: tuple[str, ...] = ()  # of an attribute of categories; empty for numbers
    category: str | None = None  # of a nominal attribute

    def of(self, data: Microdata) -> Floats:
        """The values of a file's records; NaN for a missing or unknown category."""
        if not self.order and self.category is None:
            return numbers(data, [self.column]).values[:, 0]
        labels = labels_of(data.column(self.column))
        if self.category is not None:
            return (labels == self.category).cast(float).to_numpy()
        unknown = labels.is_in(list(self.order)).not_().fill_null(False)
        return code_numbers(codes_of(labels.set(unknown, None), self.order))


@dataclass(frozen=True, repr=False, eq=False)
class FileFeatures:
    """The records of one file as features, and the attributes left out, with reasons."""

    features: tuple[Feature, ...]
    values: Floats  # records x features, NaN where missing
    left_out: dict[str, str]
    places: Ints  # of the rows in the order of their contents

    @classmethod
    def of(cls, data: Microdata, columns: Sequence[str], file: str) -> FileFeatures:
        """The features of a file, whose name is for messages."""
        if len(data) < LEAST_RECORDS:
            raise DataError(
                f"the {file} has {count(len(data), 'record')}: linkage without common attributes "
                f"needs at least {LEAST_RECORDS}"
            )
        features: list[Feature] = []
        left_out = {}
        for column in columns:
            own, reason = _features(data, column)
            features += own
            if not own:
                left_out[column] = reason
        values = np.array([feature.of(data) for feature in features])
        places = content_order(data.select(list(columns)) if columns else data)
        return cls(tuple(features), values.reshape(-1, len(data)).T, left_out, places)

    def __len__(self) -> int:
        return len(self.values)

    def check(self, file: str) -> None:
        """Refuse a file without features."""
        if not self.features:
            reasons = "; ".join(f"'{name}' {reason}" for name, reason in self.left_out.items())
            raise DataError(f"the {file} has no attribute for linkage: {reasons}")

    def of_records(self, data: Microdata) -> Floats:
        """The same features of other people."""
        return np.column_stack([feature.of(data) for feature in self.features])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are used."""
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    @cached_property
    def order(self) -> Ints:
        """The rows sorted by features, then contents, so that nothing depends on the row order."""
        return np.lexsort([self.places, *self.values.T[::-1]])


def _features(data: Microdata, column: str) -> tuple[list[Feature], str]:
    if data.schema[column].generalised:
        return [], "holds ranges and sets, which have no place in an order"
    level = data.level(column)
    listed = () if level == "numeric" else codes(data, column).categories
    if level != "numeric" and not listed:
        return [], "is missing in every record"
    features = [Feature(column, listed)]
    if level == "nominal" and len(listed) > 2:
        features = [Feature(column, category=label) for label in _frequent(data, column, listed)]
        if not features:
            return [], "is nominal, and each of its categories is rare"
    values = np.column_stack([feature.of(data) for feature in features])
    known = values[~np.isnan(values[:, 0])]
    if not len(known):
        return [], "is missing in every record"
    if (np.abs(known) > LARGEST_SQUARABLE).any():
        return [], "has numbers beyond 1e150, too large to compute with"
    varies = (known != known[0]).any(0)
    return [f for f, v in zip(features, varies, strict=True) if v], "is constant"


def _frequent(data: Microdata, column: str, listed: tuple[str, ...]) -> list[str]:
    cells = codes_of(labels_of(data.column(column)), listed)
    counts = np.bincount(cells[cells >= 0], minlength=len(listed))
    by_count = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    least = max(LEAST_SHARE * counts.sum(), LEAST_COUNT)
    return [listed[k] for k in np.sort(by_count) if counts[k] >= least]


def feature_scores(values: Floats, among: Floats) -> Floats:
    """Features as normal scores of unit deviation, ranked among the records of a file.

    A missing score is its expectation given the record's other scores.
    """
    reference = np.column_stack([normal_scores(column) for column in among.T])
    size = feature_deviations(reference)
    scores = np.column_stack(
        [normal_scores(own, column) for own, column in zip(values.T, among.T, strict=True)]
    )
    return _impute(scores / size, _positive_definite(correlation_matrix(reference / size)))


def feature_deviations(scores: Floats) -> Floats:
    """The deviation of each feature of mean 0; 1 for a constant or missing one."""
    known = np.maximum((~np.isnan(scores)).sum(0), 1)
    size: Floats = np.sqrt(np.nansum(scores**2, axis=0) / known)
    return np.where(size > 0, size, 1.0)


def correlation_matrix(scores: Floats) -> Floats:
    """The correlations of features of unit deviation, each two where both are known.

    The diagonal has the variances, which imputed scores make smaller.
    """
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0.0)
    both = present.T.astype(np.float64) @ present
    correlations: Floats = filled.T @ filled / np.maximum(both, 1.0)
    own = np.diag(correlations)
    np.fill_diagonal(correlations, np.where(own > 0, own, 1.0))
    return correlations


def _positive_definite(correlations: Floats) -> Floats:
    """The nearest correlations with a least variance in all directions.

    Pairwise correlations need not be consistent; small variances would blow up imputed scores.
    """
    spectrum, vectors = np.linalg.eigh(correlations)
    raised = (vectors * np.maximum(spectrum, LEAST_VARIANCE)) @ vectors.T
    size = np.sqrt(np.diag(raised))
    found: Floats = raised / size / size[:, None]
    return found


def _impute(scores: Floats, correlations: Floats) -> Floats:
    """Missing scores by their expectation given the record's others; 0 if it has none."""
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0.0)
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    for place, known in enumerate(patterns):
        if known.all() or not known.any():
            continue
        rows = np.flatnonzero(which.ravel() == place)
        inner = correlations[np.ix_(known, known)] + RIDGE * np.eye(int(known.sum()))
        weights = np.linalg.solve(inner, correlations[np.ix_(known, ~known)])
        filled[np.ix_(rows, ~known)] = filled[np.ix_(rows, known)] @ weights
    return filled
