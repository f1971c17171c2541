"""One column of two files as codes of its different texts, and the pairs of similar texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.attacks.base import LinkageFiles
from unveil.attacks.blocking import block_records
from unveil.attacks.comparators.comparison import TextComparison
from unveil.attacks.comparators.scores import listed_scores
from unveil.attacks.comparators.text_keys import DATE_FORMS, date_parts, folded
from unveil.engines.code_pairs import CodePairs
from unveil.errors import DataError, SchemaError
from unveil.support.arrays import Floats, Ints
from unveil.table.columns import first_row, labels_of, stored_as, values_of
from unveil.table.encoding.to_arrays import code_numbers
from unveil.table.microdata import Microdata
from unveil.wording import count

MOST_COMPARED = 2 * 10**9  # pairs of texts whose similarity is computed
MOST_LISTED = 5 * 10**7  # pairs that are alike, all of which are kept
LONGEST = 1000  # characters of a text
SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, repr=False, eq=False)
class TextColumn:
    """A column of all files as codes, NaN where it is missing."""

    texts: tuple[str, ...]  # the different ones, sorted, so that the row order does not matter
    intruder: Floats
    reference: Floats
    released: Floats


def text_column(files: LinkageFiles, column: str, comparison: TextComparison) -> TextColumn:
    """The texts of a column; an empty one is missing.

    Numbers and dates are texts as they are written.
    """
    _refuse_generalised(files, column)
    sides = [labels_of(data.column(column)) for data, _ in _named_sides(files)]
    plain = {label: folded(label) for side in sides for label in side.drop_nulls().unique()}
    for side, (_, name) in zip(sides, _named_sides(files), strict=True):
        _refuse(side.str.len_chars() > LONGEST, column, name, f"longer than {LONGEST:,} characters")
        if comparison.by == "parts":
            wrong = [raw for raw, text in plain.items() if text and date_parts(text) is None]
            _refuse(side.is_in(wrong), column, name, f"no date; write dates {DATE_FORMS}")
    texts = tuple(sorted({text for text in plain.values() if text}))
    code = {text: at for at, text in enumerate(texts)}
    codes = [
        side.replace_strict(
            list(plain), [code.get(text, -1) for text in plain.values()], return_dtype=pl.Int64
        )
        for side in sides
    ]
    return TextColumn(texts, *(code_numbers(one.fill_null(-1).to_numpy()) for one in codes))


def day_numbers(files: LinkageFiles, column: str) -> tuple[Floats, Floats, Floats]:
    """The dates of a column of intruder, reference and release as days; NaN is missing."""
    _refuse_generalised(files, column)
    intruder, reference, released = (
        (data.column(column), name) for data, name in _named_sides(files)
    )
    reference_days = _days(*reference, column)
    intruder_days = _days(*intruder, column) if files.links_strangers else reference_days
    return intruder_days, reference_days, _days(*released, column)


def _named_sides(files: LinkageFiles) -> tuple[tuple[Microdata, str], ...]:
    """The intruder's, the reference and the released records, with the names of their files."""
    name = "intruder's records" if files.links_strangers else "original"
    return (
        (files.intruder_records, name),
        (files.reference, "original"),
        (files.release, "release"),
    )


def _days(cells: pl.Series, file: str, column: str) -> Floats:
    if stored_as(cells) in ("dates", "times"):
        days: Floats = values_of(cells).to_numpy()
        return days if stored_as(cells) == "dates" else np.floor(days / SECONDS_PER_DAY)
    text = labels_of(cells).str.strip_chars()
    text = text.set(text == "", None)
    read = pl.select(
        pl.coalesce(*(pl.lit(text).str.to_date(form, strict=False) for form in _DATE_FORMATS))
    ).to_series()
    wrong = read.is_null() & text.is_not_null()
    remedy = f"no date; write dates {DATE_FORMS}, and empty what is unknown"
    if all(date_parts(one) is not None for one in text.filter(wrong).unique()):
        remedy += ", or compare by parts"
    _refuse(wrong, column, file, remedy)
    found: Floats = values_of(read).to_numpy()
    return found


_DATE_FORMATS = ("%Y-%m-%d", "%Y%m%d")


def _refuse_generalised(files: LinkageFiles, column: str) -> None:
    if files.generalised(column):
        raise SchemaError(
            f"comparisons: column '{column}' is generalised, and ranges and sets are no texts; "
            "leave it out of the comparisons"
        )


def _refuse(wrong: pl.Series, column: str, file: str, fault: str) -> None:
    """Refuse cells by their number and the row of the first."""
    wrong = wrong.fill_null(False)
    if wrong.any():
        raise DataError(
            f"comparisons: column '{column}' of the {file} has {count(int(wrong.sum()), 'cell')}, "
            f"the first in row {first_row(wrong):,}: {fault}"
        )


def similar_pairs(
    files: LinkageFiles, column: str, texts: TextColumn, comparison: TextComparison
) -> CodePairs:
    """The scores of all pairs of texts that reach the last level and may be compared.

    These are the pairs of texts of which an intruder's or reference record and a released row are
    in one block; without blocks all pairs.
    """
    blocks = list(_text_blocks(files, texts))
    compared = sum(len(a) * len(b) for a, b in blocks)
    if compared > MOST_COMPARED:
        many = f"{compared:,} pairs of different texts to compare, at most {MOST_COMPARED:,}"
        raise SchemaError(
            f"comparisons: column '{column}' has {many}; compare records inside blocks "
            f"(blocks: '{column}:soundex', or another column)"
        )
    n, listed = len(texts.texts), 0
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for a, b in blocks:
        left, right = ([texts.texts[code] for code in side.tolist()] for side in (a, b))
        found = listed_scores(comparison, left, right)
        listed += len(found.score)
        if listed > MOST_LISTED:
            raise SchemaError(
                f"comparisons: column '{column}' has more than {MOST_LISTED:,} pairs of texts that "
                "reach the last level; leave that level out, or compare records inside blocks"
            )
        parts.append((a[found.first], b[found.second], found.score))
    first, second, score = map(np.concatenate, zip(*parts, strict=True))
    return CodePairs.of(first, second, score, n)


def _text_blocks(files: LinkageFiles, texts: TextColumn) -> Iterator[tuple[Ints, Ints]]:
    """The different texts of each block: the intruder's or reference, and the released."""
    sides = [(files.blocks, texts.intruder)]
    if files.links_strangers:
        own = block_records(files.reference, files.release, files.blocks.columns)
        sides.append((own, texts.reference))
    for blocks, codes in sides:
        for block in blocks.between.comparison_blocks(np.arange(len(codes))):
            pair = _present(codes[block.records]), _present(texts.released[block.candidates])
            if all(map(len, pair)):
                yield pair


def _present(codes: Floats) -> Ints:
    return np.unique(codes[~np.isnan(codes)]).astype(np.int64)
