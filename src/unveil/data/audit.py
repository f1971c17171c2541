"""Audit: all that is said of one release, and the evidence that it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from unveil.data.disclosure import (
    Above,
    Diversity,
    HouseholdHits,
    Inference,
    IntervalDisclosure,
    PopulationRisk,
    ReleaseUniqueness,
    Unchanged,
)
from unveil.data.loss import Loss
from unveil.data.phrases import counted, percent, phrase, plain
from unveil.data.policy import Verdict
from unveil.data.risk import Claims, Forecast, Interval, Risk
from unveil.data.shape import Shape
from unveil.errors import UsageError, count

if TYPE_CHECKING:
    from unveil.data.encode import Floats
    from unveil.data.phrases import Phrase

FORMAT = 2  # of the evidence; another number, another meaning


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A file that went into an audit: its name as it was given, and what it holds."""

    file: str | None  # None: a table in memory
    sha256: str
    records: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What one attack found, in one direction."""

    name: str
    spec: dict[str, Any]
    risk: Risk
    top: dict[str, Any]  # how often the true row is among the k best
    at_risk: dict[str, Any]
    precision: dict[str, Any] | None  # against coverage, by the margin that is demanded
    forecast: Forecast | None
    details: dict[str, Any]
    row_order: dict[str, Any] | None = None  # of positions: how the rows of both are correlated
    sweeping: bool = False  # whether it is the worst of a sweep over what is known

    @property
    def highest(self) -> float:
        """The share that is linked rightly; of a sample, what it may be at most."""
        return self.risk.share if self.risk.interval is None else self.risk.interval.high

    def __str__(self) -> str:
        return self.risk.told(self.name)

    __repr__ = __str__

    @property
    def claims(self) -> Claims | None:
        """What an intruder would claim: by a clear margin, or by the attack's own probabilities.

        Nobody tells an intruder which links are right. Who claims only those whose best row is
        much nearer than the second, or that the attack itself holds to be almost certain, may
        know. Claims that are right go from 0 to all records looked at; held against all claims,
        they say how far an intruder may believe them.
        """
        made = [] if self.risk.confirmed is None else [self.risk.confirmed]
        if self.forecast is not None and self.forecast.right is not None:
            made.append(Claims(self.forecast.n, self.forecast.claimed, self.forecast.right))
        return max(made, key=lambda one: one.right / max(one.n, 1), default=None)


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """An attack that was not made, and why."""

    name: str
    direction: str
    reason: str


class Known(msgspec.Struct, frozen=True, kw_only=True):
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
    steps: tuple[Known, ...]
    worst: Risk | None  # the worst of them, attacked in full: it is one of the attacks, too


class Erring(msgspec.Struct, frozen=True, kw_only=True):
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
    points: tuple[Erring, ...]


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
    by_mean: int  # over all attacks


class Carried(msgspec.Struct, frozen=True):
    """Which share of the expected links falls on the records with the highest risk."""

    part: float  # of the records
    share: float  # of the links by the worst attack


class RiskyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A record that is found by many attacks."""

    row: int  # of the original, from 1
    mean: float  # risk, over all attacks that were made on it
    found_by: int  # attacks that more likely than not link it rightly


class RecordRisks(msgspec.Struct, frozen=True, kw_only=True):
    """How the risk is spread over the records: by the worst attack, and over all of them."""

    attack: str
    direction: str
    n: int  # records that the worst attack was made on
    attacks: int
    bins: tuple[RiskBin, ...]
    above: tuple[Above, ...]  # by the worst attack
    carried: tuple[Carried, ...]
    riskiest: tuple[RiskyRow, ...]  # the highest mean risk first


