"""Results of simulations: the law of each column, and the weights of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.simulated.conditional_law import ConditionalLaw, learn_law, unchanged_likelihood
from unveil.attacks.simulated.matching_loss import fit_weights
from unveil.attacks.simulated.transition_law import TransitionLaw, learn_transitions
from unveil.attacks.tailored.attack import Tailored
from unveil.attacks.tailored.likelihood import Likelihoods, likelihoods_of
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.attacks.tailored.pair_likelihood import PairLikelihood
from unveil.matching.posterior import DenseGraph, marginals
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.values.release.channels import Channel, Exact

WEIGHED_RECORDS = 300  # of a simulation, by all pairs of which the evidence is weighed
COMPARED_RECORDS = 700  # of a simulation, by which one choice is compared with another
LEAST_LOG = -30.0  # of a likelihood while weights are learnt: the impossible
LEAST_WEIGHT = 1e-3  # of evidence that is used
SCALINGS = 100  # of a posterior that only compares

TAILORED = Tailored()

Kind = Literal["formula", "law", "unchanged"]
Source = tuple[Kind, tuple[str, ...]]  # of evidence: its kind, and its columns
Law = ConditionalLaw | TransitionLaw


@dataclass(frozen=True, repr=False, eq=False)
class LearntScores:
    """The learnt score of pairs: a weighted sum of log-likelihoods (a `LearntSearch`)."""

    channels: tuple[Channel, ...]  # as the intruder knows them
    functions: dict[str, tuple[Exact, ...]]
    laws: tuple[Law, ...] = ()
    weights: dict[Source, float] = field(default_factory=dict)  # none: formulas only
    details: dict[str, Any] = field(default_factory=dict)

    def __call__(self, files: LinkageFiles) -> NearestSearch:
        """The search by the learnt scores, or by the formulas where these link more."""
        search = TAILORED.search_by(self.likelihoods, self.view(files), self.details)
        return replace(search, learnt=self)

    def view(self, files: LinkageFiles) -> MaskedView:
        """Files as the intruder sees them who knows the functions of the masking."""
        return MaskedView(files, self.functions)

    def likelihoods(self, view: MaskedView) -> Likelihoods:
        """The weighted likelihoods, by columns."""
        if not self.weights:
            return likelihoods_of(self.channels, view)
        parts: dict[tuple[str, ...], list[PairLikelihood]] = {}
        for source, part in evidence_of(self.laws, self.channels, view).items():
            if self.weights.get(source, 0.0) >= LEAST_WEIGHT:
                parts.setdefault(source[1], []).append(part.scale(self.weights[source]))
        return {columns: PairLikelihood.join(some) for columns, some in parts.items()}


def evidence_of(
    laws: Sequence[Law], channels: Sequence[Channel], view: MaskedView
) -> dict[Source, PairLikelihood]:
    """The likelihood of pairs by each source of evidence."""
    evidence: dict[Source, PairLikelihood] = {
        ("formula", columns): part for columns, part in likelihoods_of(channels, view).items()
    }
    for law in laws:
        evidence["law", (law.column,)] = law.likelihood(view)
        if law.unchanged:
            evidence["unchanged", (law.column,)] = unchanged_likelihood(law.column, view)
    return evidence


class TruePairs(NamedTuple):
    """Simulated files, and who is who in them."""

    files: LinkageFiles
    records: Ints
    rows: Ints

    @classmethod
    def of(cls, files: LinkageFiles) -> TruePairs:
        """The pairs of simulated files, whose truth is known."""
        rows = np.zeros(0, np.int64) if files.truth is None else files.truth.row_of_record
        records = np.flatnonzero(rows >= 0)
        return cls(files, records, rows[records])

    def sample(self, size: int, name: str) -> TruePairs:
        """At most so many pairs, drawn by a stream of their own."""
        if len(self.records) <= size:
            return self
        rng = stream(self.files.seed, "attack", "simulated", name)
        chosen = np.sort(rng.choice(len(self.records), size, replace=False))
        return self._replace(records=self.records[chosen], rows=self.rows[chosen])

    def numbers(self, column: str) -> tuple[Floats, Floats]:
        """The original and the masked number of each pair."""
        before, _, after = self.files.numbers(column)
        return before[self.records], after[self.rows]

    def codes(self, column: str, listed: tuple[str, ...]) -> tuple[Floats, Floats]:
        """The places of the original and of the masked category in a list."""
        before, _, after = self.files.codes(column, listed)
        return before[self.records], after[self.rows]

    def log_likelihood(self, part: PairLikelihood) -> Floats:
        """The log-likelihood of every record and every row of the pairs."""
        n = len(self.records)
        sides = as_records(part.intruder[self.records]), as_records(part.released[self.rows])
        prepared = self.files.engine.prepare(*sides, part.metric)
        costs = prepared.costs(np.repeat(np.arange(n), n), np.tile(np.arange(n), n))
        logs: Floats = -costs.reshape(n, n) - part.spread[self.records][:, None]
        return logs


def learn(
    formulas: LearntScores,
    training: Sequence[TruePairs],
    weighing: Sequence[TruePairs],
    compared: Sequence[TruePairs],
) -> LearntScores:
    """Learn laws from some simulations, weights from others, and choose by the last."""
    laws = tuple(_laws(training, weighing))
    first, blocks = dict[Source, float](), list[Floats]()
    for number, one in enumerate(weighing):
        evidence = evidence_of(laws, formulas.channels, formulas.view(one.files))
        first = first or _first_weights(evidence, one.files)
        some = one.sample(WEIGHED_RECORDS, str(number))
        matrices = [some.log_likelihood(evidence[source]) for source in first]
        blocks.append(np.maximum(np.stack(matrices), LEAST_LOG))
    weights, steps = fit_weights(blocks, np.array([*first.values()]))
    plain = replace(formulas, laws=laws, weights=first)
    weighed = replace(plain, weights=dict(zip(first, weights.tolist(), strict=True)))
    plain_hits, weighed_hits, formula_hits = (
        np.concatenate([_hits(one, scores) for one in compared])
        for scores in (plain, weighed, formulas)
    )
    learnt, hits = plain, plain_hits
    if weighed_hits.sum() > hits.sum():
        learnt, hits = weighed, weighed_hits
    gain = hits - formula_hits  # more than chance would have it
    better = bool(gain.mean() > gain.std() / len(gain) ** 0.5)
    details = formulas.details | {
        "chosen": "learnt" if better else "tailored",
        "held_out": {"learnt": float(hits.mean()), "tailored": float(formula_hits.mean())},
        "weighed": learnt is weighed,
        "learnt_from": len(training) + len(weighing),
        "steps": steps,
    }
    return replace(learnt if better else formulas, details=details)


def _laws(training: Sequence[TruePairs], weighing: Sequence[TruePairs]) -> Iterator[Law]:
    """The laws of the columns that have single cells; sorted, since their order means nothing."""
    files = training[0].files
    for column in sorted(files.columns):
        if files.generalised(column):
            continue
        law: Law | None
        if MaskedView(files).is_numeric(column):
            law = learn_law(column, _numbers(column, training), _numbers(column, weighing))
        else:
            named = (name for one in training for name in one.files.all_categories(column))
            listed = tuple(dict.fromkeys(named))
            law = learn_transitions(column, listed, (one.codes(column, listed) for one in training))
        if law is not None:
            yield law


def _numbers(column: str, simulated: Sequence[TruePairs]) -> tuple[Floats, Floats]:
    """The original and the masked numbers of all true pairs."""
    before, after = zip(*(one.numbers(column) for one in simulated), strict=True)
    return np.concatenate(before), np.concatenate(after)


def _first_weights(
    evidence: dict[Source, PairLikelihood], files: LinkageFiles
) -> dict[Source, float]:
    """1 for formulas that are exact, and for laws of columns that have none; else 0."""
    channels = files.masking.channels if files.masking else ()
    fitted = {column for one in channels if one.is_fitted for column in one.columns}
    learnt = {columns[0] for kind, columns in evidence if kind == "law"}
    replaced = fitted & learnt
    return {
        (kind, columns): float((columns[0] in replaced) == (kind == "law"))
        if kind != "unchanged"
        else 0.0
        for kind, columns in sorted(evidence)
    }


def _hits(pairs: TruePairs, scores: LearntScores) -> Floats:
    """Whether each record's likeliest partner over all matchings is the true one; ties share."""
    some = pairs.sample(COMPARED_RECORDS, "compared")
    parts = scores.likelihoods(scores.view(pairs.files))
    if not parts:
        return np.zeros(len(some.records))
    costs = -some.log_likelihood(PairLikelihood.join(list(parts.values())))
    least = costs.min(axis=1)
    ones = np.ones(len(least), np.int64)
    above = costs - np.where(np.isfinite(least), least, 0.0)[:, None]
    graph = DenseGraph(above, least, ones, ones)
    chance = marginals(graph, rounds=SCALINGS).probability
    best = chance >= chance.max(axis=1, keepdims=True) * (1 - 1e-6)
    hits: Floats = np.diag(best) / best.sum(axis=1)
    return hits
