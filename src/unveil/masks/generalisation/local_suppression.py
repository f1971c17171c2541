"""Local suppression: replace single cells by stars, as few as possible."""

from itertools import combinations, groupby
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.errors import DataError, SpecError
from unveil.grouping.classes import ClassRules
from unveil.grouping.disjoint_groups import GroupBuilder
from unveil.grouping.patterns import MOST_ATTRIBUTES
from unveil.grouping.wildcards import published_cells
from unveil.masks.base import Guarantee
from unveil.masks.generalisation.base import GeneralisedTable, key_codes, model_words, starred_table
from unveil.masks.generalisation.unit import UnitMask
from unveil.models.base import Model, compile_rules
from unveil.models.k_anonymity import KAnonymity, Stars
from unveil.support.arrays import Bools, Floats, Ints32
from unveil.support.options import Progress
from unveil.table.microdata import Microdata
from unveil.wording import suggest

MOST_SUBSETS = 4096  # sets of attributes that are tried


class LocalSuppression(UnitMask, frozen=True, kw_only=True):
    """Local suppression: replace cells of rare combinations by stars, as few as possible.

    Only records that stand out lose values, and as few as possible; every record is released, and
    every released value is true.

    Records that agree in enough attributes keep these, and get stars in the others. Sets of
    attributes are tried in order of the cost of their stars, and at equal cost by the number of
    records that they cover. The last records join the group where this costs least. Then stars
    that are not needed are removed. `importance` is the cost of a star in an attribute, by default
    1. With `stars` "value", every class of equal rows has k records, which bounds the links of
    any attack. With "wildcard", as in sdcMicro, a star equals everything: far fewer stars are
    needed, and an intruder may link more than one record in k.

    With `unit` "household", households with the same number of members are made alike in the
    household-level columns (`per_household` in the schema) and in the columns of all members. A
    star in a household-level column counts for each member. Households with a number of members
    that fewer than k have are not released.

    A heuristic, since the least number of stars is NP-hard to find (Meyerson and Williams, On the
    complexity of optimal k-anonymity, 2004). Willenborg and de Waal, Elements of Statistical
    Disclosure Control (2001).

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(1000, seed=7)
    >>> keys = ["sex", "age", "region", "education"]
    >>> mask = LocalSuppression(k=3, importance={"age": 2.0}, columns=keys)
    >>> release = unveil.mask(people, mask)
    >>> unveil.models.check(release.data, unveil.models.KAnonymity(k=3), keys=keys)[0].kept
    True
    """

    accepts_generalised: ClassVar[bool] = True
    adds_stars: ClassVar[bool] = True

    importance: Annotated[
        dict[str, Annotated[float, Meta(gt=0)]] | None,
        Meta(description="Cost of a star by column; 1 by default."),
    ] = None
    stars: Stars = "value"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stars == "wildcard" and self.models:
            raise SpecError(
                f"{self.step}: models need classes of equal rows, which wildcard stars do not "
                "form; leave out models, or set stars to 'value'"
            )
        if self.stars == "wildcard" and self.uses_households:
            raise SpecError(
                f"{self.step}: households are compared as written, so a star cannot be a "
                "wildcard; set stars to 'value', or unit to 'person'"
            )

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        """The models, with stars counted as the parameter says."""
        if self.stars == "value":
            return super().guarantees(data)
        return (Guarantee((KAnonymity(k=self.k, stars="wildcard"),), self.targets(data)),)

    def check(self, data: Microdata) -> None:
        """Raise an error for too many columns, or importance of other columns."""
        super().check(data)
        masked = self.targets(data)
        if len(masked) > MOST_ATTRIBUTES:
            raise SpecError(
                f"{self.step}: {len(masked)} columns; at most {MOST_ATTRIBUTES} are supported: "
                "name fewer"
            )
        for column, weight in (self.importance or {}).items():
            if column not in masked:
                raise SpecError(
                    f"{self.step}: importance: '{column}' is not one of the columns to mask"
                    f"{suggest(column, masked, 'these are')}"
                )
            if not np.isfinite(weight):
                raise SpecError(
                    f"{self.step}: importance: '{column}': a number above 0; leave the column out, "
                    "if no cell of it may be a star"
                )

    def check_model(self, model: Model) -> None:
        """Stars may be wildcards."""
        if model.counted != "rows":
            super().check_model(model)

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Give each record the cheapest stars with which enough others equal it."""
        models, keys = self.guarantees(data)[0]
        codes, rules = key_codes(data, keys), compile_rules(models, data, keys)
        weights = np.array([(self.importance or {}).get(name, 1.0) for name in keys])
        if self.stars == "wildcard":
            subsets = [subset for _, subset in cheapest_subsets(weights)]
            return starred_table(data, keys, published_cells(codes, self.k, subsets))
        if not self.uses_households:
            return starred_table(data, keys, self._shown(codes, rules, weights, progress))
        tables, released = self.tables_by_size(data, keys, codes)
        shown = np.ones(codes.shape, np.bool_)
        for done, table in enumerate(tables, 1):
            wide, costs = table.widen(codes), table.cells_of_columns * weights[table.keys]
            # More columns than a mask has bits: the least important are stars throughout.
            used = np.sort(np.argsort(costs, kind="stable")[-MOST_ATTRIBUTES:])
            published = np.zeros(wide.shape, np.bool_)
            published[:, used] = self._shown(wide[:, used], rules, costs[used], None)
            table.narrow(published, shown)
            if progress is not None:
                progress(done, len(tables))
        return self.of_households(data, starred_table(data, keys, shown), released)

    def _shown(
        self, codes: Ints32, rules: ClassRules, weights: Floats, progress: Progress | None
    ) -> Bools:
        """For each record and column whether its cell is no star."""
        builder, subsets, done = GroupBuilder(codes, rules), cheapest_subsets(weights), 0
        for _, ties in groupby(subsets, key=lambda one: one[0]):
            equal = [subset for _, subset in ties]
            builder.add_groups(builder.by_coverage(equal) if len(equal) > 1 else equal)
            done += len(equal)
            if progress is not None:
                progress(done, len(subsets))
            if not len(builder.unassigned):
                break
        builder.join_groups()
        builder.borrow_records(subset for _, subset in subsets)
        if not builder.absorb_rest(weights):
            raise DataError(
                f"{self.step}: {model_words(self.models)} cannot be met by stars alone for "
                f"{len(builder.unassigned):,} of the records; lower the requirement, or discard "
                "these"
            )
        builder.split_groups()
        return builder.published


def cheapest_subsets(weights: Floats) -> list[tuple[float, int]]:
    """Subsets of attributes without stars, as bits, in order of the cost of the other's stars.

    All subsets, if they are at most MOST_SUBSETS; otherwise those with few stars, then stars from
    the least important attribute on.
    """
    d = len(weights)
    starred: list[tuple[int, ...]] = []
    for size in range(d + 1):
        more = list(combinations(range(d), size))
        if len(starred) + len(more) > MOST_SUBSETS:
            by_weight = np.argsort(weights, kind="stable").tolist()
            starred += [tuple(sorted(by_weight[:larger])) for larger in range(size, d + 1)]
            break
        starred += more
    every = (1 << d) - 1
    subsets = [
        (round(float(sum(weights[j] for j in stars)), 9), every - sum(1 << j for j in stars))
        for stars in starred
    ]
    return sorted(subsets, key=lambda one: (one[0], one[1].bit_count(), -one[1]))
