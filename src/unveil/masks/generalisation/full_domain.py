"""Full-domain generalisation: every attribute at one level in the whole file, the best of all."""

from collections.abc import Sequence
from math import prod
from typing import Annotated, ClassVar, Literal

import msgspec
import numpy as np
from msgspec import Meta

from unveil.errors import DataError, SpecError
from unveil.grouping.classes import SIZE
from unveil.grouping.lattice import MOST_NODES, LatticeOptimum, LatticeProblem, count_node, search
from unveil.grouping.level_loss import CellLoss, ClassSize, Discernibility, LevelLoss
from unveil.grouping.rollup import Ladder, RolledRows
from unveil.masks.generalisation.base import GeneralisedTable, GeneralisingMask, model_words
from unveil.masks.generalisation.levels import AttributeLevels, Coarsening, attribute_levels
from unveil.models.base import Model, compile_rules
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.support.options import Progress, part_of
from unveil.table.microdata import Microdata
from unveil.wording import absent_column, count, listing, suggest

Share = Annotated[float, Meta(ge=0, le=1)]


class FullDomainResult(msgspec.Struct, frozen=True, kw_only=True):
    """What full-domain generalisation came to: levels, what is lost, and the search for them."""

    levels: dict[str, int]  # of each column, from 0: as it was
    names: dict[str, str]  # the same in words
    heights: dict[str, int]  # the highest level that each column has
    loss: str
    value: float
    left_out: int  # records
    nodes: int  # choices of levels that there are
    looked: int  # whose classes were counted
    pruned: int  # that were excluded without
    subsets: int  # levels of one, two or three columns that were counted


