"""Confidence in links: a search compared with the same search in files without common people.

A search always finds a structure of high likelihood, whose links have high probabilities. The same
search in null files, which share nobody, shows what chance yields.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs
from unveil.attacks.matched.matches import Matches
from unveil.attacks.matched.posterior import posterior
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.structural import soft_matching
from unveil.attacks.structural.canonical import MOST_OVERLAP, PairEvidence, total_weights
from unveil.support.arrays import Floats

PRIOR_DEVIATION, PRIOR_COUNT = 10.0, 4.0  # of the null likelihoods, and its weight in null files
COUNTED_DEVIATION = 4.0  # of evidence that is counted, not searched for
# The deviations at which sureness is 1/2, and its slope: set by searches whose truth is known, so
# that none of those in files of strangers is 0.9 sure (benchmarks/structural_sure.py).
EVEN_CHANCE, SURENESS_SLOPE = 4.0, 0.75
LEAST_DEVIATIONS = 1.0  # of a structure that is followed
LEAST_SURENESS = 1e-9  # keeps the order of probabilities


@dataclass(frozen=True, repr=False, eq=False)
class Confidence:
    """The likelihood of a search, compared with those of null files; a posterior model."""

    log_likelihood: float
    null_files: dict[str, tuple[float, ...]]  # the log-likelihoods of each kind of null file
    weight_at_zero: float = 0.0  # the log-likelihood ratio of a pair at cost 0, without offsets
    overlap: float = MOST_OVERLAP  # the share of the intruder's records that have a partner

    @property
    def strictest(self) -> str | None:
        """The kind of null files that the search exceeds least."""
        return min(self.null_files, key=self._excess) if self.null_files else None

    @property
    def deviations(self) -> float:
        """The excess of the log-likelihood over the strictest null files, in deviations."""
        kind = self.strictest
        return self.log_likelihood / COUNTED_DEVIATION if kind is None else self._excess(kind)

    def _excess(self, kind: str) -> float:
        nulls = np.array(self.null_files[kind])
        squares = PRIOR_COUNT * PRIOR_DEVIATION**2 + float(((nulls - nulls.mean()) ** 2).sum())
        deviation = np.sqrt(squares / (PRIOR_COUNT + len(nulls) - 1))
        return float((self.log_likelihood - nulls.mean()) / deviation)

    @property
    def sure(self) -> float:
        """How sure it is, from 0 to 1, that the structure is not due to chance."""
        excess = np.clip(self.deviations - EVEN_CHANCE, -50.0, 50.0)
        return float(1 / (1 + np.exp(-SURENESS_SLOPE * excess)))

    @property
    def worth_following(self) -> bool:
        """Whether the structure is better than chance, sure or not."""
        return self.deviations >= LEAST_DEVIATIONS

    def as_dict(self, method: str) -> dict[str, Any]:
        """The comparison as plain values."""
        kind = self.strictest
        nulls = np.array(self.null_files[kind]) if kind is not None else None
        return {
            "method": method,
            "likelihood": self.log_likelihood,
            "control": None if nulls is None else float(nulls.mean()),
            "spread": None if nulls is None else float(nulls.std(ddof=1)),
            "most": None if nulls is None else float(nulls.max()),
            "controls": 0 if nulls is None else len(nulls),
            "kind": kind,
            "deviations": self.deviations,
        }

    def posterior(self, pairs: ClassPairs) -> Matches:
        """The posterior over matchings with unmatched records, times the sureness."""
        matches = posterior(pairs, fraction=0.0, alone=self._log_unmatched(pairs))
        return matches.times(max(self.sure, LEAST_SURENESS))

    def _log_unmatched(self, pairs: ClassPairs) -> Floats:
        search = cast("NearestSearch", pairs.comparer)
        queries, _ = search.files.queries_first(search.intruder_records, search.released)
        offset = np.zeros(len(queries)) if queries.offset is None else queries.offset
        rows, columns = int(pairs.supply.sum()), int(pairs.capacity.sum())
        records = columns if search.files.reverse else rows
        matched = min(self.overlap * records, MOST_OVERLAP * min(rows, columns))
        unmatched: Floats = (
            offset - self.weight_at_zero - soft_matching.prior_log_odds(matched, rows, columns)
        )
        return unmatched


def fitted_log_likelihood(parts: Sequence[PairEvidence]) -> float:
    """The log-likelihood ratio of the files, given fitted parts."""
    weights = total_weights(parts)
    # Both are lower bounds; beliefs are closer, but need not have converged.
    posteriors = (
        soft_matching.match_probabilities(weights),
        soft_matching.propagate_beliefs(weights),
    )
    return max(soft_matching.log_likelihood_ratio(weights, chance) for chance in posteriors)
