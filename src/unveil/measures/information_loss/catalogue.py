"""What each measure of loss means: its range, its definition, and what it cannot see."""

from math import isfinite
from typing import NamedTuple

from unveil.values.results.loss import LossMeasure

REFERENCE = 1000  # the n at which PIL takes standard errors
TENTHS = 10  # parts that numbers are cut into for tables
MOST_CATEGORIES = 50  # of an attribute in tables: the commonest; all others are one more
NO_PAIRS = "it is not known which released row is whose"


class MeasureMeaning(NamedTuple):
    """How to read one measure."""

    family: str
    worst: float | None  # none: no upper end; the best is always 0
    definition: str
    blind: str  # what it cannot see
    plain: str  # what it is, for who is no statistician


class MeasuredLoss(NamedTuple):
    """Measures, and for each attribute the values of those that look at single ones."""

    measures: tuple[LossMeasure, ...]
    attributes: dict[str, dict[str, float]]


def measured(name: str, value: float | None, *, n: int, note: str = "") -> LossMeasure:
    """A value with its meaning; none where it is not a number, the note says why.

    >>> measured("IL1s", 0.5, n=10).worst is None
    True
    """
    meaning = GLOSSARY[name]
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


_SINGLE = "anything between attributes, and whose cell is whose"
_JOINT = "anything beyond pairs of attributes, and whose cell is whose"
_CHANCE = (
    "2 P(0 <= Z <= |t' - t| / se) with Z standard normal, t of the original and t' of the release, "
    f"se the standard error of t in a sample of {REFERENCE:,}"
)

