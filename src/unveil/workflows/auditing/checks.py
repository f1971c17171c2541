"""Consistency of the two files of an audit: refused if they cannot be audited, else noted."""

import logging
from collections.abc import Iterator
from typing import Any

from unveil.errors import DataError, SchemaError
from unveil.measures.disclosure.pair_dependence import related
from unveil.table.columns import stored_as
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.release.release import Release
from unveil.wording import count, listing, suggest
from unveil.workflows.inputs.scenario import Scenario


def identifiers_in(people: Microdata, released: Microdata) -> tuple[str, ...]:
    """The identifiers, by either schema, that a release still has."""
    named = {n for data in (people, released) for n in data.schema.with_role("identifier")}
    return tuple(name for name in released.columns if name in named)


def doubts(pair: FilePair, seed: int) -> Iterator[str]:
    """What puts the numbers in doubt, as sentences without a full stop."""
    people, released = pair.original, pair.release
    secret = {"identifier", "household"}  # left out on purpose
    gone = [
        name
        for name in people.columns
        if name not in released.columns and not people.schema[name].role & secret
    ]
    if gone:
        yield f"the release lacks {listing(gone)}: that loss is in no measure of loss"
    new = [n for n in released.schema.with_role("quasi") if n not in people.columns]
    if new:
        yield f"{listing(new)}: quasi-identifiers of the release only, which no attack could use"
    if pair.truth is None:
        return
    nobodys = int((pair.truth.record_of_row < 0).sum())
    if nobodys:
        yield (
            f"{count(nobodys, 'released row')} of {len(pair.release):,} are nobody's, as the truth "
            "says: they were not counted"
        )
    if related(pair, seed=seed) is False:
        yield (
            "released values have nothing to do with the originals that the truth pairs them with: "
            "either the masking left nothing, or the truth is that of other files, and then no "
            "risk is told rightly"
        )


def check_columns(people: Microdata, released: Microdata) -> list[str]:
    """Refuse columns of another type than in the original; note columns that may be renamed."""
    other = [name for name in released.columns if name not in people.columns]
    retyped = [
        name
        for name in people.columns
        if name in released.columns
        and not released.schema[name].generalised
        and not same_type(people, released, name)
    ]
    if retyped:
        kinds = listing(
            f"{name} ({_stored(people, name)}, now {_stored(released, name)})" for name in retyped
        )
        raise SchemaError(
            f"the type of columns differs between original and release: {kinds}; correct the "
            f"cells, name renamed columns (--rename NEW=OLD){_suggested(retyped, other)}, or "
            "give the release's own schema (generalised = true for ranges and sets)"
        )
    gone = [
        name
        for name in people.schema.with_role("quasi")
        if name in people.columns and name not in released.columns
    ]
    if not (gone and other):
        return []
    note = (
        f"the release lacks {listing(gone)}, and has {listing(other)}, which the original has "
        f"not: if these are the same under other names, say so by rename (--rename NEW=OLD)"
        f"{_suggested(gone, other)}"
    )
    logging.getLogger("unveil").warning("%s", note)
    return [note]


def _stored(data: Microdata, name: str) -> str:
    """How a column is stored, as far as comparisons are concerned."""
    if (data.schema[name].level or "numeric") != "numeric":
        return "categories"
    if data.column(name).null_count() == len(data):
        return "nothing"
    kind = stored_as(data.column(name))
    return "numbers" if kind == "whole numbers" else kind  # 3 and 3.0 are one number


def same_type(people: Microdata, released: Microdata, name: str) -> bool:
    """Whether a column is of the same type in both files; an empty one is of any type.

    A column that one schema declares as categories, and the other does not declare, is categorical.
    """
    levels = {data.schema[name].level for data in (people, released)}
    kinds = {_stored(data, name) for data in (people, released)}
    categories = levels <= {"nominal", "ordinal", None} and levels != {None}
    return categories or len(kinds) == 1 or "nothing" in kinds or kinds == {"dates", "times"}


def _suggested(wanted: list[str], names: list[str]) -> str:
    """Suggested pairs of similar names, to end a clause with."""
    near = {old: suggest(old, names) for old in wanted}
    pairs = [f"{text.split(chr(39))[1]}={old}" for old, text in near.items() if text]
    return f", perhaps {listing(pairs)}" if pairs else ""


def check_truth(scenario: Scenario, release: Any, truth: Any) -> None:
    """Refuse files without the truth, or with the truth of other files."""
    known = scenario.pair.truth
    synthetic = isinstance(release, Release) and release.row_map is None
    if known is None and not (synthetic and truth is None):
        raise DataError(
            "it is not known which released row is whose, so nothing can be counted: give truth= "
            "(--truth): an identifier that both files have, the file of a row map, 'row-order' "
            "where the rows of both stand in the same order, or 'none' if every row is made up"
        )
    if known is None:
        return
    nobodys = len(known.record_of_row) - len(known.rows)
    if not len(known.rows):
        raise DataError(
            "no released row comes from any record of the original: is the truth of these files? "
            "If every row is made up, give truth='none' (--truth none)"
        )
    if nobodys and isinstance(truth, str) and truth in scenario.original.columns:
        raise DataError(
            f"column '{truth}': the identifiers of {count(nobodys, 'released row')} are not in the "
            "original: is this the original of the release? If they were added on "
            "purpose, give a row map that says so (--truth MAP, original blank for them)"
        )
