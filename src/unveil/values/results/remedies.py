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
    """One further mask on the release, in the least strength that reaches the target.

    If none does, in the strongest that was tried.
    """

    does: str  # in words
    plan: tuple[dict[str, Any], ...]  # the masks; empty where columns are left out
    columns: tuple[str, ...]
    share: float
    interval: Interval | None
    loss: float | None  # overall, from the original; None also where others do better
    holds: bool | None = None  # whether the target is reached; None: older evidence
    attack: str = ""  # that links most
    knows_remedy: bool = False  # whether an attack was made that is told of the remedy
    tried: int = 1  # strengths


class Remedies(msgspec.Struct, frozen=True, kw_only=True):
    """Further masks tried on the release, and how far each lowers the risk.

    A remedy is one more mask, or columns that are left out. Each mask is made only as strong as
    the limit on the risk demands; where no limit is exceeded, until half as many are linked. The
    attacks are made again, some of them told of the remedy where the plan is known. A remedy that
    reaches the target is attacked by the strongest, too. The loss is measured again, so that the
    gain in protection can be weighed against its cost.
    """

    attack: str  # that links most without remedies
    direction: str
    n: int  # records attacked
    among: int  # candidates
    share: float  # of the release without remedies
    interval: Interval | None
    loss: float | None
    tried: tuple[Remedy, ...]  # those that reach the target first, the least loss first
    target: float | None = None  # share, of a sample the upper end; None: older evidence
    limit: bool = False  # whether the target is a limit of the policy; else half of the share
    too_dear: tuple[str, ...] = ()  # attacks that were too dear to be made on every remedy
    not_searched: tuple[str, ...] = ()  # other limits on risk, which the remedies need not keep
