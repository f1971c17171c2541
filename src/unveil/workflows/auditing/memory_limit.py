"""Which attacks fit into the memory of an audit: decided before any is made."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from unveil.errors import UsageError
from unveil.support.memory import in_units, require_memory
from unveil.values.file_pair import FilePair
from unveil.values.results.evidence import LeftOut
from unveil.workflows.auditing.attack_runs import AttackRun

PROGRAM = 350 * 2**20  # bytes: libraries and compiled kernels
COPIES = 4  # of both tables: as read, as numbers, with errors, in parts

_ALLOW_LESS = "leave such attacks out (--memory 4G), or name fewer attributes (--knows)"


def runs_in_memory(
    runs: Sequence[AttackRun], pair: FilePair, limit: int | None, *, requested: bool
) -> tuple[list[AttackRun], list[LeftOut]]:
    """The attacks that fit into the limit, and those that do not.

    One-to-one replaces a posterior that does not fit. An attack that the user requested is
    refused rather than left out, and so is an audit in which no attack on attributes fits. The
    estimate depends on the files and the attacks only, not on what else the machine does.
    """
    if limit is None:
        for run in runs:
            require_memory(memory_of(run, pair), run.name, _ALLOW_LESS)
        return list(runs), []
    remedy = (
        f"more than the {in_units(limit)} that it may use: allow it more (--memory), name fewer "
        "attributes (--knows), or audit a sample of the release"
    )
    kept, left_out = [], []
    for run in runs:
        need = memory_of(run, pair)
        if need > limit and requested:
            raise UsageError(f"memory: {run.name} needs about {in_units(need)}, {remedy}")
        if need <= limit:
            kept.append(run)
            continue
        cheaper = run
        if run.spec.matching == "posterior":
            cheaper = replace(run, spec=msgspec.structs.replace(run.spec, matching="one-to-one"))
        replaced = memory_of(cheaper, pair) <= limit and cheaper not in runs
        kept += [cheaper] if replaced else []
        left_out.append(
            LeftOut(
                name=run.name,
                direction=run.intruder.direction,
                reason=f"it needs about {in_units(need)} of memory, more than {in_units(limit)}"
                + (f"; {cheaper.name} is made instead" if replaced else ""),
            )
        )
    compared = [run for run in runs if run.intruder.knows]
    if compared and not any(run.intruder.knows for run in kept):
        least = min(memory_of(run, pair) for run in compared)
        raise UsageError(f"memory: this audit needs about {in_units(least)}, {remedy}")
    return kept, left_out


def memory_of(run: AttackRun, pair: FilePair) -> int:
    """About how many bytes an audit needs while it makes this attack."""
    tables = sum(len(data) * len(data.columns) * 8 for data in (pair.original, pair.release))
    sizes = len(pair.original), len(pair.release)
    records, candidates = reversed(sizes) if run.intruder.reverse else sizes
    width = sum(
        1 + (name in pair.columns and pair.generalised(name)) for name in run.intruder.knows or ()
    )
    return PROGRAM + COPIES * tables + run.spec.memory(records, candidates, width)
