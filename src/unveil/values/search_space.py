"""The space of a search: combinations of masks whose parameters have ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.rules import no_parameter
from unveil.support.specs import Spec
from unveil.wording import listing

OFF = 0.1  # places below this leave the step out, if the range allows it
RANGE_KEYS = ("from", "to", "any", "log", "or_none")
DIGITS = 3  # of a parameter that is no whole number


class ParameterRange(Spec, frozen=True, kw_only=True):
    """The values that one parameter may take: from a number to a number, or any of a list.

    Between two whole numbers, values are whole. `log` spaces them by ratios. With `or_none` the
    lowest place leaves the step out.

    >>> ParameterRange(start=1, to=41).value(0.5)
    21
    """

    start: float | int | None = None  # `from` in a file
    to: float | int | None = None
    log: bool = False
    any: tuple[Any, ...] | None = None
    or_none: bool = False

    def __post_init__(self) -> None:
        for key, end in (("from", self.start), ("to", self.to)):
            if end is not None and not _is_finite(end):
                raise SpecError(f"{key}: a finite number, such as 10 or 0.5")
        super().__post_init__()
        if self.any is not None:
            if self.start is not None or self.to is not None:
                raise SpecError("a range is any = [...], or from and to")
            if not self.any:
                raise SpecError("any lists at least one value")
            return
        if self.start is None or self.to is None:
            raise SpecError("a range has from and to, or any = [...]")
        if not self.start < self.to:
            why = "one value needs no range" if self.start == self.to else "the wrong way round"
            raise SpecError(f"from {self.start:g} to {self.to:g}: {why}; from must be below to")
        if self.log and self.start <= 0:
            raise SpecError("log needs a range above 0")
        if not _is_finite(self.to / self.start if self.log else self.to - self.start):
            raise SpecError("from and to are too far apart to place values between them")

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers."""
        return isinstance(self.start, int) and isinstance(self.to, int)

    @property
    def levels(self) -> int | None:
        """The number of different values; None where they are not whole."""
        if self.any is not None:
            return len(self.any)
        return int(self.to) - int(self.start) + 1 if self.whole else None  # type: ignore[arg-type]

    def value(self, place: float) -> Any:
        """The value at a place from 0 to 1; None leaves the step out."""
        if self.or_none:
            if place < OFF:
                return None
            place = (place - OFF) / (1 - OFF)
        if self.any is not None:
            return self.any[min(int(place * len(self.any)), len(self.any) - 1)]
        low, high = float(self.start or 0), float(self.to or 0)
        found = low * (high / low) ** place if self.log else low + (high - low) * place
        if self.whole:
            return round(found)
        shown = DIGITS - 1 - math.floor(math.log10(abs(found))) if found else 0
        return min(max(round(found, shown), low), high)

    @classmethod
    def of(cls, value: Any) -> ParameterRange | None:
        """The range that a table of a space states; None: it is a fixed value."""
        if isinstance(value, ParameterRange):
            return value
        if not isinstance(value, Mapping) or not {"from", "to", "any"} & set(value):
            return None
        table = {str(key): entry for key, entry in value.items()}
        for key in table:
            if key not in RANGE_KEYS:
                raise SpecError(no_parameter("range", key, RANGE_KEYS))
        return cls(**{"start" if key == "from" else key: entry for key, entry in table.items()})

    def to_dict(self) -> dict[str, Any]:
        """The range as in a TOML file."""
        plain = {"from": self.start, "to": self.to, "any": self.any}
        kept: dict[str, Any] = {name: value for name, value in plain.items() if value is not None}
        return kept | {name: True for name in ("log", "or_none") if getattr(self, name)}


