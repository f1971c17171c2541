"""The table of linked pairs, in the columns that splink writes."""

import logging
from collections.abc import Iterator

import numpy as np
import polars as pl

from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.options import whole_number
from unveil.values.links import Links
from unveil.values.search_results import Neighbours
from unveil.wording import count

PAIR_COLUMNS = ("unique_id_l", "unique_id_r", "match_weight", "match_probability")
CLASS, ANSWER = "class", "answer"  # further columns of classified pairs
PAIRS_PER_RECORD = 1000
MOST_PAIRS = 50_000_000
CANDIDATES_HELD = 5_000_000  # in memory, while ties are listed


def pair_table(links: Links, k: int) -> pl.DataFrame:
    """The k best candidates of each record, and all that tie with the best."""
    k = whole_number(k, "k", 1, PAIRS_PER_RECORD)
    top = links.top_candidates if k <= links.top_candidates.rows.shape[1] else links.nearest(k)
    n_listed = np.clip(top.n_best, k, PAIRS_PER_RECORD)
    _check_size(n_listed, top.n_best)
    untied = np.flatnonzero(n_listed == k)
    best = Neighbours(top.rows[untied], top.scores[untied], top.n_best[untied])
    parts = [_pairs(untied, n_listed, best)]
    for batch in _batches(n_listed, k):
        most = int(n_listed[batch].max())
        tied = links.finder.nearest(links.records[batch], most, links.progress)
        parts.append(_pairs(batch, n_listed, tied._replace(n_best=top.n_best[batch])))
    of, rows, scores = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(of, kind="stable")
    of, rows, weights = of[order], rows[order], -scores[order] + 0.0
    left, right = (rows, links.records[of]) if links.intruder.reverse else (links.records[of], rows)
    totals = links.finder.log_totals(links.records)
    probability = None if totals is None else np.minimum(np.exp(weights - totals[of]), 1.0)
    columns = (links.origin[left] + 1, right + 1, weights, probability)
    table = pl.DataFrame(dict(zip(PAIR_COLUMNS, columns, strict=True)))
    return table.with_columns(
        pl.col(PAIR_COLUMNS[3]).cast(pl.Float64), pl.Series("n_best", top.n_best[of])
    )


def _pairs(positions: Ints, n_listed: Ints, candidates: Neighbours) -> tuple[Ints, Ints, Floats]:
    """The record, the row and the score of each pair; ties up to rounding get the same score."""
    rows, scores, n_best, _ = candidates
    column = np.arange(rows.shape[1])
    even = np.where(column < n_best[:, None], scores[:, :1], scores)
    listed = (rows >= 0) & (column < n_listed[positions, None])
    of = np.broadcast_to(positions[:, None], listed.shape)[listed]
    return of, rows[listed], even[listed]


def _batches(n_listed: Ints, k: int) -> Iterator[Ints]:
    """The records with more than k candidates to list, as many at a time as memory holds."""
    tied = np.flatnonzero(n_listed > k)
    tied = tied[np.argsort(n_listed[tied], kind="stable")]
    start = 0
    while start < len(tied):
        rest = n_listed[tied[start:]]
        held = rest * np.arange(1, len(rest) + 1)  # by the first 1, 2, ... records together
        stop = start + max(1, int(np.searchsorted(held, CANDIDATES_HELD, "right")))
        yield tied[start:stop]
        start = stop


def _check_size(n_listed: Ints, n_best: Ints) -> None:
    """Refuse a table that is too long to use; warn of records with more ties than are listed."""
    n_pairs = int(n_listed.sum())
    if n_pairs > MOST_PAIRS:
        raise UsageError(
            f"the best candidates of all records with ties are {n_pairs:,} pairs, and at most "
            f"{MOST_PAIRS:,} are listed; take a sample, or name more known attributes"
        )
    cut = int((n_best > PAIRS_PER_RECORD).sum())
    if cut:
        logging.getLogger("unveil").warning(
            "%s tie with more than %d candidates; the table of pairs lists %d of them",
            count(cut, "record"),
            PAIRS_PER_RECORD,
            PAIRS_PER_RECORD,
        )
