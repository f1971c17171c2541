"""Comparison of several releases of one original, by risk and loss."""

from typing import Any

import msgspec

from unveil.support import display
from unveil.values.results.policy import Limit
from unveil.values.results.risk import Interval
from unveil.values.results.scenarios import ScenarioResult
from unveil.wording import count, fitted, listing, printable


class WorstAttack(msgspec.Struct, frozen=True, kw_only=True):
    """The attack that links the most records of a release."""

    name: str
    direction: str
    share: float  # linked correctly
    interval: Interval | None  # of a sample
    n: int  # records attacked
    ceiling: float | None  # the most of these that any attack can expect; None: none is claimed
    of_intruder: bool = False  # of the file of a weaker intruder, so that no column has its risks

    @property
    def column(self) -> str:
        """The column of this attack in the table of risks per record."""
        return f"{self.name} {self.direction}"


class ComparedHouseholds(msgspec.Struct, frozen=True, kw_only=True):
    """The households that the best attack on these links in a release."""

    attack: str
    direction: str
    grouping: str  # "shown" by a household number, or "read-off" from what members share
    expected: float  # linked correctly
    n: int  # households attacked
    share: float
    interval: Interval | None  # of a sample


class AttackShare(msgspec.Struct, frozen=True, kw_only=True):
    """The share that one attack links in one release."""

    name: str
    direction: str
    share: float


class LossValue(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of loss of one release."""

    name: str
    value: float | None
    worst: float | None  # the end of its range; None: there is none


class ComparedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """The success of one intruder with one release, with its limits."""

    result: ScenarioResult
    limits: tuple[Limit, ...]


class ComparedRelease(msgspec.Struct, frozen=True, kw_only=True):
    """One of the releases: its risk and its loss."""

    name: str
    worst: WorstAttack | None  # None: synthetic rows, so nobody was attacked
    subgroup_risk: float | None  # the highest, of subgroups that are not small
    confirmed: float | None  # share of the records claimed correctly by any attack
    interval_disclosure: float | None  # beyond chance, of the attribute disclosed most
    interval_column: str | None  # that attribute
    loss: float | None  # from 0 to 1
    unchanged: int | None  # columns
    passed: bool | None  # None: there was no policy
    broken: tuple[str, ...]  # limits of the policy that are not met
    missed: tuple[Limit, ...]  # the same with figures, the largest miss first
    limits: int  # of the policy
    attacks: tuple[AttackShare, ...]  # all but the worst of a sweep
    losses: tuple[LossValue, ...]
    older: bool = False  # its evidence is of an earlier format
    households: ComparedHouseholds | None = None  # None: none was attacked
    max_household_risk: float | None = None  # by the policy; None: it sets no such limit
    scenarios: tuple[ComparedScenario, ...] = ()  # as in its audit

    @property
    def household_risk(self) -> float | None:
        """The share of the households that the best attack on these links correctly."""
        return None if self.households is None else self.households.share

    def scenario(self, name: str) -> ComparedScenario | None:
        """What the intruder of this name achieves; None if the audit does not have it."""
        return next((one for one in self.scenarios if one.result.name == name), None)

    @property
    def risk(self) -> float | None:
        """The share that the worst attack links correctly."""
        return None if self.worst is None else self.worst.share


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best releases by one criterion; several if they tie."""

    criterion: str
    value: float
    releases: tuple[str, ...]
    not_measured: tuple[str, ...]  # releases without a value


class Dominated(msgspec.Struct, frozen=True, kw_only=True):
    """A release, and those that are no worse in risk and loss and better in one of them.

    There is no reason to publish a dominated release: another one protects better without more
    loss, or loses less without more risk.
    """

    release: str
    by: tuple[str, ...]


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """Which releases keep every limit of the policy; if none does, which is nearest to it.

    Nearest is the release that misses the fewest limits; of several, the one whose largest miss,
    relative to its limit, is the least; then the one whose next largest is. Where these tie, as all
    misses of a limit of 0 do, the figures beyond their limits decide in the same way.
    """

    kept: tuple[str, ...]  # the least loss first
    nearest: tuple[str, ...]  # none if one keeps every limit; several if they tie


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The mean difference of the risks of the same records under two attacks."""

    n: int  # records attacked in both
    difference: float
    interval: Interval | None  # None: too few records, or a constant difference


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The difference in risk between two releases, as shares."""

    first: str
    second: str
    share: float  # of the first minus the second, each by its worst attack
    paired: Paired | None  # None: the note says why
    note: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Several releases of one original, compared without trading risk for loss."""

    records: int  # of the original
    releases: tuple[ComparedRelease, ...]  # as they were given
    best: tuple[Best, ...]
    front: tuple[str, ...]  # releases that none dominates, the lowest risk first
    dominated: tuple[Dominated, ...]
    not_placed: tuple[str, ...]  # risk or loss is not known
    differences: tuple[Difference, ...]  # of every pair
    recommendation: Recommendation | None  # None: no release was audited with a policy
    policy: dict[str, Any] | None  # the limits of all releases; None: they have none, or several
    notes: tuple[str, ...]  # where releases are not fully comparable
    seed: int

    def __getitem__(self, name: str) -> ComparedRelease:
        """One release by its name."""
        return next(release for release in self.releases if release.name == name)

    def __repr__(self) -> str:
        size = f"{count(len(self.releases), 'release')} of {count(self.records, 'record')}"
        front = f"; not dominated: {listing(self.front)}" if self.front else ""
        return fitted(printable(f"Comparison({size}{front})"))

    _repr_html_ = display.html

    def chart(self, name: str = "risk") -> Any:
        """One chart of the page as an Altair chart, which a notebook draws.

        "risk" sets the risk of each release against its loss. An unknown name is refused with the
        list of names, which are those of the figures of `unveil.report`.
        """
        return display.chart(self, name)
