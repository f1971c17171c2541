"""The intruder: the knowledge that an attack assumes."""

import os
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.specs import Spec
from unveil.values.release.plan import Plan
from unveil.wording import count, listing

Direction = Literal["original-to-release", "release-to-original"]


class Intruder(Spec, frozen=True, kw_only=True):
    """An intruder who knows some attributes of some people in the release exactly.

    This is the worst case: an intruder who is unsure of the values, or of who is in the release,
    usually links fewer records. `error` is the share of outdated values.

    >>> Intruder(knows=["age", "region"], records=100)
    Intruder(knows age, region of 100 records, original-to-release)
    """

    knows: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The attributes that the intruder knows; by default every quasi-identifier "
            "of the original that is in the release."
        ),
    ] = None
    records: Annotated[
        Any,
        Meta(
            description="The records that the intruder holds: by default all of the original; a "
            "fraction (0.1) or a number (100), drawn at random; a list of rows, from 0; or the "
            "intruder's own file, as a path, a frame or Microdata."
        ),
    ] = None
    blocks: Annotated[
        tuple[str, ...],
        Meta(
            description="Blocking attributes, known to be unmasked: records are compared only with "
            "rows that are equal in them, or in keys of them (name:soundex, code:3, born:year)."
        ),
    ] = ()
    direction: Annotated[
        Direction,
        Meta(
            description="The direction of the search. Original-to-release: the intruder knows a "
            "person and looks for the person's row. Release-to-original: the intruder holds a "
            "released row and looks for its person."
        ),
    ] = "original-to-release"
    channel: Annotated[
        Any,
        Meta(
            description="Whether the intruder knows the masking: true, if a Release records it; "
            "or the plan, or the path of its file; for several releases a list of them. The seed "
            "of the plan is not used, since no intruder knows it."
        ),
    ] = False
    error: Annotated[
        float,
        Meta(
            description="Share of the intruder's cells that are out of date, as the intruder "
            "believes: attacks that know the masking allow for them."
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("knows", "blocks"):
            columns = getattr(self, name) or ()
            if len(set(columns)) < len(columns):
                raise SpecError(f"intruder: {name}: a column is named twice")
        if self.knows == ():
            raise SpecError("intruder: knows is empty; name at least one attribute")
        self._check_records()
        if not 0 <= self.error <= 1:
            raise SpecError("intruder: error: a share from 0 to 1 of the cells")
        plans = self.channel if isinstance(self.channel, list | tuple) else (self.channel,)
        if not plans or not all(isinstance(p, bool | str | os.PathLike | Plan) for p in plans):
            raise SpecError("intruder: channel: true or false, a plan, or the path of its file")

    def _check_records(self) -> None:
        records = self.records
        if isinstance(records, bool) or (isinstance(records, int | float) and not records > 0):
            raise SpecError("intruder: records: a share above 0, or a number of at least 1")
        if isinstance(records, float) and records > 1:
            raise SpecError("intruder: records: a share is at most 1; a number of records is whole")
        if isinstance(records, list | tuple | range):
            rows = [row.item() if hasattr(row, "item") else row for row in records]  # numpy's too
            if not rows or not all(type(row) is int and row >= 0 for row in rows):
                raise SpecError("intruder: records: a list of rows, whole numbers from 0")
            if len(set(rows)) < len(rows):
                raise SpecError("intruder: records: a row is named twice")
            msgspec.structs.force_setattr(self, "records", tuple(rows))

    @property
    def has_all(self) -> bool:
        """Whether the intruder holds the whole original."""
        return self.records is None or (isinstance(self.records, float) and self.records == 1)

    @property
    def has_file(self) -> bool:
        """Whether the records come from the intruder's own file."""
        return not (self.has_all or isinstance(self.records, int | float | tuple))

    @property
    def reverse(self) -> bool:
        """Whether released rows look for their originals."""
        return self.direction == "release-to-original"

    def to_dict(self) -> dict[str, Any]:
        """The intruder as plain values, without the records themselves."""
        return {
            "knows": None if self.knows is None else list(self.knows),
            "records": self._held_records(),
            "blocks": list(self.blocks),
            "direction": self.direction,
            "channel": self.channel is not False,
            **({"error": self.error} if self.error else {}),
        }

    def _held_records(self) -> str:
        if self.has_all:
            return "all records"
        if isinstance(self.records, float):
            return f"{self.records:.4g} of the records"
        if isinstance(self.records, int):
            return count(self.records, "record")
        if isinstance(self.records, tuple):
            return count(len(self.records), "record")
        if isinstance(self.records, str | os.PathLike):
            return f"the records of {os.fspath(self.records)!s}"
        return "a file of its own"

    def __repr__(self) -> str:
        known = "the quasi-identifiers" if self.knows is None else listing(self.knows)
        inside = f" inside {listing(self.blocks)}" if self.blocks else ""
        method = ", knows the channel" if self.channel is not False else ""
        stale = f", {self.error:.4g} of the cells out of date" if self.error else ""
        return (
            f"Intruder(knows {known} of {self._held_records()}{inside}, {self.direction}{method}"
            f"{stale})"
        )
