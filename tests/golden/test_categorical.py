"""Distance-based linkage of categorical records, as Domingo-Ferrer and Torra (2002) did it.

Their extract of the American Housing Survey is not to be had. Ten attributes of Adult stand in
for theirs, with about as many categories, in their five groups and under their four masks,
p = 1, ..., 9: 180 experiments on a thousand records. The figures are those that an independent
program got from this stand-in, with one draw of PRAM; the paper's own average, 593 of 1000 with
ties counted as hits, is of other data.

That program's bands of hours and of capital are not written down. Those below were chosen of
258 pairs, all with as many categories as it had, because its figures for the first thousand
records are nearest with them. Over the 258 the average goes from 573 to 608 with ties counted
as hits, from 219 to 230 expected, from 151 to 160 unique. Another thousand records, which had
no say in the choice, are attacked in the deep profile only.
"""

import os
from itertools import product

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import attacks, masks, measures

GROUPS = {
    "s": ("DEGREE", "METRO", "SCH", "SHP"),
    "m": ("TRAN1", "WHYTOH", "WHYTON"),
    "l": ("BUILT", "GRADE1", "WHYMOVE"),
    "u": ("BUILT", "GRADE1", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"),
    "o": ("BUILT", "DEGREE", "GRADE1"),
}
ORDINAL = GROUPS["o"]
NOMINAL = ("METRO", "SCH", "SHP", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON")
CATEGORIES = {0: (23, 8, 16, 7, 6, 5, 15, 29, 13, 13), 10_000: (23, 8, 16, 8, 6, 5, 14, 27, 12, 13)}
HOURS = (15, 25, 35, 40, 41, 50, 60)  # where the second band begins, the third, ...
GAIN = (1, 3000, 4000, 5000, 7000, 8000, 10_000, 15_000)
LOSS = (1, 1600, 1800, 2000)


def declared(ordinal, nominal=()):
    return unveil.Schema(
        {name: unveil.Attribute(role="quasi", level="ordinal") for name in ordinal}
        | {name: unveil.Attribute(role="quasi", level="nominal") for name in nominal}
    )


LEVELS = declared(ORDINAL, NOMINAL)
# Nominal attributes are coded at the top and the bottom, too, in the order of the alphabet. A
# nominal attribute has no top here: for these masks all attributes are declared ordinal.
ORDERED = declared((*ORDINAL, *NOMINAL))
MASKS = {
    "Bottom": (ORDERED, lambda p: masks.BottomCoding(categories=p)),
    "Global": (LEVELS, lambda p: masks.GlobalRecoding(rarest=p)),
    "Top": (ORDERED, lambda p: masks.TopCoding(categories=p)),
    "PRAM": (LEVELS, lambda p: masks.Pram(theta=p / 10)),
}
FIXED = ("Bottom", "Global", "Top")  # which draw nothing
TIES = ("any", "expected", "unique")


def stand_in(adult, first):
    """A thousand records of Adult; what is unknown there is a category like any other."""
    known = adult.to_frame("polars")[first : first + 1000]
    some = known.with_columns(pl.col(pl.String).fill_null("?"))
    gain = np.digitize(some["capital-gain"], GAIN)
    loss = np.digitize(some["capital-loss"], LOSS)
    return pl.DataFrame(
        {
            "BUILT": (some["age"] - 17) // 3,
            "DEGREE": np.digitize(some["hours-per-week"], HOURS),
            "GRADE1": some["education-num"],
            "METRO": some["workclass"],
            "SCH": some["relationship"],
            "SHP": some["race"],
            "TRAN1": some["occupation"],
            "WHYMOVE": some["native-country"],
            "WHYTOH": some["marital-status"] + " " + some["sex"],
            "WHYTON": np.where(loss > 0, len(GAIN) + loss, gain),  # nobody has both
        }
    ).with_columns(pl.col(pl.String).rank("dense"))  # numbered by the alphabet


def masked(frame, method, p):
    """The table, declared as the original is, and what was done to it."""
    schema, mask = MASKS[method]
    release = unveil.mask(frame, [mask(p)], schema=schema, seed=p)
    return unveil.Microdata(release.data.to_frame(), LEVELS), release.channels


def found(original, release, group, tables=None):
    """The hits by each policy for ties, and how many masked records are different.

    Each masked record looks for the nearest original one.
    """
    links = unveil.attack(
        original,
        release,
        attacks.Distance(metric="manhattan", tables=tables),
        intruder=unveil.Intruder(knows=GROUPS[group], direction="release-to-original"),
        truth="row-order",
    )
    hits = [measures.hits(links, ties=ties).sum() for ties in TIES]
    return [*hits, measures.ceiling(links)]


def assert_near(averages, published):
    """Equal to a hundredth, and to the half that is lost in printing whole numbers.

    Another draw of PRAM (one standard deviation, of twenty draws) moves the averages over all
    experiments by 0.35, 0.19 and 0.18, those over its own by four times as much. So nearly all
    of the hundredth is left to the bands.
    """
    np.testing.assert_allclose(averages, published, rtol=0.01, atol=0.5)


@pytest.mark.parametrize(
    ("first", "published"),
    [
        (0, (586, 227, 157)),
        *([(10_000, (585, 222, 154))] if os.environ.get("UNVEIL_HYPOTHESIS") == "deep" else []),
    ],
)
def test_nearest_original(paper_data, first, published):
    frame = stand_in(paper_data("adult_train"), first)
    assert tuple(frame[name].n_unique() for name in frame.columns) == CATEGORIES[first]
    original = unveil.Microdata(frame, LEVELS)
    mean = {}
    for method in MASKS:
        releases = [masked(frame, method, p)[0] for p in range(1, 10)]
        each = [found(original, *experiment) for experiment in product(releases, GROUPS)]
        for any_tie, expected, unique, different in each:
            assert unique <= expected <= min(any_tie, different) + 1e-9
        mean[method] = np.mean(each, axis=0)
    assert_near(np.mean([*mean.values()], axis=0)[:3], published)
    if first == 0:
        assert_near([mean[method][0] for method in MASKS], [384, 726, 322, 911])
        assert_near(mean["PRAM"][1], 351)
        # No distance is needed to count different records: here nothing is left but the bands.
        assert [round(mean[method][3]) for method in FIXED] == [218, 302, 231]


@pytest.mark.parametrize("method", FIXED)
def test_nearest_original_that_the_mask_allows(paper_data, method):
    """Who knows a mask that draws nothing expects as many hits as there are different records.

    Masked records that are equal look among their own originals only, and those of them that
    are nearest share one hit, whatever the distance.
    """
    frame = stand_in(paper_data("adult_train"), 0)
    original = unveil.Microdata(frame, LEVELS)
    for p in (1, 5, 9):
        release, channels = masked(frame, method, p)
        tables = {channel.columns[0]: allowed(channel) for channel in channels}
        for group, known in GROUPS.items():
            some = {name: tables[name] for name in known}
            _, expected, _, different = found(original, release, group, some)
            assert expected == pytest.approx(different)


def allowed(channel):
    """The distances of one attribute, infinite where the mask does not make that category."""
    (column,), categories = channel.columns, tuple(channel.table)
    place = np.arange(len(categories))
    apart = np.abs(place - place[:, None])
    distances = apart / (len(place) - 1) if column in ORDINAL else np.minimum(apart, 1.0)
    becomes = np.array([categories.index(channel.table[category]) for category in categories])
    distances[becomes[:, None] != place] = np.inf
    return {"categories": categories, "distances": distances.tolist()}
