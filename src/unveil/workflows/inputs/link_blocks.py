"""The blocks of a linkage of two files: columns of both, in which compared records are equal."""

from collections.abc import Sequence
from typing import Any

from unveil.errors import DataError, SpecError, UsageError
from unveil.values.block_keys import block_columns, split_block
from unveil.values.links import Links
from unveil.wording import absent_column, listing
from unveil.workflows.inputs.scenario import Scenario


def checked_blocks(blocks: Any) -> tuple[str, ...]:
    """The names of the blocking columns; a single name is one."""
    names = (blocks,) if isinstance(blocks, str) else tuple(blocks)
    if not all(isinstance(name, str) for name in names):
        raise UsageError("blocks: names of columns")
    return names


def check_blocks(scenario: Scenario, blocks: Sequence[str], knows: Sequence[str]) -> None:
    """Refuse a block that a file lacks, that is compared as well, or that states the truth."""
    if len(set(blocks)) < len(blocks):
        raise SpecError("blocks: a column is named twice")
    files = scenario.pair.original, scenario.pair.release
    for data, which in zip(files, ("first", "second"), strict=True):
        for name in block_columns(blocks, data.columns):
            if name not in data.columns:
                raise DataError(f"blocks: in the {which} file, {absent_column(name, data.columns)}")
    for block in blocks:
        name, key = split_block(block, files[1].columns)
        if name in knows and not key:
            raise SpecError(
                f"blocks: column '{name}' is also compared, and all records of a block are equal "
                "in it; leave it out of one of the two"
            )
        if name == scenario.truth or any("identifier" in data.schema[name].role for data in files):
            raise SpecError(
                f"blocks: column '{name}' states who is who; block by attributes that several "
                "people share"
            )


def check_candidates(links: Links) -> None:
    """Refuse blocks in which no record has a candidate."""
    blocks = links.intruder.blocks
    if blocks and not links.finder.n_candidates(links.records).any():
        raise DataError(
            f"blocks: no record of the first file equals one of the second in {listing(blocks)}, "
            "so nothing is compared; block by other columns, or check that both files write them "
            "alike"
        )
