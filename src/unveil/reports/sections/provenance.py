"""Provenance: the plan of the masking, and the inputs, seed and versions of the audit."""

from collections.abc import Iterator
from typing import Any

from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import mask_key
from unveil.reports.sections.knowledge import remasking_sentence
from unveil.reports.tables import Row, Table, counts, figures, labels, tabulate, text
from unveil.support.phrases import Phrase, Piece, Term, as_given, counted, name, names, phrase
from unveil.values.results.evidence import Evidence

NOT_PARAMETERS = ("method", "columns", "name")


def plan(evidence: Evidence, *, external: bool = False) -> Section:
    """How the release was masked, as far as it is told."""
    if evidence.plan is None:
        no_plan = phrase("No plan was given, so the masking method is not known.")
        return Section(key="plan", title="How the release was masked", paragraphs=(no_plan,))
    said = [phrase("The masking steps. Method-aware attacks know them.")]
    if evidence.remasking is not None:
        said.append(remasking_sentence(evidence.remasking, evidence))
    if not external and isinstance(evidence.plan.get("seed"), int):
        said.append(
            phrase("The seed of the plan is {}: keep it private.", as_given(evidence.plan["seed"]))
        )
    return Section(
        key="plan",
        title="How the release was masked",
        paragraphs=tuple(said),
        exhibits=(steps(evidence.plan.get("mask", []), external=external),),
    )


def steps(masks: list[dict[str, Any]], *, external: bool = False) -> Exhibit:
    """The steps of a plan as a table; an external page omits their columns and parameters."""
    columns = (
        figures("step", "step"),
        text("method", "method"),
        text("columns", "columns"),
        text("parameters", "parameters"),
    )
    rows = list[Row]()
    for step, mask in enumerate(masks, start=1):
        method, on = str(mask.get("method")), mask.get("columns")
        masked = names(map(str, on)) if isinstance(on, list | tuple) else "all suitable columns"
        rows.append((counted(step), Term(method, mask_key(method)), masked, _parameters(mask)))
    table = Table(columns, tuple(rows))
    if external:  # what to expect of a cell, and which columns stayed as they were
        table = table.without("columns", "parameters")
    return Exhibit(name="plan", title="The plan, step by step", table=table)


def _parameters(mask: dict[str, Any]) -> Phrase:
    pieces: list[Piece] = []
    for key, value in sorted(mask.items()):  # as in the file of the evidence
        if key in NOT_PARAMETERS:
            continue
        pieces += [", " if pieces else "", f"{key.replace('_', ' ')} "]
        pieces += parameter(value)
    return tuple(piece for piece in pieces if piece != "")


def parameter(value: Any) -> Phrase:
    """The value of a parameter of a mask."""
    if isinstance(value, bool):
        return ("yes" if value else "no",)
    if isinstance(value, int | float):
        return (as_given(value),)
    if isinstance(value, str):
        return (name(value),)
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return names(value)
    return ("as in the plan",)


def provenance(evidence: Evidence) -> Section:
    """The files, the seed and the versions that a replay needs."""
    table = tabulate(
        sorted(evidence.inputs.items()),
        (text("input", "input"), lambda row: row[0]),
        (
            text("file", "file"),
            lambda row: "a table in memory" if row[1].file is None else name(row[1].file),
        ),
        counts("records", "records", lambda row: row[1].records),
        labels("sha256", "SHA-256", lambda row: row[1].sha256),
    )
    software = names(f"{key} {value}" for key, value in sorted(evidence.software.items()))
    return Section(
        key="made",
        title="Files, seed and versions",
        paragraphs=(
            phrase(
                "The seed of the audit is {}. The same files, settings and versions give the same "
                "numbers; `unveil audit --replay` checks this.",
                as_given(evidence.seed),
            ),
            phrase("{}.", software),
            *_plugins(evidence),
        ),
        exhibits=(Exhibit(name="inputs", title="Input files", table=table),),
    )


def _plugins(evidence: Evidence) -> Iterator[Phrase]:
    """The methods of other packages."""
    for one in evidence.plugins:
        package = name(f"{one.package} {one.version}".strip())
        yield phrase("Plug-in: {} ({}) from {}.", name(one.name), name(one.kind), package)
