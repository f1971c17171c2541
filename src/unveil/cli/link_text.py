"""What linking two files came to, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.cli.console import print_table, say
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.results.linking import Linkage


SHOWN = 0.9  # how sure an attack must be that it has found more than chance
MOST_ROWS = 20  # of a table of columns


def print_linkage(found: Linkage, first: str | Path, second: str | Path) -> None:
    """Print what linking two files came to, for people."""
    say(
        f"{found.attack}: {count(found.records, 'record')} of {first}, "
        f"{count(found.candidates, 'candidate')} in {second}"
    )
    if found.common:
        say(f"Compared, since both files have it: {listing(found.mine)}.")
    elif found.mine:
        say(
            f"No attribute is compared by its name: {listing(found.mine)} of {first} are set "
            f"against {listing(found.release)} of {second}."
        )
    for name, reason in found.left_out.items():
        say(f"Left out: {name}, which {reason}.")
    for name in found.like_identifiers:
        say(
            f"No two records agree in {name}: if it is an identifier, declare it in a schema or "
            "name it by --truth, and it is not compared."
        )
    from unveil.files.locations import locate

    if locate(first).key == locate(second).key:
        say("Both are one file: whoever is in the one is in the other.")
    say()
    if "evidence" in found.details:
        _print_structure(found)
    _print_claims(found)
    _print_truth(found)


def _print_structure(found: Linkage) -> None:
    """How files without a common attribute were linked, and how sure that is."""
    details = found.details
    say(f"Linked by: {details['method']}. {_how_sure(found.sure)}")
    say()
    if details["evidence"]:
        head = ["method", "likelihood", "sharing nobody", "spread", "at most", "files"]
        rows = [
            [
                one["method"],
                *(_figure(one[name]) for name in ("likelihood", "control", "spread", "most")),
                f"{one['controls']:,}",
            ]
            for one in details["evidence"]
        ]
        print_table(head, rows, numbers=head[1:])
        say()
    if details["shared"] is not None:
        say(f"Of the records of A, {details['shared']:.0%} seem to have a partner in B.")
        say()
    if details["correspondence"]:
        _print_correspondence(details["correspondence"])


def _print_correspondence(pairs: Sequence[dict[str, Any]]) -> None:
    """Which attributes of both files seem to say the same."""
    say("Attributes that go together among the linked records:")
    head = ["A", "B", "correlation", ""]
    rows = [
        [
            one["mine"],
            one["release"],
            f"{one['correlation']:.2f}",
            "turned" if one["correlation"] < 0 else "",
        ]
        for one in pairs[:MOST_ROWS]
    ]
    print_table(head, rows, numbers=["correlation"])
    if len(pairs) > MOST_ROWS:
        say(f"and {len(pairs) - MOST_ROWS:,} weaker ones (--json has them all)")
    say()


def _how_sure(sure: float | None) -> str:
    if sure is None:
        return (
            "No better than chance can be shown: these links were not held against files that "
            "share nobody (--method auto does that)."
        )
    if sure < SHOWN:
        return (
            f"No better than chance can be shown: the attack is {sure:.0%} sure that it found more "
            "than it finds in files that share nobody."
        )
    told = "more than 99.9%" if sure > 0.999 else f"{sure:.1%}"
    return f"The attack is {told} sure that this is more than chance."


def _print_claims(found: Linkage) -> None:
    """How many links would be claimed without the truth."""
    if found.details.get("guess"):
        say("That is a guess: nothing speaks for single links, and none is claimed.")
    elif found.expected is None:
        say(
            f"{found.attack} says which candidate is better, not how likely it is: pairs have no "
            "probability, and none is claimed. --matching posterior gives every attack "
            "probabilities."
        )
    else:
        say(
            f"Claimed, each right with more than {found.confidence:.3g}: {found.claimed:,} of "
            f"{count(found.records, 'record')}; the other {found.unlinked:,} stay unlinked."
        )
        say(f"Of the best links of all, {found.expected:,.1f} are expected to be right.")
    if found.common and found.expected is not None:
        say("Probabilities take it for granted that who is in A is in B, as far as B has room.")
    if found.tied or found.without:
        say(f"{found.tied:,} have several best candidates, {found.without:,} none.")


def _print_truth(found: Linkage) -> None:
    """What the truth says of the links."""
    if found.risk is None:
        say("How many links are right can be counted with --truth.")
        return
    say()
    say(f"By the truth, {found.risk}.")
    if found.risk.absent:
        say(f"{count(found.risk.absent, 'record')} of A are not in B, and are not counted there.")
    if found.right is not None and found.claimed:
        say(
            f"Of the {found.claimed:,} that are claimed, {found.right:,.1f} are right "
            f"({found.right / found.claimed:.1%})."
        )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"
