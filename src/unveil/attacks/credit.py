"""How far links are to be believed, told by files that share nobody.

The likelihood of a structure that was searched for is always high, and so are the probabilities of
its links. What they would be by chance is told by controls: the same search in files of strangers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from unveil.attacks.correlation import (
    ALMOST_ALL,
    beliefs_of,
    likelihood_of,
    log_odds,
    loosen,
    posterior_of,
    weights_of,
)
from unveil.attacks.posterior import posterior

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unveil.attacks.correlation import Part
    from unveil.attacks.matching import Outcome, Pairing
    from unveil.attacks.search import Search
    from unveil.data.encode import Floats

USUAL, AS_MANY = 5.0, 4.0  # a control's deviation before any is seen, and how many that counts for
HALF, STEEP = 4.5, 1.2  # deviations at which it is as likely as not; how fast it grows sure
BETTER = 1.5  # deviations from which a structure is worth following
LEAST = 1e-9  # what remains of a probability that is not believed: its order


@dataclass(frozen=True, repr=False, eq=False)
class Trial:
    """What a search came to: the likelihood, each record's best probability, how many pairs."""

    likelihood: float
    best: Floats
    pairs: float

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Trial:
        """Of parts that have settled; then they learn that some have no partner."""
        weights = weights_of(parts)
        # Either is below the sum over all matchings; beliefs may not have settled.
        found = posterior_of(weights), beliefs_of(weights)
        likelihood = max(likelihood_of(weights, chance) for chance in found)
        chance, pairs = loosen(parts)
        return cls(likelihood, np.sort(chance.max(1)).astype(np.float64), pairs)


@dataclass(frozen=True, repr=False, eq=False)
class Credit:
    """A search held against the same search in controls, by the kind of these."""

    trial: Trial
    controls: dict[str, tuple[Trial, ...]]
    level: float = 0.0  # the log-likelihood ratio of a pair that costs nothing, at no offset
    shared: float = ALMOST_ALL  # of my records that are taken to have a partner

    @property
    def strictest(self) -> str | None:
        """The kind of controls in which most is found."""
        if not self.controls:
            return None
        means = {
            kind: np.mean([t.likelihood for t in made]) for kind, made in self.controls.items()
        }
        return max(means, key=lambda kind: means[kind])

    @property
    def found(self) -> list[float]:
        """The likelihoods of the strictest controls; of none, where nothing is found by chance."""
        kind = self.strictest
        return [0.0] if kind is None else [trial.likelihood for trial in self.controls[kind]]

    @property
    def deviations(self) -> float:
        """By how many deviations of the controls' likelihoods the search's is above them."""
        others = np.array(self.found)
        squares = AS_MANY * USUAL**2 + float(((others - others.mean()) ** 2).sum())
        size = np.sqrt(squares / (AS_MANY + len(others) - 1))
        return float((self.trial.likelihood - others.mean()) / size)

    @property
    def sure(self) -> float:
        """How sure it is, from 0 to 1, that the structure is not one of chance."""
        return float(1 / (1 + np.exp(-STEEP * np.clip(self.deviations - HALF, -50.0, 50.0))))

    @property
    def better(self) -> bool:
        """Whether the structure is worth following, sure or not."""
        return self.deviations >= BETTER

    def believed(self, best: Floats) -> Floats:
        """What remains of probabilities, given each record's best: controls have such ones, too.

        Those who have no partner are taken to have the best probabilities that people have in
        controls; so many of the records at least as probable as this one are of that kind.
        """
        levels = self.trial.best
        tail = np.arange(len(levels), 0, -1) / len(levels)
        wrong, usual = np.zeros(len(levels)), 0.0
        for made in self.controls.values():
            others = [trial.best for trial in made]
            # One more than were seen: that nobody has so much is not known of few controls.
            above = [1 - np.searchsorted(one, levels - 1e-12) / (len(one) + 1) for one in others]
            wrong = np.maximum(wrong, np.mean(above, axis=0))
            usual = max(usual, float(np.mean([one.mean() for one in others])))
        linked = max(0.0, (float(levels.mean()) - usual) / max(1 - usual, 1e-9))
        factor = np.clip(1 - (1 - linked) * wrong / tail, 0.0, 1.0)
        factor = np.maximum.accumulate(factor)
        return np.maximum(self.sure * np.interp(best, levels, factor), LEAST)

    def told(self, method: str) -> dict[str, Any]:
        """What speaks for the search, in plain values."""
        kind, others = self.strictest, np.array(self.found)
        told: dict[str, Any] = {
            "method": method,
            "likelihood": self.trial.likelihood,
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


def credited(pairing: Pairing, credit: Credit) -> Outcome:
    """The posterior over matchings in which some have no partner, as far as controls allow.

    All candidates of a record are believed alike, so that their order stays.
    """
    outcome = posterior(pairing, _alone(pairing, credit))
    best = np.zeros(pairing.shape[0])
    np.maximum.at(best, outcome.rows, outcome.chance)
    return replace(outcome, chance=outcome.chance * credit.believed(best)[outcome.rows])


def _alone(pairing: Pairing, credit: Credit) -> Floats:
    """The log of how likely records of each class are to be alone, as costs go."""
    between = cast("Search", pairing.between)
    asking, _ = between.files.asked(between.mine, between.released)
    own = np.zeros(len(asking)) if asking.offset is None else asking.offset
    rows, columns = int(pairing.supply.sum()), int(pairing.capacity.sum())
    mine = columns if between.files.reverse else rows
    pairs = min(credit.shared * mine, ALMOST_ALL * min(rows, columns))
    found: Floats = own - credit.level - log_odds(pairs, rows, columns)
    return found
