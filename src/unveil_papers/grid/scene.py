"""One mask of the grid carried out, and one attack on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import unveil
from unveil import Intruder, attacks
from unveil_papers.framework.experiment import seed_of
from unveil_papers.framework.tools import categories_of, distances_given_mask
from unveil_papers.grid.sides import GridAttack, Takes, masked, table

MOST_IN_FORM = 10  # columns of a bilinear form that is learnt
NOBODY = "made-up rows are nobody's: there is no right link to be counted"
LACKING: dict[Takes, str] = {
    "ordered": "no released column has plain cells with an order",
    "numbers": "no released column has plain numbers",
    "single": "every released column has ranges, sets or stars, which this attack does not take",
    "nameless": "every released column has ranges, sets or stars, which have no place in an order",
    "recoded": "it is of categories that were recoded, or drawn by a matrix: here are none",
}


class NothingToFindError(Exception):
    """There is no figure, and why."""


class GridScenario(NamedTuple):
    """A file, its release, whose row each released one is, and what the intruder knows."""

    data: unveil.Microdata
    release: unveil.Release
    whose: NDArray[np.int64]
    columns: tuple[str, ...]
    seed: int

    @classmethod
    def of(cls, file: str, row: str, run: int, seed: int) -> GridScenario:
        """One mask carried out on one file."""
        data, mask = table(file, seed), masked(file)[row]
        number = seed_of(seed, "grid", file, row, run)
        release = unveil.mask(data, mask.plan, seed=number)
        if release.row_map is None:
            raise NothingToFindError(NOBODY)
        return cls(data, release, release.row_map, mask.columns, number)

    def links(self, way: GridAttack) -> unveil.Links:
        """The links of an attack on the columns that it can compare."""
        if way.takes == "nothing":
            return unveil.attack(self.data, self.release, way.spec, seed=self.seed)
        if way.takes == "nameless":
            return self.nameless(way.spec, len(self.release))
        columns, spec = self._compared(way.takes), way.spec
        if not columns:
            raise NothingToFindError(LACKING[way.takes])
        _check_time(spec, columns)
        if way.takes == "recoded":
            tables = {name: made for name in columns if (made := self._possible(name))}
            columns, spec = self.columns, attacks.Distance(tables=tables)
        knows = Intruder(knows=columns)
        return unveil.attack(self.data, self.release, spec, intruder=knows, seed=self.seed)

    def nameless(self, spec: attacks.Attack, people: int) -> unveil.Links:
        """The links of some people with their rows, where no column has a name that says what."""
        if not self._compared("single"):
            raise NothingToFindError(LACKING["nameless"])
        draw = np.random.default_rng(self.seed)
        rows = draw.permutation(len(self.release))[:people]
        order = draw.permutation(len(rows))
        names = {name: f"column {place}" for place, name in enumerate(self.columns, 1)}
        cells = [self.release.data.column(old).rename(new) for old, new in names.items()]
        schema = unveil.Schema({new: self.release.schema[old] for old, new in names.items()})
        hidden = unveil.Microdata(pl.DataFrame(cells), schema).take(rows[order])
        mine = self.data.take(self.whose[rows])
        knows = Intruder(knows=self.columns)
        return unveil.attack(mine, hidden, spec, intruder=knows, truth=order, seed=self.seed)

    def _compared(self, takes: Takes) -> tuple[str, ...]:
        """The columns that an attack can compare, of those that the intruder knows."""
        if takes == "any":
            return self.columns
        released = self.release.data.schema
        plain = [name for name in self.columns if not released[name].generalised]
        if takes == "ordered":
            plain = [name for name in plain if self.data.level(name) != "nominal"]
        if takes == "numbers":
            plain = [name for name in plain if self.data.level(name) == "numeric"]
        if takes == "recoded":
            plain = [name for name in plain if self._possible(name)]
        return tuple(plain)

    def _possible(self, column: str) -> attacks.Distances | None:
        """The distances of a column's categories where the mask tells of every one of them."""
        if self.data.level(column) == "numeric":
            return None
        listed = set(self.data.column(column).drop_nulls().cast(pl.String))
        for channel in self.release.channels_of(column):
            if hasattr(channel, "matrix") or listed <= set(categories_of(channel)):
                return distances_given_mask(channel, ordinal=self.data.level(column) == "ordinal")
        return None


def _check_time(spec: attacks.Attack, columns: tuple[str, ...]) -> None:
    """A form of many columns can be learnt, but not in the time of a grid."""
    form = isinstance(spec, attacks.Supervised) and spec.model == "bilinear"
    many = len(columns)
    if form and many > MOST_IN_FORM:
        raise NothingToFindError(
            f"left out for the time that it takes: of {many} columns {many * (many + 1) // 2} "
            "products are weighed"
        )
