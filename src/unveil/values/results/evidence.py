"""The audit of one release, and its evidence."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from unveil.errors import UsageError
from unveil.support import display
from unveil.support.arrays import Floats
from unveil.support.display import shown
from unveil.table.frames import Kind, Origin
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.disclosure import (
    CompatibleRows,
    Diversity,
    HouseholdHits,
    Inference,
    IntervalDisclosure,
    PolicyClasses,
    PopulationRisk,
    ReleaseUniqueness,
    Unchanged,
)
from unveil.values.results.households import LinkedHouseholds
from unveil.values.results.knowledge import AttributeRisks, Halves, Knowledge, NoisyKnowledge
from unveil.values.results.loss import ColumnChanges, Loss, Shape
from unveil.values.results.pair_classes import PairClasses
from unveil.values.results.policy import Verdict
from unveil.values.results.population.in_population import InPopulation
from unveil.values.results.read_off import ReadOff
from unveil.values.results.remedies import Remasking, Remedies
from unveil.values.results.risk import Claims, Forecast, Reliability, Risk, best_claims
from unveil.values.results.scenarios import ScenarioResult
from unveil.values.results.subgroups import RecordRisks, Subgroups
from unveil.values.results.supervised_bound import SupervisedBound
from unveil.wording import count, fitted

ORDER_CORRELATION, ORDER_P_VALUE = 0.05, 0.001  # from which the row order is informative
FORMAT = 3  # of the evidence; it changes with the meaning of a field
OLDEST_FORMAT = 2  # that is read: its figures may be too low, and it may have no digest
# How an audit was made: what its numbers follow from, as the evidence's digest covers it.
STATEMENT = (
    *("format", "version", "software", "inputs", "truth", "schema", "plan", "seed", "settings"),
    *("asked", "policy"),
)


class Input(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was audited: its name as given, its hash and its size."""

    file: str | None  # None: a table in memory
    sha256: str
    records: int | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one attack, in one direction."""

    name: str
    spec: dict[str, Any]
    risk: Risk
    top: dict[str, Any]  # how often the true row is among the k best candidates
    at_risk: dict[str, Any]
    precision: dict[str, Any] | None  # and coverage, by the margin required
    forecast: Forecast | None
    details: dict[str, Any]
    row_order: dict[str, Any] | None = None  # correlation of row positions, for that attack
    sweeping: bool = False  # whether it is the worst of a knowledge sweep
    by_file: bool = False  # whether it uses the intruder's own file
    engine: str | None = None  # that compared the files; None: none did, or older evidence
    rare: int = 0  # further records, of rare subgroups: a sampled attack found these in full
    households: LinkedHouseholds | None = None  # linked before the persons in them
    reliability: Reliability | None = None  # None: no probabilities, or older evidence
    pair_classes: PairClasses | None = None  # decisions on all pairs, where error rates were given

    @property
    def highest(self) -> float:
        """The share linked; for a sample, the upper end of its interval."""
        return self.risk.share if self.risk.interval is None else self.risk.interval.high

    def __str__(self) -> str:
        return shown(self)

    __repr__ = __str__

    @property
    def order_tells(self) -> bool:
        """Whether the order of the rows identifies people, noticeably and beyond chance."""
        order = self.row_order
        if order is None:
            return False
        along = abs(order["correlation"]) >= ORDER_CORRELATION and order["p_value"] < ORDER_P_VALUE
        return bool(along or min(self.risk.p_value, order["neighbours_p_value"]) < ORDER_P_VALUE)

    @property
    def claims(self) -> Claims | None:
        """The links that an intruder would claim, by a clear margin or by their probability.

        An intruder does not know which links are correct, but can claim only those whose best row
        is much nearer than the second, or that the attack rates almost certain. Correct claims
        range from 0 to all records examined; compared with all claims, they show how reliable
        claims are.
        """
        return best_claims(self.risk, self.forecast)


class UsedPlugin(msgspec.Struct, frozen=True, kw_only=True):
    """A method of another package, or of the program that ran, which the numbers depend on."""

    kind: str  # attack, mask, loss or engine
    name: str
    package: str
    version: str  # empty where the program registered it


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """An attack that was not run, and why."""

    name: str
    direction: str
    reason: str


class KnownMask(msgspec.Struct, frozen=True, kw_only=True):
    """A mask of the plan, and the attacks that use how it works."""

    mask: str  # the name of its step
    columns: tuple[str, ...]  # that an intruder may know
    attacks: tuple[str, ...]  # none: its risk may be understated


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Every number of an audit with its inputs and settings, as one JSON document.

    It contains no cell of the data, unless `show_values` asks for codes of categories, but the plan
    and its seed, so it is as private as the original.
    """

    format: int
    version: str  # of unveil
    software: dict[str, str]
    inputs: dict[str, Input]
    truth: str | None  # how true rows were given; None: by the release
    schema: dict[str, Any]
    plan: dict[str, Any] | None
    seed: int
    settings: dict[str, Any]
    asked: list[dict[str, Any]] | None  # attacks requested; None: those that fit the data
    policy: dict[str, Any] | None
    records: int
    released: int
    pairs: int | None  # released rows whose original is known; None: synthetic rows
    known: tuple[str, ...]
    identifiers: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="Identifiers in the release, by either schema. They name people, so no "
            "policy is kept until they are removed."
        ),
    ]
    notes: tuple[str, ...]
    verdict: Verdict | None
    attacks: tuple[Finding, ...]  # the worst first
    left_out: tuple[LeftOut, ...]
    knowledge: Knowledge | None
    remasking: Remasking | None
    attribute_risks: AttributeRisks | None
    remedies: Remedies | None
    record_risks: RecordRisks | None
    subgroups: Subgroups | None
    households: HouseholdHits | None  # by the worst attack
    intervals: IntervalDisclosure | None
    uniqueness: ReleaseUniqueness | None
    diversity: tuple[Diversity, ...]
    sampling_fraction: float | None  # by the weights, where there are any
    population: PopulationRisk | None  # by Benedetti and Franconi, where there are weights
    inference: tuple[Inference, ...]  # of confidential attributes, by links
    unchanged: Unchanged
    loss: Loss
    shapes: tuple[Shape, ...]  # each attribute before and after
    score: float | None  # the classical score in percent; no verdict, since it trades risk for loss
    halves: Halves | None = None  # on request; a note says why it is missing
    worst_cases: tuple[SupervisedBound, ...] = ()  # the worst first; not among the attacks
    compatible: CompatibleRows | None = None  # where known attributes are generalised
    plugins: tuple[UsedPlugin, ...] = ()
    changes: tuple[ColumnChanges, ...] = ()  # by column; empty where pairs are not known
    policy_classes: tuple[PolicyClasses, ...] = ()  # of its limits on classes of equal records
    grouping: tuple[str, ...] = ()  # released household numbers
    read_off: ReadOff | None = None  # None: no cell is suppressed or generalised, or older evidence
    mask_knowledge: tuple[KnownMask, ...] = ()  # without a plan, or in older evidence, none
    noisy_knowledge: NoisyKnowledge | None = None  # of older evidence; now in the knowledge surface
    digest: str | None = None  # of the statement; None: older evidence
    scenarios: tuple[ScenarioResult, ...] = ()  # who might attack; none of synthetic rows
    in_population: InPopulation | None = None  # None: no key, synthetic rows, or older evidence

    @property
    def is_older(self) -> bool:
        """Whether some of its figures meant something else when it was written."""
        return self.format < FORMAT

    @property
    def statement_digest(self) -> str:
        """The digest of the evidence if its statement is unchanged."""
        return statement_digest({name: getattr(self, name) for name in STATEMENT})

    @property
    def stress_test(self) -> ScenarioResult | None:
        """The upper reference among the scenarios; None where there are none."""
        return next((one for one in self.scenarios if one.name == STRESS_TEST), None)

    @property
    def most_claimed(self) -> Finding | None:
        """The attack with the most correct claims; None if there is none."""
        made = [(one.claims, one) for one in self.attacks if one.claims is not None]
        return max(made, key=lambda one: one[0].right / max(one[0].n, 1))[1] if made else None

    @property
    def household_attacks(self) -> tuple[tuple[Finding, LinkedHouseholds], ...]:
        """The attacks on households as units, the highest share of these first."""
        made = [
            (one, one.households)
            for one in self.attacks
            if one.households is not None and one.row_order is None
        ]
        return tuple(sorted(made, key=lambda one: -one[1].highest))

    @property
    def ceiling(self) -> float | None:
        """The most that any attack can link by what the best one knows; None: none is known."""
        ceilings = [one.risk.ceiling for one, _ in self.household_attacks]
        ceilings += [self.attacks[0].risk.ceiling] if self.attacks else []
        known = [one for one in ceilings if one is not None]
        return max(known, default=None)

    @property
    def by_position(self) -> Finding | None:
        """The attack by row positions; None if it was not run."""
        return next((one for one in self.attacks if one.row_order is not None), None)


