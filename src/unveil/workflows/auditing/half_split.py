"""Two halves of a table's attributes: what goes together apart, what goes with nothing dropped."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.attacks.structural.file_features import FEWEST, FileFeatures, side_of
from unveil.support.arrays import Floats, Ints
from unveil.table.encoding.to_arrays import normal_scores
from unveil.table.microdata import Microdata

STRONG = 0.7  # a correlation of at least this, in size, is put apart
WEAK = 0.25  # an attribute that goes with no other by as much is dropped
LEAST = 2  # attributes on a side
NOTHING = 1e-12  # a variance of scores that is none


@dataclass(frozen=True)
class HalfSplit:
    """Each attribute on one side, or dropped."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    dropped: dict[str, str]  # and why
    together: tuple[tuple[str, str], ...]  # strongly correlated, and yet on one side

    @property
    def enough(self) -> bool:
        """Whether there are attributes enough on both sides."""
        return min(len(self.first), len(self.second)) >= LEAST


def halved(data: Microdata, columns: Sequence[str]) -> HalfSplit:
    """Split attributes as for a test of linkage without a common one.

    The rule is that of Torra and others' paper on fuzzy integrals (section 4.2): pairs correlated
    by at least 0.7 are separated, attributes with a low correlation with all others discarded.
    Pairs are put apart the strongest first; where chains of them make that impossible, or a side
    would have a single attribute, a pair stays together and is told. What is left goes where it
    makes the halves equal, and if either does, where it has more to do with the other side.

    The paper does not say what is low: of its files wdbc lost what is below 0.7 (Pearson's), iris
    kept sepal width with 0.43. Here it is below 0.25, by which iris still keeps it. Correlations
    are of normal scores, so that neither scale nor outliers matter, over the records in which both
    cells are known, 10 at least. An ordinal attribute counts by its order, a nominal one by each
    of its frequent categories, the largest correlation of them. The order of the rows changes
    nothing; of correlations that are equal the earlier columns come first.

    >>> import numpy as np, polars as pl
    >>> from unveil.table.microdata import Microdata
    >>> draw = np.random.default_rng(1)
    >>> a, b, c = draw.normal(size=(3, 50))
    >>> table = pl.DataFrame({"a": a, "b": b, "a too": -a, "b too": b + 1, "c": c})
    >>> found = halved(Microdata(table), table.columns)
    >>> found.first, found.second, list(found.dropped)
    (('a', 'b'), ('a too', 'b too'), ['c'])
    """
    side = side_of(data, columns, "file")
    side.check("file")
    names, related = side.columns, _related(side)
    strongest = related.max(1, initial=0.0)
    kept = np.flatnonzero(strongest >= WEAK)
    signs = _signs(related[np.ix_(kept, kept)])
    sides = {names[place]: sign for place, sign in zip(kept.tolist(), signs.tolist(), strict=True)}
    weak = {
        name: "goes with no other attribute"
        for name, most in zip(names, strongest.tolist(), strict=True)
        if most < WEAK
    }
    reasons = side.left_out | weak
    return HalfSplit(
        first=tuple(name for name in columns if sides.get(name) == 1),
        second=tuple(name for name in columns if sides.get(name) == -1),
        dropped={name: reasons[name] for name in columns if name in reasons},
        together=tuple(
            (names[i], names[j])
            for i, j in _strong(related)
            if sides.get(names[i]) == sides.get(names[j])
        ),
    )


def _related(side: FileFeatures) -> Floats:
    """How strongly each two attributes are correlated, in size; nothing with itself."""
    values = side.values[side.order]  # the same digits in whatever order the rows stand
    scores = np.column_stack([normal_scores(column) for column in values.T])
    between = np.abs(_correlations(scores))
    owner = np.array([side.columns.index(feature.column) for feature in side.features])
    found = np.zeros((len(side.columns), len(side.columns)))
    np.maximum.at(found, (owner[:, None], owner[None, :]), between)
    np.fill_diagonal(found, 0.0)
    return found


def _correlations(scores: Floats) -> Floats:
    """Correlations of each two features over the records that have both; 0 where these are few."""
    present = (~np.isnan(scores)).astype(np.float64)
    known = np.nan_to_num(scores)
    both = np.maximum(present.T @ present, 1.0)
    total = known.T @ present  # of each, over the records that have the other, too
    varying = (known**2).T @ present - total**2 / both
    shared = known.T @ known - total * total.T / both
    size = varying * varying.T
    clear = (size > NOTHING) & (both >= FEWEST)
    found: Floats = np.where(clear, shared / np.sqrt(np.where(clear, size, 1.0)), 0.0)
    return found


def _strong(related: Floats) -> list[tuple[int, int]]:
    """The pairs that are to be put apart, the strongest first."""
    rows, columns = np.triu_indices(len(related), 1)
    size = related[rows, columns]
    order = np.argsort(-size, kind="stable")
    return [(int(rows[k]), int(columns[k])) for k in order[: int((size >= STRONG).sum())]]


def _signs(related: Floats) -> Ints:
    """The side of each attribute, 1 or -1; that of the first is 1."""
    many = len(related)
    signs, group = np.ones(many, np.int64), np.arange(many)
    pairs = _strong(related)
    for i, j in pairs:
        if group[i] == group[j]:
            continue  # they are where stronger pairs have put them
        moved = group == group[j]
        if signs[i] == signs[j]:
            signs[moved] *= -1
        group[moved] = group[i]
    signs = _two_each(_balanced(signs, group, related), related)
    return signs * signs[:1]


def _balanced(signs: Ints, group: Ints, related: Floats) -> Ints:
    """Turn whole groups so that the sides are equal, and have to do with each other."""
    groups = [np.flatnonzero(group == one) for one in np.unique(group)]
    groups.sort(key=lambda one: (-abs(signs[one].sum()), -related[one].max(), one[0]))
    placed = np.zeros(len(signs), np.int64)
    for members in groups:
        own = signs[members]
        along = float(own @ related[members] @ placed)  # the more, the more is on one side
        turn = -1 if along > 0 else 1
        if abs(placed.sum() + turn * own.sum()) > abs(placed.sum() - turn * own.sum()):
            turn = -turn
        placed[members] = turn * own
    return placed


def _two_each(signs: Ints, related: Floats) -> Ints:
    """Give a side that has one attribute the one that has the least to do with that."""
    for sign in (1, -1):
        alone, others = np.flatnonzero(signs == sign), np.flatnonzero(signs != sign)
        if len(alone) == 1 and len(others) > LEAST:
            least = others[np.argmin(related[alone[0], others])]
            signs = np.where(np.arange(len(signs)) == least, sign, signs)
    return signs
