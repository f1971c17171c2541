"""Mondrian: the file cut into ever smaller groups, each released as what its records may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
import polars as pl
from msgspec import Meta
from numpy.typing import NDArray

from unveil.grouping.classes import Classes
from unveil.grouping.mondrian import CutAxis, axis_of, mondrian
from unveil.masks.base import KeepType, computable_numbers
from unveil.masks.centres import first_rows, group_centres
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    GeneralisingMask,
    exact_labels,
    generalised_attribute,
    starred_table,
)
from unveil.models.base import compile_rules
from unveil.support.arrays import Bools, Floats, Ints, Ints32
from unveil.support.options import Progress
from unveil.table.cells import STAR, escape, write_range, write_set
from unveil.table.encoding.to_arrays import codes, numbers, scale_of
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Groups

Texts = NDArray[np.object_]


class Mondrian(GeneralisingMask, frozen=True, kw_only=True):
    """Mondrian: the file is cut in two again and again, and every group released as a whole.

    Records become alike within their group: an age becomes the span of ages in it, a region the
    set of its regions. Nobody is left out, and the spans are narrow where there are many people.

    The attribute in which a group is spread widest is cut at its median, as long as both parts
    keep k and the other models. LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional
    k-anonymity (2006). Strict: all records with one value go to the same part. `relaxed`: where no
    such cut is possible any more, those at the median go to either, so that groups are smaller;
    which, depends on the order of the rows. (The paper does so from the first cut on, and loses
    more where a value is frequent.) Categories stand in their order, without one by their
    characters; with a hierarchy they are cut between its groups only. Missing cells are parted
    from known ones first; in a group that has both, the attribute is a star.

    Released as `ranges`: from the lowest to the highest number or ordered category of the group,
    the set of its categories, or the group of the hierarchy that holds them all. As `means`: the
    mean, median or commonest (missing where some are). As `stars`: the value if it is the same
    for all, else a star.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(1000, seed=7)
    >>> release = unveil.mask(people, Mondrian(k=5, columns=["age", "sex", "region"]))
    >>> promise = unveil.models.KAnonymity(k=5)
    >>> unveil.models.check(release.data, promise, keys=["age", "sex", "region"])[0].kept
    True
    """

    relaxed: Annotated[
        bool, Meta(description="Whether records with one value may go to both parts.")
    ] = False
    cells: Annotated[
        Literal["ranges", "means", "stars"], Meta(description="What a group is released as.")
    ] = "ranges"
    keep_type: KeepType = True

    @property
    def generalises_cells(self) -> bool:
        """Whether cells become generalised ones."""
        return self.cells != "means"

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Cut the records into groups, and say what each may be."""
        models, keys = self.guarantees(data)[0]
        axes = {name: self._axis(data, name) for name in keys}
        groups = mondrian(
            list(axes.values()), compile_rules(models, data, keys), relaxed=self.relaxed
        )
        if progress is not None:
            progress(1, 2)
        spans = {name: _Span(axis, groups) for name, axis in axes.items()}
        if self.cells == "stars":
            told = np.column_stack([groups.scatter(spans[name].constant) for name in keys])
            return starred_table(data, keys, told)
        if self.cells == "means":
            return self._means(data, spans, groups)
        columns = [
            _ranges(data, name, span, groups)
            for name, span in spans.items()
            if not span.constant.all()  # then every cell stays
        ]
        return GeneralisedTable(
            columns, {column.name: generalised_attribute(data, column.name) for column in columns}
        )

    def _axis(self, data: Microdata, column: str) -> CutAxis:
        """An attribute's codes in the order in which it is cut."""
        if data.level(column) == "numeric":
            values = computable_numbers(self, data, [column]).values[:, 0]
            listed, place = np.unique(values, return_inverse=True)  # a NaN comes last
            known = len(listed) - int(np.isnan(listed[-1]))
            coded = np.where(place < known, place, -1).astype(np.int32)
            spread = listed[:known] - (listed[0] if known else 0.0)
            return axis_of(coded, spread / (spread.max(initial=0.0) or 1.0))
        found = codes(data, column)
        hierarchy = data.schema[column].hierarchy
        if not hierarchy:
            return axis_of(found.codes, np.linspace(0.0, 1.0, len(found.categories)))
        order, level = _by_groups(Hierarchy.of(hierarchy), found.categories)
        rank = np.append(np.argsort(order), -1)
        return axis_of(rank[found.codes].astype(np.int32), np.linspace(0.0, 1.0, len(order)), level)

    def _means(self, data: Microdata, spans: dict[str, _Span], groups: Classes) -> GeneralisedTable:
        """Every cell replaced by the centre of its group; none where some are missing."""
        labels = np.asarray(groups.scatter(np.arange(len(groups.sizes))))
        columns = []
        for name, span in spans.items():
            made = group_centres(data, name, labels, keep_type=self.keep_type)
            columns.append(made.set(pl.Series(groups.scatter(span.mixed)), None))
        channel = Groups(tuple(spans), self.k, _deviations(data, tuple(spans)))
        return GeneralisedTable(columns, {}, channels=(channel,))


