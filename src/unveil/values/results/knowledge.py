"""Knowledge: how the risk depends on what an intruder knows, attribute by attribute."""

import msgspec

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
