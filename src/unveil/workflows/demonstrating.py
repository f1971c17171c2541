"""The whole way on the embedded sample: mask it three ways, audit each, compare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unveil.data.policy import Policy
from unveil.data.release import Plan
from unveil.data.samples import households
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
        RankSwapping(p=25, columns=("tax", "savings", "rent")),
    ),
}
WORDS = {  # what each step does, for people who do not know the methods
    "light": ("trade values with somebody near by, 3 % of the ranks at most",),
    "medium": (
        "trade values, 20 % of the ranks at most",
        "another category for one in four",
    ),
    "strong": (
        "groups of 20 who are alike, each with one record for all",
        "trade values, 25 % of the ranks at most",
    ),
}
POLICY = Policy(max_risk=0.1, max_confirmed=0.02, max_loss=0.35)
ATTACKS = ("distance", "rank-max", "tailored", "position")
REMASK = 2
# How long each step of an audit takes beside the others, which take 1.
TAKES = {"attack tailored": 4, "knowledge": 20, "masking again": 8, "inference": 5, "remedies": 10}
OF_AN_AUDIT = 64  # all of its steps together
AROUND = 4  # what is made before the audits, and as much after them


@dataclass(frozen=True)
class Folder:
    """Where everything of a demonstration is."""

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

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as place:
    ...     found = demonstrate(Folder(Path(place)), records=60)
    >>> found.comparison.front[-1]
    'light'
    """
    shown = Shown(progress)
    shown.part(f"making {records:,} records", AROUND // 2)
    data = households(records, seed=seed)
    for value, path in ((data.schema, folder.schema), (data, folder.data), (POLICY, folder.policy)):
        write(value, path, force=force)
    shown.part("masking", AROUND // 2)
    for name, masks in PLANS.items():
        release = mask(data, Plan(masks, seed=seed))
        write(release.plan, folder.of(name, "plan.toml"), force=force)
        row_map = folder.of(name, "map.csv")
        write(release, folder.of(name, "csv"), force=force, row_map=row_map)
    audits = {}
    for name in PLANS:
        shown.part(f"auditing {name}", OF_AN_AUDIT)
        audits[name] = audit(
            folder.data,
            folder.of(name, "csv"),
            schema=folder.schema,
            attacks=ATTACKS,
            truth=folder.of(name, "map.csv"),
            policy=folder.policy,
            seed=seed,
            plan=folder.of(name, "plan.toml"),
            remask=REMASK,
            progress=shown.step,
        )
        write(audits[name], folder.of(name, "json"), force=force)
        write_records(audits[name], folder.of(name, "records.csv"), force=force)
    shown.part("comparing", AROUND)
    return Demonstration(audits, compare(list(audits.values()), names=list(PLANS), seed=seed))


class Shown:
    """One bar over all parts, by how long each takes."""

    def __init__(self, progress: Callable[[str, int, int], None] | None) -> None:
        self._progress = progress
        self._doing, self._begin, self._takes = "", 0.0, 0.0
        self._step, self._before, self._step_takes = "", 0.0, 0.0

    def part(self, doing: str, takes: float) -> None:
        """A part begins."""
        self._begin += self._takes
        self._doing, self._takes = doing, takes
        self._step, self._before, self._step_takes = "", 0.0, 0.0
        self._show(0.0)

    def step(self, step: str, done: int, total: int) -> None:
        """An audit tells which of its steps it is at, a hundred for each of them."""
        if step != self._step:
            self._before += self._step_takes
            long = (takes for name, takes in TAKES.items() if step.startswith(name))
            self._step, self._step_takes = step, next(long, 1.0)
        inside = 1.0 if done >= total else done % 100 / 100
        self._show(min(self._before + inside * self._step_takes, self._takes))

    def _show(self, done: float) -> None:
        if self._progress is not None:
            whole = 2 * AROUND + OF_AN_AUDIT * len(PLANS)
            doing = f"{self._doing}: {self._step}" if self._step else self._doing
            self._progress(doing, round(100 * (self._begin + done)), 100 * whole)
