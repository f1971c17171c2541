"""Anti-unification: records that agree in nearly all attributes, replaced by what they agree in."""

import itertools
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta

from unveil.errors import DataError, SpecError, UsageError
from unveil.grouping.disjoint_groups import GroupBuilder, masks_with_stars
from unveil.grouping.patterns import MOST_ATTRIBUTES, anti_unify
from unveil.masks.base import ColumnSet, ColumnSets, Guarantee, check_column_sets, column_sets
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    GeneralisingMask,
    K,
    key_codes,
    model_words,
    starred_table,
)
from unveil.models.base import ConfidentialModel, compile_rules
from unveil.models.k_anonymity import KAnonymity
from unveil.models.row_counts import classes_of
from unveil.models.t_closeness import TCloseness
from unveil.support.arrays import Ints
from unveil.support.options import Progress
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.microdata import Microdata
from unveil.wording import count


@dataclass(frozen=True, repr=False, eq=False)
class Patterns:
    """Patterns, how many records satisfy each, and which satisfy none.

    The table has a row for each pattern: the quasi-identifiers with stars, and what is
    confidential where patterns were made by it.
    """

    data: Microdata
    supports: Ints
    rest: Ints  # the rows of the records that are discarded, from 0
    n: int  # records in all

    def __len__(self) -> int:
        return len(self.supports)

    def __repr__(self) -> str:
        left = f"{count(len(self.rest), 'record')} of {self.n:,} satisfy none"
        return f"Patterns({count(len(self), 'pattern')}; {left})"


