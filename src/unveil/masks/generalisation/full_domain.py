"""Full-domain generalisation: each attribute at one level in the whole file, with least loss."""

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
from unveil.models.k_anonymity import KAnonymity
from unveil.support.options import Progress, part_of
from unveil.table.microdata import Microdata
from unveil.wording import absent_column, count, listing, suggest


class FullDomainResult(msgspec.Struct, frozen=True, kw_only=True):
    """The levels that full-domain generalisation chose, their loss, and the size of the search."""

    levels: dict[str, int]  # per column; 0 is unchanged
    names: dict[str, str]  # the same in words
    heights: dict[str, int]  # highest level per column
    loss: str
    value: float
    left_out: int  # records
    nodes: int  # nodes of the lattice
    looked: int  # nodes whose classes were counted
    pruned: int  # nodes excluded without counting
    subsets: int  # counted nodes of one, two or three columns


class FullDomain(GeneralisingMask, frozen=True, kw_only=True):
    """Full-domain generalisation: make each column as coarse as the privacy models require.

    Ages become ranges of years and towns regions, with the same coarseness in the whole file, so
    that the release is as easy to tabulate as the original; if necessary a column becomes stars.
    Of all choices of levels that keep the models, the one with the least loss is released.

    Levels come from the hierarchies of the schema. Without one, numbers get ranges, each level
    twice as wide as the one before and the finest about a 64th of the domain; ordered categories
    get runs of 2, 4, 8; other categories only a star. `hierarchies` overrides this by column:
    `{intervals = [5, 10, 20]}` for ranges of these widths, starting at their multiples;
    `{prefix = true}` for codes with ever fewer characters, or `{prefix = [3, 2]}` for these
    numbers of them; `{star = false}` for no star on top. A group of a hierarchy is released by its
    name, of a numeric column as the range of its members. A missing cell is a value of its own
    below a star.

    At most the fraction `suppress` of the records, rounded down, is left out: those in classes
    that break a model. `loss` is over all records, and counts those left out in full:

    - `value-set`: mean over cells of the fraction of the domain that the cell leaves open;
    - `precision`: mean over cells of the level over the height of the hierarchy (Sweeney,
      Achieving k-anonymity privacy protection using generalization and suppression, 2002);
    - `height`: mean number of levels above 0, summed over columns (Samarati, Protecting
      respondents' identities in microdata release, 2001);
    - `discernibility`: sum over records of the size of their class, or of the file if left out;
    - `class-size`: records over released classes, in multiples of k.

    The search is exact. It counts single columns, pairs and triples first, which exclude most
    nodes of the lattice (LeFevre, DeWitt and Ramakrishnan, Incognito: efficient full-domain
    k-anonymity, 2005), and continues from the node of the least bound. Ten thousand nodes for
    50,000 records take seconds, millions minutes; longer if records may be left out and a model is
    not monotone (entropy, recursive, alpha, t-closeness). More than 20 million are refused.

    For k-map the population is generalised alike, and classes are counted in it.

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
        float, Meta(ge=0, le=1, description="Largest fraction of the records to leave out.")
    ] = 0.0
    loss: Annotated[
        Literal["value-set", "precision", "height", "discernibility", "class-size"],
        Meta(description="Information loss to minimise."),
    ] = "value-set"
    hierarchies: Annotated[
        dict[str, Coarsening] | None, Meta(description="Levels by column, instead of the default.")
    ] = None
    star: Annotated[bool, Meta(description="Add a star as the last level of each column.")] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for column, how in (self.hierarchies or {}).items():
            how.check(f"{self.step}: hierarchies: {column}")

    def check(self, data: Microdata) -> None:
        """Raise an error if levels cannot be built, or the lattice is too large."""
        super().check(data)
        targets = self.targets(data)
        for column in self.hierarchies or ():
            if column not in targets:
                raise SpecError(
                    f"{self.step}: hierarchies: '{column}' is not one of the columns to "
                    f"generalise{suggest(column, targets, 'these are')}"
                )
        nodes = prod(one.height + 1 for one in self._levels(data))
        if nodes > MOST_NODES:
            raise SpecError(
                f"{self.step}: there are {nodes:,} choices of levels, and at most {MOST_NODES:,} "
                "can be searched: give columns fewer levels (hierarchies), or name fewer columns"
            )

    def check_model(self, model: Model) -> None:
        """Stars fill whole columns, so that wildcards are values; k-map needs its population."""
        if model.counted == "people" and model.people is None:
            raise SpecError(
                f"{self.step}: models: k-map: population: the records of the population are needed"
            )

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Find the levels with the least loss, and generalise every column to them."""
        levels = self._levels(data)
        problem = self._problem(data, levels)
        optimum = search(problem, progress)
        if optimum.levels is None:
            raise self._unmet(problem, levels, optimum)
        node = count_node(problem, optimum.levels)
        released = ~node.broken[node.cut.labels[problem.rows.of_record]]
        chosen = list(zip(levels, optimum.levels, strict=True))
        return GeneralisedTable(
            [one.released(level) for one, level in chosen if level],
            {one.column: one.attribute for one, level in chosen if level},
            released,
            FullDomainResult(
                levels={one.column: level for one, level in chosen},
                names={one.column: one.names[level] for one, level in chosen},
                heights={one.column: one.height for one in levels},
                loss=self.loss,
                value=optimum.loss,
                left_out=optimum.left_out,
                nodes=optimum.nodes,
                looked=optimum.looked,
                pruned=optimum.nodes - optimum.looked,
                subsets=optimum.subsets,
            ),
        )

    @property
    def _models(self) -> tuple[Model, ...]:
        return (KAnonymity(k=self.k), *self.models)

    @property
    def _populations(self) -> tuple[tuple[Microdata, int], ...]:
        """Each population, with the least number of its people that fit a record."""
        return tuple((m.people, m.least_size) for m in self._models if m.people is not None)

    def _levels(self, data: Microdata) -> list[AttributeLevels]:
        populations = [population for population, _ in self._populations]
        columns = self.targets(data)
        for population in populations:
            for column in columns:
                if column not in population.columns:
                    absent = absent_column(column, population.columns)
                    raise DataError(f"{self.step}: the population of k-map: {absent}")
        files, default = [data, *populations], Coarsening()
        how = {column: (self.hierarchies or {}).get(column, default) for column in columns}
        return [
            attribute_levels(self.step, files, column, how[column], star=self.star)
            for column in columns
        ]

    def _problem(self, data: Microdata, levels: Sequence[AttributeLevels]) -> LatticeProblem:
        files = range(1 + len(self._populations))
        rows = RolledRows.from_files(
            [np.column_stack([one.codes[file] for one in levels]) for file in files]
        )
        models = [model.of_classes() for model in self._models]
        return LatticeProblem(
            rows,
            tuple(Ladder.from_groups(one.groups) for one in levels),
            compile_rules(models, data, self.targets(data)),
            tuple(least for _, least in self._populations),
            part_of(len(data), self.suppress),
            self._loss(rows, levels),
        )

    def _loss(self, rows: RolledRows, levels: Sequence[AttributeLevels]) -> LevelLoss:
        if self.loss == "discernibility":
            return Discernibility()
        if self.loss == "class-size":
            return ClassSize(self.k)
        n_columns, costs = len(levels), []
        suppressed = np.full(n_columns, 1 / n_columns)
        for place, one in enumerate(levels):
            heights = np.broadcast_to(np.arange(one.height + 1.0)[:, None], one.groups.shape)
            if self.loss == "value-set":
                costs.append(one.cost / n_columns)
            elif self.loss == "precision":
                costs.append(heights / max(one.height, 1) / n_columns)
            else:
                costs.append(heights)
                suppressed[place] = one.height
        return CellLoss.from_rows(rows, costs, suppressed)

    def _unmet(
        self, problem: LatticeProblem, levels: Sequence[AttributeLevels], optimum: LatticeOptimum
    ) -> DataError:
        """The error that says which models cannot be met, why, and what could help."""
        models, limit = model_words(self._models), count(problem.most, "record")
        remedy = "allow more suppressed records (suppress), or lower the requirement"
        top = count_node(problem, tuple(one.height for one in levels))
        if optimum.left_out >= problem.n <= problem.most:
            return DataError(
                f"{self.step}: {models} cannot be met at any choice of levels; lower the "
                "requirement"
            )
        if top.left_out_below <= problem.most:
            return DataError(
                f"{self.step}: with at most {limit} suppressed, {models} cannot be met at any "
                "choice of levels; the nearest choice suppresses "
                f"{count(optimum.left_out, 'record')}; {remedy}"
            )
        varied = [one.column for one in levels if one.groups[-1].max() > 0]
        if varied:
            remedy = (
                f"{listing(varied)} {'holds' if len(varied) == 1 else 'hold'} more than one value "
                "at the top: allow a star there, declare a coarser hierarchy, leave it out, or "
                f"{remedy}"
            )
        sizes, k = top.cut.sizes, problem.rules.bound[problem.rules.kind == SIZE].max()
        if sizes[sizes < k].sum() > problem.most:
            ascending = np.sort(sizes[sizes > 0])
            largest = ascending[np.cumsum(ascending) > problem.most].min()
            models = f"k = {k:g} (k = {largest:,} could)"
        return DataError(
            f"{self.step}: with at most {limit} suppressed, {models} cannot be met: full "
            f"generalisation leaves {count(top.left_out_below, 'record')} in classes that break "
            f"it; {remedy}"
        )
