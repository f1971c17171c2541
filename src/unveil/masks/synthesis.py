"""Synthesis: records drawn from a model of the table instead of the table itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from msgspec import Meta

from unveil.data.channels import Unknown
from unveil.data.decode import as_column, donated
from unveil.data.encode import codes, tied_blocks
from unveil.errors import SchemaError, SpecError
from unveil.masks.base import Mask, Masked, ascending, known_numbers, sort_keys
from unveil.masks.moments import correlations, mixed, root_of

if TYPE_CHECKING:
    import polars as pl

    from unveil.data.encode import Floats, Ints
    from unveil.data.microdata import Microdata
    from unveil.engines.threads import Progress
    from unveil.masks.base import Draw

MANY = 64  # categories beyond which a tree predicts their numbers, not each of them


class Synthesis(Mask, frozen=True, kw_only=True):
    """Synthesis: a table of made-up records with the distribution of the original.

    "trees": columns are drawn one after another. The first is drawn from the original's;
    for each other a tree predicts it from the columns before it, and a synthetic record
    takes the cell of a random original in its leaf. Reiter, Using CART to generate
    partially synthetic public use microdata (2005); as synthpop does by default. Single
    cells are those of originals, so mask extreme ones first.

    "copula": ranks are drawn from a normal distribution with the correlations of the
    original's, and become values between the original's quantiles. Where categories have
    no order, that of their labels is used.

    Missing cells are part of what is drawn. Synthetic rows come from no original row: the
    release has no row map.

    Examples
    --------
    >>> import unveil
    >>> release = unveil.mask(unveil.households(100), [Synthesis(records=50)], seed=7)
    >>> len(release), release.row_map
    (50, None)
    """

    model: Annotated[
        Literal["trees", "copula"], Meta(description="What the records are drawn from.")
    ] = "trees"
    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The columns that are released, in the order in which they are drawn; "
            "if not given, all but identifiers."
        ),
    ] = None
    records: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="How many records are made; if not given, as many as there are."),
    ] = None
    leaf: Annotated[
        int, Meta(ge=1, description="Trees: the least number of originals in a leaf.")
    ] = 5

    def check(self, data: Microdata) -> None:
        """The columns are there, and are single values."""
        for column in self.targets(data):
            if data.schema[column].generalised:
                raise SchemaError(
                    f"{self.step}: column '{column}' is generalised: its cells are ranges and "
                    "sets, which are not modelled; leave it out"
                )

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns that are made."""
        secret = data.schema.with_role("identifier")
        if self.columns is None:
            return tuple(name for name in data.columns if name not in secret)
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise SpecError(f"{self.step}: columns: name at least one, and none twice")
        data.check(*self.columns)
        for column in self.columns:
            if column in secret:
                raise SpecError(
                    f"{self.step}: column '{column}' is an identifier: it is never released"
                )
        return self.columns

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> Masked:
        """Make the records."""
        columns = self.targets(data)
        size = self.records or len(data)
        if self.model == "trees":
            made = _Trees(data, columns, self.leaf).draw(size, draw, progress)
        else:
            made = _from_copula(self, data, columns, size, draw)
        unknown = tuple(Unknown((column,)) for column in columns)
        return Masked(data.anew(made), unknown, synthetic=True)


