"""The choice of a model with dependence: interactions or latent classes, starts, and a criterion.

Models are compared by BIC: twice the log-likelihood, minus the logarithm of the number of
observations for each parameter. Matches count as one observation per record; other pairs are
counted one by one. Pairs are not independent, since a record is in as many pairs as it has
candidates, so this is the smallest penalty. The criterion for composite likelihoods (Gao and Song,
2010) multiplies it by the share of a score's variance that pairs of a record have in common, at
most by the number of pairs per record. An interaction must pass this largest penalty.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from unveil.attacks.probabilistic.fellegi_sunter import EstimationRules, FellegiSunterModel
from unveil.attacks.probabilistic.level_patterns import LevelPatterns
from unveil.attacks.probabilistic.pair_classes import (
    DependentClasses,
    Edges,
    SlotPatterns,
    fit,
    forest,
    margins,
    posterior,
)
from unveil.errors import SchemaError
from unveil.support.arrays import Floats
from unveil.support.seeds import stream
from unveil.wording import count

Dependence = Literal["none", "log-linear", "latent", "chosen"]

STARTS, FEW_STARTS, MANY_PATTERNS = 4, 2, 100_000  # fewer starts where patterns are many
SHORT = 15  # steps of every start; the best goes on
ROUNDS = 5  # in which interactions are chosen again
MOST_CLASSES = 4  # of other pairs
MOST_PATTERNS = 1_000_000
NOTICEABLE = 0.1  # a difference of two match probabilities


class FittedDependence(NamedTuple):
    """The chosen model (None: independence), and the criterion of each model."""

    model: DependentClasses | None
    details: dict[str, Any]


@dataclass(frozen=True, repr=False, eq=False)
class DependenceChoice:
    """The pairs, the model without dependence, and the rules to estimate models with it."""

    patterns: LevelPatterns
    independent: FellegiSunterModel
    spread: Floats  # the shares of all pairs by level
    records: int  # of the smaller file: independent observations
    rules: EstimationRules
    columns: tuple[str, ...]

    def fit(self, wanted: Dependence, pairs_each: float) -> FittedDependence:
        """The requested model, or the model with the least criterion."""
        if len(self.patterns) > MOST_PATTERNS:
            raise SchemaError(
                f"probabilistic: dependence: the pairs have {len(self.patterns):,} patterns of "
                f"agreement, and at most {MOST_PATTERNS:,} are weighed; give numbers fewer "
                "tolerances, leave out attributes, or leave out dependence"
            )
        slots = SlotPatterns.decode(self.patterns)
        search = _ModelSearch(self, slots)
        self._check_room(search, wanted)
        criterion = {"none": search.criterion(self._as_classes())}
        found: dict[str, DependentClasses] = {}
        if wanted in ("log-linear", "chosen"):
            model = search.log_linear()
            if model is not None and any(model.edges()):
                found["log-linear"] = model
        if wanted in ("latent", "chosen"):
            for n_classes in range(2, MOST_CLASSES + 1):
                model = search.latent(n_classes)
                if model is not None:
                    found[f"{n_classes} classes"] = model
        criterion |= {name: search.criterion(model) for name, model in found.items()}
        rivals = criterion if wanted != "latent" else {name: criterion[name] for name in found}
        if not rivals:
            raise SchemaError(
                "probabilistic: dependence: in no start matches agree more often than other pairs "
                "do; leave out dependence, or compare attributes that tell people apart"
            )
        chosen = min(rivals, key=lambda name: rivals[name])
        model = found.get(chosen)
        details: dict[str, Any] = {"wanted": wanted, "chosen": chosen, "criterion": criterion}
        details |= {"starts": search.n_starts, "patterns": search.n_patterns}
        details |= {"parameters": search.parameters(model)}
        if model is not None:
            details |= self._describe(model) | self._misstated(model, slots, pairs_each)
        return FittedDependence(model, details)

    def _as_classes(self) -> DependentClasses:
        model = self.independent
        levels = np.diff(model.first)
        both = [forest(levels, (), model.by_attribute(part)) for part in (model.m, model.u)]
        return DependentClasses((both[0], both[1]), np.array([model.prior, 1 - model.prior]))

    def _check_room(self, search: "_ModelSearch", wanted: Dependence) -> None:
        least = {"log-linear": search.least_log_linear, "latent": search.least_latent}
        needed = min(own for name, own in least.items() if wanted in (name, "chosen"))
        if needed >= search.n_patterns:
            parameters = count(needed, "free parameter")
            raise SchemaError(
                f"probabilistic: dependence: the model has {parameters} for "
                f"{count(search.n_patterns, 'pattern')} of agreement, so it would fit any data; "
                "compare more attributes, give numbers more tolerances, or leave out dependence"
            )

    def _describe(self, model: DependentClasses) -> dict[str, Any]:
        matched, *others = (
            [[self.columns[j], self.columns[k]] for j, k in own] for own in model.edges()
        )
        return {
            "interactions": {"matches": matched, "others": others[0] if len(others) == 1 else []},
            "classes": len(others),
            "shares": model.shares.tolist(),
            "converged": model.converged,
        }

    def _misstated(
        self, model: DependentClasses, slots: SlotPatterns, pairs_each: float
    ) -> dict[str, Any]:
        """The difference of the match probabilities from those under independence."""
        before = _match_probability(self._as_classes(), slots)
        after = _match_probability(model, slots)
        gap = np.abs(after - before)
        matches = slots.counts * after
        return {
            "differing_pairs": round(float(slots.counts[gap > NOTICEABLE].sum()) * pairs_each),
            "largest_difference": float(gap.max(initial=0.0)),
            "mean_difference": float(matches @ gap / max(matches.sum(), 1e-300)),  # of matches
        }


def _match_probability(model: DependentClasses, slots: SlotPatterns) -> Floats:
    return posterior(model.logs(slots.slots))[0][:, 0]


class _ModelSearch:
    """Models with dependence that the pairs can identify."""

    def __init__(self, choice: DependenceChoice, slots: SlotPatterns) -> None:
        self._slots, self._rules, self._records = slots, choice.rules, max(choice.records, 2)
        first = choice.patterns.first
        self._spread = np.split(choice.spread, first[1:-1])
        self._independent = choice.independent
        totals = np.split(choice.patterns.totals(), first[1:-1])
        self._occurring = np.array([max(int((own > 0).sum()), 1) for own in totals])
        possible = float(np.prod(self._occurring.astype(np.float64)))
        self.n_patterns = int(min(possible, len(slots.counts)))
        free = self._occurring - 1
        self._free, self._prior = free, int(choice.rules.estimate_prior)
        products = [int(free[j] * free[k]) for j, k in self._couples() if free[j] * free[k]]
        self.n_starts = STARTS if len(slots.counts) <= MANY_PATTERNS else FEW_STARTS
        self.least_log_linear = 2 * int(free.sum()) + self._prior + min(products, default=1)
        self.least_latent = 3 * int(free.sum()) + 1 + self._prior

    def _couples(self) -> list[tuple[int, int]]:
        width = len(self._slots.levels)
        return [(j, k) for j in range(width) for k in range(j + 1, width)]

    def parameters(self, model: DependentClasses | None) -> int:
        """The free parameters of a model, of independence for None."""
        inside = 2 * int(self._free.sum())
        return (inside if model is None else model.n_parameters(self._occurring)) + self._prior

    def criterion(self, model: DependentClasses) -> float:
        """BIC; lower is better."""
        likelihood = float(self._slots.counts @ posterior(model.logs(self._slots.slots))[1])
        of_matches = int(self._free.sum())
        of_matches += sum(int(self._free[j] * self._free[k]) for j, k in model.edges()[0])
        others = model.n_parameters(self._occurring) - of_matches
        pairs = max(float(self._slots.counts.sum()), 2.0)
        charged = of_matches * np.log(self._records) + others * np.log(pairs)
        return float(charged) - 2 * likelihood

    def log_linear(self) -> DependentClasses | None:
        """Interactions chosen by the criterion, in each of two classes; None: no valid start."""
        starts = list(self._starts(1))
        best, rounds = self._best(starts), 0
        while best is not None and rounds < ROUNDS:
            edges, rounds = self._interactions(best), rounds + 1
            if edges == best.edges():
                break
            best = self._best([one.with_edges(edges) for one in (best, *starts)])
        return best

    def latent(self, n_classes: int) -> DependentClasses | None:
        """Latent classes of other pairs; None: too few patterns, or no valid start."""
        starts = list(self._starts(n_classes))
        if self.parameters(starts[0]) >= self.n_patterns:
            return None
        return self._best(starts)

    def _starts(self, n_classes: int) -> Iterator[DependentClasses]:
        """The model without dependence, other pairs split by agreement; then random starts."""
        model = self._independent
        m, u = model.by_attribute(model.m), model.by_attribute(model.u)
        rest = (1 - model.prior) / n_classes
        shares = np.array([model.prior, *[rest] * n_classes])
        even = np.linspace(-1, 1, n_classes) if n_classes > 1 else np.zeros(1)
        for start in range(self.n_starts):
            rng = stream(0, "probabilistic", "dependence", str(start))
            tilts = np.repeat(even[:, None], len(u), axis=1)
            matched = m
            if start:
                spread = 1.0 if n_classes > 1 else 0.25
                tilts = rng.normal(0, spread, tilts.shape)
                matched = [_tilted(own, rng.normal()) for own in m]
            others = [
                [_tilted(own, tilt) for own, tilt in zip(u, tilt_of, strict=True)]
                for tilt_of in tilts
            ]
            classes = (forest(self._slots.levels, (), own) for own in (matched, *others))
            yield DependentClasses(tuple(classes), shares)

    def _best(self, starts: Sequence[DependentClasses]) -> DependentClasses | None:
        """The likeliest model after a few steps from each start, continued to its end."""
        short = replace(self._rules, iterations=min(SHORT, self._rules.iterations))
        tried = [fit(self._slots, start, self._spread, short) for start in starts]
        right = [one for one in tried if _is_right(one)]
        if not right:
            return None
        best = max(right, key=lambda one: one.path[-1])
        found = fit(self._slots, best, self._spread, self._rules)
        return found if _is_right(found) else None

    def _interactions(self, model: DependentClasses) -> list[Edges]:
        """In each class the best forest that passes the criterion (Chow and Liu, 1968)."""
        chance, _ = posterior(model.logs(self._slots.slots))
        weights = chance * self._slots.counts[:, None]
        pairs_of_a_record = max(float(self._slots.counts.sum()) / self._records, 1.0)
        prices = np.log(self._records) * np.array([1.0, pairs_of_a_record])
        worth = []
        for which, price in enumerate(prices.tolist()):
            for j, k in self._couples():
                gain = 2 * _information(self._slots.pair_table(j, k, weights[:, which]))
                worth.append((gain - price * int(self._free[j] * self._free[k]), which, j, k))
        room = self.n_patterns - self.parameters(None)
        edges: list[list[tuple[int, int]]] = [[], []]
        trees = [list(range(len(self._slots.levels))) for _ in (0, 1)]
        for gain, which, j, k in sorted(worth, key=lambda one: (-one[0], *one[1:])):
            cost, tree = int(self._free[j] * self._free[k]), trees[which]
            if gain <= 0 or tree[j] == tree[k] or cost >= room:
                continue
            room -= cost
            edges[which].append((j, k))
            old = tree[k]
            trees[which] = [tree[j] if one == old else one for one in tree]
        return [tuple(sorted(own)) for own in edges]


def _information(table: Floats) -> float:
    """The gain in log-likelihood by the interaction of two attributes."""
    total = table.sum()
    if total <= 0:
        return 0.0
    apart = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    there = table > 0
    return float((table[there] * np.log(table[there] / apart[there])).sum())


def _tilted(shares: Floats, towards_agreement: float) -> Floats:
    tilted = shares * np.exp(towards_agreement * np.linspace(1, -1, len(shares)))
    total: float = max(float(tilted.sum()), 1e-300)
    return np.divide(tilted, total)


def _is_right(model: DependentClasses) -> bool:
    """Whether matches agree in more attributes than other pairs do."""
    agreeing = [sum(float(own[0]) for own in margins(one)) for one in model.classes]
    return agreeing[0] > float(
        np.average(agreeing[1:], weights=np.maximum(model.shares[1:], 1e-12))
    )