class FullDomain(GeneralisingMask, frozen=True, kw_only=True):
    """Full-domain generalisation: every column made as coarse as it must be, everywhere alike.

    Ages become spans of years and towns regions, all of them equally coarse, so that tables of the
    release are as easy to make as before; where that is not enough, a column becomes stars. Of all
    ways to do so that keep what is asked, the one that loses least is taken.

    Levels come from the hierarchies of the schema; without one, numbers are put into ranges,
    each level twice as wide as the one before and the finest about a 64th of their
    range, ordered categories into runs of 2, 4, 8, and other categories straight under a star.
    `hierarchies` makes others, by column: `{intervals = [5, 10, 20]}` ranges of these widths,
    which begin at their multiples; `{prefix = true}` codes of which ever fewer characters are told,
    or as many as are listed, `{prefix = [3, 2]}`; `{star = false}` no star on top.
    A group of a hierarchy is released by its name, of a numeric column as the range of its
    members. A missing cell is a value of its own below a star.

    At most the share `suppress` of the records, rounded down, is left out: those in classes that
    break a model. What is lost is counted over all records, those left out being lost wholly:

    - `value-set`: the mean over cells of the part of the domain that a cell leaves open; all of it
      where the record is left out;
    - `precision`: the mean over cells of the level over the height of the hierarchy (Sweeney,
      Achieving k-anonymity privacy protection using generalization and suppression, 2002); 1
      where the record is left out;
    - `height`: the mean number of steps up, over all columns together (Samarati, Protecting
      respondents' identities in microdata release, 2001); all steps where it is left out;
    - `discernibility`: the sum over records of the size of their class, or of the file;
    - `class-size`: all records over released classes, in multiples of k; whoever is left out is in
      no class.

    The search is exact. It counts single columns, pairs and triples first, which exclude most
    choices of levels (LeFevre, DeWitt and Ramakrishnan, Incognito: efficient full-domain
    k-anonymity, 2005), and goes on from the choice of the least bound. Ten thousand choices for
    50,000 records take seconds, millions minutes; longer where records may be left out and a model
    is asked for of which a failure says nothing of other choices (entropy, recursive, alpha,
    t-closeness). More than 20 million are refused.

    For k-map the population is generalised alike, and each class counted in it.

    Examples
    --------
    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> coarse = FullDomain(
    ...     k=5,
    ...     suppress=0.02,
    ...     columns=["age", "sex", "education"],
    ...     hierarchies={"age": {"intervals": [10, 20, 40]}},
    ... )
    >>> release = unveil.mask(sample, [coarse])
    >>> release.details["full-domain"].names
    {'age': 'ranges of 40', 'sex': 'value', 'education': 'runs of 2'}
    >>> 500 - len(release) == release.details["full-domain"].left_out <= 10
    True
    """

    discards_records: ClassVar[bool] = True
    accepts_dates: ClassVar[bool] = True  # they become stars, never ranges

    suppress: Annotated[
        Share, Meta(description="The share of the records that may be left out.")
    ] = 0.0
    loss: Annotated[
        Literal["value-set", "precision", "height", "discernibility", "class-size"],
        Meta(description="What is to be lost as little as possible."),
    ] = "value-set"
    hierarchies: Annotated[
        dict[str, Coarsening] | None,
        Meta(description="By column: how its levels are made, instead of as by default."),
    ] = None
    star: Annotated[
        bool, Meta(description="Whether a star is the last level of a column, if need be.")
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for column, how in (self.hierarchies or {}).items():
            how.check(f"{self.step}: hierarchies: {column}")

    def check(self, data: Microdata) -> None:
        """Levels can be made, and there are not too many choices of them."""
        super().check(data)
        targets = self.targets(data)
        for column in self.hierarchies or ():
            if column not in targets:
                raise SpecError(
                    f"{self.step}: hierarchies: '{column}' is not one of the columns to "
                    f"generalise, which are: {listing(targets)}{suggest(column, targets)}"
                )
        nodes = prod(one.height + 1 for one in self._levels(data))
        if nodes > MOST_NODES:
            raise SpecError(
                f"{self.step}: there are {nodes:,} choices of levels, and at most {MOST_NODES:,} "
                "can be searched: give columns fewer levels (hierarchies), or name fewer columns"
            )

    def check_model(self, model: Model) -> None:
        """Stars come for a whole column, so as values or wildcards they are alike."""
        if isinstance(model, KMap) and not isinstance(model.population, Microdata):
            raise SpecError(
                f"{self.step}: models: k-map: population: the records of the population are needed"
            )

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Find the best levels, and put every column there."""
        levels = self._levels(data)
        problem = self._problem(data, levels)
        found = search(problem, progress)
        if found.levels is None:
            raise self._unmet(problem, levels, found)
        seen = count_node(problem, found.levels)
        released = ~seen.broken[seen.cut.labels[problem.rows.of_record]]
        chosen = list(zip(levels, found.levels, strict=True))
        return GeneralisedTable(
            [one.released(level) for one, level in chosen if level],
            {one.column: one.attribute for one, level in chosen if level},
            released,
            FullDomainResult(
                levels={one.column: level for one, level in chosen},
                names={one.column: one.names[level] for one, level in chosen},
                heights={one.column: one.height for one in levels},
                loss=self.loss,
                value=found.loss,
                left_out=found.left_out,
                nodes=found.nodes,
                looked=found.looked,
                pruned=found.nodes - found.looked,
                subsets=found.subsets,
            ),
        )

    @property
    def _models(self) -> tuple[Model, ...]:
        return (KAnonymity(k=self.k), *self.models)

    @property
    def _populations(self) -> tuple[KMap, ...]:
        return tuple(model for model in self._models if isinstance(model, KMap))

    def _levels(self, data: Microdata) -> list[AttributeLevels]:
        others = [model.population for model in self._populations]
        for other in others:
            for column in self.targets(data):
                if column not in other.columns:
                    raise DataError(
                        f"{self.step}: the population of k-map: "
                        f"{absent_column(column, other.columns)}"
                    )
        given = self.hierarchies or {}
        return [
            attribute_levels(
                self.step,
                [data, *others],
                column,
                given.get(column, Coarsening()),
                star=self.star,
            )
            for column in self.targets(data)
        ]

    def _problem(self, data: Microdata, levels: Sequence[AttributeLevels]) -> LatticeProblem:
        files = range(1 + len(self._populations))
        rows = RolledRows.from_files(
            [np.column_stack([one.codes[file] for one in levels]) for file in files]
        )
        asked = [
            KAnonymity(k=model.k) if isinstance(model, KAnonymity) else model
            for model in self._models
        ]
        return LatticeProblem(
            rows,
            tuple(Ladder.from_groups(one.groups) for one in levels),
            compile_rules(asked, data, self.targets(data)),
            tuple(model.k for model in self._populations),
            part_of(len(data), self.suppress),
            self._loss(rows, levels),
        )

    def _loss(self, rows: RolledRows, levels: Sequence[AttributeLevels]) -> LevelLoss:
        if self.loss == "discernibility":
            return Discernibility()
        if self.loss == "class-size":
            return ClassSize(self.k)
        many, costs, lost = len(levels), [], np.ones(len(levels))
        for place, one in enumerate(levels):
            steps = np.broadcast_to(np.arange(one.height + 1.0)[:, None], one.groups.shape)
            if self.loss == "value-set":
                costs.append(one.cost / many)
            elif self.loss == "precision":
                costs.append(steps / max(one.height, 1) / many)
            else:
                costs.append(steps)
            lost[place] = one.height if self.loss == "height" else 1 / many
        return CellLoss.from_rows(rows, costs, lost)

    def _unmet(
        self, problem: LatticeProblem, levels: Sequence[AttributeLevels], found: LatticeOptimum
    ) -> DataError:
        """Say what cannot be met, why, and what could be."""
        few = f"with at most {count(problem.most, 'record')} left out"
        top = count_node(problem, tuple(one.height for one in levels))
        if found.left_out >= problem.n <= problem.most:
            return DataError(
                f"{self.step}: {model_words(self._models)} cannot be met: whatever the levels, "
                "nobody would be left; ask for less"
            )
        if top.left_out_below <= problem.most:
            return DataError(
                f"{self.step}: {few}, {model_words(self._models)} cannot be met at any choice of "
                f"levels: where it comes nearest, {count(found.left_out, 'record')} would have to "
                "go; let more records be left out (suppress), or ask for less"
            )
        apart = [one.column for one in levels if one.groups[-1].max() > 0]
        remedy = "let more records be left out (suppress), or ask for less"
        if apart:
            holds = "holds" if len(apart) == 1 else "hold"
            remedy = (
                f"{listing(apart)} {holds} more than one value at the top: allow a star there, "
                f"declare a coarser hierarchy, leave it out, or {remedy}"
            )
        return DataError(
            f"{self.step}: {few}, {self._broken(problem, top.cut.sizes)} cannot be met: everything "
            f"generalised to its top leaves {count(top.left_out_below, 'record')} in classes that "
            f"break it; {remedy}"
        )

    def _broken(
        self, problem: LatticeProblem, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> str:
        """What is broken at the top: k, with the largest that could be met, or any of all."""
        k = problem.rules.bound[problem.rules.kind == SIZE].max()
        if sizes[sizes < k].sum() <= problem.most:
            return model_words(self._models)
        ascending = np.sort(sizes[sizes > 0])
        possible = ascending[np.cumsum(ascending) > problem.most].min()
        return f"k = {k:g} (k = {possible:,} could)"
