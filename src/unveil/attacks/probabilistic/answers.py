"""Answers of a clerical review: which pairs are matches, read from a table by row numbers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.errors import DataError, SchemaError, UnveilError
from unveil.support.arrays import Bools, Floats, Ints
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.values.pair_table import ANSWER, PAIR_COLUMNS
from unveil.wording import count, listing

ANSWERS = {"yes": True, "no": False}
LEFT, RIGHT = PAIR_COLUMNS[:2]


class AnswerTable(NamedTuple):
    """The table of a review, and the name of its file (blank if it is not a file)."""

    name: str
    table: Microdata

    def pairs(self, files: LinkageFiles, *, one_each: bool) -> AnsweredPairs:
        """The answered pairs of these files; blank answers are left out."""
        try:
            return _read(self.table, files, one_each=one_each)
        except UnveilError as error:
            if self.name:
                error.at(self.name)
            raise


@dataclass(frozen=True, repr=False, eq=False)
class AnsweredPairs:
    """Pairs with an answer, as rows of the files; sorted and distinct."""

    rows: Ints  # pairs x 2: the intruder's record, and the released row
    match: Bools

    def __len__(self) -> int:
        return len(self.rows)

    def find(self, rows: Ints, released: int) -> tuple[Bools, Bools]:
        """Whether each pair of rows has an answer, and whether the answer is yes."""
        own, asked = (pairs[:, 0] * released + pairs[:, 1] for pairs in (self.rows, rows))
        if not len(own):
            return np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.bool_)
        at = np.minimum(np.searchsorted(own, asked), len(own) - 1)
        there = own[at] == asked
        return there, there & self.match[at]


def _read(table: Microdata, files: LinkageFiles, *, one_each: bool) -> AnsweredPairs:
    absent = [name for name in (LEFT, RIGHT, ANSWER) if name not in table.columns]
    if absent:
        raise DataError(
            f"answers: the table has columns {LEFT}, {RIGHT} and {ANSWER}, and {listing(absent)} "
            "is not there; write it with --review, and fill in the answers"
        )
    given = _answers(table)
    asked = np.flatnonzero(given >= 0)
    # Of strangers the reference records were reviewed.
    reference = np.arange(len(files.reference))
    held = reference if files.links_strangers else files.positions.intruder
    size = len(reference) if files.links_strangers else files.positions.file_size
    left = _rows(table, LEFT, asked, size, "original")
    right = _rows(table, RIGHT, asked, len(files.release), "release")
    place = np.full(size, -1)
    place[held] = np.arange(len(held))
    own = place[left]
    here = own >= 0  # the intruder may hold a part of the file
    rows, match, lines = np.column_stack([own, right])[here], given[asked][here] > 0, asked[here]
    _check_compared(files, rows, lines)
    order = np.lexsort((lines, rows[:, 1], rows[:, 0]))
    rows, match, lines = rows[order], match[order], lines[order]
    again = np.flatnonzero((np.diff(rows, axis=0) == 0).all(axis=1)) + 1
    opposed = again[match[again] != match[again - 1]]
    if len(opposed):
        raise DataError(
            f"answers: rows {lines[opposed[0] - 1] + 1:,} and {lines[opposed[0]] + 1:,} answer yes "
            "and no for the same pair; keep the right one"
        )
    once = np.setdiff1d(np.arange(len(rows)), again)
    found = AnsweredPairs(np.ascontiguousarray(rows[once]), match[once])
    _check_partners(found, lines[once], one_each=one_each)
    return found


def _answers(table: Microdata) -> Ints:
    """1 for yes, 0 for no, -1 for blank."""
    cells = table.column(ANSWER).to_list()
    words = ["" if cell is None else str(cell).strip().lower() for cell in cells]
    wrong = [place for place, word in enumerate(words) if word and word not in ANSWERS]
    if wrong:
        raise DataError(
            f"answers: {count(len(wrong), 'answer')} cannot be read, the first in row "
            f"{wrong[0] + 1:,}; write yes or no, or leave the cell blank"
        )
    return np.array([int(ANSWERS[word]) if word else -1 for word in words], np.int64)


def _rows(table: Microdata, column: str, asked: Ints, size: int, side: str) -> Ints:
    """The row of each answer, counted from 0."""
    try:
        ids: Floats = numbers(table, [column]).values[asked, 0]
    except SchemaError:
        raise DataError(
            f"answers: {column} holds text, not row numbers of the {side}; write the table with "
            "--review"
        ) from None
    wrong = np.flatnonzero(~((ids >= 1) & (ids <= size) & (ids == np.rint(ids))))
    if len(wrong):
        raise DataError(
            f"answers: in row {asked[wrong[0]] + 1:,} {column} is not a row of the {side}, which "
            f"has {count(size, 'row')} (from 1); is it the review of these files?"
        )
    return ids.astype(np.int64) - 1


def _check_compared(files: LinkageFiles, rows: Ints, lines: Ints) -> None:
    if files.links_strangers or not files.blocks.columns or not len(rows):
        return
    apart = np.flatnonzero(~files.blocks.between.compares(rows[:, 0], rows[:, 1]))
    if len(apart):
        raise DataError(
            f"answers: the pair of row {lines[apart[0]] + 1:,} is not compared, because it differs "
            f"in the blocks {listing(files.blocks.columns)}; leave out the row or these blocks"
        )


def _check_partners(found: AnsweredPairs, lines: Ints, *, one_each: bool) -> None:
    """Report a record or a row with two matches: an error if links are one to one."""
    yes = np.flatnonzero(found.match)
    for side, name in enumerate((LEFT, RIGHT)):
        own = found.rows[yes, side]
        order = np.argsort(own, kind="stable")
        twice = np.flatnonzero(np.diff(own[order]) == 0)
        if not len(twice):
            continue
        first, second = sorted(lines[yes[order[twice[0] : twice[0] + 2]]].tolist())
        both = f"rows {first + 1:,} and {second + 1:,} answer yes for the same {name}"
        if one_each:
            raise DataError(
                f"answers: {both}, and links are one to one: keep the right one, or choose "
                "matching = nearest"
            )
        logging.getLogger("unveil").warning("answers: %s: it has two partners", both)