class Without(msgspec.Struct, frozen=True, kw_only=True):
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
    without: tuple[Without, ...]  # the least share first: that attribute tells the most


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


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """All that an audit was made of, and every number that it found: one JSON document.

    It holds no cell of the data, but the plan and its seed: as private as the original.
    """

    format: int
    version: str  # of unveil
    software: dict[str, str]
    inputs: dict[str, Input]
    truth: str | None  # how it was told whose rows are whose; None: the release knows it
    schema: dict[str, Any]
    plan: dict[str, Any] | None
    seed: int
    settings: dict[str, Any]
    asked: list[dict[str, Any]] | None  # the attacks; None: those that fit the data
    policy: dict[str, Any] | None
    records: int
    released: int
    pairs: int | None  # released rows whose original is known; None: the rows are nobody's
    known: tuple[str, ...]
    identifiers: tuple[str, ...]  # that the release still has
    notes: tuple[str, ...]
    verdict: Verdict | None
    attacks: tuple[Finding, ...]  # the worst first
    left_out: tuple[LeftOut, ...]
    knowledge: Knowledge | None
    noisy_knowledge: NoisyKnowledge | None
    remasking: Remasking | None
    attribute_risks: AttributeRisks | None
    remedies: Remedies | None
    record_risks: RecordRisks | None
    subgroups: Subgroups | None
    households: HouseholdHits | None  # by the worst attack, whom of a household it finds
    intervals: IntervalDisclosure | None
    uniqueness: ReleaseUniqueness | None
    diversity: tuple[Diversity, ...]
    sampling_fraction: float | None  # of the population, by the weights, where there are any
    population: PopulationRisk | None  # where there are weights
    inference: tuple[Inference, ...]  # what links disclose of confidential attributes
    unchanged: Unchanged
    loss: Loss
    shapes: tuple[Shape, ...]  # each attribute before and after
    score: float | None  # the classical one, in percent, and no verdict: loss pays for risk there

    @property
    def most_claimed(self) -> Finding | None:
        """The attack by which an intruder could rightly claim the most; None: by none."""
        made = [(one.claims, one) for one in self.attacks if one.claims is not None]
        return max(made, key=lambda one: one[0].right / max(one[0].n, 1))[1] if made else None

    @property
    def in_words(self) -> Phrase:
        """The verdict in a sentence, for those who have to decide."""
        if not self.attacks:
            return phrase(
                "Every row of this release is made up, so that there is nobody to be linked: what "
                "is disclosed by what the rows say is below."
            )
        return (*self._linked(self.attacks[0]), *self._sampled())

    def _linked(self, worst: Finding) -> Phrase:
        """Whom the best attack links, what a guess would get, and what no attack can exceed."""
        risk = worst.risk
        knows = phrase("where they stood in the file")
        if risk.attributes:
            knows = phrase("{} of their true values exactly", counted(len(risk.attributes)))
        drawn, every = phrase("people"), phrase("")
        if risk.interval is not None:
            low, high = percent(risk.interval.low), percent(risk.interval.high)
            drawn = phrase("people, drawn from {}", counted(risk.population))
            every = phrase("; of all {} to {}", low, high)
        most = phrase(
            "; [no attack](ceiling) on these can link more than {}", counted(risk.ceiling)
        )
        return phrase(
            "If someone is known to be in this file and an intruder knows {}, the best attack we "
            "tried [links](linked) {} of {} {} ({}{}). A [guess](guess) links {}{}.",
            knows,
            counted(risk.expected),
            counted(risk.n),
            drawn,
            percent(risk.share),
            every,
            counted(risk.baseline),
            most if risk.attributes else "",
        )

    def _sampled(self) -> Phrase:
        """What it means that the file is a sample of a population."""
        if self.sampling_fraction is None:
            return ()
        return phrase(
            " The file is a [sample](sampling-fraction) of {} of its population: whoever is not "
            "known to be in it is there with that chance only.",
            percent(self.sampling_fraction),
        )


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
    """What is said of one release: the evidence, and the risk of each original by each attack.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> found = unveil.audit(people, people, truth="person", attacks=["distance"])
    >>> found
    Audit(100 records; distance links 100.0 of 100)
    """

    evidence: Evidence
    each: dict[str, Floats]  # NaN where a record was not attacked; as private as the data

    @property
    def worst(self) -> Finding:
        """The attack that links the most."""
        if not self.evidence.attacks:
            raise UsageError("nobody was attacked: the rows of the release are nobody's")
        return self.evidence.attacks[0]

    @property
    def verdict(self) -> Verdict | None:
        """Whether the policy is kept; None: there was none."""
        return self.evidence.verdict

    @property
    def loss(self) -> Loss:
        """What the masking cost."""
        return self.evidence.loss

    def to_dict(self) -> dict[str, Any]:
        """The evidence in plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self.evidence)
        return plain

    def __str__(self) -> str:
        """The verdict in a sentence, for those who have to decide."""
        return plain(self.evidence.in_words)

    def __repr__(self) -> str:
        size = count(self.evidence.records, "record")
        if not self.evidence.attacks:
            return f"Audit({size}; nobody was attacked)"
        risk = self.worst.risk
        return f"Audit({size}; {self.worst.name} links {risk.expected:,.1f} of {risk.n:,})"
