"""Files that share no attribute: the records of each as numbers of its own."""

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

FEWEST = 10  # records: of fewer nothing can be said
MOST_CATEGORIES = 12  # of a nominal attribute, each of which is a feature
RARE, FEW = 0.02, 3  # a category with a smaller share, or of fewer records, is none
RIDGE = 1e-3  # added to correlations, so that they can be inverted
LEAST = 0.05  # of any direction's variance, where correlations fill in what is missing


class Feature(NamedTuple):
    """A number of each record: an attribute in its order, or whether it is one category."""

    column: str
    order: tuple[str, ...] = ()  # of an attribute of categories; empty for one of numbers
    category: str | None = None  # of a nominal one

    def of(self, data: Microdata) -> Floats:
        """The numbers of a file's records; NaN is missing, or of no category that is known."""
        if not self.order and self.category is None:
            return numbers(data, [self.column]).values[:, 0]
        labels = labels_of(data.column(self.column))
        if self.category is not None:
            return (labels == self.category).cast(float).to_numpy()
        unheard = labels.is_in(list(self.order)).not_().fill_null(False)
        return code_numbers(codes_of(labels.set(unheard, None), self.order))


@dataclass(frozen=True, repr=False, eq=False)
class FileFeatures:
    """The records of one file as features, and the attributes that are left out, with reasons."""

    features: tuple[Feature, ...]
    values: Floats  # records x features, NaN where missing
    left_out: dict[str, str]
    places: Ints  # of the rows in the order of all that they hold

    def __len__(self) -> int:
        return len(self.values)

    def check(self, whose: str) -> None:
        """Refuse a file of which no attribute is a feature."""
        if not self.features:
            told = "; ".join(f"'{name}' {reason}" for name, reason in self.left_out.items())
            raise DataError(f"the {whose} has no attribute to be linked by: {told}")

    def of(self, data: Microdata) -> Floats:
        """The same features of other people."""
        return np.column_stack([feature.of(data) for feature in self.features])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are used."""
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    @cached_property
    def order(self) -> Ints:
        """The rows by what they hold, so that nothing depends on where they stand."""
        return np.lexsort([self.places, *self.values.T[::-1]])


def side_of(data: Microdata, columns: Sequence[str], whose: str) -> FileFeatures:
    """The records of a file as features, if any of its attributes can be some."""
    if len(data) < FEWEST:
        raise DataError(
            f"the {whose} has {count(len(data), 'record')}: where no attribute is common, "
            f"nothing can be said of fewer than {FEWEST}"
        )
    found: list[Feature] = []
    left_out = {}
    for column in columns:
        features, reason = _features(data, column)
        found += features
        if not features:
            left_out[column] = reason
    values = [feature.of(data) for feature in found]
    numbered = np.array(values).reshape(-1, len(data)).T
    held = data.select(list(columns)) if columns else data
    return FileFeatures(tuple(found), numbered, left_out, content_order(held))


def _features(data: Microdata, column: str) -> tuple[list[Feature], str]:
    """The features of one column, or why there are none."""
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
    """The categories that are not rare, the most frequent ones if they are many."""
    cells = codes_of(labels_of(data.column(column)), listed)
    counts = np.bincount(cells[cells >= 0], minlength=len(listed))
    by_count = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    return [listed[k] for k in np.sort(by_count) if counts[k] >= max(RARE * counts.sum(), FEW)]


def scores_of(values: Floats, among: Floats) -> Floats:
    """Features as normal scores of unit deviation; a missing one as its record suggests.

    Places are counted among the records of `among`. A missing score is what is expected given the
    record's others.
    """
    reference = np.column_stack([normal_scores(column) for column in among.T])
    size = deviations_of(reference)
    scores = np.column_stack(
        [normal_scores(own, column) for own, column in zip(values.T, among.T, strict=True)]
    )
    return _completed(scores / size, _possible(correlations_of(reference / size)))


def deviations_of(scores: Floats) -> Floats:
    """The deviation of each feature whose mean is 0; 1 for one that is constant or missing."""
    known = np.maximum((~np.isnan(scores)).sum(0), 1)
    size: Floats = np.sqrt(np.nansum(scores**2, axis=0) / known)
    return np.where(size > 0, size, 1.0)


def correlations_of(scores: Floats) -> Floats:
    """Correlations of features of unit deviation, each two where both are known.

    Where missing ones were filled in, the deviation is what it is then, as for any whitening.
    """
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0.0)
    both = present.T.astype(np.float64) @ present
    related: Floats = filled.T @ filled / np.maximum(both, 1.0)
    own = np.diag(related)
    np.fill_diagonal(related, np.where(own > 0, own, 1.0))
    return related


def _possible(related: Floats) -> Floats:
    """Correlations that may hold together, as those of pairs that are known here and there do not.

    By no more than the least variance can a feature be told from others: what is told by less is
    told by chance, and would come out many times too large.
    """
    spectrum, vectors = np.linalg.eigh(related)
    found = (vectors * np.maximum(spectrum, LEAST)) @ vectors.T
    size = np.sqrt(np.diag(found))
    fitting: Floats = found / size / size[:, None]
    return fitting


def _completed(scores: Floats, related: Floats) -> Floats:
    """Missing scores as expected given the others of the record; 0, where it has none."""
    present = ~np.isnan(scores)
    filled = np.where(present, scores, 0.0)
    patterns, which = np.unique(present, axis=0, return_inverse=True)
    for place, known in enumerate(patterns):
        if known.all() or not known.any():
            continue
        rows = np.flatnonzero(which.ravel() == place)
        inner = related[np.ix_(known, known)] + RIDGE * np.eye(int(known.sum()))
        weights = np.linalg.solve(inner, related[np.ix_(known, ~known)])
        filled[np.ix_(rows, ~known)] = filled[np.ix_(rows, known)] @ weights
    return filled
