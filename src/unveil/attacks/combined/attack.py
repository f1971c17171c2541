"""Combined linkage: the scores of several attacks, brought to one scale, are added."""

from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, LinkageFiles, MaskKnowledge, Matching
from unveil.attacks.combined.score_sum import ScoreSum
from unveil.attacks.matched.comparer import Comparer
from unveil.errors import SpecError
from unveil.support.arrays import Floats
from unveil.values.links import Finder
from unveil.values.release.channels import Channel

SAMPLED_RECORDS = 2000  # by which the scales of scores are compared
LEAST_COST = 1e-9  # of the nearest candidate, relative to a random pair


class Combined(Attack, frozen=True, kw_only=True):
    """Combined linkage: link each record to the row with the lowest sum of several attacks' scores.

    Attacks complement each other, and the best one need not be known.

    Log-likelihoods are added as they are. Distances are divided by the mean cost of a record's
    nearest candidate per attribute, which makes them comparable to log-likelihoods. This needs no
    truth, unlike the union of the attacks' hits, which is an oracle (`unveil.measures.in_any`).
    Domingo-Ferrer and Torra, Validating distance-based record linkage with probabilistic record
    linkage (2002), propose to combine the two.

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

    costly_to_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.attacks
        if isinstance(given, str):
            given = [name.strip() for name in given.split(",")]
        if not isinstance(given, list | tuple) or len(given) < 2:
            raise SpecError("combined: attacks: a list of at least two")
        attacks = tuple(_as_attack(one) for one in given)
        msgspec.structs.force_setattr(self, "attacks", attacks)
        if any(one.matching != "nearest" for one in attacks):
            raise SpecError("combined: one matching links all records; leave it out of each attack")

    @property
    def knows(self) -> MaskKnowledge | None:
        """The most that any of the attacks needs to know of the masking."""
        needed = {one.knows for one in self.attacks}
        levels: tuple[MaskKnowledge, ...] = ("original", "parameters", "method")
        return next((level for level in levels if level in needed), None)

    def uses(self, channel: Channel) -> bool:
        return any(one.uses(channel) for one in self.attacks)

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        matching = matching or self.matching
        return sum(one.memory(records, candidates, width, matching) for one in self.attacks)

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """All combined attacks."""
        parts = (one.work(records, candidates, width, numeric=numeric) for one in self.attacks)
        return float(sum(parts))

    def parts_of(self, finder: Finder) -> tuple[Finder, ...]:
        """The summed finders; a matching decides on their sum."""
        return finder.summands if isinstance(finder, ScoreSum) else ()

    def finder(self, files: LinkageFiles) -> Finder:
        """Prepare the attacks, and scale their costs."""
        finders: list[Comparer] = [one.finder(files) for one in self.attacks]
        rates = [_rate(finder) for finder in finders]
        details = {
            "attacks": [one.name for one in self.attacks],
            "rates": rates,
            "each": [finder.details for finder in finders],
        }
        parts = tuple(finder.scale_costs(rate) for finder, rate in zip(finders, rates, strict=True))
        return ScoreSum(parts, details)


def _as_attack(given: Any) -> Attack:
    from unveil.attacks import METHODS

    if isinstance(given, str):
        given = {"method": given}
    if isinstance(given, dict):
        options = dict(given)
        given = METHODS.find(options.pop("method", None))(**options)
    if (
        not isinstance(given, Attack)
        or isinstance(given, Combined)
        or not (given.compares_attributes and given.needs_common_attributes)
    ):
        raise SpecError(
            "combined: attacks: each must be an attack of unveil.attacks that compares "
            "attributes, other than combined"
        )
    return given


def _rate(finder: Comparer) -> float:
    """The factor that makes costs comparable to log-likelihoods."""
    if finder.degrees is None:
        return 1.0
    records, candidates = (groups.firsts for groups in finder.equal_rows())  # in any row order
    sample = records[:: max(1, len(records) // SAMPLED_RECORDS)]
    best = finder.nearest(sample, 1, None).rows[:, 0]
    nearest = _mean(finder.costs(sample[best >= 0], best[best >= 0]))
    random = _mean(finder.costs(sample, np.resize(candidates, len(sample))))
    return finder.degrees / max(nearest, LEAST_COST * random, 1e-12)


def _mean(costs: Floats) -> float:
    finite = np.sort(costs[np.isfinite(costs)])
    return float(finite.mean()) if len(finite) else 0.0
