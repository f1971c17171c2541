"""Local suppression: replace single cells by stars, as few as possible."""

from itertools import combinations, groupby
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from unveil.errors import DataError, SpecError
from unveil.grouping.disjoint_groups import GroupBuilder
from unveil.grouping.patterns import MOST_ATTRIBUTES
from unveil.grouping.wildcards import published_cells
from unveil.masks.base import Guarantee
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    GeneralisingMask,
    key_codes,
    model_words,
    starred_table,
)
from unveil.models.base import Model, compile_rules
from unveil.models.k_anonymity import KAnonymity, Stars
from unveil.support.arrays import Floats
from unveil.support.options import Progress
from unveil.table.microdata import Microdata
from unveil.wording import listing, suggest

MOST_SUBSETS = 4096  # sets of attributes that are tried


class LocalSuppression(GeneralisingMask, frozen=True, kw_only=True):
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

    importance: Annotated[
        dict[str, Annotated[float, Meta(gt=0)]] | None,
        Meta(description="Cost of a star by column; 1 by default."),
    ] = None
    stars: Stars = "value"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stars == "wildcard" and self.models:
            raise SpecError(
                f"{self.step}: other models are of classes of equal rows, which stars as wildcards "
                "do not make: leave out models, or set stars to 'value'"
            )

    def guarantees(self, data: Microdata) -> tuple[Guarantee, ...]:
        """The models, with stars counted as the parameter says."""
        models = (KAnonymity(k=self.k, stars=self.stars), *self.models)
        return (Guarantee(models, self.targets(data)),)

    def check(self, data: Microdata) -> None:
        """Raise an error for too many columns, or importance of other columns."""
        super().check(data)
        masked = self.targets(data)
        if len(masked) > MOST_ATTRIBUTES:
            raise SpecError(
                f"{self.step}: {len(masked)} columns; at most {MOST_ATTRIBUTES} are looked at "
                "together: name fewer"
            )
        for column, weight in (self.importance or {}).items():
            if column not in masked:
                raise SpecError(
                    f"{self.step}: importance: '{column}' is not one of the columns to mask, which "
                    f"are: {listing(masked)}{suggest(column, masked)}"
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
        codes = key_codes(data, keys)
        weights = np.array([(self.importance or {}).get(name, 1.0) for name in keys])
        subsets = cheapest_subsets(weights)
        if self.stars == "wildcard":
            return starred_table(
                data, keys, published_cells(codes, self.k, [s for _, s in subsets])
            )
        builder = GroupBuilder(codes, compile_rules(models, data, keys))
        done = 0
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
                f"{self.step}: {model_words(models)} cannot be kept by stars alone for "
                f"{len(builder.unassigned):,} of the records: ask for less, or discard these"
            )
        builder.split_groups()
        return starred_table(data, keys, builder.published)


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