GLOSSARY: dict[str, MeasureMeaning] = {
    "IL1s": MeasureMeaning(
        "numbers",
        None,
        "mean over cells of |x - x'| / (sqrt(2) s), s the deviation of the original's attribute; "
        "cells missing or a star on either side are left out, a range stands for its middle",
        "what a shift does together: a thousand cells moved at random or all one way are the same",
        "How far numbers were moved on average, measured by how much people differ.",
    ),
    "PIL": MeasureMeaning(
        "numbers",
        1.0,
        "mean of the PIL of quantiles, means, variances, covariances and correlations, of those "
        "that there are",
        _JOINT,
        "How much statistics of numbers changed, held against what another sample would change.",
    ),
    "PIL of quantiles": MeasureMeaning(
        "numbers",
        1.0,
        f"mean over attributes and the quantiles 5, 10, ..., 95 % of {_CHANCE}: sqrt(q (1 - q) / "
        f"{REFERENCE}) / f, f a normal kernel's density over {REFERENCE:,} quantiles, its width "
        f"0.9 min(s, IQR / 1.34) {REFERENCE}^(-1/5), at most s",
        _SINGLE,
        "How much low, middle and high values changed, held against another sample.",
    ),
    "PIL of means": MeasureMeaning(
        "numbers",
        1.0,
        f"mean over attributes of {_CHANCE}: s / sqrt({REFERENCE})",
        _SINGLE,
        "How much averages changed, held against what another sample would change.",
    ),
    "PIL of variances": MeasureMeaning(
        "numbers",
        1.0,
        f"mean over attributes of {_CHANCE}: sqrt((m4 - s^4) / {REFERENCE}), m4 the fourth moment",
        _SINGLE,
        "How much spreads changed, held against what another sample would change.",
    ),
    "PIL of covariances": MeasureMeaning(
        "numbers",
        1.0,
        f"mean over pairs of attributes of {_CHANCE}: sqrt((m22 - c^2) / {REFERENCE}), m22 the "
        "mean product of both squared gaps from the means",
        _JOINT,
        "How much changed in what two attributes do together, held against another sample.",
    ),
    "PIL of correlations": MeasureMeaning(
        "numbers",
        1.0,
        f"mean over pairs of attributes of {_CHANCE}: (1 - r^2) / sqrt({REFERENCE})",
        _JOINT,
        "How much changed in how closely two attributes go, held against another sample.",
    ),
    "means": MeasureMeaning(
        "numbers",
        None,
        "mean over attributes of |m' - m| / s",
        _SINGLE,
        "How far averages moved, measured by how much people differ.",
    ),
    "variances": MeasureMeaning(
        "numbers",
        None,
        "mean over attributes of |v' - v| / v",
        _SINGLE,
        "How much larger or smaller spreads became.",
    ),
    "covariances": MeasureMeaning(
        "numbers",
        None,
        "mean over pairs of attributes of |c' - c| / (s_j s_k)",
        _JOINT,
        "How much changed in what two attributes do together.",
    ),
    "correlations": MeasureMeaning(
        "numbers",
        2.0,
        "mean over pairs of attributes of |r' - r|",
        _JOINT,
        "How much changed in how closely two attributes go together.",
    ),
    "largest correlation": MeasureMeaning(
        "numbers",
        2.0,
        "largest over pairs of attributes of |r' - r|",
        _JOINT,
        "The most that changed in how closely any two attributes go together.",
    ),
    "first component": MeasureMeaning(
        "numbers",
        1.0,
        "the variance of the original on its own first principal component less that on the "
        "release's, over what a random direction would miss; of standardised attributes",
        "small changes where components carry about the same variance; whose cell is whose",
        "How far the direction in which people differ most is another one now.",
    ),
    "components": MeasureMeaning(
        "numbers",
        1.0,
        "as the first component, for those that carry 80 % of the original's variance together, "
        "all but one at most",
        "turns of the components among themselves; whose cell is whose",
        "How far the few directions in which people differ most are other ones now.",
    ),
    "change": MeasureMeaning(
        "categories",
        1.0,
        "share of the categorical cells that are another category, missing, or a set of several "
        "in the release",
        "how far a category moved; a shuffled column still agrees by chance, so it ends below 1",
        "How many categories are not what they were.",
    ),
    "steps": MeasureMeaning(
        "categories",
        1.0,
        "mean over ordinal cells of the steps moved over the steps from first to last; cells "
        "missing on either side are left out",
        "nominal attributes; a shuffled column ends below 1",
        "How far ordered categories moved, as a part of the whole scale.",
    ),
    "entropy": MeasureMeaning(
        "categories",
        1.0,
        "mean over attributes of H(X | X') / H(X): what is not known of the original's category by "
        "who sees the released one, estimated by counting pairs; missing is a category, so is a "
        f"set, those beyond the {MOST_CATEGORIES} commonest are one",
        "a relabelling, which loses nothing; in small files of many categories it is too low, by "
        "about (cells of the table) / (2 n H)",
        "How much of the true category cannot be told any more from the released one.",
    ),
    "single tables": MeasureMeaning(
        "tables",
        1.0,
        "mean over attributes of the total variation distance of their tables, half the sum of "
        f"|p' - p|; numbers in tenths by the original's quantiles, the {MOST_CATEGORIES} commonest "
        "categories, all others as one, missing cells and sets of several as one",
        _SINGLE,
        "How many of the records are in the wrong place when one attribute is counted.",
    ),
    "largest single table": MeasureMeaning(
        "tables",
        1.0,
        "the largest of the single tables",
        _SINGLE,
        "How many are in the wrong place in the attribute whose counts changed most.",
    ),
    "pair tables": MeasureMeaning(
        "tables",
        1.0,
        "mean over all pairs of attributes (categories, numbers in tenths, mixed) of the total "
        "variation distance of their joint tables, cut as the single ones",
        f"{_JOINT}; where attributes are independent there is nothing to lose but the single "
        "tables; files that differ by chance are apart by about sqrt(cells / n)",
        "How many of the records are in the wrong place when two attributes are crossed.",
    ),
    "largest pair table": MeasureMeaning(
        "tables",
        1.0,
        "the largest of the pair tables",
        _JOINT,
        "How many are in the wrong place in the two attributes whose counts changed most.",
    ),
    "generalisation": MeasureMeaning(
        "cells",
        1.0,
        "mean over cells of what a released cell leaves open beyond the original's: the width of "
        "a range over the original's range, (values of a set - 1) / (categories - 1), 1 for a star "
        "or a missing cell, 0 for one value",
        "cells that are wrong: one value is one value",
        "How much released cells leave open, because they are coarser than they were or empty.",
    ),
    "suppressed": MeasureMeaning(
        "cells",
        1.0,
        "share of the cells of released records that are missing or a star, and were not",
        "ranges, sets, and wrong cells; records that are not released at all",
        "How many cells are not told any more.",
    ),
    "stars": MeasureMeaning(
        "cells",
        1.0,
        "share of the cells of released records that are a star, and were neither that nor "
        "missing: of the suppressed cells those that say that they are",
        "ranges, sets, missing and wrong cells; records that are not released at all",
        "How many cells are replaced by a star, which stands for any value.",
    ),
    "discernibility": MeasureMeaning(
        "classes",
        1.0,
        "(d' - d) / (1 - d), at least 0: d the mean over records of the share of all that have the "
        "same quasi-identifiers, d' the release's, with 1 for each discarded record: Bayardo and "
        "Agrawal's metric over n^2; the note has the metric itself. On all attributes if none is a "
        "quasi-identifier; a missing cell is a value, a generalised one its text",
        "wrong cells: whom noise makes unique can be told from anybody; small classes in large "
        "files: classes of k among n records come to about k / n",
        "How much less records can be told from each other.",
    ),
    "class size": MeasureMeaning(
        "classes",
        1.0,
        "1 - a / a', at least 0: a the records of the original for each of its classes of equal "
        "quasi-identifiers, a' those of the release for each of its own: LeFevre's average class "
        "size without k; the sizes themselves, at best 1 and with no upper end, are in the note. "
        "On the attributes of discernibility",
        "one large class among many small ones; discarded records; wrong cells; with the same "
        "categories, larger files have larger classes",
        "How much larger groups of records that look the same are, on average.",
    ),
    "discarded": MeasureMeaning(
        "records",
        1.0,
        "share of the originals that no released row stands for",
        "who they are: see the subgroups",
        "How many people are not in the release.",
    ),
    "pMSE": MeasureMeaning(
        "propensity",
        1.0,
        "mean of (p - c)^2 / (c (1 - c)): p how likely a classifier that has not seen the record "
        "or its twin holds it to be released, c the share of released records",
        "what boosted trees cannot find in 10,000 records of each; what they find by mistake "
        "counts too: see told apart",
        "How surely a computer says which records are released and which are true ones.",
    ),
    "told apart": MeasureMeaning(
        "propensity",
        1.0,
        "1 - (mean of (y - p)^2) / (c (1 - c)), y whether the record is released, p as for pMSE; "
        "at least 0: as pMSE, but only what is right counts",
        "what boosted trees cannot find in 10,000 records of each",
        "How well a computer can tell released records from true ones.",
    ),
    "prediction": MeasureMeaning(
        "prediction",
        1.0,
        "mean over predicted attributes of (o - r) / (o - g) within 0 to 1: o the score on "
        "held-out originals of what was learned from originals, r from the release, g of a "
        "constant guess",
        "uses other than prediction; attributes that the originals cannot predict",
        "How much worse the release is to learn predictions from than the originals.",
    ),
    "overall": MeasureMeaning(
        "overall",
        1.0,
        "mean over the families that there are of: numbers, the mean of PIL and IL1s / (1 + IL1s); "
        "categories, the mean of change and entropy; tables, pair tables; cells, generalisation; "
        "records, discarded; propensity, told apart; prediction, prediction",
        "what a use needs that none of them looks at; releases can be compared by it only where "
        "it is made of the same families",
        "How much was lost in all: the average over all that was looked at.",
    ),
}
