"""Mondrian: cut the file into ever smaller groups, and release each group with equal cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
import polars as pl
from msgspec import Meta
from numpy.typing import NDArray

from unveil.grouping.classes import Classes, ClassRules
from unveil.grouping.mondrian import CutAxis, axis_of, mondrian
from unveil.masks.base import KeepType
from unveil.masks.centres import first_rows, group_centres
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    exact_labels,
    generalised_attribute,
    range_cell,
    starred_table,
)
from unveil.masks.generalisation.unit import UnitMask
from unveil.models.base import compile_rules
from unveil.support.arrays import Bools, Ints, Ints32
from unveil.support.options import Progress
from unveil.table.cells import STAR, escape, write_set
from unveil.table.encoding.to_arrays import codes, numbers, scale_of
from unveil.table.hierarchies import Hierarchy
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Groups

Texts = NDArray[np.object_]


class Mondrian(UnitMask, frozen=True, kw_only=True):
    """Mondrian: cut the file in two recursively, and make the records of each group equal.

    An age becomes the range of ages in the group, a region the set of its regions. No record is
    left out, and ranges are narrow where there are many people.

    The attribute with the widest spread is cut at its median, as long as both parts keep k and
    the other models. LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity
    (2006). By default all records with one value go to the same part. With `relaxed`, if no such
    cut is left, records at the median go to either part, by row order, so that groups are smaller.
    (The paper does so from the first cut on, and loses more where a value is frequent.) Categories
    are cut in their order, without one in that of their labels; with a hierarchy only between its
    groups. Missing cells are separated from known ones first; in a group with both, the attribute
    is a star.

    `cells` "ranges": the range of the numbers or ordered categories of the group, the set of its
    categories, or the lowest group of the hierarchy that holds them all. "means": the mean, median
    or most frequent category (missing if one is). "stars": the value if it is the same for all,
    otherwise a star.

    With `unit` "household", households with the same number of members are cut by their
    household-level columns (`per_household` in the schema) and by the columns of all members, and
    those of a group become alike. Households with a number of members that fewer than k have are
    not released.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(1000, seed=7)
    >>> release = unveil.mask(people, Mondrian(k=5, columns=["age", "sex", "region"]))
    >>> promise = unveil.models.KAnonymity(k=5)
    >>> unveil.models.check(release.data, promise, keys=["age", "sex", "region"])[0].kept
    True
    """

    relaxed: Annotated[bool, Meta(description="Let records with one value go to both parts.")] = (
        False
    )
    cells: Annotated[
        Literal["ranges", "means", "stars"], Meta(description="Released cells of a group.")
    ] = "ranges"
    keep_type: KeepType = True

    @property
    def makes_centres(self) -> bool:
        return self.cells == "means"

    @property
    def generalises_cells(self) -> bool:
        return self.cells != "means"

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        models, keys = self.guarantees(data)[0]
        axes = [self._axis(data, name) for name in keys]
        rules = compile_rules(models, data, keys)
        if not self.uses_households:
            groups = [mondrian(axes, rules, relaxed=self.relaxed)] * len(keys)
            released = None
        else:
            groups, released = self._groups_of_members(data, keys, axes, rules)
        if progress is not None:
            progress(1, 2)
        of_keys = zip(keys, axes, groups, strict=True)
        spans = {name: _Span(axis, classes) for name, axis, classes in of_keys}
        generalised = self._cells(data, spans)
        if released is None:
            return generalised
        return self.of_households(data, generalised, released)

    def _groups_of_members(
        self, data: Microdata, keys: Sequence[str], axes: Sequence[CutAxis], rules: ClassRules
    ) -> tuple[list[Classes], Bools]:
        """For each key the records that get the same cell: those of one place in a group.

        Of a household-level key, all members in the group. Records that are not released, of rare
        sizes, are by themselves, so that they do not make a column coarser.
        """
        codes = np.column_stack([axis.codes for axis in axes])
        tables, released = self.tables_by_size(data, keys, codes)
        labels = np.tile(np.arange(len(data))[:, None], len(keys))
        for table in tables:
            wide = zip(table.keys, table.widen(codes).T, strict=True)
            cut = [axes[key]._replace(codes=column) for key, column in wide]
            found = mondrian(cut, rules, relaxed=self.relaxed)
            first = found.scatter(found.members[found.starts[:-1]])  # a household of each group
            table.narrow(table.members[first][:, table.places], labels)
        return [
            Classes.from_labels(np.unique(column, return_inverse=True)[1]) for column in labels.T
        ], released

    def _cells(self, data: Microdata, spans: dict[str, _Span]) -> GeneralisedTable:
        """Equal cells in each group."""
        if self.cells == "stars":
            shown = [span.groups.scatter(span.constant) for span in spans.values()]
            return starred_table(data, tuple(spans), np.column_stack(shown))
        if self.cells == "means":
            return self._means(data, spans)
        columns = [
            _ranges(data, name, span)
            for name, span in spans.items()
            if not span.constant.all()  # otherwise every cell is unchanged
        ]
        return GeneralisedTable(
            columns, {column.name: generalised_attribute(data, column.name) for column in columns}
        )

    def _axis(self, data: Microdata, column: str) -> CutAxis:
        """The codes of an attribute in the order of its cuts."""
        if data.level(column) == "numeric":
            values = self.numbers(data, column).values[:, 0]
            listed, place = np.unique(values, return_inverse=True)  # a NaN comes last
            known = len(listed) - int(np.isnan(listed[-1]))
            coded = np.where(place < known, place, -1).astype(np.int32)
            spread = listed[:known] - (listed[0] if known else 0.0)
            return axis_of(coded, spread / (spread.max(initial=0.0) or 1.0))
        categories = codes(data, column)
        places = np.linspace(0.0, 1.0, len(categories.categories))
        hierarchy = data.schema[column].hierarchy
        if not hierarchy:
            return axis_of(categories.codes, places)
        order, level = _by_groups(Hierarchy.of(hierarchy), categories.categories)
        rank = np.append(np.argsort(order), -1)
        return axis_of(rank[categories.codes].astype(np.int32), places, level)

    def _means(self, data: Microdata, spans: dict[str, _Span]) -> GeneralisedTable:
        """Cells replaced by the centre of their group; missing where one of the group is."""
        columns = []
        for name, span in spans.items():
            labels = np.asarray(span.groups.scatter(np.arange(len(span.low))))
            centres = group_centres(data, name, labels, keep_type=self.keep_type)
            columns.append(centres.set(pl.Series(span.groups.scatter(span.mixed)), None))
        deviations = np.ones(len(spans))
        for place, name in enumerate(spans):
            if data.level(name) == "numeric" and data.column(name).null_count() < len(data):
                deviations[place] = scale_of(numbers(data, [name])).deviation[0] or 1.0
        channel = Groups(tuple(spans), self.k, deviations)
        return GeneralisedTable(columns, {}, channels=(channel,))


class _Span:
    """The lowest and highest code of one attribute in each group."""

    def __init__(self, axis: CutAxis, groups: Classes) -> None:
        self.groups = groups
        self.codes: Ints32 = axis.codes[groups.members]
        self.low: Ints = np.minimum.reduceat(self.codes, groups.starts[:-1]).astype(np.int64)
        self.high: Ints = np.maximum.reduceat(self.codes, groups.starts[:-1]).astype(np.int64)
        self.known = int((axis.place <= 1).sum())  # number of codes; the next one is missing
        self.missing: Bools = self.low == self.known  # in all records
        self.mixed: Bools = (self.high == self.known) & ~self.missing
        self.constant: Bools = self.low == self.high

    def by_ends(self, text: Callable[[int, int], str]) -> Texts:
        """The text of each group from its lowest and highest code; a star if one is missing."""
        known = ~(self.missing | self.mixed)
        cells = np.full(len(known), STAR, object)
        ends = self.low[known] * self.known + self.high[known]
        distinct, place = np.unique(ends, return_inverse=True)
        texts = [text(*divmod(pair, self.known)) for pair in distinct.tolist()]
        cells[known] = np.array(texts, object)[place]
        return cells


def _by_groups(hierarchy: Hierarchy, categories: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Categories sorted by group, and the level of the boundary before each."""
    own = hierarchy.codes[:, _leaves(hierarchy, categories)]
    order = np.lexsort(own)  # the last, coarsest level is the primary key
    differs = own[:, order[1:]] != own[:, order[:-1]]
    level = np.max(np.arange(len(own))[:, None] * differs, axis=0, initial=0)
    return order, np.append(0, level)


