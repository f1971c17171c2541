"""The default space of a search: the masks that suit the columns, by role and level."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from unveil.errors import SpecError, UnveilError, errors_at
from unveil.files.documents.toml import mask_from
from unveil.masks import METHODS
from unveil.masks.base import is_constant
from unveil.table.microdata import Microdata
from unveil.values.release.plan import Plan
from unveil.values.search_space import Combination, SearchSpace
from unveil.wording import absent_column, listing
from unveil.workflows.choosing.points import ends
from unveil.workflows.mask import check_masks, masks_of

Table = dict[str, Any]
MOST_SWAPPED = 50  # % of the ranks
NOISE = {"from": 0.05, "to": 1.5, "log": True}  # deviations of the column
CHANGED = {"from": 0.02, "to": 0.8}  # probability that a category changes
CODED = {"from": 0.01, "to": 0.2, "log": True}  # share of the records
GROUP = {"from": 3, "to": 50, "log": True}  # records that become alike
STARS = {"from": 2, "to": 20, "log": True}


class MaskedColumns(NamedTuple):
    """The columns that a search may mask, by what an intruder may do with them."""

    key_numbers: tuple[str, ...]
    key_categories: tuple[str, ...]
    other_numbers: tuple[str, ...]  # confidential and no key
    other_categories: tuple[str, ...]
    weights: tuple[str, ...]  # equal weights tell who lives together

    @property
    def keys(self) -> tuple[str, ...]:
        """The attributes that an intruder may know."""
        return self.key_numbers + self.key_categories


def filled_space(data: Microdata, space: SearchSpace | None = None) -> SearchSpace:
    """The space with the combinations that suit the columns, if it names none.

    Numbers are masked by one method and categories by another.

    Keys are swapped, get noise, or become alike in groups; their rare high values may be recoded
    before they are swapped; what is confidential and no key is
    swapped in all of them, or left as it is.

    >>> import unveil
    >>> [one.name for one in filled_space(unveil.households(100)).combination][:2]
    ['swapping', 'noise']
    """
    space = SearchSpace() if space is None else space
    for method in space.forbid:
        with errors_at("space: forbid"):
            METHODS.find(method)
    for name in space.unchanged:
        if name not in data.columns:
            raise SpecError(f"space: unchanged: {absent_column(name, data.columns)}")
    combinations = space.combination or _default_combinations(data, space)
    for one in combinations:
        _check_unchanged(data, space, one)
        if space.combination or space.fixed:
            _check_fits(data, space, one)
    return msgspec.structs.replace(space, combination=combinations)


def _default_combinations(data: Microdata, space: SearchSpace) -> tuple[Combination, ...]:
    """The combinations that suit the columns, without those that use a forbidden method."""
    columns = masked_columns(data, space.unchanged)
    combinations = tuple(
        Combination(name=name, mask=masks)
        for name, masks in _combinations(columns, len(data))
        if masks and not any(mask["method"] in space.forbid for mask in masks)
    )
    if not combinations:
        why = f" without {listing(space.forbid)}" if space.forbid else ""
        raise SpecError(
            f"space: no mask suits the columns{why}; give another space (--space), or leave "
            "fewer columns unchanged"
        )
    return combinations


def _check_unchanged(data: Microdata, space: SearchSpace, combination: Combination) -> None:
    """Refuse a mask that changes a column that must stay as it is, though it does not name it."""
    middle = combination.tables((0.5,) * len(combination.dimensions))  # every step is there
    for table in (*space.fixed, *middle) if space.unchanged else ():
        mask, targets = mask_from(table), set[str]()
        with suppress(UnveilError):  # a column that does not fit is refused with the other columns
            targets = {*mask.targets(data)}
        if targets == {*data.columns} and not hasattr(mask, "columns"):
            continue  # it leaves records out, and keeps the cells of the others
        if masked := sorted(targets & {*space.unchanged}):
            raise SpecError(
                f"space: combination '{combination.name}': {table['method']} without columns masks "
                f"{listing(masked)}, which must stay as it is (unchanged): name its columns"
            )


def _check_fits(data: Microdata, space: SearchSpace, combination: Combination) -> None:
    """Refuse masks that do not fit the columns at an end of a range, or in the middle of all.

    The ranges of the default space may go beyond a small file: their lowest values must fit.
    """
    ranges = [one.range for one in combination.dimensions]
    middle = (0.5,) * len(ranges)  # no step is left out: each must fit
    points = [
        (*middle[:axis], place, *middle[axis + 1 :])
        for axis, values in enumerate(ranges)
        for place in ends(values)
    ]
    lowest = tuple(ends(one)[0] for one in ranges)
    with errors_at(f"space: combination '{combination.name}'"):
        for point in (*points, middle) if space.combination else (lowest,):
            masks = map(mask_from, (*space.fixed, *combination.tables(point)))
            plan = Plan(tuple(masks), seed=0)
            check_masks(plan, masks_of(plan, data), data)


def masked_columns(data: Microdata, unchanged: Sequence[str] = ()) -> MaskedColumns:
    """The columns that a search may mask: keys, confidential ones and weights that vary."""
    keys = data.schema.with_role("quasi")
    free = [name for name in data.columns if name not in unchanged]
    varying = [name for name in free if not is_constant(data, name)]

    def of(names: Iterable[str], *, numbers: bool) -> tuple[str, ...]:
        wanted = set(names)
        return tuple(
            name
            for name in varying
            if name in wanted and (data.schema[name].level == "numeric") is numbers
        )

    others = [name for name in data.schema.with_role("confidential") if name not in keys]
    return MaskedColumns(
        of(keys, numbers=True),
        of(keys, numbers=False),
        of(others, numbers=True),
        of(others, numbers=False),
        of(data.schema.with_role("weight"), numbers=True),
    )


def _combinations(columns: MaskedColumns, n: int) -> Iterable[tuple[str, tuple[Table, ...]]]:
    numbers, categories = columns.key_numbers + columns.weights, columns.key_categories
    # At least one rank, also of columns that have one cell for each household.
    ranks = {"from": min(-(-300 // n), MOST_SWAPPED - 1), "to": MOST_SWAPPED}
    swapped = _step("rank-permutation", numbers, p=ranks)
    noisy = _step("additive-noise", numbers, scale=NOISE)
    changed = _step("pram", categories, theta=CHANGED, invariant=False)
    others = (
        *_step(
            "rank-permutation",
            columns.other_numbers,
            name="confidential",
            p=ranks | {"or_none": True},
        ),
        *_step(
            "pram",
            columns.other_categories,
            name="confidential categories",
            theta=CHANGED | {"or_none": True},
        ),
    )
    weights = _step("rank-permutation", columns.weights, name="weights", p=10)
    yield "swapping", (*swapped, *changed, *others)
    if numbers:
        yield "noise", (*noisy, *changed, *others)
    keys = columns.keys + columns.weights
    yield "microaggregation", (*_step("microaggregation", keys, k=GROUP), *others)
    if columns.keys:
        ranges = _step("mondrian", columns.keys, k=GROUP)
        yield "generalisation", (*ranges, *weights, *others)
    if categories:
        stars = _step("local-suppression", categories, k=STARS)
        yield "suppression and swapping", (*stars, *swapped, *others)
    if columns.key_numbers:  # rare high values are recoded first, then all are swapped
        coded = _step("top-coding", columns.key_numbers, share=CODED)
        yield "top coding and swapping", (*coded, *swapped, *changed, *others)


def _step(method: str, columns: tuple[str, ...], **parameters: Any) -> tuple[Table, ...]:
    """One step of these columns; none if there are none."""
    return ({"method": method, "columns": list(columns), **parameters},) if columns else ()
