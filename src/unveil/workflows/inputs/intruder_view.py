"""An intruder's view: records, columns, blocks."""

from typing import Any

import numpy as np

from unveil.attacks.base import Attack
from unveil.attacks.blocking import RecordBlocks, block_records
from unveil.errors import DataError, SchemaError, SpecError, UsageError
from unveil.support.arrays import Ints
from unveil.support.options import part_of
from unveil.support.seeds import stream
from unveil.table.encoding.shared_attributes import common_level, has_mixed_levels
from unveil.table.microdata import Microdata
from unveil.table.row_identity import sample_rows
from unveil.table.schema import Schema
from unveil.values.block_keys import block_columns
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.wording import absent_column, count, listing
from unveil.workflows.inputs.sources import as_microdata

UNUSED = {"identifier", "weight", "household", "stratum"}  # roles that do not describe a person


def table_of(source: Any, schema: Schema | None) -> Microdata:
    """A file that may lack columns of the original."""
    if isinstance(source, Microdata):
        return source
    return as_microdata(source, None if schema is None else schema.where_there())


def personal_attributes(data: Microdata) -> list[str]:
    """The columns that describe a person."""
    return [name for name in data.columns if not UNUSED & data.schema[name].role]


def held_rows(intruder: Intruder, pair: FilePair, seed: int) -> Ints | None:
    """The rows that the intruder holds; None for all."""
    if intruder.has_all or intruder.has_file:
        return None
    n = len(pair.original)
    if isinstance(intruder.records, tuple):
        rows = np.array(intruder.records)
        if rows.max() >= n:
            raise UsageError(f"intruder: records: rows of the original go from 0 to {n - 1}")
        return rows
    share = isinstance(intruder.records, float)
    size = max(1, part_of(n, intruder.records)) if share else intruder.records
    if size > n:
        raise UsageError(
            f"intruder: records: {count(size, 'record')} requested of an original with {n:,}; "
            f"give at most {n:,}"
        )
    return sample_rows(pair.original_order, size, stream(seed, "intruder", "records"))


def compared_columns(
    spec: Attack, records: Microdata, released: Microdata, intruder: Intruder
) -> tuple[str, ...]:
    """The columns that are compared: known to the intruder, and in both files."""
    if not spec.compares_attributes:
        if intruder.knows is not None:
            raise SpecError(f"{spec.name}: this attack compares no attributes; leave out knows")
        return ()
    common = [
        name
        for name in records.columns
        if name in released.columns and "identifier" not in records.schema[name].role
    ]
    if not common:
        raise DataError(
            "the two files have no attribute in common, so nothing can be compared; `unveil "
            "link` links such files"
        )
    if intruder.knows is None:
        quasi = [name for name in common if "quasi" in records.schema[name].role]
        columns = [name for name in quasi if name not in intruder.blocks]
        if not columns:
            raise SchemaError(
                "no common attribute is a quasi-identifier (except the blocks); declare roles "
                f"in the schema, or name known attributes among {listing(common)}"
            )
    else:
        columns = [name for name in intruder.knows if name not in intruder.blocks]
        for name in columns:
            _check_known(name, records, released)
        if not columns:
            raise SpecError("intruder: knows: name at least one attribute beside the blocks")
    for name in columns:
        if not (spec.compares_mixed_levels and has_mixed_levels(records, released, name)):
            common_level(records, released, name)
    return tuple(columns)


def disjoint_columns(
    attack: str, records: Microdata, released: Microdata, intruder: Intruder
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of each file where no attribute is common.

    The intruder's are those that are known; by default the quasi-identifiers that the release
    lacks, or all that it lacks if there are none. The release's are the others.
    """
    if intruder.knows is None:
        lacking = [name for name in personal_attributes(records) if name not in released.columns]
        quasi = [name for name in lacking if "quasi" in records.schema[name].role]
        known = [name for name in quasi or lacking if name not in intruder.blocks]
    else:
        known = [name for name in intruder.knows if name not in intruder.blocks]
        for name in known:
            _check_known(name, records)
    not_used = {*known, *intruder.blocks, *(records.columns if intruder.knows is None else ())}
    others = [name for name in personal_attributes(released) if name not in not_used]
    if not known or not others:
        raise DataError(
            f"{attack}: each file needs attributes that the other lacks; name the known "
            "attributes (knows), or choose an attack on common attributes, which are "
            f"{listing(name for name in records.columns if name in released.columns) or 'none'}"
        )
    return tuple(known), tuple(others)


def known_blocks(records: Microdata, released: Microdata, intruder: Intruder) -> RecordBlocks:
    """The blocks in which records are compared; a single one if the intruder knows none."""
    for name in block_columns(intruder.blocks, released.columns):
        _check_known(name, records, released)
        if any(data.schema[name].generalised for data in (records, released)):
            raise SchemaError(
                f"intruder: blocks: column '{name}' is generalised, and blocks need unmasked "
                "columns; leave it out"
            )
    return block_records(records, released, intruder.blocks)


def _check_known(name: str, records: Microdata, released: Microdata | None = None) -> None:
    for data, owner in ((records, "intruder's records"), (released, "release")):
        if data is not None and name not in data.columns:
            raise DataError(f"intruder: in the {owner}, {absent_column(name, data.columns)}")
    check_no_identifier(name, records)


def check_no_identifier(name: str, records: Microdata) -> None:
    """Refuse an identifier among what is known."""
    if "identifier" in records.schema[name].role:
        raise SpecError(
            f"intruder: column '{name}' is an identifier, which cannot be known; use it as the "
            "truth"
        )
