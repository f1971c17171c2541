"""Audits, comparisons and reports. Sizes are fixed (``--exact``): no clock decides anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW = (
    "audit in/few.csv in/few-mixed.csv --schema in/few.toml --truth in/few-mixed-map.csv "
    "--exact --seed 1"
)
FILES = "--evidence {out}/evidence.json --per-record {out}/records.csv"
PLAN = "--plan in/few-mixed-plan.toml"
SHORT = "--no-sweep --errors 0.1 --no-remedies --no-worst-case"
SURVEY = (
    "audit in/people.csv in/{release}.csv --schema in/people.toml --exact --seed 1 "
    f"{SHORT} {FILES}"
)


def cases() -> Iterator[Case]:
    """A full audit, short ones of every kind of release, and the demo."""
    yield Case(
        "audit/full",
        (
            f"{FEW} {FILES} {PLAN} --policy in/policy.toml --report {{out}}/page.html",
            "report {out}/evidence.json --report {out}/external.html --external",
            "report {out}/evidence.json --json",
            "report {out}/evidence.json --figures {out}/figures",
        ),
        cost=60,
    )
    yield Case(
        "audit/halves",
        (f"{FEW} {FILES} {SHORT} --attack distance --halves --intruder-file in/register.csv",),
        cost=60,
    )
    yield Case(
        "audit/replayed",
        (
            f"{FEW} {FILES} {SHORT} --attack rank-max",
            "audit in/few.csv in/few-mixed.csv --truth in/few-mixed-map.csv "
            "--replay {out}/evidence.json --json",
        ),
        cost=5,
    )
    yield Case("audit/printed", (f"{FEW} {SHORT} --max-risk 0.05 --attack rank-max",), cost=5)
    yield Case(
        "audit/worst-case",
        (f"{FEW} --no-sweep --no-remedies --attack distance --knows age,income,hours --json",),
        cost=10,
    )
    yield Case(
        "audit/remasked",
        (f"{FEW} {SHORT} {PLAN} --remask 2 --attack tailored-posterior --attack rank --json",),
        cost=10,
    )
    for release in ("noisy", "grouped", "ranges", "stars", "coded", "sampled", "synthetic"):
        truth = "none" if release == "synthetic" else f"in/{release}-map.csv"
        audit = f"{SURVEY} --truth {truth} --release-schema in/{release}.toml"
        yield Case(f"audit/{release}", (audit.replace("{release}", release),), cost=8)
    yield _compared()
    yield Case("demo", ("demo --folder {out} --records 300 --seed 7",), cost=50)


def _compared() -> Case:
    audits = [
        SURVEY.replace("{release}", release)
        .replace("evidence.json", f"{release}.json")
        .replace("records.csv", f"{release}.csv")
        + f" --truth in/{release}-map.csv --attack distance --attack rank-max"
        for release in ("mixed", "noisy", "grouped")
    ]
    evidence = "{out}/mixed.json {out}/noisy.json {out}/grouped.json"
    records = " ".join(f"--records {{out}}/{name}.csv" for name in ("mixed", "noisy", "grouped"))
    return Case(
        "compare",
        (
            *audits,
            f"compare {evidence} {records} --seed 1 --json",
            f"compare {evidence} --report {{out}}/comparison.html",
        ),
        cost=25,
    )
