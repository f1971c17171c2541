"""The table of pairs that splink writes: whom each record was taken for."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.wording import count

if TYPE_CHECKING:
    from unveil.values.links import Links, RankedCandidates


PAIR_COLUMNS = ("unique_id_l", "unique_id_r", "match_weight", "match_probability")
PAIRS_PER_RECORD = 1000  # of one record
MOST_PAIRS = 50_000_000
CANDIDATES_HELD = 5_000_000  # candidates that are held while ties are listed


def pair_table(links: Links, k: int) -> pl.DataFrame:
    """The k best candidates of each record, and all that tie with the best."""
    k = whole_number(k, "k", 1, PAIRS_PER_RECORD)
    first = links.top_candidates if k <= links.top_candidates.rows.shape[1] else links.nearest(k)
    wanted = np.clip(first.n_best, k, PAIRS_PER_RECORD)
    _check_size(wanted, first.n_best)
    here = np.flatnonzero(wanted == k)
    parts = [_listed(here, wanted, first.rows[here], first.scores[here], first.n_best)]
    for batch in _batches(wanted, k):
        many = int(wanted[batch].max())
        found: RankedCandidates = links.finder.nearest(links.records[batch], many, links.progress)
        parts.append(_listed(batch, wanted, found.rows, found.scores, first.n_best))
    of, rows, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(of, kind="stable")
    of, rows, weights = of[order], rows[order], -scores[order] + 0.0
    mine, released = (
        (rows, links.records[of]) if links.intruder.reverse else (links.records[of], rows)
    )
    totals = links.finder.log_totals(links.records)
    chance = None if totals is None else np.minimum(np.exp(weights - totals[of]), 1.0)
    columns = (links.origin[mine] + 1, released + 1, weights, chance)
    table = pl.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=True)))
    return table.with_columns(
        pl.col(PAIR_COLUMNS[3]).cast(pl.Float64), pl.Series("n_best", first.n_best[of])
    )


def _listed(
    places: Ints, wanted: Ints, rows: Ints, scores: Floats, n_best: Ints
) -> tuple[Ints, Ints, Floats]:
    """The record, the row and the score of each pair; ties, equal but for rounding, score alike."""
    column = np.arange(rows.shape[1])
    alike = np.where(column < n_best[places, None], scores[:, :1], scores)
    there = (rows >= 0) & (column < wanted[places, None])
    of = np.broadcast_to(places[:, None], there.shape)[there]
    return of, rows[there], alike[there]


def _batches(wanted: Ints, k: int) -> Iterator[Ints]:
    """Records with more ties than k, few enough at a time to be held with all of theirs."""
    tied = np.flatnonzero(wanted > k)
    tied = tied[np.argsort(wanted[tied], kind="stable")]
    start = 0
    while start < len(tied):
        stop = start + max(
            1, int(np.searchsorted(_held(wanted[tied[start:]]), CANDIDATES_HELD, "right"))
        )
        yield tied[start:stop]
        start = stop


def _held(wanted: Ints) -> Ints:
    """How many candidates are held for the first 1, 2, ... of these, the last wanting most."""
    held: Ints = wanted * np.arange(1, len(wanted) + 1)
    return held


def _check_size(wanted: Ints, n_best: Ints) -> None:
    """Refuse a table that nobody can use; warn of records with more ties than are listed."""
    rows = int(wanted.sum())
    if rows > MOST_PAIRS:
        raise UsageError(
            f"the best candidates of all records and their ties are {rows:,} pairs, and at most "
            f"{MOST_PAIRS:,} are listed: take a sample, or let the intruder know more attributes"
        )
    cut = int((n_best > PAIRS_PER_RECORD).sum())
    if cut:
        logging.getLogger("unveil").warning(
            "%s tie with more than %d candidates: the table of pairs has %d of them",
            count(cut, "record"),
            PAIRS_PER_RECORD,
            PAIRS_PER_RECORD,
        )