def _is_finite(value: object) -> bool:
    """Whether a value is a number that arithmetic can use."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


class Dimension(msgspec.Struct, frozen=True):
    """One parameter that is searched: its step in the combination, its name and its range."""

    step: int
    parameter: str
    range: ParameterRange


class Combination(Spec, frozen=True, kw_only=True):
    """Masks in order, as tables of a plan, in which parameters may be ranges."""

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    mask: Annotated[tuple[dict[str, Any], ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        super().__post_init__()
        msgspec.structs.force_setattr(self, "mask", tuple(map(self._with_ranges, self.mask)))
        for dimension in self.dimensions:
            if dimension.parameter in ("method", "columns", "name"):
                raise SpecError(
                    f"space: {self.name}: {dimension.parameter} cannot have a range; use one "
                    "combination per value"
                )

    def _with_ranges(self, table: dict[str, Any]) -> dict[str, Any]:
        """The table with its ranges read once; one that is the wrong way round is refused."""
        read = {}
        for parameter, value in table.items():
            try:
                read[parameter] = ParameterRange.of(value) or value
            except SpecError as error:
                error.at(f"space: {self.name}: {parameter}")
                raise
        return read

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The parameters that are searched, in order."""
        return tuple(
            Dimension(step, parameter, value)
            for step, table in enumerate(self.mask)
            for parameter, value in table.items()
            if isinstance(value, ParameterRange)
        )

    def tables(self, point: tuple[float, ...]) -> tuple[dict[str, Any], ...]:
        """The masks at a point, as tables of a plan; steps that are left out are missing."""
        tables: list[dict[str, Any] | None] = [dict(table) for table in self.mask]
        for dimension, place in zip(self.dimensions, point, strict=True):
            value, table = dimension.range.value(place), tables[dimension.step]
            if value is None:
                tables[dimension.step] = None
            elif table is not None:
                table[dimension.parameter] = value
        return tuple(table for table in tables if table is not None)

    def to_dict(self) -> dict[str, Any]:
        """The combination as in a TOML file."""
        return {"name": self.name, "mask": [_plain(table) for table in self.mask]}


def _plain(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.to_dict() if isinstance(value, ParameterRange) else value
        for key, value in table.items()
    }


class Candidate(msgspec.Struct, frozen=True):
    """A point of a space: a combination, and a place from 0 to 1 for each of its dimensions."""

    combination: str
    point: tuple[float, ...] = ()


class SearchSpace(Spec, frozen=True, kw_only=True):
    """Combinations of masks to search, and what every plan must do or leave alone.

    >>> swap = {"method": "rank-swapping", "p": {"from": 1, "to": 41}, "columns": ["age"]}
    >>> space = SearchSpace(combination=[{"name": "swapped", "mask": [swap]}])
    >>> space.tables(Candidate("swapped", (0.5,)))
    ({'method': 'rank-swapping', 'p': 21, 'columns': ['age']},)
    """

    combination: tuple[Combination, ...] = ()  # none: those that suit the columns
    fixed: tuple[dict[str, Any], ...] = ()  # steps that begin every plan
    forbid: tuple[str, ...] = ()  # methods that no plan uses
    unchanged: tuple[str, ...] = ()  # columns that stay as they are

    def __post_init__(self) -> None:
        tables: Any = self.combination
        if isinstance(tables, list | tuple):
            made = tuple(Combination(**one) if isinstance(one, dict) else one for one in tables)
            msgspec.structs.force_setattr(self, "combination", made)
        super().__post_init__()
        allowed = tuple(
            one
            for one in self.combination
            if not any(table.get("method") in self.forbid for table in one.mask)
        )
        if self.combination and not allowed:
            raise SpecError(
                f"space: every combination uses {listing(self.forbid)}, which is forbidden; add "
                "a [[combination]] without it"
            )
        msgspec.structs.force_setattr(self, "combination", allowed)
        names = [one.name for one in allowed]
        if len(set(names)) < len(names):
            raise SpecError("space: two combinations have one name")
        for table in self.fixed:
            if table.get("method") in self.forbid:
                raise SpecError(
                    f"space: a fixed step uses {table['method']}, which is forbidden: leave it out "
                    "of [[fixed]] or of forbid"
                )
        for table in (*self.fixed, *(table for one in allowed for table in one.mask)):
            masked = sorted({*table.get("columns", ())} & {*self.unchanged})
            if masked:
                raise SpecError(
                    f"space: {table.get('method')}: masks {listing(masked)}, which must stay "
                    "unchanged; leave the column out of either"
                )

    def __getitem__(self, name: str) -> Combination:
        """One combination by its name."""
        return next(one for one in self.combination if one.name == name)

    def tables(self, candidate: Candidate) -> tuple[dict[str, Any], ...]:
        """The masks of a candidate in order, as tables of a plan."""
        return (*self.fixed, *self[candidate.combination].tables(candidate.point))

    def to_dict(self) -> dict[str, Any]:
        """The space as in a TOML file."""
        plain: dict[str, Any] = {
            "combination": [one.to_dict() for one in self.combination],
            "fixed": [dict(table) for table in self.fixed],
            "forbid": list(self.forbid),
            "unchanged": list(self.unchanged),
        }
        return {name: value for name, value in plain.items() if value}
