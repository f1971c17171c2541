"""Help, descriptions of methods, and wrong input: mostly words, and exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = "attack audit choose compare demo inspect link mask methods papers".split()
METHODS = (
    "additive-noise correlated-noise multiplicative-noise rank-swapping distribution-swapping "
    "individual-ranking microaggregation anti-unification mondrian local-suppression full-domain "
    "top-coding bottom-coding global-recoding pram rounding sampling shuffle synthesis function "
    "k-anonymity k-map l-diversity alpha-k-anonymity t-closeness distance rank probabilistic "
    "compatible tailored combined households structural supervised position pairs csv parquet "
    "arrow spss stata sas xport excel record-swapping rank-permutation exchange simulated repair "
    "pseudonymisation k-concealment n-confusion"
).split()
ATTACK = "attack distance in/people.csv in/mixed.csv --schema in/people.toml"
MASK = "mask in/people.csv --schema in/people.toml -o {out}/release.csv --plan"
AUDIT = "audit in/people.csv in/mixed.csv --schema in/people.toml --exact"
WRONG = {
    "command": "atack",
    "option": "mask --plam in/bad.toml",
    "file": "inspect in/nowhere.csv",
    "empty": "inspect in/empty.csv",
    "method": f"{MASK} in/bad.toml",
    "parameter": f"{MASK} in/worse.toml",
    "toml": f"{MASK} in/broken.toml",
    "attack": ATTACK.replace("distance", "distanse"),
    "attribute": f"{ATTACK} --knows shoe_size",
    "key": f"{ATTACK} --key person",
    "truth": f"{AUDIT} --truth person",
    "replay": "audit --replay in/people.csv",
    "seconds": f"{AUDIT} --seconds 0 --truth in/mixed-map.csv",
    "evidence": "compare in/policy.toml",
    "report": "report in/policy.toml",
    "link": "link in/people.csv in/mixed.csv --confidence 2",
    "paper": "papers nobody",
    "describe": "methods microagregation",
}


def cases() -> Iterator[Case]:
    """One case for all help, one for all methods, one for each wrong input."""
    yield Case("help", ("--help", *(f"{command} --help" for command in (*COMMANDS, "report"))))
    yield Case("methods", ("methods", "methods --json", *(f"methods {name}" for name in METHODS)))
    yield Case("methods-json", tuple(f"methods {name} --json" for name in METHODS))
    for name, command in WRONG.items():
        yield Case(f"wrong/{name}", (command,))
