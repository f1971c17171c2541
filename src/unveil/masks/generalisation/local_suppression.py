"""Local suppression: single cells are not told, as few as will do."""

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
from unveil.models.base import compile_rules
from unveil.models.k_anonymity import KAnonymity, Stars
from unveil.support.arrays import Floats
from unveil.support.options import Progress
from unveil.table.microdata import Microdata
from unveil.wording import listing, suggest

MOST_MASKS = 4096  # sets of attributes that are tried


class LocalSuppression(GeneralisingMask, frozen=True, kw_only=True):
    """Local suppression: cells of rare combinations become stars, as few as will do.

    Only those who stand out lose something, and what they lose is chosen so that little is lost;
    everybody stays in the release, and what is told is true.

    Records that are alike in enough attributes keep these, and have stars in the others: sets of
    attributes are tried from the cheapest stars on, and among equally dear ones those first that
    help most records. A last few who fit nowhere join the group that this costs least. Where a
    group has room, stars are taken back. `importance` says how much a star in an attribute costs,
    1 if not given. With a star as a value, every class of equal rows has k records, which
    bounds what any attack can link. As a `wildcard`, as in sdcMicro, far fewer are needed: a
    star counts as equal to everything, and who looks for a person may link more than one in k.

    (Local suppression is common practice: Willenborg and de Waal, Elements of Statistical
    Disclosure Control, 2001. The least number of stars is NP-hard to find: Meyerson and
    Williams, On the complexity of optimal k-anonymity, 2004.)

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
        Meta(description="How much a star in each attribute costs; 1 where not given."),
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
        """Its models, a star being what it is here."""
        models = (KAnonymity(k=self.k, stars=self.stars), *self.models)
        return (Guarantee(models, self.targets(data)),)

    def check(self, data: Microdata) -> None:
        """Importance is of columns that are masked."""
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

    def check_model(self, model: object) -> None:
        """Stars may be wildcards here."""
        if not isinstance(model, KAnonymity):
            super().check_model(model)  # type: ignore[arg-type]

    def generalise(self, data: Microdata, progress: Progress | None) -> GeneralisedTable:
        """Give each record the cheapest stars with which enough others are like it."""
        models, keys = self.guarantees(data)[0]
        codes = key_codes(data, keys)
        weights = np.array([(self.importance or {}).get(name, 1.0) for name in keys])
        masks = cheapest_masks(weights)
        if self.stars == "wildcard":
            return starred_table(data, keys, published_cells(codes, self.k, [m for _, m in masks]))
        made = GroupBuilder(codes, compile_rules(models, data, keys))
        done = 0
        for _, some in groupby(masks, key=lambda one: one[0]):
            equally_dear = [mask for _, mask in some]
            made.add_groups(
                made.by_coverage(equally_dear) if len(equally_dear) > 1 else equally_dear
            )
            done += len(equally_dear)
            if progress is not None:
                progress(done, len(masks))
            if not len(made.unassigned):
                break
        made.join_groups()
        made.borrow_records(mask for _, mask in masks)
        if not made.absorb_rest(weights):
            raise DataError(
                f"{self.step}: {model_words(models)} cannot be kept by stars alone for "
                f"{len(made.unassigned):,} of the records: ask for less, or discard these"
            )
        made.split_groups()
        return starred_table(data, keys, made.published)


def cheapest_masks(weights: Floats) -> list[tuple[float, int]]:
    """Sets of attributes to be told, those whose stars cost least first, each with its cost.

    All of them, if there are not too many; else those with few stars, and then the attributes
    from the least important on until everything is a star.

    >>> [(cost, bin(mask)) for cost, mask in cheapest_masks(np.array([1.0, 2.0]))]
    [(0.0, '0b11'), (1.0, '0b10'), (2.0, '0b1'), (3.0, '0b0')]
    """
    d = len(weights)
    chosen: list[tuple[int, ...]] = []
    for many in range(d + 1):
        some = list(combinations(range(d), many))
        if len(chosen) + len(some) > MOST_MASKS:
            by_weight = np.argsort(weights, kind="stable").tolist()
            chosen += [tuple(sorted(by_weight[:more])) for more in range(many, d + 1)]
            break
        chosen += some
    every = (1 << d) - 1
    found = [
        (round(float(sum(weights[j] for j in stars)), 9), every - sum(1 << j for j in stars))
        for stars in chosen
    ]
    return sorted(found, key=lambda one: (one[0], one[1].bit_count(), -one[1]))
