"""The intruder: what somebody who attacks a release has in hand."""

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
    """Somebody who knows some attributes of some people in the release, exactly.

    The worst is assumed: an intruder who is not sure of the values, or not sure who is in the
    release, will as a rule link less.

    >>> Intruder(knows=["age", "region"], records=100)
    Intruder(knows age, region of 100 records, original-to-release)
    """

    knows: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The attributes that are known; if not given, every quasi-identifier "
            "of the original that the release has, too."
        ),
    ] = None
    records: Annotated[
        Any,
        Meta(
            description="Whose: all of the original; a share of them (0.1) or a number (100), "
            "drawn at random; a list of rows, from 0; or a file of the intruder's own, as a "
            "path, a frame or Microdata."
        ),
    ] = None
    blocks: Annotated[
        tuple[str, ...],
        Meta(
            description="Attributes known to be unmasked: records are compared only with those "
            "that are equal in them."
        ),
    ] = ()
    direction: Annotated[
        Direction,
        Meta(
            description="Who looks for whom. Original-to-release: who knows a person looks for "
            "the row that was made of that person. Release-to-original: who holds a released row "
            "looks for the person whom it was made of."
        ),
    ] = "original-to-release"
    channel: Annotated[
        Any,
        Meta(
            description="Whether it is known how the release was masked: true, where a Release "
            "tells it; or the plan, or the path of its file; of several releases a list of "
            "them. A plan's seed is not used: nobody knows it."
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("knows", "blocks"):
            columns = getattr(self, name) or ()
            if len(set(columns)) < len(columns):
                raise SpecError(f"intruder: {name}: a column is named twice")
        if self.knows == ():
            raise SpecError(
                "intruder: knows: somebody who knows nothing cannot link anybody; name at least "
                "one attribute"
            )
        self._check_records()
        plans = self.channel if isinstance(self.channel, list | tuple) else (self.channel,)
        if not plans or not all(isinstance(p, bool | str | os.PathLike | Plan) for p in plans):
            raise SpecError("intruder: channel: true or false, a plan, or the path of its file")

    def _check_records(self) -> None:
        given = self.records
        if isinstance(given, bool) or (isinstance(given, int | float) and not given > 0):
            raise SpecError("intruder: records: a share above 0, or a number of at least 1")
        if isinstance(given, float) and given > 1:
            raise SpecError("intruder: records: a share is at most 1; a number of records is whole")
        if isinstance(given, list | tuple | range):
            rows = [row.item() if hasattr(row, "item") else row for row in given]  # numpy's too
            if not rows or not all(type(row) is int and row >= 0 for row in rows):
                raise SpecError("intruder: records: a list of rows, whole numbers from 0")
            if len(set(rows)) < len(rows):
                raise SpecError("intruder: records: a row is named twice")
            msgspec.structs.force_setattr(self, "records", tuple(rows))

    @property
    def has_all(self) -> bool:
        """Whether the intruder has the whole original."""
        return self.records is None or (isinstance(self.records, float) and self.records == 1)

    @property
    def has_file(self) -> bool:
        """Whether the records are of a file of the intruder's own."""
        return not (self.has_all or isinstance(self.records, int | float | tuple))

    @property
    def reverse(self) -> bool:
        """Whether released rows look for their originals."""
        return self.direction == "release-to-original"

    def to_dict(self) -> dict[str, Any]:
        """The intruder in plain values, without the records themselves."""
        return {
            "knows": None if self.knows is None else list(self.knows),
            "records": self._whose(),
            "blocks": list(self.blocks),
            "direction": self.direction,
            "channel": self.channel is not False,
        }

    def _whose(self) -> str:
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
        return f"Intruder(knows {known} of {self._whose()}{inside}, {self.direction}{method})"
