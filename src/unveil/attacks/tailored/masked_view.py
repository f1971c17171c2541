"""The two files as seen by an intruder who knows the masking of each column."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.blocking import block_records
from unveil.support.arrays import Floats
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.encoding.to_arrays import TiedBlocks, code_numbers, codes, tied_blocks
from unveil.table.encoding.to_columns import Slack
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Exact

Ends = tuple[Floats, Floats]  # lower and upper


@dataclass(frozen=True, repr=False, eq=False)
class MaskedView:
    """The two files, with the exact functions of the masking applied to the intruder's cells."""

    files: LinkageFiles
    functions: dict[str, tuple[Exact, ...]] = field(default_factory=dict)
    impossible_cost: float = np.inf  # finite where the channel is estimated
    # Kept, since the estimation of a parameter asks for the same codes many times.
    _categories: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    _codes: dict[tuple[str, tuple[str, ...]], tuple[Floats, Floats]] = field(
        default_factory=dict, init=False
    )

    def with_records(self, records: Microdata) -> MaskedView:
        """The same view with other records instead of the intruder's."""
        files = self.files
        if records is files.intruder_records:
            return self
        blocks = block_records(records, files.release, files.blocks.columns)
        files = replace(files, intruder_records=records, reference=records, blocks=blocks)
        return replace(self, files=files)

    def with_error(self, error: float) -> MaskedView:
        """The same view where another share of the cells is out of date, or was replaced."""
        if error == self.files.error:
            return self
        return replace(self, files=replace(self.files, error=error))

    def is_numeric(self, column: str) -> bool:
        """Whether a column has numbers in both files."""
        return common_level(*self.files.pair, column) == "numeric"

    def categories(self, column: str) -> tuple[str, ...]:
        """The categories of both files, including those that the masking made."""
        if column not in self._categories:
            listed = dict.fromkeys(
                c for data in self.files.pair for c in codes(data, column).categories
            )
            self._categories[column] = tuple(listed)
        return self._categories[column]

    def codes(self, column: str, listed: tuple[str, ...]) -> tuple[Floats, Floats]:
        """The positions of the intruder's and of the released categories in a list."""
        key = (column, listed)
        if key not in self._codes:
            intruder, released = (
                code_numbers(codes(d, column, listed).codes) for d in self.files.pair
            )
            self._codes[key] = intruder, released
        return self._codes[key]

    def numbers(self, column: str) -> tuple[Floats, Floats, Floats]:
        """The numbers of intruder and reference after the functions, and of the release."""
        intruder, reference, released = self.files.numbers(column)
        for function in self.functions.get(column, ()):
            intruder = function.becomes(intruder)
            reference = function.becomes(reference) if self.files.links_strangers else intruder
        return intruder, reference, released

    def slack(self, column: str) -> Slack:
        """The largest change of a number by rounding in the functions."""
        each = [function.slack for function in self.functions.get(column, ())]
        return Slack(sum(one.absolute for one in each), sum(one.relative for one in each))

    def positions(self, column: str, slack: Slack, *, moved: bool) -> tuple[Ends, Ends]:
        """The first and the last position of each cell's block of equal values, in both files.

        If both files have equally many values, each file has its own positions. Otherwise, and
        where cells are out of date, all positions are those in the release: whether records were
        left out before values moved or after, no more than these can be between two values. A
        value that the release lacks is between its neighbours; so is any value that was not `moved`
        but replaced by a mean.
        """
        intruder, reference, released = self.sort_keys(column)
        known, there = ~np.isnan(reference), ~np.isnan(released)
        whole_file = not (self.files.few_records or self.files.error)
        if whole_file and known.sum() == there.sum():
            theirs = _block_ends(tied_blocks(released, there))
            if reference is intruder:
                return _block_ends(tied_blocks(reference, known)), theirs
            return _positions_among(intruder, np.sort(reference[known]), Slack()), theirs
        ascending = np.sort(released[there])
        ours = _positions_among(intruder, ascending, slack, neighbours=not moved)
        return ours, _positions_among(released, ascending, Slack())

    def noisy_positions(self, column: str, slack: Slack) -> tuple[Ends, Ends]:
        """Positions before the noise, as far as it is known; released values have room for it."""
        intruder, reference, released = self.sort_keys(column)
        among = released if self.files.few_records else reference
        ascending = np.sort(among[~np.isnan(among)])
        return (
            _positions_among(intruder, ascending, Slack()),
            _positions_among(released, ascending, slack, neighbours=True),
        )

    def sort_keys(self, column: str) -> tuple[Floats, Floats, Floats]:
        """Numbers in the order of the cells, of intruder, reference and release."""
        if self.is_numeric(column):
            return self.numbers(column)
        listed = self.files.categories(column)
        if self.files.links_strangers:
            return self.files.codes(column, listed)
        intruder, released = self.codes(column, listed)
        return intruder, intruder, released


def _block_ends(blocks: TiedBlocks) -> Ends:
    absent = blocks.last < 0
    return np.where(absent, np.nan, blocks.first), np.where(absent, np.nan, blocks.last)


def _positions_among(
    values: Floats, ascending: Floats, slack: Slack, *, neighbours: bool = False
) -> Ends:
    """The positions of values among others: their block of equals, or between two.

    With `neighbours`, from the block of the next lower value to that of the next higher.
    """
    if not len(ascending):
        nothing = np.full(len(values), np.nan)
        return nothing, nothing
    room, last = slack.around(values), len(ascending) - 1
    below = np.searchsorted(ascending, values - room, "left" if neighbours else "right") - 1
    above = np.searchsorted(ascending, values + room, "right" if neighbours else "left")
    low, high = ascending[np.maximum(below, 0)], ascending[np.minimum(above, last)]
    first = np.where(below < 0, 0, np.searchsorted(ascending, low, "left"))
    final = np.where(above > last, last, np.searchsorted(ascending, high, "right") - 1)
    missing = np.isnan(values)
    return np.where(missing, np.nan, first), np.where(missing, np.nan, final)
