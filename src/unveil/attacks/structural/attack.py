"""Structural linkage: files without a common attribute, linked by the structure of each."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np
import polars as pl
from msgspec import Meta
from threadpoolctl import threadpool_limits

from unveil.aggregation.quantifiers import Family
from unveil.attacks.base import MATCHING, Attack, LinkageFiles, Matching
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.probabilistic.attack import Probabilistic
from unveil.attacks.structural.alignment import align, similarity
from unveil.attacks.structural.canonical import fit_overlap
from unveil.attacks.structural.confidence import Confidence, fitted_log_likelihood
from unveil.attacks.structural.file_features import feature_scores
from unveil.attacks.structural.representatives import (
    Missing,
    Normalisation,
    Operator,
    normalise,
    representatives,
)
from unveil.attacks.structural.search import Structure, StructureSearch
from unveil.attacks.structural.starting_points import main_loadings, main_signs
from unveil.engines.metric import Metric, euclid, manhattan
from unveil.errors import DataError
from unveil.support.arrays import Floats
from unveil.table.microdata import Microdata
from unveil.values.links import Finder

Method = Literal["auto", "representatives", "ranking", "alignment", "values", "correlation"]
MANY_AT_ENDS = 0.1  # the share of cells at the ends of their ranges, from which on ranging is best
RANKED_DIGITS = 2.0**34  # of a score, relative to the largest


class Structural(Attack, frozen=True, kw_only=True):
    """Structural linkage: link the records of two files that have no common attribute.

    Two files about the same people need not share an attribute. Records with large values in one
    file often have large values in the other, and correlations reveal the rest. The attack also
    finds which attributes correspond.

    Torra and Nin, Record linkage for database integration using fuzzy integrals (2008), compare
    records by symmetric aggregation operators (representatives); ranking by one score is their
    baseline. Beyond the paper: attributes matched by the shapes of their distributions (alignment),
    records joined by values that both files have (values), and canonical correlations estimated
    together with the posterior over all matchings (correlation). Auto runs the last two and follows
    them if the files are more likely than files without common people; otherwise it guesses by
    representatives, and says so.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "income", "rent"])
    >>> attack = Structural(method="ranking", matching="nearest")
    >>> unveil.attack(sample, sample, attack, intruder=intruder, truth="person")
    Links(structural: 200 records, 200 candidates, truth known)
    """

    method: Annotated[
        Method,
        Meta(
            description="How records are compared. Auto takes the most likely, without the truth."
        ),
    ] = "auto"
    matching: Annotated[
        Matching, Meta(description=f"{MATCHING} A guess by auto links the nearest.")
    ] = "posterior"
    operator: Annotated[
        Operator, Meta(description="Representatives: the OWA operator or Sugeno's integral.")
    ] = "owa"
    family: Annotated[
        Family, Meta(description="Representatives: the family of the ten quantifiers.")
    ] = "threshold"
    normalisation: Annotated[
        Normalisation | None,
        Meta(
            description="Representatives: how attributes are normalised. By default ranging if "
            "many cells are at the ends of their ranges, else normal scores."
        ),
    ] = None
    missing: Annotated[
        Missing,
        Meta(
            description="Representatives: how missing values count. As 0 after normalisation, as "
            "in the paper's experiments, or left out of the record (its proposition 3)."
        ),
    ] = "projection"
    linkage: Annotated[
        Literal["distance", "probabilistic"] | Probabilistic,
        Meta(
            description="Representatives: the attack that compares them. A table has the "
            "parameters of probabilistic linkage.",
            extra={"type": "distance or probabilistic or table"},
        ),
    ] = "distance"
    score: Annotated[
        Literal["component", "sum"],
        Meta(description="Ranking: the first principal component, or the sum of z-scores."),
    ] = "component"
    turn: Annotated[bool, Meta(description="Reverse attributes that fall where others rise.")] = (
        True
    )
    starts: Annotated[
        Annotated[int, Meta(ge=0, le=100_000)] | None,
        Meta(description="Correlation: random starts. By default 40, fewer for large files."),
    ] = None
    controls: Annotated[
        int,
        Meta(
            ge=2,
            le=1000,
            description="Correlation: null files of each kind, to show what chance yields.",
        ),
    ] = 4

    needs_common_attributes: ClassVar[bool] = False

    def finder(self, files: LinkageFiles) -> Finder:
        """Search for the structure, and prepare the linkage of two files."""
        search = StructureSearch.of(files, self.starts)
        if self.method != "values" and not (self.method == "auto" and search.shared.attributes):
            search.check_features()
        methods: dict[Method, Callable[[StructureSearch], NearestSearch]] = {
            "representatives": self._by_representatives,
            "ranking": self._by_ranking,
            "alignment": self._by_alignment,
        }
        with threadpool_limits(1):  # so that sums do not depend on the number of threads
            return methods.get(self.method, self._by_structure)(search)

    def matching_of(self, finder: Finder) -> Matching:
        """The nearest row for a guess that auto makes."""
        guessed = self.method == "auto" and finder.details["guess"]
        return "nearest" if guessed else self.matching

    def _by_structure(self, search: StructureSearch) -> NearestSearch:
        """The most likely structure; auto guesses if it is no more likely than in null files."""
        correlated = self.method != "values" and search.has_features
        shared = self.method != "correlation" and bool(search.shared.attributes)
        if self.method == "values" and not shared:
            raise DataError(
                "structural: values: no two attributes of the files share more values than by "
                "chance; choose another method"
            )
        found = {"correlation": search.by_correlation()} if correlated else {}
        if shared:
            found["values"] = search.by_values()
        if len(found) > 1:
            found["correlation+values"] = search.by_both(*found.values())
        nulls = search.null_likelihoods(self.controls) if correlated else {}
        confidence = {
            name: Confidence(fitted_log_likelihood(one.parts), {} if name == "values" else nulls)
            for name, one in found.items()
        }
        chosen = max(confidence, key=lambda name: confidence[name].log_likelihood)
        evidence = [one.as_dict(name) for name, one in confidence.items()]
        if self.method == "auto" and not confidence[chosen].worth_following:
            search.check_features()
            guess = self._by_representatives(search)
            details = {"sure": confidence[chosen].sure, "evidence": evidence}
            return replace(guess, details=guess.details | details)
        return _follow(search, chosen, found[chosen], confidence[chosen], evidence)

    def _by_representatives(self, search: StructureSearch) -> NearestSearch:
        """The nearest by ten symmetric aggregates of each record."""
        signs = self._signs(search)
        normalisation = self.normalisation or _default_normalisation(search)
        intruder, released = (
            representatives(
                own * sign,
                operator=self.operator,
                family=self.family,
                normalisation=normalisation,
                missing=self.missing,
                among=among * sign,
            )
            for (own, among), sign in zip(_sides(search), signs, strict=True)
        )
        details = _details(search, "representatives", signs) | {"normalisation": normalisation}
        if self.linkage != "distance":
            return self._probabilistic(search, intruder, released, details)
        return _guess(search, intruder, released, euclid(), details)

    def _probabilistic(
        self, search: StructureSearch, intruder: Floats, released: Floats, details: dict[str, Any]
    ) -> NearestSearch:
        """Fellegi and Sunter's weights; a representative that repeats another counts once."""
        every = np.vstack([intruder, released])
        _, first = np.unique(every, axis=1, return_index=True)
        least, most = np.fmin.reduce(every), np.fmax.reduce(every)
        kept = [place for place in np.sort(first).tolist() if most[place] > least[place]] or [0]
        names = tuple(f"representative {place + 1}" for place in kept)
        own, release = (
            Microdata(pl.DataFrame(values[:, kept], schema=list(names), nan_to_null=True))
            for values in (intruder, released)
        )
        files = replace(
            search.files, intruder_records=own, reference=own, release=release, columns=names
        )
        spec = self.linkage if isinstance(self.linkage, Probabilistic) else Probabilistic()
        found = cast("NearestSearch", spec.finder(files))
        details = found.details | details
        return replace(found, columns=search.columns(), details=details, margins=None, guess=True)

    def _by_ranking(self, search: StructureSearch) -> NearestSearch:
        """The nearest by the rank of one score of each record, within its file."""
        signs = self._signs(search)
        ranks = []
        for (own, among), sign in zip(_sides(search), signs, strict=True):
            scaled, others = (
                np.nan_to_num(normalise(values, method="standardisation", among=among))
                for values in (own, among)
            )
            along = main_loadings(others) if self.score == "component" else sign
            ranks.append(_rank_shares(scaled @ along, others @ along)[:, None])
        details = _details(search, "ranking", signs)
        return _guess(search, ranks[0], ranks[1], manhattan(), details)

    def _by_alignment(self, search: StructureSearch) -> NearestSearch:
        pairs = align(search.reference.values, search.released.values, reverse=self.turn)
        alike = similarity(pairs.gap)
        size = np.sqrt(alike)
        intruder, released = search.scores
        details = _details(search, "alignment", None)
        details["aligned"] = [
            {
                "mine": search.reference.features[i].column,
                "release": search.released.features[j].column,
                "likeness": float(like),
                "turned": bool(sign < 0),
            }
            for i, j, sign, like in sorted(
                zip(pairs.intruder, pairs.released, pairs.sign, alike, strict=True),
                key=lambda pair: -pair[3],
            )
        ]
        return _guess(
            search,
            intruder[:, pairs.intruder] * size,
            released[:, pairs.released] * pairs.sign * size,
            euclid(),
            details,
        )

    def _signs(self, search: StructureSearch) -> tuple[Floats, Floats]:
        """-1 for the features to reverse: those that fall along the first component."""
        if not self.turn:
            return np.ones(len(search.reference.features)), np.ones(len(search.released.features))
        reference = search.reference.values
        return main_signs(feature_scores(reference, reference)), main_signs(search.scores[1])


