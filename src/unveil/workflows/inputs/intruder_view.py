"""What an intruder has in hand: which records, which columns, which blocks."""

from typing import Any

import numpy as np

from unveil.attacks import Attack, Pairs, Position
from unveil.attacks.blocking import RecordBlocks, block_records
from unveil.errors import DataError, SchemaError, SpecError, UsageError
from unveil.support.arrays import Ints
from unveil.support.options import part_of
from unveil.support.seeds import stream
from unveil.table.encoding.shared_attributes import common_level
from unveil.table.microdata import Microdata
from unveil.table.row_identity import content_order, sample_rows
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.wording import absent_column, count, listing
from unveil.workflows.inputs.sources import as_microdata


def as_others(source: Any, schema: Schema | None) -> Microdata:
    """A file that may lack columns that the original has."""
    if isinstance(source, Microdata):
        return source
    return as_microdata(source, None if schema is None else schema.where_there())


def drawn_rows(
    intruder: Intruder, mine: Microdata, released: Microdata, pairs: Ints | None, seed: int
) -> Ints | None:
    """The rows that the intruder has; None for all."""
    if intruder.has_all or intruder.has_file:
        return None
    n = len(mine)
    if isinstance(intruder.records, tuple):
        rows = np.array(intruder.records)
        if rows.max() >= n:
            raise UsageError(f"intruder: records: rows of the original go from 0 to {n - 1}")
        return rows
    share = isinstance(intruder.records, float)
    many = max(1, part_of(n, intruder.records)) if share else intruder.records
    if many > n:
        raise UsageError(
            f"intruder: records: {count(many, 'record')} of an original that has {n:,}"
        )
    places = content_order(mine, released, pairs)
    return sample_rows(places, many, stream(seed, "intruder", "records"))


def compared_columns(
    spec: Attack, mine: Microdata, released: Microdata, intruder: Intruder
) -> tuple[str, ...]:
    """The columns that are compared: known to the intruder, and in both files."""
    if isinstance(spec, Position | Pairs):
        if intruder.knows is not None:
            raise SpecError(f"{spec.name}: this attack looks at no attribute: leave out knows")
        return ()
    common = [
        name
        for name in mine.columns
        if name in released.columns and "identifier" not in mine.schema[name].role
    ]
    if not common:
        raise DataError(
            "the two files have no attribute in common, so there is nothing to compare; files "
            "that share none are linked by `unveil link`"
        )
    if intruder.knows is None:
        quasi = [name for name in common if "quasi" in mine.schema[name].role]
        columns = [name for name in quasi if name not in intruder.blocks]
        if not columns:
            raise SchemaError(
                "no attribute of both files is a quasi-identifier (beside those of the blocks): "
                "declare roles in the schema, or say what the intruder knows, of: "
                f"{listing(common)}"
            )
    else:
        columns = [name for name in intruder.knows if name not in intruder.blocks]
        for name in columns:
            _check_known(name, mine, released)
        if not columns:
            raise SpecError("intruder: knows: name at least one attribute beside the blocks")
    for name in columns:
        common_level(mine, released, name)
    return tuple(columns)


UNUSED = {"identifier", "weight", "household", "stratum"}  # roles that say nothing of a person


def columns_apart(
    mine: Microdata, released: Microdata, intruder: Intruder
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of each file where they are compared though no name is the same.

    The intruder's are those that are known; if that is not said, the quasi-identifiers that the
    release lacks, or all that it lacks where there are none. The release's are the others.
    """
    if intruder.knows is None:
        lacking = [name for name in told_of(mine) if name not in released.columns]
        quasi = [name for name in lacking if "quasi" in mine.schema[name].role]
        own = [name for name in quasi or lacking if name not in intruder.blocks]
    else:
        own = [name for name in intruder.knows if name not in intruder.blocks]
        for name in own:
            if name not in mine.columns:
                raise DataError(
                    f"intruder: in the intruder's records, {absent_column(name, mine.columns)}"
                )
            check_no_identifier(name, mine)
    not_used = {*own, *intruder.blocks, *(mine.columns if intruder.knows is None else ())}
    others = [name for name in told_of(released) if name not in not_used]
    if not own or not others:
        raise DataError(
            "structural: each file needs attributes that the other lacks; these share "
            f"{listing(name for name in mine.columns if name in released.columns) or 'none'}: say "
            "what the intruder knows, and the release's other attributes are set against it; or "
            "choose an attack that compares what both have"
        )
    return tuple(own), tuple(others)


def told_of(data: Microdata) -> list[str]:
    """The columns that say something of a person."""
    return [name for name in data.columns if not UNUSED & data.schema[name].role]


def known_blocks(mine: Microdata, released: Microdata, intruder: Intruder) -> RecordBlocks:
    """The blocks in which records are compared; one for all, if the intruder knows of none."""
    for name in intruder.blocks:
        _check_known(name, mine, released)
        if any(data.schema[name].generalised for data in (mine, released)):
            raise SchemaError(
                f"intruder: blocks: column '{name}' is generalised, so it is not unmasked"
            )
    return block_records(mine, released, intruder.blocks)


def _check_known(name: str, mine: Microdata, released: Microdata) -> None:
    for data, whose in ((mine, "intruder's records"), (released, "release")):
        if name not in data.columns:
            raise DataError(f"intruder: in the {whose}, {absent_column(name, data.columns)}")
    check_no_identifier(name, mine)


def check_no_identifier(name: str, mine: Microdata) -> None:
    """An identifier is no knowledge."""
    if "identifier" in mine.schema[name].role:
        raise SpecError(
            f"intruder: column '{name}' is an identifier: it says who is who, and is no knowledge "
            "to link by; it can be the truth"
        )
