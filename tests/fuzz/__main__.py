"""Run many cases on several processes, or one case by its number.

python -m tests.fuzz --cases 1000 --seed 7 --jobs 2
python -m tests.fuzz --case 7:123
"""

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.jobs import run_jobs

PAGE = Path(__file__).parents[2] / "docs" / "fuzzing.md"
BEGIN, END = "<!-- last result -->", "<!-- end of last result -->"


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--case", help="SEED:NUMBER of one case, which is shown as small as can be")
    parser.add_argument("--kind", help="run cases of one kind only")
    parser.add_argument("--page", action="store_true", help="write the result into docs/fuzzing.md")
    chosen = parser.parse_args()
    if chosen.case:
        return one_case(*map(int, chosen.case.split(":")), chosen.kind)
    numbers = range(chosen.first, chosen.first + chosen.cases)
    total = Total(chosen.seed, len(numbers))
    began = time.monotonic()
    run_jobs(chosen.seed, numbers, chosen.jobs, total.add, chosen.kind)
    total.seconds = time.monotonic() - began
    print(total)
    if chosen.page:
        write_page(total)
    return int(bool(total.failures))


def one_case(seed, number, kind):
    from tests.fuzz.cases import run_case, smallest

    result = run_case(seed, number, kind=kind)
    if result.failure is None:
        print(f"{seed}:{number}  {result.kind}: {'refused' if result.refused else 'done'}")
        return 0
    print(smallest(result.failure, kind))
    return 1


class Total:
    """What all cases came to."""

    def __init__(self, seed, cases):
        self.seed, self.cases, self.seconds = seed, cases, 0.0
        self.kinds, self.refused, self.cpu, self.ends = Counter(), Counter(), Counter(), Counter()
        self.failures = []

    def add(self, result, cpu):
        self.kinds[result.kind] += 1
        self.cpu[result.kind] += cpu
        self.ends += result.counts
        self.refused[result.kind] += result.refused
        if result.failure is not None:
            self.failures.append(result.failure)
            print(f"FAILED {result.failure}\n", flush=True)

    def __str__(self):
        done = sum(self.kinds.values())
        lines = [f"{done:,} cases, seed {self.seed}, {self.seconds:,.0f} s"]
        for kind, many in self.kinds.most_common():
            mean, refused = 1000 * self.cpu[kind] / many, self.refused[kind]
            lines.append(f"  {kind:12}{many:9,}{mean:9.1f} ms{refused:9,} refused")
        lines.append(f"refusals and exit codes: {_listed(self.ends)}")
        broken = Counter((one.kind, one.invariant) for one in self.failures)
        lines += [f"  {many:6} {kind}: {what}" for (kind, what), many in broken.most_common()]
        return "\n".join([*lines, f"{len(self.failures)} failures"])


def _listed(counter):
    return ", ".join(f"{many:,} {name}" for name, many in counter.most_common()) or "none"


def write_page(total):
    """Put the result between its markers in docs/fuzzing.md."""
    import unveil

    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [f"| {kind} | {many:,} |" for kind, many in total.kinds.most_common()]
    cases, failures = f"{sum(total.kinds.values()):,}", len(total.failures)
    result = [
        f"unveil {unveil.__version__}, seed {total.seed}: {cases} cases, **{failures} failures**.",
        "",
        "| kind | cases |",
        "|---|---|",
        *rows,
        "",
        f"Refusals by class of the error, and exit codes of commands: {_listed(total.ends)}.",
    ]
    PAGE.write_text("\n".join([f"{before}{BEGIN}", "", *result, "", f"{END}{after}"]))


if __name__ == "__main__":
    sys.exit(main())
