"""How far links are to be believed, told by files that share nobody.

The likelihood of a structure that was searched for is always high, and so are the probabilities of
its links. What they would be by chance is told by controls: the same search in files of strangers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from unveil.attacks.correlation import beliefs_of, likelihood_of, sharpened
from unveil.attacks.posterior import posterior

if TYPE_CHECKING:
    from unveil.attacks.matching import Outcome, Pairing
    from unveil.attacks.search import Search
    from unveil.data.encode import Floats, Ints

USUAL, AS_MANY = 5.0, 4.0  # a control's deviation before any is seen, and how many that counts for
HALF, STEEP = 4.5, 1.2  # deviations at which it is as likely as not; how fast it grows sure
BETTER = 1.5  # deviations from which a structure is worth following
LEAST = 1e-9  # what remains of a probability that is not believed: its order


@dataclass(frozen=True, repr=False, eq=False)
class Trial:
    """What a search came to: the likelihood, and each record's best probability."""

    likelihood: float
    best: Floats

    @classmethod
    def of(cls, weights: Floats) -> Trial:
        """Of the log-likelihood ratios of all pairs."""
        chance = beliefs_of(weights)
        return cls(likelihood_of(weights, chance), np.sort(chance.max(1)))


@dataclass(frozen=True, repr=False, eq=False)
class Credit:
    """A search held against the same search in controls, by the kind of these."""

    trial: Trial
    controls: dict[str, tuple[Trial, ...]]
    level: float = 0.0  # the log-likelihood ratio of a pair that costs nothing, at no offset

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
    """The posterior over matchings, believed as far as controls allow.

    All candidates of a record are believed alike, so that their order stays.
    """
    outcome = posterior(pairing)
    chance = sharpened(outcome.chance)
    order = np.lexsort((chance, outcome.rows))
    last = order[np.flatnonzero(np.diff(outcome.rows[order], append=-1))]  # the best of each
    rows = outcome.rows[last]
    # Of several that are likely, one is the partner: no record has more than one.
    every = np.bincount(outcome.rows, chance * pairing.capacity[outcome.columns], pairing.shape[0])
    share = np.zeros(pairing.shape[0])
    share[rows] = credit.believed(chance[last]) * _has_partner(
        pairing, (rows, outcome.columns[last]), credit.level
    )
    share /= np.maximum(every, 1.0)
    return replace(outcome, chance=chance * share[outcome.rows])


def _has_partner(pairing: Pairing, pairs: tuple[Ints, Ints], level: float) -> Floats:
    """How likely pairs are against having no partner at all, were that as likely as not.

    A matching gives everybody a partner. One who has none is given one who is left over, too, and
    a pair of strangers among so many is no likelier than they are many.
    """
    between = cast("Search", pairing.between)
    asking, _ = between.files.asked(between.mine, between.released)
    own = np.zeros(len(asking)) if asking.offset is None else asking.offset
    ratio = level - between.costs(*pairs) - own[pairs[0]]
    many = float(np.log(pairing.capacity.sum()))
    found: Floats = 1 / (1 + np.exp(np.clip(many - ratio, -50.0, 50.0)))
    return found
