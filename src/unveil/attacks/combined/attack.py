"""Several attacks as one: their scores, made alike without the truth, are added up."""

from typing import Annotated, Any, cast

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, Level, LinkageFiles
from unveil.attacks.combined.score_sum import ScoreSum
from unveil.attacks.matched.comparer import Comparer
from unveil.errors import SpecError
from unveil.support.arrays import Floats
from unveil.support.specs import find_method
from unveil.values.links import Finder

LOOKED_AT = 2000  # records by which scores are made alike
FLOOR = 1e-9  # relative to what a random pair costs


class Combined(Attack, frozen=True, kw_only=True):
    """Several attacks as one: each record is linked with the row that they find nearest together.

    What each attack says of a row is added up, so that one may see what another does not. Nobody
    has to know which of them is the best.

    Scores that are log-likelihoods are added as they are. Distances are first turned into some:
    squared, or not, they are divided by what a record's nearest candidate costs on average for
    each attribute. No truth is needed, unlike for the union of what each attack finds, which
    is an oracle (`unveil.measures.in_any`). Domingo-Ferrer and Torra, Validating distance-based
    record linkage with probabilistic record linkage (2002), propose to combine the two.

    >>> import unveil
    >>> sample = unveil.households(100, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5)], seed=7)
    >>> both = Combined(attacks=["distance", {"method": "rank", "criterion": "max"}])
    >>> intruder = unveil.Intruder(knows=["age", "hours", "income", "rent"])
    >>> links = unveil.attack(sample, swapped, both, intruder=intruder)
    >>> unveil.measures.risk(links).n
    100
    """

    attacks: Annotated[
        Any,
        Meta(description="The attacks: a list of names, of tables with a method, or of attacks."),
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.attacks
        if isinstance(given, str):
            given = [name.strip() for name in given.split(",")]
        if not isinstance(given, list | tuple) or len(given) < 2:
            raise SpecError("combined: attacks: a list of at least two")
        made = tuple(_attack_of(one) for one in given)
        msgspec.structs.force_setattr(self, "attacks", made)
        for one in made:
            if one.matching != "nearest":
                raise SpecError("combined: the matching is of all together: leave it out of each")

    @property
    def knows(self) -> Level | None:
        """The most that any of them knows of the masking."""
        known = {one.knows for one in self.attacks}
        every: tuple[Level, ...] = ("original", "parameters", "method")
        return next((level for level in every if level in known), None)

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        finders: list[Comparer] = [one.finder(files) for one in self.attacks]
        rates = [_rate(finder) for finder in finders]
        details = {
            "attacks": [one.name for one in self.attacks],
            "rates": rates,
            "each": [finder.details for finder in finders],
        }
        parts = tuple(finder.scale_costs(rate) for finder, rate in zip(finders, rates, strict=True))
        return ScoreSum(parts, details)


def _attack_of(given: Any) -> Attack:
    from unveil.attacks import METHODS, Pairs, Position, Structural

    not_so = (Combined, Pairs, Position, Structural)
    known = [method for method in METHODS if method not in not_so]
    if isinstance(given, str):
        given = {"method": given}
    if isinstance(given, dict):
        options = dict(given)
        given = find_method(known, options.pop("method", None), "an attack to combine")(**options)
    if not isinstance(given, tuple(known)):
        raise SpecError("combined: attacks: each is one of unveil.attacks that compares attributes")
    return cast("Attack", given)


def _rate(finder: Comparer) -> float:
    """What costs are to be multiplied with so that they are like log-likelihoods."""
    if finder.degrees is None:
        return 1.0
    records, candidates = (groups.firsts for groups in finder.equal_rows())  # whatever their order
    some = records[:: max(1, len(records) // LOOKED_AT)]
    found = finder.nearest(some, 1, None).rows[:, 0]
    best = _mean(finder.costs(some[found >= 0], found[found >= 0]))
    other = _mean(finder.costs(some, np.resize(candidates, len(some))))
    return finder.degrees / max(best, FLOOR * other, 1e-12)


def _mean(costs: Floats) -> float:
    finite = np.sort(costs[np.isfinite(costs)])
    return float(finite.mean()) if len(finite) else 0.0
