"""Which attacks fit into the memory that an audit may use: said before any is made."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from unveil.attacks import Combined, Probabilistic, Supervised
from unveil.attacks.memory import bytes_needed, bytes_to_learn
from unveil.errors import UsageError
from unveil.values.file_pair import FilePair
from unveil.values.results.evidence import LeftOut
from unveil.workflows.auditing.attack_runs import AttackRun

PROGRAM = 350 * 2**20  # bytes: libraries and compiled kernels
COPIES = 4  # of both tables: as read, as numbers, erring, in parts
PATTERNS = 300 * 2**20  # of probabilistic linkage


def fitting(
    tasks: Sequence[AttackRun], both: FilePair, limit: int | None, *, asked: bool
) -> tuple[list[AttackRun], list[LeftOut]]:
    """The attacks that fit, and those that do not; refused, if none that compares does.

    Where a posterior does not fit, one-to-one is taken if that does. What was asked for by name
    is not left out but refused. It depends on the files and the attacks only, and on nothing
    that runs beside.
    """
    if limit is None:
        return list(tasks), []
    kept, left_out = [], []
    for task in tasks:
        need = bytes_of(task, both)
        if need > limit and asked:
            raise UsageError(f"memory: {task.name} needs about {size_of(need)}, {_more(limit)}")
        if need <= limit:
            kept.append(task)
            continue
        cheaper = _one_to_one(task)
        instead = bytes_of(cheaper, both) <= limit and cheaper not in tasks
        kept += [cheaper] if instead else []
        left_out.append(
            LeftOut(
                name=task.name,
                direction=task.intruder.direction,
                reason=f"it needs about {size_of(need)} of memory, more than {size_of(limit)}"
                + (f"; {cheaper.name} is made instead" if instead else ""),
            )
        )
    compared = [task for task in tasks if task.intruder.knows]
    if compared and not any(task.intruder.knows for task in kept):
        least = min(bytes_of(task, both) for task in compared)
        raise UsageError(f"memory: this audit needs about {size_of(least)}, {_more(limit)}")
    return kept, left_out


def _one_to_one(task: AttackRun) -> AttackRun:
    if task.spec.matching != "posterior":
        return task
    return replace(task, spec=msgspec.structs.replace(task.spec, matching="one-to-one"))


def _more(limit: int) -> str:
    return (
        f"more than the {size_of(limit)} that it may use: allow it more (--memory), name fewer "
        "attributes (--knows), or audit a sample of the release"
    )


def bytes_of(task: AttackRun, both: FilePair) -> int:
    """About as many bytes as an audit takes while this attack is made."""
    tables = sum(len(data) * len(data.columns) * 8 for data in (both.original, both.release))
    sizes = len(both.original), len(both.release)
    records, candidates = reversed(sizes) if task.intruder.reverse else sizes
    width = sum(
        1 + (name in both.columns and both.generalised(name)) for name in task.intruder.knows or ()
    )
    need = bytes_needed(records, candidates, width, matching=task.spec.matching)
    parts = task.spec.attacks if isinstance(task.spec, Combined) else (task.spec,)
    patterns = PATTERNS * sum(isinstance(part, Probabilistic) for part in parts)
    learners = sum(isinstance(part, Supervised) for part in parts)
    learning = learners * bytes_to_learn(records, candidates, width)
    return PROGRAM + COPIES * tables + need * len(parts) + patterns + learning


def size_of(many: int) -> str:
    """A size in words.

    >>> size_of(3 * 2**30)
    '3.0 GiB'
    """
    return f"{many / 2**30:.1f} GiB" if many >= 2**30 else f"{many / 2**20:.0f} MiB"
