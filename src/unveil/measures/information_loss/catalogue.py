"""The catalogue of loss measures: the range and the definition of each, and what it cannot see.

To add a measure: give it an entry in GLOSSARY and a row in the table of docs/loss.md; compute it in
a module of this folder that returns a MeasuredLoss of `loss_measure(name, value, n=n)`; call that
module in loss.py. Measures describe a loss; the overall loss is that of the uses (uses/).
"""

from math import isfinite
from typing import NamedTuple

from unveil.values.results.loss import LossMeasure

PIL_SAMPLE = 1000  # the n of PIL's standard errors
TENTHS = 10  # bins of numbers in tables
MOST_CATEGORIES = 50  # of an attribute in tables: the commonest; all others are one more
NO_PAIRS = "the true links are not known"


class MeasureMeaning(NamedTuple):
    """How to read a measure, whose best value is always 0."""

    family: str
    definition: str
    blind: str  # what it cannot see
    plain: str  # for readers who are no statisticians
    worst: float | None = 1.0  # None: no upper end


class MeasuredLoss(NamedTuple):
    """Measures, and the values by attribute of those that look at single attributes."""

    measures: tuple[LossMeasure, ...]
    attributes: dict[str, dict[str, float]]


def loss_measure(
    name: str, value: float | None, *, n: int, note: str = "", meaning: MeasureMeaning | None = None
) -> LossMeasure:
    """A value with its meaning; None if it is not a number, and the note states why."""
    meaning = meaning or GLOSSARY[name]
    known = value is not None and isfinite(value)
    return LossMeasure(
        name=name,
        family=meaning.family,
        value=float(value) if known and value is not None else None,
        best=0.0,
        worst=meaning.worst,
        definition=meaning.definition,
        blind=meaning.blind,
        n=n,
        note=note if known else note or "it cannot be computed",
    )


def mean_or_none(values: list[float]) -> float | None:
    """The mean; None if there is no value."""
    return sum(values) / len(values) if values else None


_SINGLE = "dependence between attributes, and which record a cell belongs to"
_JOINT = "dependence beyond pairs of attributes, and which record a cell belongs to"
_CHANCE = (
    "2 P(0 <= Z <= |t' - t| / se) with Z standard normal, t of the original and t' of the release, "
    f"se the standard error of t in a sample of {PIL_SAMPLE:,}"
)