class _Span:
    """What the records of each group have of one attribute: from which code to which."""

    def __init__(self, axis: CutAxis, groups: Classes) -> None:
        self.codes: Ints32 = axis.codes[groups.members]
        self.low: Ints = np.minimum.reduceat(self.codes, groups.starts[:-1]).astype(np.int64)
        self.high: Ints = np.maximum.reduceat(self.codes, groups.starts[:-1]).astype(np.int64)
        self.known = int((axis.place <= 1).sum())  # codes; the next one is missing
        self.missing: Bools = self.low == self.known  # all of them
        self.mixed: Bools = (self.high == self.known) & ~self.missing
        self.constant: Bools = self.low == self.high

    def by_ends(self, text: Callable[[int, int], str]) -> Texts:
        """What is written of each group by its lowest and its highest code; a star if missing."""
        told = ~(self.missing | self.mixed)
        found = np.full(len(told), STAR, object)
        pairs, place = np.unique(self.low[told] * self.known + self.high[told], return_inverse=True)
        written = [text(*divmod(pair, self.known)) for pair in pairs.tolist()]
        found[told] = np.array(written, object)[place]
        return found


def _by_groups(hierarchy: Hierarchy, categories: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Categories so that groups stand together, and how coarse the boundary before each is."""
    own = hierarchy.codes[:, _leaves(hierarchy, categories)]
    order = np.lexsort(own)  # the coarsest level, the last, counts first
    differs = own[:, order[1:]] != own[:, order[:-1]]
    level = np.max(np.arange(len(own))[:, None] * differs, axis=0, initial=0)
    return order, np.append(0, level)


def _leaves(hierarchy: Hierarchy, categories: tuple[str, ...]) -> Ints:
    """The row of each category; of one that is only in the order, and nobody's, any."""
    leaf = {label: place for place, label in enumerate(hierarchy.leaves)}
    return np.array([leaf.get(category, 0) for category in categories], np.int64)


def _ranges(data: Microdata, column: str, span: _Span, groups: Classes) -> pl.Series:
    """The range, the set or the hierarchy's group of each record's group, as generalised cells."""
    hierarchy = data.schema[column].hierarchy
    if data.level(column) == "numeric":
        cells = _texts(span, *_number_labels(data, column, span, groups))
    elif hierarchy:
        cells = _group_texts(Hierarchy.of(hierarchy), codes(data, column).categories, span)
    elif data.level(column) == "ordinal":
        cells = _texts(span, *codes(data, column).categories)
    else:
        cells = _set_texts(codes(data, column).categories, span, groups)
    cells[span.missing] = None
    return pl.Series(column, groups.scatter(cells).tolist(), dtype=pl.String)


def _texts(span: _Span, *labels: str) -> Texts:
    """The range from the lowest to the highest label of each group; one label is itself."""
    return span.by_ends(
        lambda low, high: (
            escape(labels[low]) if low == high else write_range(labels[low], labels[high])
        )
    )


def _number_labels(data: Microdata, column: str, span: _Span, groups: Classes) -> list[str]:
    """The text of the number of each code."""
    in_rows = np.empty(len(span.codes), np.int32)
    in_rows[groups.members] = span.codes
    known = first_rows(in_rows)[: span.known]
    return exact_labels(data.column(column).gather(known)).to_list()


def _set_texts(categories: tuple[str, ...], span: _Span, groups: Classes) -> Texts:
    """The categories of each group; all of them are a star."""
    group = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
    width = len(categories) + 1
    pairs = np.unique(group * width + np.minimum(span.codes, len(categories)))
    codes_in, own = pairs % width, pairs // width
    texts: dict[bytes, str] = {}
    found = []
    for some in np.split(codes_in, np.flatnonzero(np.diff(own)) + 1):
        key = some.tobytes()
        if key not in texts:
            listed = [categories[code] for code in some.tolist() if code < len(categories)]
            any_of = not listed or 1 < len(listed) == len(categories)
            texts[key] = STAR if any_of else write_set(listed)
        found.append(texts[key])
    return np.where(span.mixed, STAR, np.array(found, object))


def _group_texts(hierarchy: Hierarchy, categories: tuple[str, ...], span: _Span) -> Texts:
    """The lowest group of the hierarchy that holds all of a group; a star above all of them."""
    order, _ = _by_groups(hierarchy, categories)
    places = _leaves(hierarchy, categories)[order]

    def lowest(low: int, high: int) -> str:
        below = hierarchy.codes[:, [places[low], places[high]]]
        same = np.flatnonzero(below[:, 0] == below[:, 1])
        label = hierarchy.labels[same[0]][below[same[0], 0]] if len(same) else STAR
        return STAR if label == STAR else escape(label)

    return span.by_ends(lowest)


def _deviations(data: Microdata, columns: tuple[str, ...]) -> Floats:
    found = np.ones(len(columns))
    for place, name in enumerate(columns):
        if data.level(name) == "numeric" and data.column(name).null_count() < len(data):
            found[place] = scale_of(numbers(data, [name])).deviation[0] or 1.0
    return found
