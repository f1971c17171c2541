"""Scenario results: what each intruder of an audit links, confirms and learns."""

import msgspec

from unveil.values.results.disclosure import HouseholdHits, Inference
from unveil.values.results.risk import Interval
from unveil.values.results.subgroups import RecordRisks, Subgroups

KNOWS_ALL = "the intruder knows every column"


class SharedCount(msgspec.Struct, frozen=True, kw_only=True):
    """A number of people out of all possible ones."""

    count: float  # expected; ties count by their share
    of: int
    share: float
    interval: Interval | None = None  # where people or cells were drawn

    @property
    def highest(self) -> float:
        """The share; where something was drawn, the upper end of its interval."""
        return self.share if self.interval is None else self.interval.high


class ScenarioAttack(msgspec.Struct, frozen=True, kw_only=True):
    """One attack of a scenario, and the people that it links correctly."""

    name: str
    direction: str
    linked: SharedCount
    attacked: int = 0  # records of the first draw, those who are not in the release among them


class ScenarioResult(msgspec.Struct, frozen=True, kw_only=True):
    """The success of one intruder: linked, confirmed, wrongly confirmed, learned.

    A linked person's released row is found, though the intruder may not know that the link is
    right. A confirmed link is claimed and right, a wrong one is claimed and wrong: that person is
    harmed, too. Learned is the share of the people whose value is read correctly off the linked
    row, minus the same without their own row; of all columns counted, the largest.
    """

    name: str
    knows: tuple[str, ...]
    records: float | int | None  # whom the intruder holds, as the scenario says; None: all
    people: int  # whom the intruder holds, also those who are not in the release
    released: int  # of these, people in the release
    membership: float  # the share of these among all who are held
    error: float
    coarse: bool
    member: bool
    plan: bool
    together: bool
    draws: int  # of people or of cells that are out of date
    attack: str | None  # that links most; None: none was possible
    direction: str
    linked: SharedCount | None
    guess: float | None  # expected correct links of a guess
    ceiling: float | None  # the most that any attack on all of `knows` can link
    claimed_by: str | None  # the attack whose claims these are; None: no attack can tell
    confirmed: SharedCount | None
    wrongly_confirmed: SharedCount | None
    learned: tuple[Inference, ...] = ()  # the largest first; where drawn, by the upper end
    not_learned: str = ""  # why nothing can be learned, or was measured
    not_counted: tuple[str, ...] = ()  # unknown columns that `learned` does not cover
    attacks: tuple[ScenarioAttack, ...] = ()  # the most linked first
    left_out: tuple[str, ...] = ()  # attacks that were not made, each with the reason
    subgroups: Subgroups | None = None
    record_risks: RecordRisks | None = None
    households: HouseholdHits | None = None
    note: str = ""  # on how the intruder's knowledge was chosen
    knows_households: bool = False
    given: tuple[str, ...] = ()  # what the policy sets of the intruder's knowledge
    taken_in: tuple[str, ...] = ()  # of the stress test: intruders whose own figure is higher

    @property
    def drawn(self) -> bool:
        """Whether people or cells were drawn at random."""
        return self.linked is not None and self.linked.interval is not None

    @property
    def knows_all(self) -> bool:
        """Whether no column is left to learn."""
        return self.not_learned == KNOWS_ALL

    @property
    def learned_by(self) -> str | None:
        """The attack off whose links the unknown columns are read."""
        return self.learned[0].attack if self.learned else None

    @property
    def most_learned(self) -> Inference | None:
        """The column that a limit judges; None: nothing is left to learn."""
        return self.learned[0] if self.learned else None
