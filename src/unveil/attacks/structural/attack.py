"""Files with no common attribute: linked by what the records of each are among their own."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, Literal, cast

import numpy as np
import polars as pl
from msgspec import Meta
from threadpoolctl import threadpool_limits

from unveil.aggregation.quantifiers import Family
from unveil.attacks.base import Attack, LinkageFiles, Matching
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.probabilistic.attack import Probabilistic
from unveil.attacks.structural.alignment import aligned, likeness
from unveil.attacks.structural.canonical import loosen
from unveil.attacks.structural.confidence import Confidence, likelihood_found
from unveil.attacks.structural.file_features import FileFeatures
from unveil.attacks.structural.representatives import (
    Missing,
    Normalisation,
    Operator,
    representatives,
)
from unveil.attacks.structural.search import Structure, StructureSearch
from unveil.attacks.structural.starting_points import main_loadings, main_signs
from unveil.engines.metric import Metric, euclid, manhattan
from unveil.errors import DataError
from unveil.support.arrays import Floats
from unveil.table.microdata import Microdata
from unveil.values.links import Finder

Way = Literal["auto", "representatives", "ranking", "alignment", "values", "correlation"]
PILED = 0.1  # the share of cells at the ends of their ranges from which the ends tell most
NOTICED = 0.1  # a correlation that is reported
DIGITS = 2.0**34  # scores that differ by less than the largest by this are equal


class Structural(Attack, frozen=True, kw_only=True):
    """Linkage without a common attribute: records are linked by their place in the structure.

    Two files about the same people need not share an attribute to be linked. Who is large in one
    is often large in the other, and how attributes go together tells the rest. Which attributes
    say the same is found, too.

    Torra and Nin, Record linkage for database integration using fuzzy integrals (2008), compare
    what symmetric aggregation operators make of each record (representatives); ranking by one
    score is their baseline. Beyond the paper: attributes matched by the shapes of their
    distributions (alignment), records joined by values that both files have (values), and
    canonical correlations found together with the posterior over all matchings (correlation).
    Auto runs the last two and follows them where the files are likelier than files that share
    nobody; else it guesses, by representatives, and says that it does.

    >>> import unveil
    >>> sample = unveil.households(200, seed=7)
    >>> intruder = unveil.Intruder(knows=["age", "income", "rent"])
    >>> attack = Structural(method="ranking", matching="nearest")
    >>> unveil.attack(sample, sample, attack, intruder=intruder, truth="person")
    Links(structural: 200 records, 200 candidates, truth known)
    """

    method: Annotated[
        Way,
        Meta(
            description="How records are compared: by representatives, by one score (ranking), by "
            "attributes of like shape (alignment), by values that both files have, by "
            "correlation; or as is likeliest, without the truth (auto)."
        ),
    ] = "auto"
    matching: Annotated[
        Matching,
        Meta(
            description="Whom a record is linked with: the nearest; its partner when all are "
            "matched one to one at the least total cost; or whom it has most often in a random "
            "matching. A guess that auto makes links the nearest."
        ),
    ] = "posterior"
    operator: Annotated[
        Operator, Meta(description="Of representatives: the OWA operator or Sugeno's integral.")
    ] = "owa"
    family: Annotated[
        Family, Meta(description="Of representatives: the quantifiers, ten of one family.")
    ] = "threshold"
    normalisation: Annotated[
        Normalisation | None,
        Meta(
            description="Of representatives: how attributes are made comparable; if not given, "
            "ranging where many cells are at the ends of their ranges, else normal scores."
        ),
    ] = None
    missing: Annotated[
        Missing,
        Meta(
            description="Of representatives: a missing value is 0 after normalisation, as in the "
            "paper's experiments, or left out of its record (its proposition 3)."
        ),
    ] = "projection"
    linkage: Annotated[
        Literal["distance", "probabilistic"] | Probabilistic,
        Meta(
            description="Of representatives: how they are compared, by distance or "
            "probabilistically; a table has the parameters of probabilistic linkage.",
            extra={"type": "distance or probabilistic or table"},
        ),
    ] = "distance"
    score: Annotated[
        Literal["component", "sum"],
        Meta(description="Of ranking: the first principal component, or the sum of z-scores."),
    ] = "component"
    turn: Annotated[
        bool,
        Meta(
            description="Of representatives, ranking and alignment: whether attributes that fall "
            "where the others rise are turned round."
        ),
    ] = True
    starts: Annotated[
        Annotated[int, Meta(ge=0, le=100_000)] | None,
        Meta(
            description="Of correlation: how many random starts there are besides the others; if "
            "not given, 40, and fewer the larger the files."
        ),
    ] = None
    controls: Annotated[
        Annotated[int, Meta(ge=2, le=1000)],
        Meta(
            description="Of correlation: how many pairs of files that share nobody, of each kind, "
            "say what is found by chance."
        ),
    ] = 4

    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""
        apart = StructureSearch.of(files, self.starts)
        if self.method != "values" and not (self.method == "auto" and apart.shared.found):
            apart.check_featured()
        ways: dict[Way, Callable[[StructureSearch], NearestSearch]] = {
            "auto": self._choose,
            "representatives": self._by_representatives,
            "ranking": self._by_ranking,
            "alignment": self._by_alignment,
            "values": self._by_values,
            "correlation": self._by_correlation,
        }
        with threadpool_limits(1):  # sums do not depend on how many threads there are
            return ways[self.method](apart)

    def matching_of(self, finder: Finder) -> Matching:
        """Whom a record is linked with."""
        guessed = self.method == "auto" and finder.details["guess"]
        return "nearest" if guessed else self.matching

    def _choose(self, apart: StructureSearch) -> NearestSearch:
        """The likeliest structure, if it is likelier than in controls; else a guess."""
        found = {"correlation": apart.by_correlation()} if apart.featured else {}
        if apart.shared.found:
            found["values"] = apart.by_values()
        if len(found) > 1:
            found["correlation+values"] = apart.by_both(*found.values())
        strangers = apart.strangers(self.controls) if apart.featured else {}
        worth = {
            name: Confidence(likelihood_found(one.parts), {} if name == "values" else strangers)
            for name, one in found.items()
        }
        chosen = max(worth, key=lambda name: worth[name].likelihood)
        evidence = [credit.told(name) for name, credit in worth.items()]
        sure = worth[chosen].sure
        if not worth[chosen].better:
            apart.check_featured()  # to guess by
            guess = self._by_representatives(apart)
            return replace(guess, details=guess.details | {"sure": sure, "evidence": evidence})
        return _followed(apart, chosen, found[chosen], worth[chosen], evidence)

    def _by_correlation(self, apart: StructureSearch) -> NearestSearch:
        found = apart.by_correlation()
        credit = Confidence(likelihood_found(found.parts), apart.strangers(self.controls))
        return _followed(apart, "correlation", found, credit, [credit.told("correlation")])

    def _by_values(self, apart: StructureSearch) -> NearestSearch:
        if not apart.shared.found:
            raise DataError(
                "structural: values: no attribute of one file shares more values with one of the "
                "other than chance makes: choose another method"
            )
        found = apart.by_values()
        credit = Confidence(likelihood_found(found.parts), {})
        return _followed(apart, "values", found, credit, [credit.told("values")])

    def _by_representatives(self, apart: StructureSearch) -> NearestSearch:
        """The nearest by ten symmetric aggregates of each record."""
        signs = self._signs(apart)
        sides = (apart.intruder, apart.reference), (apart.released.values, apart.released)
        how = self.normalisation or _normalisation((apart.reference, apart.released))
        intruder, released = (
            representatives(
                own * sign,
                operator=self.operator,
                family=self.family,
                normalisation=how,
                missing=self.missing,
                among=side.values * sign,
            )
            for (own, side), sign in zip(sides, signs, strict=True)
        )
        details = _details(apart, "representatives", signs) | {"normalisation": how}
        if self.linkage != "distance":
            return self._probabilistic(apart, intruder, released, details)
        return _guess(apart, (intruder, released), euclid(), details)

    def _probabilistic(
        self, apart: StructureSearch, intruder: Floats, released: Floats, details: dict[str, Any]
    ) -> NearestSearch:
        """Fellegi and Sunter's weights; a representative that repeats another counts once."""
        every = np.vstack([intruder, released])
        _, first = np.unique(every, axis=1, return_index=True)
        least, most = np.fmin.reduce(every), np.fmax.reduce(every)
        kept = [place for place in np.sort(first).tolist() if most[place] > least[place]] or [0]
        names = tuple(f"representative {place + 1}" for place in kept)
        both = [
            Microdata(pl.DataFrame(values[:, kept], schema=list(names), nan_to_null=True))
            for values in (intruder, released)
        ]
        compared = replace(
            apart.files, intruder_records=both[0], reference=both[0], release=both[1], columns=names
        )
        spec = self.linkage if isinstance(self.linkage, Probabilistic) else Probabilistic()
        found = cast("NearestSearch", spec.finder(compared))
        details = found.details | details
        return replace(found, columns=apart.columns(), details=details, margins=None, guess=True)

    def _by_ranking(self, apart: StructureSearch) -> NearestSearch:
        """The nearest by the place among one's own, by one score of each record."""
        signs = self._signs(apart)
        sides = (apart.intruder, apart.reference), (apart.released.values, apart.released)
        places = []
        for (own, side), sign in zip(sides, signs, strict=True):
            scaled, among = apart.standard(own, side), apart.standard(side.values, side)
            along = main_loadings(among) if self.score == "component" else sign
            places.append(_places(scaled @ along, among @ along)[:, None])
        details = _details(apart, "ranking", signs)
        return _guess(apart, (places[0], places[1]), manhattan(), details)

    def _by_alignment(self, apart: StructureSearch) -> NearestSearch:
        """The nearest by attributes that are set against each other by their shapes."""
        pairs = aligned(apart.reference.values, apart.released.values, turn=self.turn)
        size = np.sqrt(likeness(pairs.gap))
        intruder, released = apart.scores
        compared = (
            intruder[:, pairs.intruder] * size,
            released[:, pairs.released] * pairs.sign * size,
        )
        details = _details(apart, "alignment", None)
        details["aligned"] = [
            {
                "mine": apart.reference.features[one].column,
                "release": apart.released.features[other].column,
                "likeness": float(alike),
                "turned": bool(sign < 0),
            }
            for one, other, sign, alike in sorted(
                zip(pairs.intruder, pairs.released, pairs.sign, likeness(pairs.gap), strict=True),
                key=lambda pair: -pair[3],
            )
        ]
        return _guess(apart, compared, euclid(), details)

    def _signs(self, apart: StructureSearch) -> tuple[Floats, Floats]:
        """Which features are turned round: those that fall along the first component."""
        if not self.turn:
            return np.ones(len(apart.reference.features)), np.ones(len(apart.released.features))
        return main_signs(apart.reference_scores), main_signs(apart.scores[1])


