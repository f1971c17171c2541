"""Repair: the records at risk, and others that hide which, become alike in groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.engines.base import MOST_NEIGHBOURS
from unveil.engines.metric import euclid
from unveil.engines.select import engine
from unveil.errors import DataError
from unveil.masks.base import ColumnMask, Draw, GroupSize, KeepType, MaskedTable
from unveil.masks.microaggregation.mask import Microaggregation, RecordPoints
from unveil.masks.per_household import apply_mask
from unveil.support.arrays import Floats, Ints
from unveil.support.options import Progress, part_of
from unveil.support.work import GROUPING_SECONDS
from unveil.table.encoding.shared_attributes import common_cells
from unveil.table.households import Homes, households_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Replaced
from unveil.wording import count

TIE_DECIMALS = 9  # of an exposure, in standard deviations: the last bits go by row order


@dataclass(frozen=True)
class RepairedRecords:
    """How many records, or households, were masked because of their risk, and how many others."""

    units: int  # records, or households where these are masked whole
    at_risk: int
    cover: int
    records: int  # masked, of both kinds

    @property
    def sentence(self) -> str:
        """The counts in words, without a full stop."""
        return (
            f"the {self.at_risk:,} of {self.units:,} most at risk and {self.cover:,} random "
            f"others as cover: {count(self.records, 'record')} masked"
        )


class Repair(ColumnMask, frozen=True, kw_only=True):
    """Repair: make only the records most at risk alike, with random others that hide which.

    For a release that fails by little: all other records stay as they are. Isolated records are at
    risk: the `share` of the records with the largest exposure. The exposure of a record is its
    distance to its (k - 1)-th nearest other record, in the columns to mask and by the distance of
    microaggregation; of equally exposed records chance decides. For each record at risk, `cover`
    others are drawn at random. Both kinds together are microaggregated (MDAV) in groups of at least
    k, so that a masked record need not be one at risk.

    If a column describes households, whole households are masked, and share, cover and k count
    households; the exposure of a household is the largest of its members. In a column that fewer
    than k masked records know, these get one value. Missing cells stay missing.

    The channel says that this share of the cells may be anything, and that the others are as they
    were. An intruder who is told the rule uses that (`tailored`), or runs it again (`simulated`).

    Examples
    --------
    >>> import unveil
    >>> repair = Repair(share=0.05, k=5, columns=["age", "income", "hours"])
    >>> release = unveil.mask(unveil.households(1000, seed=7), [repair], seed=7)
    >>> release.details["repair"].sentence
    'the 50 of 1,000 most at risk and 50 random others as cover: 100 records masked'
    """

    seconds_per_record: ClassVar[float] = GROUPING_SECONDS

    share: Annotated[
        float, Meta(gt=0, le=1, description="Fraction of the records that are most at risk.")
    ]
    cover: Annotated[
        float,
        Meta(ge=0, le=1000, description="Random other records for each record at risk, as cover."),
    ] = 1.0
    k: GroupSize
    keep_type: KeepType = True

    @property
    def uses_households(self) -> bool:
        return True

    def only(self, columns: Sequence[str]) -> Self | None:  # noqa: ARG002
        """None: a household is masked whole."""
        return None

    def check(self, data: Microdata) -> None:
        columns = self.targets(data)
        self._groups(columns).check(data)
        units = len(self._units(data, columns))
        masked = sum(self._sizes(units))
        if masked < self.k:
            raise DataError(
                f"{self.step}: k is {self.k}, and the table has {units:,} records or households, "
                f"of which {masked:,} would be masked: choose a smaller k, a larger share or more "
                "cover"
            )

    def apply(self, data: Microdata, draw: Draw, progress: Progress | None = None) -> MaskedTable:
        columns = self.targets(data)
        homes = self._units(data, columns)
        points = RecordPoints(self._groups(columns), data, columns).points
        content = np.lexsort([common_cells(data, column=name)[0] for name in reversed(columns)])
        rank = _random_rank(homes.of_record[content], draw())
        largest = np.maximum.reduceat(exposures(points, self.k)[homes.order], homes.starts[:-1])
        at_risk, cover = self._sizes(len(homes))
        masked = np.zeros(len(homes), np.bool_)
        masked[np.lexsort((rank, -largest))[:at_risk]] = True
        masked[np.lexsort((rank, masked))[:cover]] = True
        rows = content[masked[homes.of_record[content]]]  # by content, since MDAV's ties go by row
        after = self._alike(data, columns, rows, homes.take(rows), draw, progress)
        details = RepairedRecords(len(homes), at_risk, cover, len(rows))
        channels = tuple(Replaced((name,), len(rows) / len(data)) for name in columns)
        return MaskedTable(after, channels, details=details)

    def _groups(self, columns: Sequence[str]) -> Microaggregation:
        return Microaggregation(
            k=self.k, columns=tuple(columns), keep_type=self.keep_type, name=self.step
        )

    def _units(self, data: Microdata, columns: Sequence[str]) -> Homes:
        """The households if a column describes them; otherwise each record by itself."""
        homes = households_of(data) if any(data.schema[n].per_household for n in columns) else None
        return Homes(np.arange(len(data))) if homes is None else homes

    def _sizes(self, units: int) -> tuple[int, int]:
        """How many are at risk, and how many are masked with them."""
        at_risk = max(part_of(units, self.share), 1)
        return at_risk, min(part_of(at_risk, self.cover), units - at_risk)

    def _alike(
        self,
        data: Microdata,
        columns: Sequence[str],
        rows: Ints,
        homes: Homes,
        draw: Draw,
        progress: Progress | None,
    ) -> Microdata:
        """The table in which these records are microaggregated among themselves."""
        some = data.take(rows)
        known = [name for name in columns if some.column(name).null_count() < len(some)]
        if not known:
            return data
        groups = apply_mask(self._groups(known), some, homes, draw, progress).data
        return data.replace([_placed(data.column(n), rows, groups.column(n)) for n in known])


def exposures(points: Floats, k: int) -> Floats:
    """The distance of each point to its (k - 1)-th nearest other point."""
    nearest = engine().prepare(points, points, euclid()).nearest(None, k=min(k, MOST_NEIGHBOURS))
    found: Floats = np.round(nearest.scores[:, -1], TIE_DECIMALS)  # the first is the point itself
    return found


def _random_rank(units: Ints, rng: np.random.Generator) -> Ints:
    """A random rank of each unit, by its place in an order of the records and not by its number."""
    first = np.unique(units, return_index=True)[1]
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = rng.permutation(len(first))
    return rank


def _placed(cells: pl.Series, rows: Ints, masked: pl.Series) -> pl.Series:
    """A column with other cells in some rows, in the type of these."""
    place = np.arange(len(cells))
    place[rows] = len(cells) + np.arange(len(rows))
    return pl.concat([cells.cast(masked.dtype), masked]).gather(place)
