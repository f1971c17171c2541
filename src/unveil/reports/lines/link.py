"""The result of linking two files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from unveil.files.locations import locate
from unveil.reports.content import Line, TextTable
from unveil.reports.headline import chance_sentence, risk_sentence, tenths
from unveil.reports.sections.attacks import dependence_phrase
from unveil.support.phrases import percent, plain
from unveil.values.results.linking import PROVEN, Linkage
from unveil.wording import count, listing

LISTED = 20  # pairs of corresponding columns


def linkage_lines(linkage: Linkage, first: str | Path, second: str | Path) -> Iterator[Line]:
    """Say the result of linking two files."""
    yield (
        f"{linkage.attack}: {count(linkage.records, 'record')} of {first}, "
        f"{count(linkage.candidates, 'candidate')} in {second}"
    )
    if linkage.common:
        yield f"Compared (common attributes): {listing(linkage.mine)}."
    elif linkage.mine:
        yield (
            f"No common attribute is compared. Structural linkage uses {listing(linkage.mine)} "
            f"of {first} and {listing(linkage.release)} of {second}."
        )
    if linkage.blocks:
        yield f"Blocks: records are compared only where equal in {listing(linkage.blocks)}."
    for name, reason in linkage.left_out.items():
        yield f"Left out: {name}, because it {reason}."
    for name in linkage.like_identifiers:
        yield (
            f"No two records agree in {name}. If it is an identifier, declare it in a schema or "
            "name it by --truth; then it is not compared."
        )
    if locate(first).key == locate(second).key:
        yield "A and B are the same file."
    yield ""
    if "evidence" in linkage.details:
        yield from _structure_lines(linkage)
    yield from _claims_lines(linkage)
    if "dependence" in linkage.details:
        yield f"Dependence: {plain(dependence_phrase(linkage.details))}"
    yield from _truth_lines(linkage)


def _structure_lines(linkage: Linkage) -> Iterator[Line]:
    details = linkage.details
    yield f"Linked by: {details['method']}. {_how_sure(linkage)}"
    yield ""
    if details["evidence"]:
        head = ["method", "likelihood", "no common people", "spread", "at most", "files"]
        figures = ("likelihood", "control", "spread", "most")
        rows = [
            [
                one["method"],
                *("-" if one[name] is None else f"{one[name]:,.4g}" for name in figures),
                f"{one['controls']:,}",
            ]
            for one in details["evidence"]
        ]
        yield TextTable(head, rows, numbers=head[1:])
        yield ""
    if details["shared"] is not None:
        yield f"Estimated share of A with a partner in B: {percent(details['shared'])}."
        yield ""
    if details["correspondence"]:
        yield from _correspondence_lines(details["correspondence"])


def _correspondence_lines(pairs: Sequence[dict[str, Any]]) -> Iterator[Line]:
    yield "Attributes that correspond among the linked records:"
    head = ["A", "B", "correlation", ""]
    rows = [
        [
            one["mine"],
            one["release"],
            f"{one['correlation']:.2f}",
            "reversed" if one["correlation"] < 0 else "",
        ]
        for one in pairs[:LISTED]
    ]
    yield TextTable(head, rows, numbers=["correlation"])
    if len(pairs) > LISTED:
        yield f"and {len(pairs) - LISTED:,} weaker ones (--json prints all)"
    yield ""


def _how_sure(linkage: Linkage) -> str:
    sure, risk = linkage.sure, linkage.risk
    right = (
        ""
        if risk is None
        else f" By the truth, {tenths(risk.expected)} of {risk.n:,} links are correct."
    )
    if sure is None:
        return (
            "Not proven: these links were not compared with those of files without common "
            f"people (--method auto does that).{right}"
        )
    if sure < PROVEN:
        return (
            "Not proven: the result differs from that of files without common people with a "
            f"confidence of {percent(sure)} only.{right}"
        )
    confidence = "over 99.9 %" if sure > 0.999 else percent(sure)
    return f"These links are more than chance, with a confidence of {confidence}."


def _claims_lines(linkage: Linkage) -> Iterator[Line]:
    if linkage.details.get("guess"):
        yield "These links are guesses: there is no evidence for single links, so none is claimed."
    elif linkage.expected is None:
        yield (
            f"{linkage.attack} ranks candidates without probabilities, so no link is claimed. "
            "--matching posterior gives every attack probabilities."
        )
    else:
        yield (
            f"Claimed (probability above {linkage.confidence:.3g}): {linkage.claimed:,} of "
            f"{count(linkage.records, 'record')}; {linkage.unlinked:,} stay unlinked."
        )
        yield (
            "If every record is linked to its best candidate, "
            f"{tenths(linkage.expected)} links are expected to be correct."
        )
    if linkage.common and linkage.expected is not None:
        yield (
            "The probabilities assume that everybody in A is also in B, as far as B is large "
            "enough."
        )
    if linkage.tied or linkage.without:
        yield f"{linkage.tied:,} records have several best candidates, {linkage.without:,} none."


def _truth_lines(linkage: Linkage) -> Iterator[Line]:
    if linkage.risk is None:
        yield "Give --truth to count the correct links."
        return
    yield ""
    yield f"By the truth, {risk_sentence(linkage.risk, linkage.risk.attack)}."
    if not linkage.risk.supervised:  # whose correct links are not by chance
        yield chance_sentence(linkage.risk)
    if linkage.risk.absent:
        yield f"{count(linkage.risk.absent, 'record')} of A without a record in B: not counted."
    if linkage.right is not None and linkage.claimed:
        yield (
            f"{tenths(linkage.right)} of the {linkage.claimed:,} claimed links are "
            f"correct ({percent(linkage.right / linkage.claimed)})."
        )
