"""Two files that share no attribute, and the search for what they have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unveil.attacks.base import LinkageFiles
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.structural.alignment import shape_gaps
from unveil.attacks.structural.canonical import (
    LEVELS,
    ROUNDS,
    CanonicalCorrelations,
    FeaturePair,
    PairEvidence,
    correlated,
    progressed,
    weights_of,
)
from unveil.attacks.structural.confidence import likelihood_found
from unveil.attacks.structural.file_features import FileFeatures, scores_of, side_of
from unveil.attacks.structural.null_files import CONTROLS
from unveil.attacks.structural.representatives import normalised
from unveil.attacks.structural.shared_values import (
    SharedValue,
    SharedValues,
    copy_of,
    shared_values,
)
from unveil.attacks.structural.soft_matching import partly_matched, posterior_of
from unveil.attacks.structural.starting_points import starts_of
from unveil.engines.metric import Cost, Metric, levels, squared
from unveil.engines.records import Records
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.support.threads import on_all_cores

FIRST_PAIRS = 500_000  # by which structures are looked for first; records of mine are sampled
PAIRS = 8_000_000  # by which those that are likely are refined
CANDIDATES = 16_384  # released rows that they are set against
FEWEST = 200  # records that are looked at, however many pairs these make
STARTS, FEW_PAIRS = 40, 100_000  # random starts, where there are so few pairs; of more, fewer


@dataclass(frozen=True, repr=False, eq=False)
class Structure:
    """What two files have in common: correlations, values, or both."""

    correlations: CanonicalCorrelations | None
    copies: SharedValues | None

    @property
    def parts(self) -> list[PairEvidence]:
        """What speaks for a pair."""
        both: tuple[PairEvidence | None, ...] = (self.correlations, self.copies)
        return [part for part in both if part is not None]

    @property
    def weights(self) -> Floats:
        """The log-likelihood ratio of every pair."""
        return weights_of(self.parts)


@dataclass(frozen=True, repr=False, eq=False)
class StructureSearch:
    """The features of two files; for the search their rows stand by what they hold."""

    files: LinkageFiles
    reference: FileFeatures
    released: FileFeatures
    starts: int | None  # random ones; if not given, by the size of the files

    @classmethod
    def of(cls, files: LinkageFiles, starts: int | None) -> StructureSearch:
        """Two files as an attack sees them."""
        reference = side_of(files.reference, files.columns, "intruder's file")
        return cls(files, reference, side_of(files.release, files.others, "release"), starts)

    @property
    def featured(self) -> bool:
        """Whether both files have attributes with an order, or frequent categories."""
        return bool(self.reference.features and self.released.features)

    def check_featured(self) -> None:
        """Refuse files without them."""
        self.reference.check("intruder's file")
        self.released.check("release")

    def columns(self, copies: SharedValues | None = None) -> tuple[str, ...]:
        """The columns that are used, of both files; besides those whose values are compared."""
        found = () if copies is None else copies.found
        copied = [name for copy in found for name in (copy.intruder, copy.released)]
        return tuple(dict.fromkeys((*self.reference.columns, *self.released.columns, *copied)))

    def left_out(self, copies: SharedValues | None = None) -> dict[str, dict[str, str]]:
        """Attributes that are not used, and why."""
        used = self.columns(copies)
        return {
            whose: {name: reason for name, reason in side.left_out.items() if name not in used}
            for whose, side in (("mine", self.reference), ("release", self.released))
        }

    @cached_property
    def intruder(self) -> Floats:
        """The features of the records that are linked, as they stand."""
        same = self.files.reference is self.files.intruder_records
        return self.reference.values if same else self.reference.of(self.files.intruder_records)

    @cached_property
    def scores(self) -> tuple[Floats, Floats]:
        """Scores of the records that are linked and of the released rows, as they stand."""
        released = self.released.values
        return scores_of(self.intruder, self.reference.values), scores_of(released, released)

    @cached_property
    def reference_scores(self) -> Floats:
        """Scores of those whose ranks and scales count."""
        return scores_of(self.reference.values, self.reference.values)

    def standard(self, values: Floats, side: FileFeatures) -> Floats:
        """z-scores among the records of a file; 0 where missing."""
        return np.nan_to_num(normalised(values, how="standardisation", among=side.values))

    @cached_property
    def shared(self) -> SharedValues:
        """The attributes that share values, as rows stand."""
        files = self.files
        return shared_values(files.reference, files.release, files.columns, files.others)

    def rng(self, *names: str) -> np.random.Generator:
        """A stream of random numbers of its own."""
        return stream(self.files.seed, "attack", "structural", *names)

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        return self.reference.values[self.reference.order], self.released.values[
            self.released.order
        ]

    @cached_property
    def _rows(self) -> tuple[Ints, Ints]:
        """The rows of both, by what they hold, from which structures are learnt."""
        return self._some(PAIRS)

    @cached_property
    def _pair(self) -> FeaturePair:
        """Their scores."""
        return FeaturePair.of(*(scores_of(own, own) for own in self._values)).some(*self._rows)

    @cached_property
    def _copies(self) -> SharedValues:
        """The values that they share."""
        intruder, released = self._rows
        return self.shared.of(self.reference.order[intruder], self.released.order[released])

    def _some(self, pairs: int) -> tuple[Ints, Ints]:
        columns = self._drawn("release", len(self.released), CANDIDATES)
        rows = max(FEWEST, pairs // len(columns))
        return self._drawn("mine", len(self.reference), rows), columns

    def _drawn(self, whose: str, size: int, most: int) -> Ints:
        return np.sort(self.rng("rows", whose).permutation(size)[:most])

    def by_correlation(self) -> Structure:
        """The correlations that make the files likeliest."""
        return Structure(self._correlated(self._values), None)

    def by_values(self) -> Structure:
        """The values that are copied from one file to the other."""
        return Structure(None, self._copies)

    def by_both(self, *found: Structure) -> Structure:
        """Correlations and values together, beginning with what each has found."""
        tried = [
            progressed(self._pair, posterior_of(one.weights), shares, ROUNDS, [self._copies])
            for one in found
            for shares in (LEVELS, LEVELS[-1:])
        ]
        return Structure(max(tried, key=lambda one: one[0])[1], self._copies)

    def share_of(self, pairs: float) -> float:
        """The share of all my records that have a partner, if so many of those looked at have."""
        rows, columns = self._rows
        return min(1.0, pairs / len(rows) * len(self.released) / len(columns))

    def strangers(self, controls: int) -> dict[str, tuple[float, ...]]:
        """What the search for correlations comes to in files that share nobody."""
        every = [(kind, str(number)) for kind in CONTROLS for number in range(controls)]
        made = on_all_cores(lambda one: self._stranger(*one), every)
        return {
            kind: tuple(found for found, one in zip(made, every, strict=True) if one[0] == kind)
            for kind in CONTROLS
        }

    def _stranger(self, kind: str, number: str) -> float:
        intruder, released = (
            CONTROLS[kind](own, self.rng("control", kind, number, whose))
            for own, whose in zip(self._values, ("mine", "release"), strict=True)
        )
        return likelihood_found([self._correlated((intruder, released))])

    def _correlated(self, values: tuple[Floats, Floats]) -> CanonicalCorrelations:
        whole, rows = (
            FeaturePair.of(*(scores_of(own, own) for own in values)),
            self._some(FIRST_PAIRS),
        )
        first = whole.some(*rows)
        drawn = self.starts
        if drawn is None:
            drawn = round(STARTS * min(1.0, FEW_PAIRS / first.size))
        some = values[0][rows[0]], values[1][rows[1]]
        starts = starts_of(some, first, shape_gaps(*values), self.rng("starts"), drawn)
        return correlated(first, whole.some(*self._rows), starts)

    def correspondence(
        self, structure: Structure, pairs: float, least: float
    ) -> list[dict[str, Any]]:
        """Which attributes go together, by how they are correlated in likely pairs.

        Each with the one of the other file that it is correlated with most.
        """
        if not self.featured:
            return []
        pair, chance = self._pair, partly_matched(structure.weights, pairs)
        across = pair.intruder.T @ (chance @ pair.released) / max(float(chance.sum()), 1e-9)
        best: dict[tuple[str, str], float] = {}
        for place, found in np.ndenumerate(across):
            key = self.reference.features[place[0]].column, self.released.features[place[1]].column
            best[key] = max(best.get(key, 0.0), float(found), key=abs)
        strongest = {
            max((k for k in best if k[side] == name), key=lambda k: abs(best[k]))
            for side, names in enumerate((self.reference.columns, self.released.columns))
            for name in names
        }
        ranked = sorted(strongest, key=lambda k: (-abs(best[k]), k))
        return [
            {"mine": one, "release": other, "correlation": float(np.clip(best[one, other], -1, 1))}
            for one, other in ranked
            if abs(best[one, other]) >= least
        ]

    def level(self, structure: Structure) -> float:
        """The log-likelihood ratio of a pair that costs nothing, without its records' offsets."""
        found = 0.0
        if structure.correlations is not None:
            found += structure.correlations.level
        for copy in () if structure.copies is None else structure.copies.found:
            found += copy.unequal + sum(copy.gain(power) for power in copy.powers)
        return found

    def search(self, structure: Structure, details: dict[str, Any]) -> NearestSearch:
        """The exact search by what a structure says of a pair: its log-likelihood ratio."""
        both = [_Compared.nothing(len(data)) for data in self.files.pair]
        costs: list[Cost] = [squared()]
        if structure.correlations is not None:
            both, more = _by_correlations(structure.correlations, self.scores)
            costs += more
            # Who says nothing is where the mean is: that two are is no sign that they are one.
            level = structure.correlations.level
            for one, own in zip(both, (self.intruder, self.released.values), strict=True):
                one.offset[np.isnan(own).all(1)] += level
        for copy in () if structure.copies is None else structure.copies.found:
            found = copy_of(
                self.files.intruder_records, self.files.release, copy.intruder, copy.released
            )
            if found is not None:
                more = _by_copy(replace(found, rare=copy.rare, chance=copy.chance), both)
                costs += more
        intruder, released = (one.records() for one in both)
        return NearestSearch(
            self.files,
            intruder,
            released,
            Metric(tuple(costs)),
            self.columns(structure.copies),
            margins="likelihood",
            details=details,
        )


