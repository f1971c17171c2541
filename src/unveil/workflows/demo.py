"""The whole way on the embedded sample: mask it three ways, audit each, compare them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from unveil.files.documents.evidence import read_evidence, read_records, write_records
from unveil.files.locations import check_outputs
from unveil.files.tables import write
from unveil.masks import Microaggregation, Pram, RankSwapping
from unveil.masks.base import ColumnMask
from unveil.table.sample import households
from unveil.values.release.plan import Plan
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit
from unveil.values.results.policy import Policy
from unveil.workflows.audit import audit
from unveil.workflows.compare import compare
from unveil.workflows.mask import mask

MONEY = ("income", "tax", "savings", "rent")
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
PLANS: dict[str, tuple[ColumnMask, ...]] = {
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
LEARNT = list(PLANS)[-1]  # whose worst case is learnt: the other process audits it, and waits
# How long things take beside each other, for the bar.
PARTS = {"making": 1, "masking": 2, "light": 24, "medium": 20, "strong": 8, "comparing": 1}
STEPS = {
    "attack": 6,
    "knowledge": 13,
    "masking": 3,
    "attributes": 3,
    "remedies": 35,
    "inference": 4,
    "loss": 5,
}
SHORT = 1  # any other step of an audit


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
    check_outputs(folder.outputs, (), force=force)
    shown = DemoProgress(progress)
    shown.part("making", f"making {records:,} records")
    data = households(records, seed=seed)
    for value, path in ((data.schema, folder.schema), (data, folder.data), (POLICY, folder.policy)):
        write(value, path, force=force)
    shown.part("masking", "masking")
    for name, masks in PLANS.items():
        release = mask(data, Plan(masks, seed=seed))
        write(release.plan, folder.of(name, "plan.toml"), force=force)
        row_map = folder.of(name, "map.csv")
        write(release, folder.of(name, "csv"), force=force, row_map=row_map)
    first, last = list(PLANS)[:-1], list(PLANS)[-1]
    with _elsewhere(folder, last, seed) as other:
        audits = {name: _audited(folder, name, seed, shown, force=force) for name in first}
        shown.part(last, f"auditing {last}")
        found = _found(folder, last, other)
        audits[last] = found or _audited(folder, last, seed, shown, force=True)
    shown.part("comparing", "comparing")
    return Demonstration(audits, compare(list(audits.values()), names=list(PLANS), seed=seed))


def _audited(
    folder: Folder, name: str, seed: int, shown: DemoProgress | None, *, force: bool
) -> Audit:
    """Audit a release, from its files as anybody would."""
    if shown is not None:
        shown.part(name, f"auditing {name}")
    found = audit(
        folder.data,
        folder.of(name, "csv"),
        schema=folder.schema,
        attacks=ATTACKS,
        truth=folder.of(name, "map.csv"),
        policy=folder.policy,
        seed=seed,
        plan=folder.of(name, "plan.toml"),
        remask=REMASK,
        worst_case=name == LEARNT,  # it takes long: once, where there is time to spare
        progress=None if shown is None else shown.step,
    )
    write(found, folder.of(name, "json"), force=force)
    write_records(found, folder.of(name, "records.csv"), force=force)
    return found


@contextmanager
def _elsewhere(folder: Folder, name: str, seed: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """Another process audits one release while this one audits the others; None: it cannot."""
    call = "import sys; from unveil.workflows.demo import alone; alone(*sys.argv[1:])"
    other = None
    with suppress(OSError):
        other = subprocess.Popen(  # noqa: S603 - this very Python, and a line of this file
            [sys.executable, "-P", "-c", call, str(folder.path.absolute()), name, str(seed)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )
    try:
        yield other
    finally:
        if other is not None:
            other.kill()
            other.wait()


def alone(folder: str, name: str, seed: str) -> None:
    """Audit one release of a demonstration: what the other process does."""
    _audited(Folder(Path(folder)), name, int(seed), None, force=True)  # this was checked before


def _found(folder: Folder, name: str, other: subprocess.Popen[bytes] | None) -> Audit | None:
    """What the other process found, once it has; None, if it did not come to an end."""
    if other is None or other.wait() != 0:
        return None
    evidence = read_evidence(folder.of(name, "json"))
    return Audit(evidence, read_records(folder.of(name, "records.csv")))


class DemoProgress:
    """One bar over all parts, by how long each takes."""

    def __init__(self, progress: Callable[[str, int, int], None] | None) -> None:
        self._progress = progress
        self._part, self._begun = "", 0
        self._step, self._steps = "", 0.0

    def part(self, part: str, doing: str) -> None:
        """A part begins."""
        if part != self._part:
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
            whole = sum(PARTS.values())
            done = self._begun + min(share, 1.0) * PARTS[self._part]
            self._progress(doing, round(100 * done), 100 * whole)


def _takes(step: str) -> float:
    """How long a step of an audit takes beside the others; none, before the first."""
    return next(
        (takes for name, takes in STEPS.items() if step.startswith(name)), SHORT if step else 0
    )


def _expected() -> float:
    """All steps of an audit."""
    attacks = 2 * len(ATTACKS) - 1  # one by position
    return sum(STEPS.values()) + (attacks - 1) * STEPS["attack"] + 8 * SHORT
