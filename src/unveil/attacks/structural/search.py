"""The search for what two files without a common attribute have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.structural import canonical
from unveil.attacks.structural.alignment import shape_gaps
from unveil.attacks.structural.confidence import fitted_log_likelihood
from unveil.attacks.structural.file_features import FileFeatures, feature_scores
from unveil.attacks.structural.null_files import NULL_FILES
from unveil.attacks.structural.shared_values import SharedValue, SharedValues, compare_values
from unveil.attacks.structural.soft_matching import match_probabilities, partial_match_probabilities
from unveil.attacks.structural.starting_points import starting_posteriors
from unveil.engines.metric import Cost, Metric, levels, squared
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.support.threads import on_all_cores

FIRST_PAIRS = 500_000  # by which structures are searched first; the intruder's records are sampled
MOST_PAIRS = 8_000_000  # by which the likely ones are refined
MOST_CANDIDATES = 16_384  # released rows
LEAST_RECORDS = 200  # however many pairs these make
STARTS, FEW_PAIRS = 40, 100_000  # random starts, in proportion fewer beyond so many pairs
LEAST_CORRELATION = 0.1  # that is reported


@dataclass(frozen=True, repr=False, eq=False)
class Structure:
    """The common structure of two files: correlations, shared values, or both."""

    correlations: canonical.CanonicalCorrelations | None
    values: SharedValues | None

    @property
    def parts(self) -> list[canonical.PairEvidence]:
        """The evidence for pairs."""
        parts: tuple[canonical.PairEvidence | None, ...] = (self.correlations, self.values)
        return [part for part in parts if part is not None]

    @property
    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair."""
        return canonical.total_weights(self.parts)

    @property
    def shared(self) -> tuple[SharedValue, ...]:
        """The attributes that share values."""
        return () if self.values is None else self.values.attributes

    @property
    def weight_at_zero(self) -> float:
        """The log-likelihood ratio of a pair at cost 0, without its records' offsets."""
        weight = 0.0 if self.correlations is None else self.correlations.weight_at_mean
        for one in self.shared:
            weight += one.unequal + sum(one.gain(power) for power in one.powers)
        return weight


