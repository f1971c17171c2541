"""The result of linking two files, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unveil.cli.console import print_table, say
from unveil.values.results.linking import PROVEN, Linkage
from unveil.wording import count, listing

LISTED = 20  # pairs of corresponding columns


def print_linkage(linkage: Linkage, first: str | Path, second: str | Path) -> None:
    """Print the result of linking two files."""
    from unveil.files.locations import locate

    say(
        f"{linkage.attack}: {count(linkage.records, 'record')} of {first}, "
        f"{count(linkage.candidates, 'candidate')} in {second}"
    )
    if linkage.common:
        say(f"Compared, since both files have it: {listing(linkage.mine)}.")
    elif linkage.mine:
        say(
            f"No attribute is compared by its name: {listing(linkage.mine)} of {first} are set "
            f"against {listing(linkage.release)} of {second}."
        )
    for name, reason in linkage.left_out.items():
        say(f"Left out: {name}, which {reason}.")
    for name in linkage.like_identifiers:
        say(
            f"No two records agree in {name}: if it is an identifier, declare it in a schema or "
            "name it by --truth, and it is not compared."
        )
    if locate(first).key == locate(second).key:
        say("Both are one file: whoever is in the one is in the other.")
    say()
    if "evidence" in linkage.details:
        _print_structure(linkage)
    _print_claims(linkage)
    _print_truth(linkage)


def _print_structure(linkage: Linkage) -> None:
    details = linkage.details
    say(f"Linked by: {details['method']}. {_how_sure(linkage)}")
    say()
    if details["evidence"]:
        head = ["method", "likelihood", "sharing nobody", "spread", "at most", "files"]
        figures = ("likelihood", "control", "spread", "most")
        rows = [
            [
                one["method"],
                *("-" if one[name] is None else f"{one[name]:,.4g}" for name in figures),
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
    say("Attributes that go together among the linked records:")
    head = ["A", "B", "correlation", ""]
    rows = [
        [
            one["mine"],
            one["release"],
            f"{one['correlation']:.2f}",
            "turned" if one["correlation"] < 0 else "",
        ]
        for one in pairs[:LISTED]
    ]
    print_table(head, rows, numbers=["correlation"])
    if len(pairs) > LISTED:
        say(f"and {len(pairs) - LISTED:,} weaker ones (--json has them all)")
    say()


def _how_sure(linkage: Linkage) -> str:
    sure, risk = linkage.sure, linkage.risk
    right = "" if risk is None else f" By the truth, {risk.expected:,.1f} of {risk.n:,} are right."
    if sure is None:
        return (
            "Not proven: these links were not compared with those of files that share nobody "
            f"(--method auto does that).{right}"
        )
    if sure < PROVEN:
        return (
            f"Not proven: the attack is {sure:.0%} sure that it found more than it finds in files "
            f"that share nobody.{right}"
        )
    confidence = "more than 99.9%" if sure > 0.999 else f"{sure:.1%}"
    return f"The attack is {confidence} sure that this is more than chance."


def _print_claims(linkage: Linkage) -> None:
    if linkage.details.get("guess"):
        say("That is a guess: nothing speaks for single links, and none is claimed.")
    elif linkage.expected is None:
        say(
            f"{linkage.attack} says which candidate is better, not how likely it is: pairs have no "
            "probability, and none is claimed. --matching posterior gives every attack "
            "probabilities."
        )
    else:
        say(
            f"Claimed, each right with more than {linkage.confidence:.3g}: {linkage.claimed:,} of "
            f"{count(linkage.records, 'record')}; the other {linkage.unlinked:,} stay unlinked."
        )
        say(f"Of the best links of all, {linkage.expected:,.1f} are expected to be right.")
    if linkage.common and linkage.expected is not None:
        say("Probabilities take it for granted that who is in A is in B, as far as B has room.")
    if linkage.tied or linkage.without:
        say(f"{linkage.tied:,} have several best candidates, {linkage.without:,} none.")


def _print_truth(linkage: Linkage) -> None:
    if linkage.risk is None:
        say("How many links are right can be counted with --truth.")
        return
    from unveil.reports.headline import risk_sentence

    say()
    say(f"By the truth, {risk_sentence(linkage.risk, linkage.risk.attack)}.")
    if linkage.risk.absent:
        say(f"{count(linkage.risk.absent, 'record')} of A are not in B, and are not counted there.")
    if linkage.right is not None and linkage.claimed:
        say(
            f"Of the {linkage.claimed:,} that are claimed, {linkage.right:,.1f} are right "
            f"({linkage.right / linkage.claimed:.1%})."
        )