def _sides(search: StructureSearch) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The features of the linked records, and those they are normalised among, of each file."""
    released = search.released.values
    return (search.intruder, search.reference.values), (released, released)


def _guess(
    search: StructureSearch,
    intruder: Floats,
    released: Floats,
    metric: Metric,
    details: dict[str, Any],
) -> NearestSearch:
    return NearestSearch(
        search.files,
        as_records(intruder),
        as_records(released),
        metric,
        search.columns(),
        margins=None,
        details=details,
        guess=True,
    )


def _follow(
    search: StructureSearch,
    name: str,
    structure: Structure,
    confidence: Confidence,
    evidence: list[dict[str, Any]],
) -> NearestSearch:
    """The linkage by a structure, after it is fitted to files that overlap in part."""
    pairs = fit_overlap(structure.parts)
    overlap = search.overlap(pairs)
    details = _details(search, name, None) | {
        "left_out": search.left_out(structure.shared),
        "guess": False,
        "sure": confidence.sure,
        "evidence": evidence,
        "correspondence": search.correspondence(structure, pairs),
        "shared": overlap,
    }
    model = replace(confidence, weight_at_zero=structure.weight_at_zero, overlap=overlap)
    return replace(search.linkage(structure, details), posterior_model=model)


def _details(
    search: StructureSearch, method: str, signs: tuple[Floats, Floats] | None
) -> dict[str, Any]:
    details: dict[str, Any] = {
        "method": method,
        "guess": True,
        "sure": None,
        "evidence": [],
        "correspondence": [],
        "shared": None,
        "left_out": search.left_out(),
    }
    if signs is not None:
        sides = {"mine": search.reference, "release": search.released}
        details["turned"] = {
            key: [f.column for f, s in zip(side.features, sign, strict=True) if s < 0]
            for (key, side), sign in zip(sides.items(), signs, strict=True)
        }
    return details


def _rank_shares(scores: Floats, among: Floats) -> Floats:
    """The share of records with a lower score, ties counted half, whatever the rounding."""
    size = np.abs(among).max()
    own, others = (np.rint(s * (RANKED_DIGITS / size) if size else s) for s in (scores, among))
    below, upto = (np.searchsorted(np.sort(others), own, side) for side in ("left", "right"))
    shares: Floats = (below + upto) / (2 * len(others))
    return shares


def _default_normalisation(search: StructureSearch) -> Normalisation:
    """Ranging if many cells are at the ends of their ranges, which it maps to the same numbers."""
    sides = search.reference, search.released
    values = [column[~np.isnan(column)] for side in sides for column in side.values.T]
    ends = sum(int(((v == v.min()) | (v == v.max())).sum()) for v in values)
    return "ranging" if ends >= MANY_AT_ENDS * sum(map(len, values)) else "normal-scores"