class _Trees:
    """Each column predicted from those before it.

    A synthetic cell is that of an original record, its donor, so all is computed on the
    donors' rows. Numbers are predictors by their order: trees see nothing else.
    """

    def __init__(self, data: Microdata, columns: tuple[str, ...], leaf: int) -> None:
        self.data, self.columns, self.leaf = data, columns, leaf

    def draw(self, size: int, draw: Draw, progress: Progress | None) -> list[pl.Series]:
        """Draw all columns."""
        drawn: dict[str, Ints] = {}
        for done, column in enumerate(self.columns):
            if progress is not None:
                progress(done, len(self.columns))
            drawn[column] = self._donors(column, drawn, size, draw(column))
        return [donated(self.data.column(name), rows) for name, rows in drawn.items()]

    def _donors(
        self, column: str, before: dict[str, Ints], size: int, rng: np.random.Generator
    ) -> Ints:
        """For each synthetic record the original whose cell it takes."""
        n = len(self.data)
        if not before:
            return rng.integers(n, size=size)
        values, sized = self._target(column)
        known = ~np.isnan(values)
        donors, empty = np.full(size, -1), np.zeros(size, np.bool_)
        if not known.all():
            everyone = np.ones(n, np.bool_)
            rows = self._from_leaves(known.astype(np.float64), everyone, before, rng, sized=False)
            donors, empty = rows, ~known[rows]
        if known.any():
            rows = self._from_leaves(values, known, before, rng, sized=sized)
            donors = np.where(empty, donors, rows)
        return donors

    def _target(self, column: str) -> tuple[Floats, bool]:
        """The column as numbers, NaN where missing; and whether their size means anything."""
        keys = sort_keys_of_any(self.data, column)
        level = self.data.level(column)
        return keys, level != "nominal" or len(np.unique(keys[~np.isnan(keys)])) > MANY

    def _from_leaves(
        self,
        target: Floats,
        used: np.ndarray[tuple[int], np.dtype[np.bool_]],
        before: dict[str, Ints],
        rng: np.random.Generator,
        *,
        sized: bool,
    ) -> Ints:
        """Grow a tree over the originals in use; draw one of them from each record's leaf."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        rows = np.flatnonzero(used)
        wanted = _shrunk(target[rows])
        kind = DecisionTreeRegressor if sized else DecisionTreeClassifier
        tree = kind(min_samples_leaf=self.leaf, random_state=int(rng.integers(2**31)))
        tables = [self._predictor(name, wanted, rows) for name in before]
        original = np.column_stack([table[rows] for table in tables])
        synthetic = np.column_stack(
            [table[donor] for table, donor in zip(tables, before.values(), strict=True)]
        )
        tree.fit(original, wanted if sized else np.unique(wanted, return_inverse=True)[1])
        leaf, own = tree.apply(original), tree.apply(synthetic)
        order = np.argsort(leaf, kind="stable")
        sizes = np.bincount(leaf, minlength=tree.tree_.node_count)
        starts = np.cumsum(sizes) - sizes
        chosen = starts[own] + (rng.random(len(own)) * sizes[own]).astype(np.int64)
        donors: Ints = rows[order[chosen]]
        return donors

    def _predictor(self, column: str, wanted: Floats, rows: Ints) -> Floats:
        """A column as a predictor: numbers by order, categories by the mean of the target."""
        keys = sort_keys_of_any(self.data, column)
        known = ~np.isnan(keys)
        _, place = np.unique(keys[known], return_inverse=True)
        codes_of_rows = np.full(len(keys), -1)
        codes_of_rows[known] = place
        if self.data.level(column) == "nominal" and known.any():
            inside = codes_of_rows[rows]
            some = inside >= 0
            count = np.bincount(inside[some], minlength=place.max() + 1)
            total = np.bincount(inside[some], wanted[some], minlength=place.max() + 1)
            by_mean = np.argsort(np.argsort(total / np.maximum(count, 1), kind="stable"))
            codes_of_rows[known] = by_mean[place]
        return np.where(known, codes_of_rows, np.nan)


def sort_keys_of_any(data: Microdata, column: str) -> Floats:
    """Numbers that sort as a column does, categories without an order by their codes."""
    if data.level(column) != "nominal":
        return sort_keys(data, column)
    coded = codes(data, column).codes
    return np.where(coded < 0, np.nan, coded)


def _shrunk(values: Floats) -> Floats:
    """Values over the largest: their squares then fit."""
    most = np.abs(values).max()
    return values / most if most > 0 else values


def _from_copula(
    mask: Synthesis, data: Microdata, columns: tuple[str, ...], size: int, draw: Draw
) -> list[pl.Series]:
    from scipy.special import ndtr, ndtri

    n = len(data)
    keys = np.column_stack([sort_keys_of_any(data, column) for column in columns])
    lowest = np.where(np.isnan(keys), -np.inf, keys)  # missing is the lowest category
    scores = np.column_stack([tied_blocks(column).twice_rank for column in lowest.T]) - 1
    related = correlations(ndtri(scores / (2 * n)))
    drawn = np.column_stack([draw(column).standard_normal(size) for column in columns])
    shares = ndtr(mixed(drawn, root_of(related)))
    return [
        _quantiles(mask, data, column, own, share)
        for column, own, share in zip(columns, keys.T, shares.T, strict=True)
    ]


def _quantiles(
    mask: Synthesis, data: Microdata, column: str, keys: Floats, shares: Floats
) -> pl.Series:
    """The column's quantiles at these shares, the lowest share being missing cells."""
    rows, cells = ascending(keys), data.column(column)
    empty = 1 - len(rows) / len(keys)
    missing = (shares < empty) | (len(rows) == 0)
    place = np.clip((shares - empty) / max(1 - empty, 1e-300), 0.0, 1.0) * len(rows)
    if data.level(column) != "numeric" or not len(rows):
        last = max(len(rows) - 1, 0)
        donors = np.append(rows, -1)[np.minimum(place.astype(np.int64), last)]
        return donated(cells, np.where(missing, -1, donors))
    known_numbers(mask, data, [column])
    between = np.interp(place - 0.5, np.arange(len(rows)), keys[rows])
    # As many cells as records are made, missing where they are to be.
    frame = donated(cells, np.where(missing, -1, rows[0]))
    return as_column(frame, np.where(missing, np.nan, between))
