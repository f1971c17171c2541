"""Two files as somebody reads them who knows what was done to the columns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.blocking import block_records
from unveil.attacks.distance.attribute_costs import code_values, ends_of
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_arrays import TiedBlocks, codes, tied_blocks
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Exact, Groups

Ends = tuple[Floats, Floats]


@dataclass(frozen=True, repr=False, eq=False)
class MaskedView:
    """The two files, and the functions through which cells went before anything else."""

    files: LinkageFiles
    exact: dict[str, tuple[Exact, ...]] = field(default_factory=dict)
    beyond: float = np.inf  # what costs that cannot be; finite where the channel is a guess
    # What was read before: a parameter that is estimated asks for the same codes many times.
    _listed: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    _coded: dict[tuple[str, tuple[str, ...]], tuple[Floats, Floats]] = field(
        default_factory=dict, init=False
    )

    @property
    def pair(self) -> tuple[Microdata, Microdata]:
        """The records that are linked, and the release."""
        return self.files.pair

    @property
    def together(self) -> tuple[tuple[str, ...], ...]:
        """Columns in which records were replaced by centres of groups, set by set."""
        channels = self.files.masking.channels if self.files.masking else ()
        return tuple(one.columns for one in channels if isinstance(one, Groups))

    def by(self, reference: Microdata) -> MaskedView:
        """The same for other people in the place of mine."""
        files = self.files
        if reference is files.intruder_records:
            return self
        blocks = block_records(reference, files.release, files.blocks.columns)
        return replace(
            self,
            files=replace(files, intruder_records=reference, reference=reference, blocks=blocks),
        )

    def categories(self, column: str) -> tuple[str, ...]:
        """The categories of both files, those that the masking made among them."""
        if column not in self._listed:
            every = (codes(data, column).categories for data in self.pair)
            listed = dict.fromkeys(label for labels in every for label in labels)
            self._listed[column] = tuple(listed)
        return self._listed[column]

    def coded(self, column: str, listed: tuple[str, ...]) -> tuple[Floats, Floats]:
        """The places of the categories in a list, of mine and of the release."""
        key = (column, listed)
        if key not in self._coded:
            intruder, released = (code_values(data, column, listed) for data in self.pair)
            self._coded[key] = intruder, released
        return self._coded[key]

    def numbers(self, column: str) -> tuple[Floats, Floats, Floats]:
        """The numbers of mine and of the people after those functions, and of the release."""
        intruder, reference, released = self.files.numbers(column)
        strangers = reference is not intruder
        for function in self.exact.get(column, ()):
            intruder = function.becomes(intruder)
            reference = function.becomes(reference) if strangers else intruder
        return intruder, reference, released

    def own_ends(self, column: str) -> Ends:
        """What mine may be after those functions: a number, or a range that was one before."""
        found = ends_of(self.files.intruder_records, column)
        lower, upper = found.lower, found.upper
        for function in self.exact.get(column, ()):
            lower, upper = function.becomes(lower), function.becomes(upper)
        return lower, upper

    def slack(self, column: str) -> Slack:
        """How far rounding after those functions can have moved a number."""
        each = [function.slack for function in self.exact.get(column, ())]
        return Slack(sum(one.absolute for one in each), sum(one.relative for one in each))

    def positions(self, column: str, slack: Slack, *, moved: bool) -> tuple[Ends, Ends]:
        """The first and the last position of each cell's block of equals, in both files.

        Each in its own file, where the release has as many as there are people. Else all in
        the release, be it that some were left out before values moved, or after, when those
        between two values can only be fewer. A value that the release has not stands between
        those next to it; so does any, where not `moved` but replaced by a mean of neighbours.
        """
        intruder, reference, released = self.keys(column)
        known, there = (~np.isnan(values) for values in (reference, released))
        if not self.files.few_records and known.sum() == there.sum():
            theirs = _ends(tied_blocks(released, there))
            if reference is intruder:
                return _ends(tied_blocks(reference, known)), theirs
            return _among(intruder, np.sort(reference[known]), Slack(), strict=False), theirs
        among = np.sort(released[there])
        ours = _among(intruder, among, slack, strict=not moved)
        return ours, _among(released, among, Slack(), strict=False)

    def keys(self, column: str) -> tuple[Floats, Floats, Floats]:
        """Numbers that stand as the cells do."""
        if common_level(*self.pair, column) == "numeric":
            return self.numbers(column)
        listed = self.files.categories(column)
        intruder, released = self.coded(column, listed)
        if self.files.reference is self.files.intruder_records:
            return intruder, intruder, released
        return intruder, code_values(self.files.reference, column, listed), released


def _ends(blocks: TiedBlocks) -> Ends:
    absent = blocks.last < 0
    return np.where(absent, np.nan, blocks.first), np.where(absent, np.nan, blocks.last)


def _among(values: Floats, ascending: Floats, slack: Slack, *, strict: bool) -> Ends:
    """Where values stand among others: in the block of their equals, or between two.

    If `strict`, from the block of the value next below to that of the next above.
    """
    if not len(ascending):
        nothing = np.full(len(values), np.nan)
        return nothing, nothing
    room = slack.around(values)
    below = np.searchsorted(ascending, values - room, "left" if strict else "right") - 1
    above = np.searchsorted(ascending, values + room, "right" if strict else "left")
    lowest, highest = (
        ascending[np.maximum(below, 0)],
        ascending[np.minimum(above, len(ascending) - 1)],
    )
    first = np.where(below < 0, 0, np.searchsorted(ascending, lowest, "left"))
    last = np.where(
        above >= len(ascending),
        len(ascending) - 1,
        np.searchsorted(ascending, highest, "right") - 1,
    )
    missing = np.isnan(values)
    return np.where(missing, np.nan, first), np.where(missing, np.nan, last)
