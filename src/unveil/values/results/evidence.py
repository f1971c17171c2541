"""Audit: all that is said of one release, and the evidence that it leaves."""

from dataclasses import dataclass
from typing import Any

import msgspec

from unveil.errors import UsageError
from unveil.support.arrays import Floats
from unveil.support.display import shown
from unveil.values.results.disclosure import (
    CompatibleRows,
    Diversity,
    HouseholdHits,
    Inference,
    IntervalDisclosure,
    PopulationRisk,
    ReleaseUniqueness,
    Unchanged,
)
from unveil.values.results.knowledge import AttributeRisks, Halves, Knowledge, NoisyKnowledge
from unveil.values.results.loss import Loss, Shape
from unveil.values.results.policy import Verdict
from unveil.values.results.remedies import Remasking, Remedies
from unveil.values.results.risk import Claims, Forecast, Risk
from unveil.values.results.subgroups import RecordRisks, Subgroups
from unveil.values.results.supervised_bound import SupervisedBound
from unveil.wording import count

NOTICED, UNLIKELY = 0.05, 0.001  # a correlation of the rows that tells something, not by chance
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
    by_file: bool = False  # whether it is made with the intruder's own file

    @property
    def highest(self) -> float:
        """The share that is linked rightly; of a sample, what it may be at most."""
        return self.risk.share if self.risk.interval is None else self.risk.interval.high

    def __str__(self) -> str:
        return shown(self)

    __repr__ = __str__

    @property
    def order_tells(self) -> bool:
        """Whether the order of the rows tells who is who: by more than chance, and noticeably."""
        order = self.row_order
        if order is None:
            return False
        along = abs(order["correlation"]) >= NOTICED and order["p_value"] < UNLIKELY
        return bool(along or min(self.risk.p_value, order["neighbours_p_value"]) < UNLIKELY)

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
    halves: Halves | None = None  # where it was asked for; if it could not be, a note says why
    worst_cases: tuple[
        SupervisedBound, ...
    ] = ()  # the most first; no intruder's, so not among the attacks
    compatible: CompatibleRows | None = None  # where known attributes are generalised

    @property
    def most_claimed(self) -> Finding | None:
        """The attack by which an intruder could rightly claim the most; None: by none."""
        made = [(one.claims, one) for one in self.attacks if one.claims is not None]
        return max(made, key=lambda one: one[0].right / max(one[0].n, 1))[1] if made else None

    @property
    def by_position(self) -> Finding | None:
        """The attack by where rows stand; None: it was not made."""
        return next((one for one in self.attacks if one.row_order is not None), None)


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
    """What is said of one release: the evidence, and the risk of each original by each attack.

    >>> import unveil
    >>> people = unveil.households(40)
    >>> quick = dict.fromkeys(("sweep", "remedies", "worst_case"), False)
    >>> quick["attacks"] = ["distance"]
    >>> found = unveil.audit(people, people, truth="person", **quick)
    >>> found
    Audit(40 records; distance links 40.0 of 40)
    """

    evidence: Evidence
    per_record: dict[str, Floats]  # NaN where a record was not attacked; as private as the data

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
        return shown(self)

    def __repr__(self) -> str:
        size = count(self.evidence.records, "record")
        if not self.evidence.attacks:
            return f"Audit({size}; nobody was attacked)"
        risk = self.worst.risk
        return f"Audit({size}; {self.worst.name} links {risk.expected:,.1f} of {risk.n:,})"
