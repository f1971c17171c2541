"""The whole way on the embedded sample: mask it three ways, audit each, compare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unveil.data.policy import Policy
from unveil.data.release import Plan
from unveil.data.samples import households
from unveil.engines.ahead import compiled_ahead
from unveil.files.evidence import write_records
from unveil.files.tables import write
from unveil.masks import Microaggregation, Pram, RankSwapping
from unveil.workflows.auditing import audit
from unveil.workflows.comparing import compare
from unveil.workflows.masking import mask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unveil.data.audit import Audit
    from unveil.data.comparison import Comparison
    from unveil.data.microdata import Microdata
    from unveil.masks.base import OnColumns

MONEY = ("income", "tax", "savings", "rent")
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
PLANS: dict[str, tuple[OnColumns, ...]] = {
    "light": (RankSwapping(p=3, columns=("age", "hours", *MONEY)),),
    "medium": (
        RankSwapping(p=20, columns=("age", "hours", "household_size", *MONEY)),
        Pram(theta=0.25, invariant=False, columns=CATEGORIES),
    ),
    "strong": (
        Microaggregation(k=20, columns=(*CATEGORIES, "age", "hours", "household_size", "income")),
        RankSwapping(p=15, columns=("tax", "savings", "rent")),
    ),
}
WORDS = {  # what each step does, for people who do not know the methods
    "light": ("values trade places, 3 % of the ranks apart at most",),
    "medium": (
        "values trade places, 20 % of the ranks apart at most",
        "one in four gets another category",
    ),
    "strong": (
        "groups of 20 who are alike become one record",
        "values trade places, 15 % of the ranks apart at most",
    ),
}
POLICY = Policy(max_risk=0.1, max_confirmed=0.02, max_loss=0.4)
ATTACKS = ("distance", "rank-max", "tailored", "position")
REMASK = 2
# How long things take beside each other, for the bar.
PARTS = {"making": 1, "masking": 1, "light": 24, "medium": 24, "strong": 44, "comparing": 1}
STEPS = {"attack tailored": 10, "attack": 6, "knowledge": 35, "masking": 10, "inference": 8}
SHORT = 2  # any other step of an audit


@dataclass(frozen=True)
class Folder:
    """Where everything of a demonstration is.

    >>> from pathlib import Path
    >>> Folder(Path("demo")).of("light", "html").name
    'light.html'
    """

    path: Path

    @property
    def data(self) -> Path:
        """The sample."""
        return self.path / "households.csv"

    @property
    def schema(self) -> Path:
        """What its columns are."""
        return self.path / "households.toml"

    @property
    def policy(self) -> Path:
        """The limits."""
        return self.path / "policy.toml"

    @property
    def comparison(self) -> Path:
        """The page that has all releases beside each other."""
        return self.path / "comparison.html"

    def of(self, name: str, kind: str) -> Path:
        """What there is of one release: csv, plan.toml, map.csv, json, records.csv, html."""
        return self.path / f"{name}.{kind}"

    @property
    def outputs(self) -> list[Path]:
        """Every file that is written."""
        kinds = ("csv", "plan.toml", "map.csv", "json", "records.csv", "html")
        found = [self.data, self.schema, self.policy, self.comparison]
        return [*found, *(self.of(name, kind) for name in PLANS for kind in kinds)]


@dataclass(frozen=True, repr=False, eq=False)
class Demonstration:
    """What was found of each release, and of all together."""

    audits: dict[str, Audit]
    comparison: Comparison


def demonstrate(
    folder: Folder,
    *,
    records: int = 1000,
    seed: int = 7,
    force: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Demonstration:
    """Make the sample, mask it in each way, audit the releases and compare them.

    Every file but the pages is written to the folder, which is there.
    """
    shown = Shown(progress)
    shown.part("making", f"making {records:,} records")
    data = households(records, seed=seed)
    for value, path in ((data.schema, folder.schema), (data, folder.data), (POLICY, folder.policy)):
        write(value, path, force=force)
    with compiled_ahead():
        audits = {
            name: _audited(name, data, folder, shown, seed=seed, force=force) for name in PLANS
        }
    shown.part("comparing", "comparing")
    return Demonstration(audits, compare(list(audits.values()), names=list(PLANS), seed=seed))


def _audited(
    name: str, data: Microdata, folder: Folder, shown: Shown, *, seed: int, force: bool
) -> Audit:
    """Mask the sample by one plan and audit the release, from its files as anybody would."""
    shown.part("masking", f"masking, {name}")
    plan, row_map = folder.of(name, "plan.toml"), folder.of(name, "map.csv")
    release = mask(data, Plan(PLANS[name], seed=seed))
    write(release.plan, plan, force=force)
    write(release, folder.of(name, "csv"), force=force, row_map=row_map)
    shown.part(name, f"auditing {name}")
    found = audit(
        folder.data,
        folder.of(name, "csv"),
        schema=folder.schema,
        attacks=ATTACKS,
        truth=row_map,
        policy=folder.policy,
        seed=seed,
        plan=plan,
        remask=REMASK,
        progress=shown.step,
    )
    write(found, folder.of(name, "json"), force=force)
    write_records(found, folder.of(name, "records.csv"), force=force)
    return found


class Shown:
    """One bar over all parts, by how long each takes."""

    def __init__(self, progress: Callable[[str, int, int], None] | None) -> None:
        self._progress = progress
        self._part, self._begun = "", 0
        self._step, self._steps = "", 0.0

    def part(self, part: str, doing: str) -> None:
        """A part begins."""
        self._begun += PARTS.get(self._part, 0)
        self._part, self._doing = part, doing
        self._step, self._steps = "", 0.0
        self._show(doing, 0.0)

    def step(self, step: str, done: int, total: int) -> None:
        """An audit tells at which of its steps it is, each of them a hundred."""
        if step != self._step:
            self._steps += _takes(self._step)
            self._step = step
        now = self._steps + _takes(step) * (done % 100) / 100
        self._show(f"{self._doing}: {step}", 1.0 if done >= total else now / _expected())

    def _show(self, doing: str, share: float) -> None:
        if self._progress is not None:
            whole = sum(PARTS.values()) + PARTS["masking"] * (len(PLANS) - 1)
            done = self._begun + min(share, 1.0) * PARTS[self._part]
            self._progress(doing, round(100 * done), 100 * whole)


def _takes(step: str) -> float:
    """How long a step of an audit takes beside the others; none, before the first."""
    return next(
        (takes for name, takes in STEPS.items() if step.startswith(name)), SHORT if step else 0
    )


def _expected() -> float:
    """All steps of an audit."""
    attacks = [f"attack {name}" for name in ATTACKS for _ in range(2)][:-1]  # one by position
    return sum(_takes(step) for step in (*attacks, "knowledge", "masking", "inference")) + 7 * SHORT
