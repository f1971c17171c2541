"""How far links are to be believed, told by files that share nobody.

The likelihood of a structure that was searched for is always high, and so are the probabilities of
its links. What they would be by chance is told by controls: the same search in files of strangers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from unveil.attacks.matched.comparer import ClassPairs, MatchProbabilities
from unveil.attacks.matched.posterior import posterior
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.structural.canonical import ALMOST_ALL, PairEvidence, weights_of
from unveil.attacks.structural.soft_matching import (
    beliefs_of,
    likelihood_of,
    log_odds,
    posterior_of,
)
from unveil.support.arrays import Floats

USUAL, AS_MANY = 10.0, 4.0  # a control's deviation before any is seen, and how many that counts for
FREE = 4.0  # the deviation of what is not found by chance
HALF, STEEP = 5.5, 1.2  # deviations at which it is as likely as not; how fast it grows sure
BETTER = 1.0  # deviations from which a structure is worth following
LEAST = 1e-9  # what remains of a probability that is not believed: its order


@dataclass(frozen=True, repr=False, eq=False)
class Confidence:
    """A search held against the same search in controls, by the kind of these."""

    likelihood: float
    controls: dict[str, tuple[float, ...]]  # the likelihoods of those of each kind
    level: float = 0.0  # the log-likelihood ratio of a pair that costs nothing, at no offset
    shared: float = ALMOST_ALL  # of my records that are taken to have a partner

    @property
    def strictest(self) -> str | None:
        """The kind of controls above which the search is least."""
        return min(self.controls, key=self._above) if self.controls else None

    @property
    def found(self) -> tuple[float, ...]:
        """The likelihoods of the strictest controls; of none, where nothing is found by chance."""
        kind = self.strictest
        return (0.0,) if kind is None else self.controls[kind]

    @property
    def deviations(self) -> float:
        """By how many deviations of the controls' likelihoods the search's is above them."""
        kind = self.strictest
        return self.likelihood / FREE if kind is None else self._above(kind)

    def _above(self, kind: str) -> float:
        others = np.array(self.controls[kind])
        squares = AS_MANY * USUAL**2 + float(((others - others.mean()) ** 2).sum())
        size = np.sqrt(squares / (AS_MANY + len(others) - 1))
        return float((self.likelihood - others.mean()) / size)

    @property
    def sure(self) -> float:
        """How sure it is, from 0 to 1, that the structure is not one of chance."""
        return float(1 / (1 + np.exp(-STEEP * np.clip(self.deviations - HALF, -50.0, 50.0))))

    @property
    def better(self) -> bool:
        """Whether the structure is worth following, sure or not."""
        return self.deviations >= BETTER

    def told(self, method: str) -> dict[str, Any]:
        """What speaks for the search, in plain values."""
        kind, others = self.strictest, np.array(self.found)
        told: dict[str, Any] = {
            "method": method,
            "likelihood": self.likelihood,
            "control": None,
            "spread": None,
            "most": None,
            "controls": 0,
            "kind": kind,
            "deviations": self.deviations,
        }
        if kind is not None:
            told |= {
                "control": float(others.mean()),
                "spread": float(others.std(ddof=1)),
                "most": float(others.max()),
                "controls": len(others),
            }
        return told

    def posterior(self, pairs: ClassPairs) -> MatchProbabilities:
        """The posterior over matchings where some have no partner, scaled by how sure it is."""
        outcome = posterior(pairs, _alone(pairs, self))
        return replace(outcome, chance=outcome.chance * max(self.sure, LEAST))


def likelihood_found(parts: Sequence[PairEvidence]) -> float:
    """How much likelier the files are, as a log, by what a search has found."""
    weights = weights_of(parts)
    # Both are below the sum over all matchings; beliefs are nearer, but need not have settled.
    found = posterior_of(weights), beliefs_of(weights)
    return max(likelihood_of(weights, chance) for chance in found)


def _alone(pairs: ClassPairs, credit: Confidence) -> Floats:
    """The log of how likely records of each class are to be alone, as costs go."""
    between = cast("NearestSearch", pairs.comparer)
    asking, _ = between.files.queries_first(between.intruder_records, between.released)
    own = np.zeros(len(asking)) if asking.offset is None else asking.offset
    rows, columns = int(pairs.supply.sum()), int(pairs.capacity.sum())
    intruder = columns if between.files.reverse else rows
    matched = min(credit.shared * intruder, ALMOST_ALL * min(rows, columns))
    unmatched: Floats = own - credit.level - log_odds(matched, rows, columns)
    return unmatched