@dataclass(repr=False, eq=False)
class _Compared:
    """The numbers of one file that are compared; NaN is missing."""

    values: list[Floats]
    offset: Floats

    @classmethod
    def nothing(cls, size: int) -> _Compared:
        return cls([np.zeros(size)], np.zeros(size))

    def records(self) -> Records:
        return replace(as_records(np.column_stack(self.values)), offset=self.offset)


def _by_correlations(
    found: CanonicalCorrelations, scores: tuple[Floats, Floats]
) -> tuple[list[_Compared], list[Cost]]:
    """With u and v correlated by r: r(u - v)^2 / 2(1 - r^2), less r(u^2 + v^2) / 2(1 + r)."""
    size, *turns = found.found
    near, far = np.sqrt(size / (1 - size**2) / 2), size / (1 + size) / 2
    both = []
    for own, turn in zip(scores, turns, strict=True):
        placed = own @ turn
        columns = [np.zeros(len(own)), *(placed * near).T]
        both.append(_Compared(columns, -(placed**2) @ far))
    return both, [squared()] * len(size)


def _by_copy(copy: SharedValue, both: list[_Compared]) -> list[Cost]:
    """One column for the values of each frequency: who is equal saves what that is worth.

    Who is not equal, in none of them, pays for all; who has no value pays what is neutral.
    """
    costs = []
    for place, power in enumerate(copy.powers):
        for number, (one, codes) in enumerate(zip(both, copy.codes, strict=True)):
            known = np.where(codes >= 0, copy.often[codes] == power, False)
            cells = np.where(known, codes, -1.0 - number)  # nobody is equal who is not of it
            one.values.append(np.where(codes >= 0, cells, np.nan))
        gain = copy.gain(power)
        neutral = gain + copy.unequal if place == 0 else gain
        costs.append(levels([0.5], [0.0, gain], missing=max(neutral, 0.0)))
    return costs
