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
from unveil.workflows.inputs.pseudonyms import are_pseudonyms
from unveil.workflows.inputs.scenario import Scenario


def identifiers_in(people: Microdata, released: Microdata) -> tuple[str, ...]:
    """The identifiers, by either schema, that a release still has; pseudonyms are none."""
    named = {n for data in (people, released) for n in data.schema.with_role("identifier")}
    return tuple(
        name
        for name in released.columns
        if name in named and not are_pseudonyms(people, released, name)
    )


def doubts(pair: FilePair, seed: int) -> Iterator[str]:
    """Doubts about the numbers, as sentences without a full stop."""
    people, released = pair.original, pair.release
    secret = {"identifier", "household"}  # left out on purpose
    gone = [
        name
        for name in people.columns
        if name not in released.columns and not people.schema[name].role & secret
    ]
    if gone:
        yield f"the release lacks {listing(gone)}; no loss measure counts this"
    new = [n for n in released.schema.with_role("quasi") if n not in people.columns]
    if new:
        yield f"{listing(new)}: quasi-identifiers of the release only; no attack could use them"
    hashed = [n for n in people.schema.with_role("identifier") if n in released.columns]
    hashed = [name for name in hashed if are_pseudonyms(people, released, name)]
    if hashed:
        yield (
            f"{listing(hashed)}: pseudonyms in place of identifiers, which no attack uses; "
            "releases under the same key can be joined by them"
        )
    if pair.truth is None:
        return
    nobodys = int((pair.truth.record_of_row < 0).sum())
    if nobodys:
        yield (
            f"{count(nobodys, 'released row')} of {len(pair.release):,} have no original record "
            "according to the truth: not counted"
        )
    if related(pair, seed=seed) is False:
        yield (
            "released values are unrelated to the originals that the truth pairs them with. "
            "Either the masking left no information, or the truth belongs to other files and "
            "every risk here is wrong"
        )


def check_columns(people: Microdata, released: Microdata) -> list[str]:
    """Refuse columns of another type than in the original; note columns that may be renamed."""
    other = [name for name in released.columns if name not in people.columns]
    retyped = [
        name
        for name in people.columns
        if name in released.columns
        and not released.schema[name].generalised
        and ("identifier" not in people.schema[name].role or not released.schema[name].role)
        and not same_type(people, released, name)
    ]
    if retyped:
        kinds = listing(
            f"{name} ({_stored(people, name)}, now {_stored(released, name)})" for name in retyped
        )
        raise SchemaError(
            f"the type of columns differs between original and release: {kinds}"
            f"{released.schema[retyped[0]].doubt}; correct the "
            f"cells, name renamed columns (--rename NEW=OLD){_suggested(retyped, other)}, or "
            "give the release's own schema with generalised = true"
        )
    gone = [
        name
        for name in people.schema.with_role("quasi")
        if name in people.columns and name not in released.columns
    ]
    if not (gone and other):
        return []
    note = (
        f"the release lacks {listing(gone)} and has the additional columns {listing(other)}; if "
        f"a column was renamed, give --rename NEW=OLD{_suggested(gone, other)}"
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
            "the true links are not known, so hits cannot be counted; give truth= (--truth): an "
            "identifier of both files, a row map, 'row-order' if both files have the same row "
            "order, or 'none' if every row is synthetic"
        )
    if known is None:
        return
    nobodys = len(known.record_of_row) - len(known.rows)
    if not len(known.rows):
        raise DataError(
            "by this truth no released row comes from the original; give the truth of these "
            "files, or truth='none' (--truth none) if every row is synthetic"
        )
    if nobodys and isinstance(truth, str) and truth in scenario.original.columns:
        raise DataError(
            f"column '{truth}': {count(nobodys, 'released row')} with identifiers that the "
            "original lacks; check the original, or, for added rows, give a row map with a "
            "blank original (--truth MAP)"
        )
