"""Remedies: the risk under other seeds, and under further masks."""

from typing import Any

import msgspec

from unveil.values.results.risk import Interval


class Remasking(msgspec.Struct, frozen=True, kw_only=True):
    """The risk when the same plan is carried out with other random numbers.

    One release may be lucky, or unlucky. Where the shares linked in several such runs are close
    together, the risk is that of the method; where they are far apart, much of it is the luck of
    one draw.
    """

    attack: str
    direction: str
    tried: int  # seeds; with some the plan may be impossible
    attacked: int  # records, by each of the runs
    n: int  # records of which a mean risk is known
    shares: tuple[float, ...]  # of each new seed
    lowest: float
    highest: float
    mean: float
    at_risk: dict[str, float]  # share of the records whose mean risk is above some


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """One more mask on the release as it is: what the same attack links then."""

    does: str  # in words
    plan: tuple[dict[str, Any], ...]  # the masks; none where columns are left out
    columns: tuple[str, ...]
    share: float
    interval: Interval | None
    loss: float | None  # overall, of the original against what would be released


class Remedies(msgspec.Struct, frozen=True, kw_only=True):
    """What would help: remedies that were tried on the release, and what each does.

    Each is one more mask, or columns that are left out. The same attack is made again and the
    loss measured again, so that it can be seen how much less is linked, and what that costs.
    """

    attack: str
    direction: str
    n: int  # records attacked
    among: int  # candidates
    share: float  # of the release as it is
    interval: Interval | None
    loss: float | None
    tried: tuple[Remedy, ...]  # the least share first
