"""The demonstration: mask the sample in three ways, audit, compare, and choose a fourth."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from unveil.files.documents.evidence import read_evidence, read_records, write_records
from unveil.files.locations import check_outputs
from unveil.files.tables import write
from unveil.masks import Microaggregation, Pram, RankPermutation
from unveil.masks.base import ColumnMask
from unveil.support.options import TaskProgress
from unveil.support.threads import cores, limited_threads
from unveil.table.sample import households
from unveil.table.schema import Schema
from unveil.values.disclosure_scenario import ACQUAINTANCE, INSIDER, REGISTER, DisclosureScenario
from unveil.values.release.plan import Plan
from unveil.values.results.choice import Choice
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit
from unveil.values.results.policy import Policy
from unveil.values.search_space import Combination, SearchSpace
from unveil.workflows.audit import audit
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.choose import Choosing
from unveil.workflows.choosing.limit_shares import told_of_plans
from unveil.workflows.choosing.outputs import STORE, ChoiceFolder
from unveil.workflows.compare import compare
from unveil.workflows.mask import mask

DATA, SCHEMA, LIMITS = "households.csv", "households.toml", "policy.toml"
COMPARISON, CHOICE = "comparison.html", "choice"  # a page, and the folder of the choice
MONEY = ("income", "tax", "savings", "rent")
CATEGORIES = ("region", "sex", "education", "marital_status", "occupation")
PLANS: dict[str, tuple[ColumnMask, ...]] = {
    "light": (RankPermutation(p=3, columns=("age", "hours", *MONEY)),),
    "medium": (
        RankPermutation(p=20, columns=("age", "hours", "household_size", *MONEY)),
        Pram(theta=0.25, invariant=False, columns=CATEGORIES),
    ),
    "strong": (
        # The weight would tell who lives together.
        Microaggregation(
            k=20, columns=(*CATEGORIES, "age", "hours", "household_size", "income", "weight")
        ),
        RankPermutation(p=15, columns=("tax", "savings", "rent")),
    ),
}
POLICY = Policy(
    max_risk=0.2,  # of the upper reference, with looser limits than the intruders
    max_household_risk=0.1,
    max_confirmed=0.1,
    max_loss=0.95,
    intruder=(
        DisclosureScenario(name=REGISTER, max_linked=0.05, max_wrongly_confirmed=0.05),
        DisclosureScenario(name=ACQUAINTANCE, max_linked=0.05, max_learned=0.05),
        DisclosureScenario(name=INSIDER, max_linked=0.1),
    ),
)
CHOSEN_PEOPLE, TRIALS = 300, 6  # a small study: of so many people and plans
CHOICE_POLICY = Policy(
    intruder=(
        DisclosureScenario(name=REGISTER, max_linked=0.2),
        DisclosureScenario(name=ACQUAINTANCE, max_linked=0.1),
    )
)
CHOICE_SPACE = SearchSpace(
    combination=(
        Combination(
            name="microaggregation",
            mask=(
                {
                    "method": "microaggregation",
                    "k": {"from": 3, "to": 30, "log": True},
                    "columns": [*CATEGORIES, "age", "hours", "household_size", "income", "weight"],
                },
                {
                    "method": "rank-permutation",
                    "p": {"from": 2, "to": 30},
                    "columns": ["tax", "savings", "rent"],
                },
            ),
        ),
    )
)
# The strongest attacks of a whole audit are among these, so that the verdicts are the same.
LINKED_HOMES = "households-posterior-tailored-read-off"
ATTACKS = ("distance", "rank-max", "tailored", "households", LINKED_HOMES, "position")
NOT_RANDOM = {"strong": ("tailored-original",)}  # its first step, so that it can be repeated
# Remedies, the worst case and the knowledge sweep take most of an audit. Each is made for one
# release, so that one page shows it.
LITTLE = AuditSettings(remask=2, sweep=False, remedies=False, worst_case=False)
WHAT_IFS = {
    "light": LITTLE,
    "medium": msgspec.structs.replace(LITTLE, remedies=None),
    "strong": msgspec.structs.replace(LITTLE, sweep=None, worst_case=None),
}
IN_PARALLEL = ("light", "strong")  # the releases that another process audits
# Relative durations, for the progress bar.
PARTS = {"making": 1, "masking": 2, "auditing": 30, "choosing": 30, "waiting": 5, "comparing": 1}


@dataclass(frozen=True, repr=False, eq=False)
class Demonstration:
    """The audit of each release, their comparison, and what a search chose instead."""

    audits: dict[str, Audit]
    comparison: Comparison
    choice: Choice


def demonstrate(
    folder: Path,
    *,
    records: int = 1000,
    seed: int = 7,
    force: bool = False,
    progress: TaskProgress | None = None,
) -> Demonstration:
    """Make the sample, mask it in each way, audit and compare the releases, and choose another.

    All files but the pages are written to the folder, which must exist.
    """
    kinds = ("csv", "plan.toml", "map.csv", "json", "records.csv", "html")
    outputs = [DATA, SCHEMA, LIMITS, COMPARISON]
    outputs += [f"{name}.{kind}" for name in PLANS for kind in kinds]
    check_outputs([folder / name for name in outputs], (), force=force)
    chosen = ChoiceFolder(folder / CHOICE, folder / CHOICE / DATA)
    chosen.prepare((), force=force)
    bar = DemoProgress(progress)
    bar.part("making", f"making {records:,} records")
    data = households(records, seed=seed)
    for value, name in ((data.schema, SCHEMA), (data, DATA), (POLICY, LIMITS)):
        write(value, folder / name, force=force)
    bar.part("masking", "masking")
    for name, masks in PLANS.items():
        release = mask(data, Plan(masks, seed=seed))
        write(release.plan, folder / f"{name}.plan.toml", force=force)
        row_map = folder / f"{name}.map.csv"
        write(release, folder / f"{name}.csv", force=force, row_map=row_map)
    audits, here = {}, [name for name in PLANS if name not in IN_PARALLEL]
    with limited_threads(_half_of_the_cores()), _in_parallel(folder, seed) as other:
        bar.part("auditing", f"auditing {' and '.join(PLANS)}")
        for name in here:
            audits[name] = _audit(folder, name, seed, bar.step, force=force)
        bar.part("choosing", f"choosing how to mask {CHOSEN_PEOPLE} of them")
        choice = _choose(chosen, data.schema, seed, bar.step)
        bar.part("waiting", f"auditing {' and '.join(IN_PARALLEL)}")
        done = other is not None and other.wait() == 0
        for name in IN_PARALLEL:
            if done:
                risks = read_records(folder / f"{name}.records.csv")
                audits[name] = Audit(read_evidence(folder / f"{name}.json"), risks)
            else:
                audits[name] = _audit(folder, name, seed, bar.step, force=True)
    bar.part("comparing", "comparing")
    audits = {name: audits[name] for name in PLANS}
    compared = compare(list(audits.values()), names=list(PLANS), seed=seed)
    return Demonstration(audits, compared, choice)


def _choose(
    target: ChoiceFolder, schema: Schema, seed: int, progress: TaskProgress | None
) -> Choice:
    """Search a few plans of a few people; they are made up, so the seed of the release is known."""
    people = households(CHOSEN_PEOPLE, seed=seed)
    write(people, target.original, force=True)
    choosing = Choosing(
        original=people,
        policy=told_of_plans(CHOICE_POLICY),
        space=CHOICE_SPACE,
        trials=TRIALS,
        seed=seed,
        settings=msgspec.structs.replace(LITTLE, effort="quick", remask=0),
        progress=progress,
        draw_seed=lambda: seed,
    )
    with tempfile.TemporaryDirectory() as place:
        choice = choosing.run(Path(place) / STORE)
    target.write(choice, schema)
    return choice


def _audit(
    folder: Path, name: str, seed: int, progress: TaskProgress | None, *, force: bool
) -> Audit:
    result = audit(
        folder / DATA,
        folder / f"{name}.csv",
        schema=folder / SCHEMA,
        attacks=(*ATTACKS, *NOT_RANDOM.get(name, ())),
        truth=folder / f"{name}.map.csv",
        policy=folder / LIMITS,
        seed=seed,
        settings=msgspec.structs.replace(WHAT_IFS[name], plan=folder / f"{name}.plan.toml"),
        progress=progress,
    )
    write(result, folder / f"{name}.json", force=force)
    write_records(result, folder / f"{name}.records.csv", force=force)
    return result


@contextmanager
def _in_parallel(folder: Path, seed: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """Another process audits some releases beside this one; None if it cannot be started."""
    call = "import sys; from unveil.workflows.demo import audit_others; audit_others(*sys.argv[1:])"
    other = None
    with suppress(OSError):
        other = subprocess.Popen(  # noqa: S603 - this very Python, and a line of this file
            [sys.executable, "-P", "-c", call, str(folder.absolute()), str(seed)],
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


def audit_others(folder: str, seed: str) -> None:
    """Audit some releases of a demonstration: the task of the other process."""
    with limited_threads(_half_of_the_cores()):
        for name in IN_PARALLEL:
            _audit(Path(folder), name, int(seed), None, force=True)  # outputs are checked already


def _half_of_the_cores() -> int:
    return max(1, cores(None) // 2)


class DemoProgress:
    """One progress bar over all parts, weighted by their duration."""

    def __init__(self, progress: TaskProgress | None) -> None:
        self._progress = progress
        self._part, self._before = "", 0  # the part, and the duration of those before
        self._most = 0  # shown so far: a search begins anew with each of its tasks

    def part(self, part: str, label: str) -> None:
        """Begin a part."""
        if part != self._part:
            self._before += PARTS.get(self._part, 0)
        self._part, self._label = part, label
        self._show(label, 0.0)

    def step(self, step: str, done: float, total: float) -> None:
        """TaskProgress of an audit."""
        self._show(f"{self._label}: {step}", done / total if total else 0.0)

    def _show(self, label: str, share: float) -> None:
        if self._progress is not None:
            done = round(100 * (self._before + min(share, 1.0) * PARTS[self._part]))
            self._most = max(self._most, done)
            self._progress(label, self._most, 100 * sum(PARTS.values()))
