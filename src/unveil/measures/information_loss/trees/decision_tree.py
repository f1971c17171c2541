"""The decision-tree test: how well a tree learnt from a release classifies other records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import polars as pl

from unveil.errors import DataError, SchemaError, UsageError
from unveil.measures.information_loss.trees.c45 import C45
from unveil.support.arrays import Bools, Floats, Ints
from unveil.support.checked_calls import checked_class
from unveil.table.cells import STAR, OneOf, parse_cell
from unveil.table.columns import codes_of, labels_of
from unveil.table.microdata import Microdata
from unveil.wording import count


class TreeTest(msgspec.Struct, frozen=True, kw_only=True):
    """How well a decision tree classifies the records of a table."""

    target: str
    n: int
    accuracy: float  # share of the records that are classified correctly
    baseline: float  # share of the table's most frequent class, which a constant guess reaches
    leaves: int  # of the tree; 1: the tree is a constant guess


@checked_class
@dataclass(frozen=True, repr=False, eq=False)
class DecisionTree:
    """A decision tree on categories, to classify records of other tables."""

    target: str
    classes: tuple[str, ...]
    values: Mapping[str, Sequence[str]]  # of each attribute; every other cell is unknown
    tree: C45

    @property
    def leaves(self) -> int:
        """The number of leaves, also those without training records."""
        return self.tree.root.leaves

    def predict(self, data: Microdata) -> list[str]:
        """The most probable class of each record."""
        return [self.classes[one] for one in self.tree.predict(_coded(data, self.values)).tolist()]

    def correct(self, data: Microdata) -> Bools:
        """Whether each record is classified correctly; false where its class is missing."""
        return self._right(data, _texts(data, self.target))

    def _right(self, data: Microdata, classes: pl.Series) -> Bools:
        right: Bools = (pl.Series(self.predict(data)) == classes).fill_null(value=False).to_numpy()
        return right

    def test(self, data: Microdata) -> TreeTest:
        """The accuracy on the records with a known class, beside that of a constant guess."""
        classes = _classes(data, self.target)
        n = len(classes) - classes.null_count()
        return TreeTest(
            target=self.target,
            n=n,
            accuracy=int(self._right(data, classes).sum()) / n,
            baseline=max(classes.drop_nulls().value_counts()["count"].to_list()) / n,
            leaves=self.leaves,
        )

    def __repr__(self) -> str:
        attributes = count(len(self.values), "attribute")
        return f"DecisionTree({self.target} by {attributes}, leaves: {self.leaves:,})"


def decision_tree(
    train: Microdata,
    target: str,
    *,
    values: Mapping[str, Sequence[str]] | None = None,
    weights: Sequence[float] | Floats | Ints | None = None,
    confidence: float | None = 0.25,
    least: float = 2,
) -> DecisionTree:
    """A decision tree learnt from a release or from patterns, to be tested on original records.

    The test of utility of Armengol and Torra (2015, Section 4): compare the accuracy of this tree
    on original records with that of a tree of the originals, and with a constant guess. C4.5
    (Quinlan 1993) with the conventions of Weka's J48: splits by gain ratio, subtree raising, and a
    missing cell goes down all branches in proportion. A star is a missing cell.

    Parameters
    ----------
    train
        The records or patterns to learn from; those without a class are left out.
    target
        The column to predict.
    values
        The attributes, and the values of each. Default: the quasi-identifiers (all other columns
        if none is declared) with the values in `train`. A cell with any other text is unknown.
    weights
        How much each record counts, such as the counts of patterns.
    confidence
        Confidence factor of pruning: above 0, at most 0.5; less prunes more. None: no pruning.
    least
        The weight that at least two branches of a split must have.

    Examples
    --------
    >>> import unveil
    >>> people, keys = unveil.households(2000, seed=7), ["sex", "marital_status", "education"]
    >>> data = people.select([*keys, "occupation"])
    >>> mask = unveil.masks.AntiUnification(k=20, stars=1, columns=keys, by_confidential=False)
    >>> release = unveil.mask(data, mask)
    >>> for learnt in (data, release.data):
    ...     tree = decision_tree(learnt, "occupation")
    ...     print(tree, round(tree.test(data).accuracy, 2))
    DecisionTree(occupation by 3 attributes, leaves: 25) 0.37
    DecisionTree(occupation by 3 attributes, leaves: 27) 0.37
    """
    labels = _classes(train, target)
    known = labels.is_not_null()
    counted = np.ones(len(train)) if weights is None else _weights(weights, len(train))
    train, labels = train.take(np.flatnonzero(known)), labels.drop_nulls()
    if values is None:
        values = _values(train, target)
    if not values or target in values:
        raise UsageError("values: name at least one attribute, and not the target")
    if confidence is not None and not 0 < confidence <= 0.5:
        raise UsageError("confidence: a number above 0, at most 0.5, or None for no pruning")
    if not 0 < least < np.inf:
        raise UsageError("least: a number above 0")
    classes = tuple(labels.unique().sort().to_list())
    codes, own = _coded(train, values), codes_of(labels, classes).astype(np.int64)
    counted = counted[known.to_numpy()]
    # Parts of records are summed in one order, so that the order of the rows does not matter.
    order = np.lexsort((counted, own, *codes.T))
    tree = C45(
        codes[order],
        own[order],
        values=[len(one) for one in values.values()],
        weights=counted[order],
        confidence=confidence,
        least=least,
    )
    return DecisionTree(target, classes, values, tree)


def _weights(weights: Sequence[float] | Floats | Ints, n: int) -> Floats:
    given = np.asarray(weights, np.float64)
    if given.shape != (n,) or not (np.isfinite(given) & (given > 0)).all():
        raise UsageError(f"weights: a positive number for each of {count(n, 'record')}")
    return given


def _classes(data: Microdata, target: str) -> pl.Series:
    """The class of each record as text, of which at least one is known."""
    classes = _texts(data, target)
    if classes.null_count() == len(classes):
        raise DataError(f"column '{target}' is missing in every record; choose another target")
    return classes


def _values(train: Microdata, target: str) -> dict[str, list[str]]:
    """The values of the quasi-identifiers; of all columns if none is declared."""
    columns = train.schema.with_role("quasi") or train.columns
    return {
        name: _texts(train, name).drop_nulls().unique().sort().to_list()
        for name in columns
        if name != target
    }


def _coded(data: Microdata, values: Mapping[str, Sequence[str]]) -> Ints:
    """The value of each cell; -1 where it is unknown, a star, or not listed."""
    columns = [
        _texts(data, name).cast(pl.Enum(listed), strict=False).to_physical().cast(pl.Int64)
        for name, listed in values.items()
    ]
    return np.column_stack([column.fill_null(-1).to_numpy() for column in columns])


def _texts(data: Microdata, name: str) -> pl.Series:
    """The cells as text, null where they are missing or stars."""
    labels = labels_of(data.column(name))
    if not data.schema[name].generalised:
        if data.level(name) == "numeric":
            raise SchemaError(
                f"column '{name}' is numeric and the tree splits by categories; put it into bands "
                "(global-recoding), or declare it nominal"
            )
        return labels
    distinct = labels.drop_nulls().unique()
    texts = [_text(cell) for cell in distinct]
    return labels.replace_strict(distinct, texts, default=None, return_dtype=pl.String)


def _text(cell: str) -> str | None:
    """A cell of a generalised column: a value without escapes; a band or a set as it is written."""
    parsed = parse_cell(cell)
    if isinstance(parsed, OneOf) and len(parsed.values) == 1:
        return parsed.values[0]
    return None if cell == STAR else cell
