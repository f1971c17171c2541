"""Remedies: the risk under other seeds, and under further masks."""

from typing import Any

import msgspec

from unveil.values.results.risk import Interval


class Remasking(msgspec.Struct, frozen=True, kw_only=True):
    """The risk when the same plan is carried out with other seeds.

    A single release may be lucky or unlucky. If the shares linked in several runs are close
    together, the risk is that of the method; if they differ widely, much of it is the luck of one
    draw.
    """

    attack: str
    direction: str
    tried: int  # seeds; with some the plan may be impossible
    attacked: int  # records per run
    n: int  # records with a mean risk
    shares: tuple[float, ...]  # by seed
    lowest: float
    highest: float
    mean: float
    at_risk: dict[str, float]  # share of the records whose mean risk is above each threshold


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """One further mask on the release, and what the same attack links then."""

    does: str  # in words
    plan: tuple[dict[str, Any], ...]  # the masks; empty where columns are left out
    columns: tuple[str, ...]
    share: float
    interval: Interval | None
    loss: float | None  # overall, from the original to the new release


class Remedies(msgspec.Struct, frozen=True, kw_only=True):
    """Further masks tried on the release, and how far each lowers the risk.

    A remedy is one more mask, or columns that are left out. The same attack is run again and the
    loss is measured again, so that the gain in protection can be weighed against its cost.
    """

    attack: str
    direction: str
    n: int  # records attacked
    among: int  # candidates
    share: float  # of the release without remedies
    interval: Interval | None
    loss: float | None
    tried: tuple[Remedy, ...]  # the least share first