def _leaves(hierarchy: Hierarchy, categories: tuple[str, ...]) -> Ints:
    """The leaf of each category; any leaf for a category that does not occur."""
    leaf = {label: place for place, label in enumerate(hierarchy.leaves)}
    return np.array([leaf.get(category, 0) for category in categories], np.int64)


def _ranges(data: Microdata, column: str, span: _Span) -> pl.Series:
    """The range, the set or the group of the hierarchy of each record, as generalised cells."""
    groups, hierarchy, level = span.groups, data.schema[column].hierarchy, data.level(column)
    if level == "numeric":
        coded = np.empty(len(span.codes), np.int32)
        coded[groups.members] = span.codes
        rows = first_rows(coded)[: span.known]
        labels = tuple(exact_labels(data.column(column).gather(rows)))
    else:
        labels = codes(data, column).categories
    if level != "numeric" and hierarchy:
        cells = _group_texts(Hierarchy.of(hierarchy), labels, span)
    elif level == "nominal":
        cells = _set_texts(labels, span)
    else:
        cells = span.by_ends(lambda low, high: range_cell(labels[low], labels[high]))
    cells[span.missing] = None
    return pl.Series(column, groups.scatter(cells).tolist(), dtype=pl.String)


def _set_texts(categories: tuple[str, ...], span: _Span) -> Texts:
    """The set of categories of each group; a star if it is all of them."""
    group = np.repeat(np.arange(len(span.low)), span.groups.sizes)
    width = len(categories) + 1
    pairs = np.unique(group * width + np.minimum(span.codes, len(categories)))
    members = np.split(pairs % width, np.flatnonzero(np.diff(pairs // width)) + 1)
    texts: dict[bytes, str] = {}
    cells = []
    for coded in members:
        key = coded.tobytes()
        if key not in texts:
            listed = [categories[code] for code in coded.tolist() if code < len(categories)]
            is_star = not listed or 1 < len(listed) == len(categories)
            texts[key] = STAR if is_star else write_set(listed)
        cells.append(texts[key])
    return np.where(span.mixed, STAR, np.array(cells, object))


def _group_texts(hierarchy: Hierarchy, categories: tuple[str, ...], span: _Span) -> Texts:
    """The lowest group of the hierarchy that holds all of a group, otherwise a star."""
    order, _ = _by_groups(hierarchy, categories)
    places = _leaves(hierarchy, categories)[order]

    def lowest(low: int, high: int) -> str:
        below = hierarchy.codes[:, [places[low], places[high]]]
        same = np.flatnonzero(below[:, 0] == below[:, 1])
        label = hierarchy.labels[same[0]][below[same[0], 0]] if len(same) else STAR
        return STAR if label == STAR else escape(label)

    return span.by_ends(lowest)
