"""Knowledge: how the risk depends on what an intruder knows, attribute by attribute."""

from typing import Literal

import msgspec

from unveil.values.results.risk import Forecast, Interval, Risk

Held = Literal["one", "tenth", "all"]  # the people of whom an intruder holds records


class KnownAttributes(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder who knows these attributes."""

    attributes: tuple[str, ...]
    share: float
    interval: Interval | None
    highest: float  # the most with these or fewer, since an intruder may ignore attributes


class KnowledgePoint(msgspec.Struct, frozen=True, kw_only=True):
    """The risk at one level of knowledge: people, attributes and accuracy.

    The intruder holds records of one person at a time, of a tenth of the people, or of all of
    them, and looks for their released rows; several records can be matched one to one. The known
    attributes are the most revealing ones. The error is the share of the intruder's cells that
    are out of date: such a cell holds another person's value. The share linked, from 0 to 1, is
    that of the best attack tried.
    """

    people: Held
    known: int  # attributes, the first ones of the sweep
    error: float  # from 0 to 1
    attack: str
    share: float
    interval: Interval | None
    n: int  # records attacked
    highest: float  # the most with these or fewer attributes and people, since any can be ignored


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by the number of attributes that the intruder knows, the most revealing first.

    The curve shows how much an intruder must know to re-identify people. Attributes are added one
    by one, each time the one that helps the attack most. The share linked ranges from 0 to 1;
    compare it with the share when all attributes are known.

    Attributes are chosen on one half of a sample; the risk is estimated on the other half. The
    surface also tells how the risk depends on the people held and on values out of date.
    """

    attack: str
    direction: str
    chosen_by: str  # the attack by which attributes were chosen
    chosen_on: int  # records
    among: int  # candidates, when they were chosen
    estimated_on: int  # records, against all candidates
    steps: tuple[KnownAttributes, ...]
    worst: Risk | None  # of the worst step on all records; it is also among the attacks
    surface: tuple[KnowledgePoint, ...] = ()  # empty in older evidence


class ErrorRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder whose values have this error."""

    error: float
    share: float
    interval: Interval | None


class NoisyKnowledge(msgspec.Struct, frozen=True, kw_only=True):
    """The risk by the error in the intruder's values, in older evidence only.

    Intruders seldom know values exactly. An error of 0.1 adds to each number normal noise of 0.1
    standard deviations and replaces each category with probability 0.1 by another person's; an
    error of 0 is exact knowledge. Where the share linked falls fast, small errors already protect.
    """

    attack: str
    direction: str
    n: int
    points: tuple[ErrorRisk, ...]


class RiskWithout(msgspec.Struct, frozen=True, kw_only=True):
    """The risk from an intruder who knows all attributes but one."""

    attribute: str
    share: float
    interval: Interval | None


class AttributeRisks(msgspec.Struct, frozen=True, kw_only=True):
    """The attributes that carry the risk: the share linked without each of them.

    Compare each share, from 0 to 1, with the share when all attributes are known. The attribute
    without which the attack links the fewest is the most revealing one, and the first to mask more.
    """

    attack: str
    direction: str
    n: int  # records attacked
    among: int  # candidates
    share: float  # with all of them
    interval: Interval | None
    without: tuple[RiskWithout, ...]  # the most revealing attribute first


class AttributeMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An attribute of one file and its counterpart in the other."""

    known: str
    released: str
    correlation: float  # as the attack estimates, from -1 to 1


class Halves(msgspec.Struct, frozen=True, kw_only=True):
    """Linkage between two halves of the attributes, which have no attribute in common.

    Correlated attributes are put on different sides. An intruder who knows one half of a person's
    true values looks for the released other half. The number of correct links ranges from 0 to all
    people tried; compare it with a guess. If it is far higher, a file about the same people can be
    linked to the release without any common attribute.

    In large files a sample of people is tried, each among the released halves of the sample.
    """

    known: tuple[str, ...]  # the intruder's half, of the original
    released: tuple[str, ...]  # the other half, of the release
    dropped: dict[str, str]  # attributes on neither side, and why
    together: tuple[tuple[str, str], ...]  # strongly correlated, but on the same side
    risk: Risk
    forecast: Forecast | None  # where the attack gives probabilities
    method: str  # chosen by the attack
    sure: float | None  # confidence that the links are no chance, from 0 to 1
    correspondence: tuple[AttributeMatch, ...]  # the strongest first