GLOSSARY: dict[str, MeasureMeaning] = {
    "IL1s": MeasureMeaning(
        "numbers",
        "mean over cells of |x - x'| / (sqrt(2) s), s the standard deviation of the original's "
        "attribute; cells missing or a star on either side are left out, a range counts as its "
        "middle",
        "the direction: a thousand cells moved at random or all one way are the same",
        "How far numbers were moved on average, relative to how much people differ.",
        worst=None,
    ),
    "PIL": MeasureMeaning(
        "numbers",
        "mean of the PIL of quantiles, means, variances, covariances and correlations, of those "
        "that exist",
        _JOINT,
        "How much statistics of numbers changed, compared with the change in another sample.",
    ),
    "PIL of quantiles": MeasureMeaning(
        "numbers",
        f"mean over attributes and the quantiles 5, 10, ..., 95 % of {_CHANCE}: sqrt(q (1 - q) / "
        f"{PIL_SAMPLE}) / f, f a normal kernel's density over {PIL_SAMPLE:,} quantiles, its width "
        f"0.9 min(s, IQR / 1.34) {PIL_SAMPLE}^(-1/5), at most s; quantiles are interpolated "
        "between neighbours (R's type 7)",
        _SINGLE,
        "How much low, middle and high values changed, compared with another sample.",
    ),
    "PIL of means": MeasureMeaning(
        "numbers",
        f"mean over attributes of {_CHANCE}: s / sqrt({PIL_SAMPLE})",
        _SINGLE,
        "How much averages changed, compared with the change in another sample.",
    ),
    "PIL of variances": MeasureMeaning(
        "numbers",
        f"mean over attributes of {_CHANCE}: sqrt((m4 - s^4) / {PIL_SAMPLE}), m4 the fourth moment",
        _SINGLE,
        "How much spreads changed, compared with the change in another sample.",
    ),
    "PIL of covariances": MeasureMeaning(
        "numbers",
        f"mean over pairs of attributes of {_CHANCE}: sqrt((m22 - c^2) / {PIL_SAMPLE}), m22 the "
        "mean product of both squared deviations",
        _JOINT,
        "How much the joint variation of two attributes changed, compared with another sample.",
    ),
    "PIL of correlations": MeasureMeaning(
        "numbers",
        f"mean over pairs of attributes of {_CHANCE}: (1 - r^2) / sqrt({PIL_SAMPLE})",
        _JOINT,
        "How much the correlation of two attributes changed, compared with another sample.",
    ),
    "means": MeasureMeaning(
        "numbers",
        "mean over attributes of |m' - m| / s",
        _SINGLE,
        "How far averages moved, relative to how much people differ.",
        worst=None,
    ),
    "variances": MeasureMeaning(
        "numbers",
        "mean over attributes of |v' - v| / v",
        _SINGLE,
        "How much larger or smaller spreads became.",
        worst=None,
    ),
    "covariances": MeasureMeaning(
        "numbers",
        "mean over pairs of attributes of |c' - c| / (s_j s_k)",
        _JOINT,
        "How much the joint variation of two attributes changed.",
        worst=None,
    ),
    "correlations": MeasureMeaning(
        "numbers",
        "mean over pairs of attributes of |r' - r|",
        _JOINT,
        "How much the correlation of two attributes changed.",
        worst=2.0,
    ),
    "largest correlation": MeasureMeaning(
        "numbers",
        "largest over pairs of attributes of |r' - r|",
        _JOINT,
        "The largest change of the correlation of any two attributes.",
        worst=2.0,
    ),
    "first component": MeasureMeaning(
        "numbers",
        "the variance of the original on its own first principal component less that on the "
        "release's, over what a random direction would miss; of standardised attributes",
        "small changes where components carry about the same variance; which record a cell "
        "belongs to",
        "How far the direction in which people differ most changed.",
    ),
    "components": MeasureMeaning(
        "numbers",
        "as the first component, for those that carry 80 % of the original's variance together, "
        "all but one at most",
        "rotations of the components among themselves; which record a cell belongs to",
        "How far the few directions in which people differ most changed.",
    ),
    "change": MeasureMeaning(
        "categories",
        "share of the categorical cells that are another category, missing, or a set of several "
        "in the release",
        "how far a category moved; a shuffled column still agrees by chance, so it ends below 1",
        "How many categories are not what they were.",
    ),
    "steps": MeasureMeaning(
        "categories",
        "mean over ordinal cells of the steps moved over the steps from first to last; cells "
        "missing on either side are left out",
        "nominal attributes; a shuffled column ends below 1",
        "How far ordered categories moved, as a part of the whole scale.",
    ),
    "entropy": MeasureMeaning(
        "categories",
        "mean over attributes of H(X | X') / H(X): the uncertainty about the original's category "
        "given the released one, estimated by counting pairs; missing is a category, so is a "
        f"set, those beyond the {MOST_CATEGORIES} commonest are one",
        "a relabelling, which loses nothing; in small files of many categories it is too low, by "
        "about (cells of the table) / (2 n H)",
        "How much of the true category can no longer be inferred from the released one.",
    ),
    "single tables": MeasureMeaning(
        "tables",
        "mean over attributes of the total variation distance of their tables, half the sum of "
        f"|p' - p|; numbers in tenths by the original's quantiles, the {MOST_CATEGORIES} commonest "
        "categories, all others as one, missing cells and sets of several as one",
        _SINGLE,
        "How many of the records are in the wrong place when one attribute is counted.",
    ),
    "largest single table": MeasureMeaning(
        "tables",
        "the largest of the single tables",
        _SINGLE,
        "How many are in the wrong place in the attribute whose counts changed most.",
    ),
    "pair tables": MeasureMeaning(
        "tables",
        "mean over all pairs of attributes (categories, numbers in tenths, mixed) of the total "
        "variation distance of their joint tables, cut as the single ones",
        f"{_JOINT}; if attributes are independent, nothing but the single tables can be lost; "
        "files that differ by chance have a distance of about sqrt(cells / n)",
        "How many of the records are in the wrong place when two attributes are crossed.",
    ),
    "largest pair table": MeasureMeaning(
        "tables",
        "the largest of the pair tables",
        _JOINT,
        "How many are in the wrong place in the two attributes whose counts changed most.",
    ),
    "generalisation": MeasureMeaning(
        "cells",
        "mean over cells of what a released cell leaves open beyond the original's: the width of "
        "a range over the original's range, (values of a set - 1) / (categories - 1), 1 for a star "
        "or a missing cell, 0 for one value",
        "wrong cells: one value is one value",
        "How much released cells leave open, because they are coarser than they were or empty.",
    ),
    "suppressed": MeasureMeaning(
        "cells",
        "share of the cells of released records that are missing or a star, and were not",
        "ranges, sets, and wrong cells; records that are not released at all",
        "How many cells are no longer released.",
    ),
    "stars": MeasureMeaning(
        "cells",
        "share of the cells of released records that are a star, and were neither a star nor "
        "missing: the suppressed cells that carry a star",
        "ranges, sets, missing and wrong cells; records that are not released at all",
        "How many cells are replaced by a star, which stands for any value.",
    ),
    "discernibility": MeasureMeaning(
        "classes",
        "(d' - d) / (1 - d), at least 0: d the mean over records of the share of all that have the "
        "same quasi-identifiers, d' the release's, with 1 for each discarded record: Bayardo and "
        "Agrawal's metric over n^2; the note has the metric itself. On all attributes if none is a "
        "quasi-identifier; a missing cell is a value, a generalised one its text",
        "wrong cells: noise that makes records unique makes them discernible; small classes in "
        "large files: classes of k among n records come to about k / n",
        "How much harder it is to distinguish records.",
    ),
    "class size": MeasureMeaning(
        "classes",
        "1 - a / a', at least 0: a the records of the original for each of its classes of equal "
        "quasi-identifiers, a' those of the release for each of its own: LeFevre's average class "
        "size without k; the sizes themselves, at best 1 and with no upper end, are in the note. "
        "On the attributes of discernibility",
        "one large class among many small ones; discarded records; wrong cells; with the same "
        "categories, larger files have larger classes",
        "How much larger groups of equal records are, on average.",
    ),
    "discarded": MeasureMeaning(
        "records",
        "share of the originals that have no released row",
        "who they are: see the subgroups",
        "How many people are not in the release.",
    ),
    "pMSE": MeasureMeaning(
        "propensity",
        "mean of (p - c)^2 / (c (1 - c)): p the probability of being released by a classifier that "
        "has not seen the record or its twin, c the share of released records",
        "what boosted trees cannot find in 10,000 records of each; their errors count too: see "
        "told apart",
        "How surely a classifier separates released records from true ones.",
    ),
    "told apart": MeasureMeaning(
        "propensity",
        "1 - (mean of (y - p)^2) / (c (1 - c)), y whether the record is released, p as for pMSE; "
        "at least 0: as pMSE, but only correct predictions count",
        "what boosted trees cannot find in 10,000 records of each",
        "How well a classifier separates released records from true ones.",
    ),
    "prediction": MeasureMeaning(
        "prediction",
        "mean over predicted attributes of (o - r) / (o - g) within 0 to 1: o the score on "
        "held-out originals of a model trained on originals, r on the release, g of a constant "
        "guess",
        "uses other than prediction; attributes that the originals cannot predict",
        "How much worse predictions are if they are learned from the release.",
    ),
    "interval overlap": MeasureMeaning(
        "estimates",
        "1 - mean over means of numbers and shares of categories of the overlap of their 95 % "
        "confidence intervals in both files: what they have in common relative to each, averaged "
        "(Karr et al. 2006); with weights, strata and households; a range counts as its middle",
        "relations; which record a cell belongs to; in small files intervals are wide and overlap",
        "How far estimates moved, compared with how precise they are.",
    ),
    "overall": MeasureMeaning(
        "overall",
        "the largest loss of a use, each scaled so that the original has 0 and a file in which the "
        "use is destroyed has 1",
        "needs of a use that is not declared",
        "How much was lost in all: that of the use which lost most.",
    ),
}