@dataclass(frozen=True, repr=False, eq=False)
class StructureSearch:
    """The features of two files. The search sorts their rows by content."""

    files: LinkageFiles
    reference: FileFeatures
    released: FileFeatures
    starts: int | None  # random ones; by default according to the size of the files

    @classmethod
    def of(cls, files: LinkageFiles, starts: int | None) -> StructureSearch:
        """The search in the files of an attack."""
        reference = FileFeatures.of(files.reference, files.columns, "intruder's file")
        return cls(
            files, reference, FileFeatures.of(files.release, files.others, "release"), starts
        )

    @property
    def has_features(self) -> bool:
        """Whether both files have attributes with an order, or frequent categories."""
        return bool(self.reference.features and self.released.features)

    def check_features(self) -> None:
        """Refuse files without features."""
        self.reference.check("intruder's file")
        self.released.check("release")

    def columns(self, shared: tuple[SharedValue, ...] = ()) -> tuple[str, ...]:
        """The columns of both files that are used."""
        names = [name for one in shared for name in (one.intruder, one.released)]
        return tuple(dict.fromkeys((*self.reference.columns, *self.released.columns, *names)))

    def left_out(self, shared: tuple[SharedValue, ...] = ()) -> dict[str, dict[str, str]]:
        """The attributes that are not used, with reasons."""
        used = self.columns(shared)
        return {
            key: {name: reason for name, reason in side.left_out.items() if name not in used}
            for key, side in (("mine", self.reference), ("release", self.released))
        }

    @cached_property
    def intruder(self) -> Floats:
        """The features of the intruder's records, in their row order."""
        if not self.files.links_strangers:
            return self.reference.values
        return self.reference.of_records(self.files.intruder_records)

    @cached_property
    def scores(self) -> tuple[Floats, Floats]:
        """The scores of the intruder's records and of the released rows, in their row order."""
        released = self.released.values
        intruder = feature_scores(self.intruder, self.reference.values)
        return intruder, feature_scores(released, released)

    @cached_property
    def shared(self) -> SharedValues:
        """The attributes that share values, in the row order of the files."""
        files = self.files
        return SharedValues.find(files.reference, files.release, files.columns, files.others)

    def _rng(self, *names: str) -> np.random.Generator:
        return stream(self.files.seed, "attack", "structural", *names)

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        reference, released = (side.values[side.order] for side in (self.reference, self.released))
        return reference, released

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """The rows of both, sorted by content, that structures are fitted to."""
        return self._sample(MOST_PAIRS)

    @cached_property
    def _pair(self) -> canonical.FeaturePair:
        return canonical.FeaturePair.of(*(feature_scores(own, own) for own in self._values)).take(
            *self._rows
        )

    @cached_property
    def _shared_rows(self) -> SharedValues:
        rows, columns = self._rows
        return self.shared.take(self.reference.order[rows], self.released.order[columns])

    def _sample(self, pairs: int) -> tuple[Ints, Ints]:
        columns = self._rng("rows", "release").permutation(len(self.released))[:MOST_CANDIDATES]
        most = max(LEAST_RECORDS, pairs // len(columns))
        rows = self._rng("rows", "mine").permutation(len(self.reference))[:most]
        return np.sort(rows), np.sort(columns)

    def by_correlation(self) -> Structure:
        """The correlations of the highest likelihood."""
        return Structure(self._fit(self._values), None)

    def by_values(self) -> Structure:
        """The values that are copied from one file to the other."""
        return Structure(None, self._shared_rows)

    def by_both(self, *structures: Structure) -> Structure:
        """Correlations and values together, starting from what each has found."""
        shared = self._shared_rows
        tried = [
            canonical.refine(
                self._pair,
                match_probabilities(one.weights),
                shares,
                canonical.FIRST_ROUNDS,
                [shared],
            )
            for one in structures
            for shares in (canonical.VARIANCE_SHARES, canonical.VARIANCE_SHARES[-1:])
        ]
        return Structure(max(tried, key=lambda one: one[0])[1], shared)

    def overlap(self, pairs: float) -> float:
        """The share of the intruder's records with a partner, given the pairs in the sample."""
        rows, columns = self._rows
        return min(1.0, pairs / len(rows) * len(self.released) / len(columns))

    def null_likelihoods(self, controls: int) -> dict[str, tuple[float, ...]]:
        """The log-likelihoods of the search for correlations in null files, by their kind."""
        runs = [(kind, str(number)) for kind in NULL_FILES for number in range(controls)]
        results = on_all_cores(lambda run: self._null_likelihood(*run), runs)
        return {
            kind: tuple(result for result, run in zip(results, runs, strict=True) if run[0] == kind)
            for kind in NULL_FILES
        }

    def _null_likelihood(self, kind: str, number: str) -> float:
        intruder, released = (
            NULL_FILES[kind](own, self._rng("control", kind, number, side))
            for own, side in zip(self._values, ("mine", "release"), strict=True)
        )
        return fitted_log_likelihood([self._fit((intruder, released))])

    def _fit(self, values: tuple[Floats, Floats]) -> canonical.CanonicalCorrelations:
        whole = canonical.FeaturePair.of(*(feature_scores(own, own) for own in values))
        rows, columns = self._sample(FIRST_PAIRS)
        first = whole.take(rows, columns)
        n_random = self.starts
        if n_random is None:
            n_random = round(STARTS * min(1.0, FEW_PAIRS / first.size))
        sample, gaps = (values[0][rows], values[1][columns]), shape_gaps(*values)
        starts = starting_posteriors(sample, first, gaps, self._rng("starts"), n_random)
        return canonical.fit_correlations(first, whole.take(*self._rows), starts)

    def correspondence(self, structure: Structure, pairs: float) -> list[dict[str, Any]]:
        """Each attribute with its most correlated one of the other file, in likely pairs."""
        if not self.has_features:
            return []
        pair, chance = self._pair, partial_match_probabilities(structure.weights, pairs)
        across = pair.intruder.T @ (chance @ pair.released) / max(float(chance.sum()), 1e-9)
        best: dict[tuple[str, str], float] = {}
        for (i, j), correlation in np.ndenumerate(across):
            key = self.reference.features[i].column, self.released.features[j].column
            best[key] = max(best.get(key, 0.0), float(correlation), key=abs)
        strongest = {
            max((k for k in best if k[side] == name), key=lambda k: abs(best[k]))
            for side, names in enumerate((self.reference.columns, self.released.columns))
            for name in names
        }
        ranked = sorted(strongest, key=lambda k: (-abs(best[k]), k))
        return [
            {"mine": one, "release": other, "correlation": float(np.clip(best[one, other], -1, 1))}
            for one, other in ranked
            if abs(best[one, other]) >= LEAST_CORRELATION
        ]

    def linkage(self, structure: Structure, details: dict[str, Any]) -> NearestSearch:
        """The exact search by the log-likelihood ratio of a structure."""
        sides = [_Side([np.zeros(len(data))], np.zeros(len(data))) for data in self.files.pair]
        costs: list[Cost] = [squared()]
        if structure.correlations is not None:
            costs += _add_correlations(structure.correlations, self.scores, sides)
            # A record without values is at the mean, which is no evidence that two are one.
            for side, own in zip(sides, (self.intruder, self.released.values), strict=True):
                side.offset[np.isnan(own).all(1)] += structure.correlations.weight_at_mean
        for one in structure.shared:
            found = compare_values(*self.files.pair, one.intruder, one.released)
            if found is not None:
                costs += _add_values(replace(found, rare=one.rare, copied=one.copied), sides)
        intruder, released = (
            replace(as_records(np.column_stack(side.values)), offset=side.offset) for side in sides
        )
        return NearestSearch(
            self.files,
            intruder,
            released,
            Metric(tuple(costs)),
            self.columns(structure.shared),
            margins="likelihood",
            details=details,
        )


@dataclass(repr=False, eq=False)
class _Side:
    """The numbers of one file that are compared, NaN where missing, and the offsets of costs."""

    values: list[Floats]
    offset: Floats


def _add_correlations(
    correlations: canonical.CanonicalCorrelations, scores: tuple[Floats, Floats], sides: list[_Side]
) -> list[Cost]:
    """With u and v correlated by r: r(u - v)^2 / 2(1 - r^2), less r(u^2 + v^2) / 2(1 + r)."""
    sizes = correlations.sizes
    near, far = np.sqrt(sizes / (1 - sizes**2) / 2), sizes / (1 + sizes) / 2
    for side, own, directions in zip(sides, scores, correlations.directions, strict=True):
        placed = own @ directions
        side.values += [*(placed * near).T]
        side.offset = -(placed**2) @ far
    return [squared()] * len(sizes)


def _add_values(shared: SharedValue, sides: list[_Side]) -> list[Cost]:
    """One number for the values of each frequency, which costs the gain where values differ.

    Two records that differ in all of them pay for all; a missing value costs what is neutral.
    """
    costs = []
    for place, power in enumerate(shared.powers):
        for number, (side, codes) in enumerate(zip(sides, shared.codes, strict=True)):
            known = np.where(codes >= 0, shared.frequency[codes] == power, False)
            cells = np.where(known, codes, -1.0 - number)  # values of other frequencies differ
            side.values.append(np.where(codes >= 0, cells, np.nan))
        gain = shared.gain(power)
        neutral = gain + shared.unequal if place == 0 else gain
        costs.append(levels([0.5], [0.0, gain], missing=max(neutral, 0.0)))
    return costs