def _guess(
    apart: StructureSearch, both: tuple[Floats, Floats], metric: Metric, details: dict[str, Any]
) -> NearestSearch:
    """The search by numbers of both files that nothing says are of one kind."""
    intruder, released = (as_records(values) for values in both)
    return NearestSearch(
        apart.files,
        intruder,
        released,
        metric,
        apart.columns(),
        margins=None,
        details=details,
        guess=True,
    )


def _followed(
    apart: StructureSearch,
    name: str,
    structure: Structure,
    credit: Confidence,
    evidence: list[dict[str, Any]],
) -> NearestSearch:
    """The search by a structure, after it has learnt that some have no partner."""
    pairs = loosen(structure.parts)
    details = _details(apart, name, None) | {
        "left_out": apart.left_out(structure.copies),
        "guess": False,
        "sure": credit.sure,
        "evidence": evidence,
        "correspondence": apart.correspondence(structure, pairs, NOTICED),
        "shared": apart.share_of(pairs),
    }
    believed = replace(credit, level=apart.level(structure), shared=details["shared"])
    return replace(apart.search(structure, details), posterior_model=believed)


def _details(
    apart: StructureSearch, method: str, signs: tuple[Floats, Floats] | None
) -> dict[str, Any]:
    details: dict[str, Any] = {
        "method": method,
        "guess": True,
        "sure": None,
        "evidence": [],
        "correspondence": [],
        "shared": None,
        "left_out": apart.left_out(),
    }
    if signs is not None:
        details["turned"] = {
            whose: [f.column for f, s in zip(side.features, sign, strict=True) if s < 0]
            for whose, side, sign in zip(
                ("mine", "release"), (apart.reference, apart.released), signs, strict=True
            )
        }
    return details


def _places(scores: Floats, among: Floats) -> Floats:
    """The share of others that are below, equals counted half; rounding makes nobody unequal."""
    size = np.abs(among).max()
    own, others = (np.rint(each * (DIGITS / size) if size else each) for each in (scores, among))
    below, upto = (np.searchsorted(np.sort(others), own, side) for side in ("left", "right"))
    return (below + upto) / (2 * len(others))


def _normalisation(sides: tuple[FileFeatures, FileFeatures]) -> Normalisation:
    """Ranging puts what is piled up at the end of a range in one place, whatever the attribute."""
    values = [column[~np.isnan(column)] for side in sides for column in side.values.T]
    ends = sum(int(((v == v.min()) | (v == v.max())).sum()) for v in values)
    return "ranging" if ends >= PILED * sum(map(len, values)) else "normal-scores"
