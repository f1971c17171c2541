"""Exposure: what an intruder must know, on whom the risk falls, and what would help."""

from typing import Any

import msgspec

from unveil.values.results.disclosure import Above
from unveil.values.results.risk import Forecast, Interval, Risk


class KnownAttributes(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder who knows these attributes."""

    attributes: tuple[str, ...]
    share: float
    interval: Interval | None
    highest: float  # the most with these or fewer: who knows more may ignore it


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk against the number of known attributes, the worst so many of them.

    It says how much an intruder has to know before people are found. Attributes are added one by
    one, each time the one that helps the attack most; the share that is linked then goes from 0
    to 1, and is held against what is linked when all are known.

    They are chosen on one half of a sample, and their risk is that of the other.
    """

    attack: str
    direction: str
    chosen_by: str  # the attack that they help the most
    chosen_on: int  # records
    among: int  # candidates, when they were chosen
    estimated_on: int  # records, against all candidates
    steps: tuple[KnownAttributes, ...]
    worst: Risk | None  # the worst of them, attacked in full: it is one of the attacks, too


class ErrorRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder whose values are wrong by so much."""

    error: float
    share: float
    interval: Interval | None


class NoisyKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk against the error in what the intruder knows.

    People are seldom known exactly. An error of 0.1 moves each known number at random by about a
    tenth of its standard deviation, and replaces one category in ten by somebody else's; an error
    of 0 is exact knowledge. Where the share that is linked falls fast, being slightly wrong
    already protects.

    An error of e adds to each number normal noise of e of its deviation, and replaces a
    category, with probability e, by that of somebody else.
    """

    attack: str
    direction: str
    n: int
    points: tuple[ErrorRisk, ...]


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


class GroupRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk of one subgroup, by the attack that is worst for it."""

    column: str
    group: str
    attack: str
    n: int  # attacked
    share: float
    interval: Interval | None  # where a sample of the group was attacked
    small: bool  # too few to hold against a limit

    @property
    def highest(self) -> float:
        """The share that is linked rightly; of a sample, what it may be at most."""
        return self.share if self.interval is None else self.interval.high


class Subgroups(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by subgroup: which share of its records is linked rightly.

    People who are rare in some way may be found far more often than the average tells. A subgroup
    is those with one category, or in one fifth of the numbers; its share is held against that of
    everybody, and of fewer than 10 records it is no more than a hint.
    """

    groups: tuple[GroupRisk, ...]  # highest risk first
    highest: GroupRisk | None  # of those that are not small


class RiskBin(msgspec.Struct, frozen=True, kw_only=True):
    """How many records have a risk above `low` and up to `high`; the first bin holds 0, too."""

    low: float
    high: float
    by_worst: int  # attack
    by_mean: int  # over all attacks, of the same records


class CarriedRisk(msgspec.Struct, frozen=True):
    """Which share of the expected links falls on the records with the highest risk."""

    part: float  # of the records
    share: float  # of the links by the worst attack


class RiskyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is found by many attacks."""

    row: int  # of the original, from 1
    mean: float  # risk, over all attacks that were made on it
    made: int  # so many of them
    found_by: int  # attacks that more likely than not link it rightly


class RecordRisks(msgspec.Struct, frozen=True, kw_only=True):
    """How the risk is spread over the records: by the worst attack, and over all of them."""

    attack: str
    direction: str
    n: int  # records that the worst attack was made on
    attacks: int
    bins: tuple[RiskBin, ...]
    above: tuple[Above, ...]  # by the worst attack
    carried: tuple[CarriedRisk, ...]
    riskiest: tuple[RiskyRow, ...]  # the highest mean risk first


class RiskWithout(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder who knows all but one attribute."""

    attribute: str
    share: float
    interval: Interval | None


class AttributeRisks(msgspec.Struct, frozen=True, kw_only=True):
    """Which attributes carry the risk: what the attack links without each of them.

    Each share, from 0 to 1, is held against the share with all attributes known. The attribute
    without which the least is linked tells an intruder the most, and is the first to mask more.
    """

    attack: str
    direction: str
    n: int  # records attacked
    among: int  # candidates
    share: float  # with all of them
    interval: Interval | None
    without: tuple[RiskWithout, ...]  # the least share first: that attribute tells the most


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


class AttributeMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An attribute of one file and one of another that were found to go together."""

    known: str
    released: str
    correlation: float  # as the attack reckons, from -1 to 1


class Halves(msgspec.Struct, frozen=True, kw_only=True):
    """Two halves of the attributes, linked though they share none.

    Attributes that go together stand on different sides. An intruder who knows one half of
    somebody's true values looks for the released other half. How many are linked rightly, from 0 to
    all people tried, is held against a guess: where it is far more, another file about the same
    people need share no attribute with the release to tell who they are.

    Of many people some only are tried, each among the released halves of the same people.
    """

    known: tuple[str, ...]  # the half that the intruder has, of the original
    released: tuple[str, ...]  # the other half, of the release
    dropped: dict[str, str]  # attributes that are on neither side, and why
    together: tuple[tuple[str, str], ...]  # strongly correlated, and could not be put apart
    risk: Risk
    forecast: Forecast | None  # what is claimed of it, where there are probabilities
    method: str  # that the attack chose
    sure: float | None  # how sure the attack is that it is no chance, from 0 to 1
    correspondence: tuple[AttributeMatch, ...]  # the strongest first
