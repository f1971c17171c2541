"""Comparison: which of several releases of one original is better, and at what."""

import msgspec

from unveil.values.results.risk import Interval


class WorstAttack(msgspec.Struct, frozen=True, kw_only=True):
    """The attack that links the most records of a release."""

    name: str
    direction: str
    share: float  # linked rightly
    interval: Interval | None  # of a sample
    n: int  # records attacked
    ceiling: float  # how many of these no attack on its attributes can expect to exceed

    @property
    def column(self) -> str:
        """What the risk of each record by this attack is called in its table."""
        return f"{self.name} {self.direction}"


class AttackShare(msgspec.Struct, frozen=True, kw_only=True):
    """What one attack links of one release."""

    name: str
    direction: str
    share: float


class LossValue(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of loss of one release."""

    name: str
    value: float | None
    worst: float | None  # the end of its range; None: there is none


class ComparedRelease(msgspec.Struct, frozen=True, kw_only=True):
    """One of the releases: what was gained by attacks, and what was lost."""

    name: str
    worst: WorstAttack | None  # None: nobody was attacked, as its rows are nobody's
    subgroup_risk: float | None  # the highest, of subgroups that are not small
    confirmed: float | None  # of the records, claimed and rightly so, by any attack
    interval_disclosure: float | None  # beyond chance, of the attribute disclosed most
    interval_column: str | None  # that attribute
    loss: float | None  # from 0 to 1
    unchanged: int | None  # columns
    passed: bool | None  # None: there was no policy
    broken: tuple[str, ...]  # limits of the policy that are not kept
    attacks: tuple[AttackShare, ...]  # all that were made but the worst of a sweep
    losses: tuple[LossValue, ...]

    @property
    def risk(self) -> float | None:
        """The share that the worst attack links rightly."""
        return None if self.worst is None else self.worst.share


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """Which releases are best by one criterion; several where they tie."""

    criterion: str
    value: float
    releases: tuple[str, ...]
    not_measured: tuple[str, ...]  # releases of which it is not known


class Dominated(msgspec.Struct, frozen=True, kw_only=True):
    """A release, and those that are no worse in risk and in loss, and better in one of them.

    There is no reason to publish a dominated release: another protects better at no more loss, or
    loses less at no more risk.
    """

    release: str
    by: tuple[str, ...]


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The mean difference of what two attacks do to the same records."""

    n: int  # records attacked in both
    difference: float
    interval: Interval | None  # None: too few records, or the same difference in all of them


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How much higher the risk of one release is than that of another, in shares."""

    first: str
    second: str
    share: float  # of the first less that of the second, each by its worst attack
    paired: Paired | None  # None: the risk of each record was not given
    note: str  # what that says


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Several releases of one original side by side; no verdict in which loss pays for risk."""

    records: int  # of the original
    releases: tuple[ComparedRelease, ...]  # as they were given
    best: tuple[Best, ...]
    front: tuple[str, ...]  # those that none dominates, the least risk first
    dominated: tuple[Dominated, ...]
    not_placed: tuple[str, ...]  # risk or loss is not known
    differences: tuple[Difference, ...]  # of each two
    notes: tuple[str, ...]  # where like is not compared with like
    seed: int

    def __getitem__(self, name: str) -> ComparedRelease:
        """One release by its name."""
        return next(release for release in self.releases if release.name == name)
