"""Anti-unification: replace records that agree in most attributes by their common pattern."""

import itertools
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from unveil.errors import DataError, SpecError, UsageError
from unveil.grouping.disjoint_groups import GroupBuilder, masks_with_stars
from unveil.grouping.patterns import MOST_ATTRIBUTES, anti_unify
from unveil.masks.base import (
    ColumnSet,
    ColumnSets,
    Guarantee,
    MaskedTable,
    check_column_sets,
    column_sets,
)
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    GeneralisingMask,
    K,
    key_codes,
    model_words,
    starred_table,
)
from unveil.models.base import compile_rules
from unveil.models.k_anonymity import KAnonymity
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.values.patterns import Patterns
from unveil.wording import count


class AntiUnification(GeneralisingMask, frozen=True, kw_only=True):
    """Anti-unification: replace k or more records that agree in most attributes by a pattern.

    The pattern shows the values in which they agree, with stars in the few other attributes.
    Records that agree with too few others are discarded, so check which people these are.

    Sets of records are split, by the attributes with the most values (>) or the fewest (<), until
    the records of a set agree in all but `stars` attributes: that is a pattern. The rest is
    treated again, then by the second condition of `order`, if it has two. Armengol and Torra,
    Generalization-based k-anonymization (2015). The paper works within each combination of
    confidential values, so that a pattern discloses them; `by_confidential` false does not.

    The patterns of the paper overlap: a record can satisfy several, and a file with one of them
    for each record is not k-anonymous. `assignment` "overlapping" yields the patterns only
    (`AntiUnification.patterns`; `unveil mask --patterns` writes them). "disjoint", for a release,
    is ours: each record gets one pattern, the longest first, then the largest, if k records are
    left for it. The rest joins patterns that it satisfies, of any class, or forms new ones with as
    few stars as possible, with records that patterns of more than k can spare. Then stars that are
    not needed are removed.

    `groups` masks several sets of attributes, each on its own and with its own k: the file is
    k-anonymous on each set, and not on their union.

    `release.details` has the released patterns. Where members of a household would differ in a
    per_household column, all get a star, so that a pattern may have more than `stars`.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(2000, seed=7)
    >>> keys = ["sex", "education", "marital_status", "occupation"]
    >>> mask = AntiUnification(k=5, stars=2, columns=keys, by_confidential=False)
    >>> release = unveil.mask(people, mask)
    >>> release.details["anti-unification"]
    Patterns(... patterns; ... records of 2,000 satisfy none)
    >>> unveil.models.check(release.data, unveil.models.KAnonymity(k=5), keys=keys)[0].kept
    True
    """

    discards_records: ClassVar[bool] = True
    accepts_generalised: ClassVar[bool] = True

    k: Annotated[K | None, Meta(description="Minimum number of equal records.")] = None  # type: ignore[assignment]
    stars: Annotated[int, Meta(ge=0, description="Largest number of stars in a pattern.")] = 2
    order: Annotated[
        Literal["><", "<>", ">", "<"],
        Meta(
            description="Split by attributes with many values first (>), few (<), or by one only."
        ),
    ] = "><"
    assignment: Annotated[
        Literal["disjoint", "overlapping"],
        Meta(description="Give each record one pattern, or, as in the paper, several."),
    ] = "disjoint"
    unknown: Annotated[
        Literal["value", "wildcard"],
        Meta(
            description="Treat missing cells as a value, or as unequal to every value (they "
            "become stars)."
        ),
    ] = "value"
    by_confidential: Annotated[
        bool, Meta(description="Form patterns within each combination of confidential values.")
    ] = True
    groups: ColumnSets = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_column_sets(self, self.k, self.groups)
        if self.by_confidential and any(one.about_confidential for one in self.models):
            raise SpecError(
                f"{self.step}: records of a pattern share their confidential values, and models "
                "require different ones; set by_confidential to false"
            )

    def sets(self, data: Microdata) -> tuple[ColumnSet, ...]:
        """The sets of columns, each with its k."""
        return column_sets(self, data, self.k, self.groups)

    def targets(self, data: Microdata) -> tuple[str, ...]:
        return tuple(column for group in self.sets(data) for column in group.columns)

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        return tuple(
            Guarantee((KAnonymity(k=group.k), *self.models), group.columns)
            for group in self.sets(data)
        )

    @property
    def pattern_output(self) -> Literal["beside", "instead"]:
        return "instead" if self.assignment == "overlapping" else "beside"

    def check(self, data: Microdata) -> None:
        """Raise an error for overlapping patterns, too few records or too many attributes."""
        if self.assignment == "overlapping":
            raise SpecError(
                f"{self.step}: overlapping patterns do not give a k-anonymous file; choose "
                "assignment 'disjoint' for a release, or write the patterns by --patterns FILE "
                "(in Python: patterns(data).table)"
            )
        self._check_sets(data)

    def _check_sets(self, data: Microdata) -> None:
        super().check(data)
        for group in self.sets(data):
            if len(group.columns) > MOST_ATTRIBUTES:
                raise SpecError(
                    f"{self.step}: {len(group.columns)} attributes; at most {MOST_ATTRIBUTES} are "
                    "generalised together: make groups of them"
                )

    def classes(self, data: Microdata) -> Ints:
        """The combination of confidential values of each record; 0 if these are not used."""
        confidential = self._confidential(data)
        if not confidential:
            return np.zeros(len(data), np.int64)
        cells = np.column_stack([common_cells(data, column=name)[0] for name in confidential])
        return np.unique(cells, axis=0, return_inverse=True)[1].ravel()

    def _confidential(self, data: Microdata) -> list[str]:
        if not self.by_confidential:
            return []
        keys, declared = self.targets(data), data.schema.with_role("confidential")
        return [name for name in data.columns if name in declared and name not in keys]

    def empty_release_error(self, data: Microdata) -> DataError:
        group = self.sets(data)[0]
        asked = f" and keep {model_words(self.models)}" if self.models else ""
        return DataError(
            f"{self.step}: no {group.k:,} records agree in all but {self.stars} of "
            f"{count(len(group.columns), 'attribute')}{asked}: allow more stars, ask for a smaller "
            "k, or make values coarser first (global-recoding)"
        )

    def patterns(self, data: Microdata) -> Patterns:
        """The patterns with their supports: of a release, or the overlapping ones of the paper.

        The support of an overlapping pattern is among the records of its class.

        >>> import unveil
        >>> people = unveil.households(500, seed=7)
        >>> keys = ["sex", "region", "age"]
        >>> mask = AntiUnification(
        ...     k=5, columns=keys, by_confidential=False, assignment="overlapping"
        ... )
        >>> int(mask.patterns(people).supports.min()) >= 5
        True
        """
        if not isinstance(data, Microdata):
            raise UsageError("patterns need Microdata; make it from a frame and its schema")
        self._check_sets(data)
        if self.assignment == "disjoint":
            disjoint: Patterns = self.generalise(data, None).details
            return disjoint
        if self.groups is not None or self.models:
            raise SpecError(
                f"{self.step}: overlapping patterns support one set of columns and k only; leave "
                "out groups and models"
            )
        return self._overlapping(data)

    def _overlapping(self, data: Microdata) -> Patterns:
        keys, classes = self.targets(data), self.classes(data)
        codes = key_codes(data, keys, unknown=self.unknown)
        found = anti_unify(codes, classes, k=self.k or 1, stars=self.stars, order=self.order)
        if not len(found.rows):
            raise self.empty_release_error(data)
        builder = GroupBuilder(codes, compile_rules((), data, keys))
        supports, places, by_mask = builder.pattern_members(found.rows, found.masks, classes)
        members = [
            by_mask[mask].of(place)
            for mask, place in zip(found.masks.tolist(), places.tolist(), strict=True)
        ]
        shown = found.masks[:, None] >> np.arange(len(keys)) & 1 == 1
        table = data.select([*keys, *self._confidential(data)]).take(found.rows)
        starred = starred_table(table, keys, shown)
        rest = np.flatnonzero(~found.identified)
        patterns = table.replace(starred.columns, starred.attributes)
        return Patterns(patterns, supports, rest, len(data), np.concatenate(members))

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Give each record one pattern in each set of columns, or discard it."""
        classes, sets = self.classes(data), self.sets(data)
        released = np.arange(len(data))
        of_whole_file = any(model.of_whole_file for model in self.models)
        # A discarded record counts in no other set, nor in the distribution of t-closeness.
        while True:
            left = data.take(released)
            built = [self._build_groups(left, one, classes[released], progress) for one in sets]
            stay = np.all([builder.group >= 0 for builder in built], axis=0)
            if not stay.any():
                raise self.empty_release_error(data)
            if stay.all() or (len(sets) == 1 and not of_whole_file):
                break
            released = released[stay]
        rows, keys = released[stay], self.targets(data)
        shown = np.ones((len(data), len(keys)), np.bool_)
        shown[rows] = np.column_stack([builder.published for builder in built])[stay]
        starred = starred_table(data, keys, shown)
        after = MaskedTable(data.replace(starred.columns, starred.attributes).take(rows), rows=rows)
        kept = np.isin(np.arange(len(data)), rows)
        return replace(starred, released=kept, details=self.details_of(data, after))

    def details_of(self, data: Microdata, masked: MaskedTable) -> Patterns:
        """The patterns of a release: its classes of equal rows."""
        keys = self.targets(data)
        after, equal = masked.data.select(keys), classes_of(masked.data, keys)
        table = after.take(equal.members[equal.starts[:-1]])
        rows = np.arange(len(data)) if masked.rows is None else masked.rows
        rest = np.setdiff1d(np.arange(len(data)), rows)
        return Patterns(table, equal.sizes, rest, len(data), rows[equal.members])

    def _build_groups(
        self, data: Microdata, group: ColumnSet, classes: Ints, progress: Progress | None
    ) -> GroupBuilder:
        """Groups of records that agree in one set of columns, and keep the models."""
        codes = key_codes(data, group.columns, unknown=self.unknown)
        d = codes.shape[1]
        steps = itertools.count(1)

        def advance() -> None:
            if progress is not None:
                progress(next(steps), min(self.stars, d) + 5)

        found = anti_unify(codes, classes, k=group.k, stars=self.stars, order=self.order)
        advance()
        models = (KAnonymity(k=group.k), *self.models)
        builder = GroupBuilder(codes, compile_rules(models, data, group.columns))
        builder.add_patterns(found.rows, found.masks, classes)
        advance()
        builder.join_groups(classes)
        builder.join_groups()
        advance()
        for stars in range(min(self.stars, d) + 1):
            builder.add_groups(builder.by_coverage(masks_with_stars(d, stars)))
            advance()
        builder.join_groups()
        for stars in range(min(self.stars, d) + 1):
            builder.borrow_records(masks_with_stars(d, stars))
        builder.split_groups()
        advance()
        return builder