def statement_digest(statement: Mapping[str, Any]) -> str:
    """The SHA-256 of how an audit was made.

    It finds a careless change of the evidence. A deliberate change can include a new digest.
    """
    return hashlib.sha256(msgspec.json.encode(statement, order="deterministic")).hexdigest()


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
    """The audit of one release: the evidence, and the risk of each record by each attack.

    >>> import unveil
    >>> people = unveil.households(40)
    >>> quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    >>> found = unveil.audit(
    ...     people, people, truth="person", attacks=["distance"], settings=quick
    ... )
    >>> found
    Audit(40 records; distance links 40.0 of 40)
    """

    evidence: Evidence
    risks: dict[str, Floats]  # of each record by each attack; NaN where not attacked
    was_finished: bool = False  # resumed when nothing was left to do
    frame_kind: Kind = "polars"  # of the original, and so of frames; polars for a file

    @property
    def worst(self) -> Finding:
        """The attack that links the most records."""
        if not self.evidence.attacks:
            raise UsageError("the release is synthetic, so no attack was made")
        return self.evidence.attacks[0]

    @property
    def verdict(self) -> Verdict | None:
        """Whether the policy is met; None without a policy."""
        return self.evidence.verdict

    @property
    def loss(self) -> Loss:
        """The information loss of the masking."""
        return self.evidence.loss

    @property
    def per_record(self) -> Any:
        """The risk of each original by each attack, as a frame; as private as the original.

        Rows are counted from 1; a cell is null where the record was not attacked. The frame is of
        the kind that the original came in, polars for a file.
        """
        from unveil.values.results.audit_frames import record_risks

        return Origin(self.frame_kind).to_frame(record_risks(self))

    def to_frame(self) -> Any:
        """One row for each attack in each direction, the worst first.

        The columns are fields of `Risk`; `low` and `high` are the ends of its interval, null where
        all records were attacked. The frame is of the kind that the original came in, polars for
        a file.
        """
        from unveil.values.results.audit_frames import attack_risks

        return Origin(self.frame_kind).to_frame(attack_risks(self))

    def chart(self, name: str = "risk") -> Any:
        """One chart of the page as an Altair chart, which a notebook draws.

        "risk" shows the share that each attack links. An unknown name is refused with the list of
        names, which are those of the figures of `unveil.report`.
        """
        return display.chart(self, name)

    def to_dict(self) -> dict[str, Any]:
        """The evidence as plain values."""
        plain: dict[str, Any] = msgspec.to_builtins(self.evidence)
        return plain

    def __str__(self) -> str:
        return shown(self)

    def __repr__(self) -> str:
        size = count(self.evidence.records, "record")
        if not self.evidence.attacks:
            return f"Audit({size}; no attack was made)"
        risk = self.worst.risk
        links = f"{self.worst.name} links {risk.expected:,.1f} of {risk.n:,}"
        return fitted(f"Audit({size}; {links})")

    _repr_html_ = display.html