class AntiUnification(GeneralisingMask, frozen=True, kw_only=True):
    """Anti-unification: k records or more that agree in nearly all attributes become alike.

    They are released as what they agree in, with a star for the few attributes in which they do
    not. Who agrees with too few others is discarded, so look at whom that falls on.

    Sets of records are split, by the attributes with the most values (>) or the fewest (<), until
    those of a set agree in all but `stars` attributes: that is a pattern. What is left is done
    again, then in the other `order`. Armengol and Torra, Generalization-based k-anonymization
    (2015). The paper does it inside each combination of confidential values, so that all of a
    pattern have the same one: who finds the pattern knows it. `by_confidential` false does not.

    The paper's patterns overlap, and a record can satisfy several; a file in which each is
    replaced by one of them is then not k-anonymous. `overlapping` gives the patterns only
    (`AntiUnification.patterns`). `disjoint`, which a release needs, gives each record to one: the
    longest first, then the largest, if k records are left for it. What is left joins patterns that
    it satisfies, of whatever class, or makes others with as few stars as can be, with records that
    patterns of more than k can spare; and patterns with room for it are told in more detail. That
    is ours, not the paper's.

    `groups` does it to several sets of attributes, each by itself and with its own k: the file
    is then k-anonymous on each set, and on nothing more.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(2000, seed=7)
    >>> keys = ["sex", "region", "education", "marital_status"]
    >>> mask = AntiUnification(k=5, stars=2, columns=keys, by_confidential=False)
    >>> release = unveil.mask(people, mask)
    >>> release.details["anti-unification"]
    Patterns(... patterns; ... records of 2,000 satisfy none)
    >>> unveil.models.check(release.data, unveil.models.KAnonymity(k=5), keys=keys)[0].kept
    True
    """

    discards_records: ClassVar[bool] = True
    accepts_generalised: ClassVar[bool] = True

    k: Annotated[K | None, Meta(description="How many records at least are alike.")] = None  # type: ignore[assignment]
    stars: Annotated[
        int, Meta(ge=0, description="How many attributes of a pattern may be stars, at most.")
    ] = 2
    order: Annotated[
        Literal["><", "<>"],
        Meta(description="Whether attributes with many values (>) or few (<) come first."),
    ] = "><"
    assignment: Annotated[
        Literal["disjoint", "overlapping"],
        Meta(description="Whether each record is in one pattern, or, as in the paper, in several."),
    ] = "disjoint"
    unknown: Annotated[
        Literal["value", "wildcard"],
        Meta(
            description="A missing cell: a value like others, or one that equals none and is told "
            "as a star."
        ),
    ] = "value"
    by_confidential: Annotated[
        bool,
        Meta(description="Whether patterns are made inside each combination of what is secret."),
    ] = True
    groups: ColumnSets = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_column_sets(self, self.k, self.groups)
        if self.by_confidential and any(isinstance(one, ConfidentialModel) for one in self.models):
            raise SpecError(
                f"{self.step}: all of a pattern have the same confidential values, and models ask "
                "for different ones: set by_confidential to false"
            )

    def sets(self, data: Microdata) -> tuple[ColumnSet, ...]:
        """The sets of columns, each with its k."""
        return column_sets(self, data, self.k, self.groups)

    def targets(self, data: Microdata) -> tuple[str, ...]:
        """The columns of all sets."""
        return tuple(column for group in self.sets(data) for column in group.columns)

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        """The models on each set of columns."""
        return tuple(
            Guarantee((KAnonymity(k=group.k), *self.models), group.columns)
            for group in self.sets(data)
        )

    def check(self, data: Microdata) -> None:
        """There must be enough records, and one pattern for each."""
        if self.assignment == "overlapping":
            raise SpecError(
                f"{self.step}: overlapping patterns make no file that is k-anonymous: take them "
                "from its patterns(data), or choose assignment 'disjoint' for a release"
            )
        self._check_sets(data)

    def _check_sets(self, data: Microdata) -> None:
        """There must be enough records, and not too many attributes."""
        super().check(data)
        for group in self.sets(data):
            if len(group.columns) > MOST_ATTRIBUTES:
                raise SpecError(
                    f"{self.step}: {len(group.columns)} attributes; at most {MOST_ATTRIBUTES} are "
                    "generalised together: make groups of them"
                )

    def classes(self, data: Microdata) -> Ints:
        """The combination of confidential values of each record; one class, if not by these."""
        secret = self._secret(data)
        if not secret:
            return np.zeros(len(data), np.int64)
        cells = np.column_stack([common_cells(data, column=name)[0] for name in secret])
        return np.unique(cells, axis=0, return_inverse=True)[1].ravel()

    def _secret(self, data: Microdata) -> list[str]:
        """The confidential attributes by which patterns are made."""
        if not self.by_confidential:
            return []
        keys, declared = self.targets(data), data.schema.with_role("confidential")
        return [name for name in data.columns if name in declared and name not in keys]

    def empty_release_error(self, data: Microdata) -> DataError:
        """The error where nobody satisfies a pattern."""
        group = self.sets(data)[0]
        asked = f" and keep {model_words(self.models)}" if self.models else ""
        return DataError(
            f"{self.step}: no {group.k:,} records agree in all but {self.stars} of "
            f"{count(len(group.columns), 'attribute')}{asked}: allow more stars, ask for a smaller "
            "k, or make values coarser first (global-recoding)"
        )

    def patterns(self, data: Microdata) -> Patterns:
        """The patterns, and how many satisfy each: of a release, or the paper's, which overlap.

        Of overlapping ones those count who are of the pattern's class.

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
            raise UsageError("patterns are of Microdata: make it of a frame and its schema")
        self._check_sets(data)
        if self.assignment == "disjoint":
            found: Patterns = self.generalise(data, None).details
            return found
        if self.groups is not None or self.models:
            raise SpecError(
                f"{self.step}: overlapping patterns are of one set of columns, and of k: leave out "
                "groups and models"
            )
        return self._overlapping(data)

    def _overlapping(self, data: Microdata) -> Patterns:
        """The paper's patterns."""
        keys, classes = self.targets(data), self.classes(data)
        codes = key_codes(data, keys, unknown=self.unknown)
        found = anti_unify(codes, classes, k=self.k or 1, stars=self.stars, order=self.order)
        if not len(found.rows):
            raise self.empty_release_error(data)
        gathering = GroupBuilder(codes, compile_rules((), data, keys))
        supports = gathering.pattern_members(found.rows, found.masks, classes)[0]
        shown = found.masks[:, None] >> np.arange(len(keys)) & 1 == 1
        table = data.select([*keys, *self._secret(data)]).take(found.rows)
        made = starred_table(table, keys, shown)
        rest = np.flatnonzero(~found.identified)
        return Patterns(table.replace(made.columns, made.attributes), supports, rest, len(data))

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Give each record to one pattern of each set of columns, or discard it."""
        classes, sets = self.classes(data), self.sets(data)
        released = np.arange(len(data))
        of_all = any(isinstance(model, TCloseness) for model in self.models)
        # Who has no pattern in one set counts in no other, nor in what classes are close to.
        while True:
            rest, own = data.take(released), classes[released]
            gathered = [self._gathered(rest, group, own, progress) for group in sets]
            stay = np.all([one.group >= 0 for one in gathered], axis=0)
            if not stay.any():
                raise self.empty_release_error(data)
            if stay.all() or (len(sets) == 1 and not of_all):
                break
            released = released[stay]
        rows, keys = released[stay], self.targets(data)
        shown = np.ones((len(data), len(keys)), np.bool_)
        shown[rows] = np.column_stack([one.published for one in gathered])[stay]
        made = starred_table(data, keys, shown)
        after = data.replace(made.columns, made.attributes).select(keys).take(rows)
        alike = classes_of(after, keys)
        there = np.isin(np.arange(len(data)), rows)
        listed = Patterns(
            after.take(alike.members[alike.starts[:-1]]),
            alike.sizes,
            np.flatnonzero(~there),
            len(data),
        )
        return replace(made, released=there, details=listed)

    def _gathered(
        self, data: Microdata, group: ColumnSet, classes: Ints, progress: Progress | None
    ) -> GroupBuilder:
        """The records in groups that agree in one set of columns, and keep the models."""
        codes = key_codes(data, group.columns, unknown=self.unknown)
        d = codes.shape[1]
        steps = itertools.count(1)

        def tell() -> None:
            if progress is not None:
                progress(next(steps), min(self.stars, d) + 5)

        found = anti_unify(codes, classes, k=group.k, stars=self.stars, order=self.order)
        tell()
        models = (KAnonymity(k=group.k), *self.models)
        made = GroupBuilder(codes, compile_rules(models, data, group.columns))
        made.add_patterns(found.rows, found.masks, classes)
        tell()
        made.join_groups(classes)
        made.join_groups()
        tell()
        for stars in range(min(self.stars, d) + 1):
            made.add_groups(made.by_coverage(masks_with_stars(d, stars)))
            tell()
        made.join_groups()
        for stars in range(min(self.stars, d) + 1):
            made.borrow_records(masks_with_stars(d, stars))
        made.split_groups()
        tell()
        return made
