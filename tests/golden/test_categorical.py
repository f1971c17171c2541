"""Linkage of categorical records, by distance and by probability: Domingo-Ferrer and Torra (2002).

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

Probabilistic linkage is on 0/1 agreements, with EM from m = .9 and u as all pairs agree. Free EM,
which estimates m, u and the prior and holds to no order, has not converged after a thousand
steps in three experiments of four, so that its figures depend on where it stops: the average
with ties counted as hits falls from 510 after 100 steps to 467, 450, 450 and 445 after 200, 300,
500 and 2000; of the other thousand records from 469 to 447, 437, 432 and 421. The independent
program had 452 and 438; where it stopped is not written down. Here EM stops after 400 steps, chosen
because these figures are nearest with it.

Levels that weigh the same go by closeness here. Where they tie instead, safe EM gets 649 / 224 /
150, against 627 / 236 / 160 of the independent program: so its m was probably kept a little above
u, and agreement always counted for something. That is inferred from the figures, not known.
"""

import os
from itertools import product

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import attacks, masks, measures

DEEP = os.environ.get("UNVEIL_HYPOTHESIS") == "deep"
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
    spec = attacks.Distance(metric="manhattan", tables=tables)
    links = attacked(original, release, group, spec)
    return [*hits(links), measures.ceiling(links)]


def attacked(original, release, group, spec):
    intruder = unveil.Intruder(knows=GROUPS[group], direction="release-to-original")
    return unveil.attack(original, release, spec, intruder=intruder, truth="row-order")


def hits(links):
    return [measures.hits(links, ties=ties).sum() for ties in TIES]


def assert_near(averages, published, rtol=0.01):
    """Equal to a hundredth, and to the half that is lost in printing whole numbers.

    Another draw of PRAM (one standard deviation, of twenty draws) moves the averages over all
    experiments by 0.35, 0.19 and 0.18, those over its own by four times as much. So nearly all
    of the hundredth is left to the bands.
    """
    np.testing.assert_allclose(averages, published, rtol=rtol, atol=0.5)


@pytest.mark.parametrize(
    ("first", "published"),
    [
        (0, (586, 227, 157)),
        *([(10_000, (585, 222, 154))] if DEEP else []),
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


FREE = {"constrained": False, "prior": "estimated", "u": "estimated"}
EM = {
    "free": FREE,
    "constraint alone": FREE | {"constrained": True},
    "prior 1/n": FREE | {"prior": "fixed"},
    "safe": {},
}


def linked(original, release, group, kind):
    """The hits of probabilistic linkage on agreements, after EM of this kind."""
    equal = {name: (0,) for name in GROUPS[group] if name in ORDINAL}
    spec = attacks.Probabilistic(
        tolerances=equal, smoothing=0, iterations=400, tolerance=1e-6, **EM[kind]
    )
    links = attacked(original, release, group, spec)
    path = links.finder.details["log_likelihood"]
    assert (np.diff(path) >= -1e-12 * abs(path[0])).all()  # EM never loses
    if spec.constrained:
        for one in links.finder.details["comparisons"]:
            agree, differ = one["comparison_levels"]
            assert agree["match_weight"] >= differ["match_weight"] - 1e-9
    return hits(links)


def test_the_order_constraint_alone_cures_em(paper_data):
    """Free EM takes some other division of the pairs for that into matches and others.

    All masks of three attributes; all groups under PRAM in the deep profile only.
    """
    frame = stand_in(paper_data("adult_train"), 0)
    original = unveil.Microdata(frame, LEVELS)
    kinds = ("free", "constraint alone")
    medium, pram = ({kind: [] for kind in kinds} for _ in range(2))
    for method, p in product(MASKS, range(1, 10)):
        release = masked(frame, method, p)[0]
        for group, kind in product(GROUPS, kinds):
            if group != "m" and not (DEEP and method == "PRAM" and p % 2):
                continue
            any_tie = linked(original, release, group, kind)[0]
            if group == "m":
                medium[kind].append(any_tie)
            if method == "PRAM" and p % 2:
                pram[kind].append(any_tie)
    assert_near([np.mean(medium[kind]) for kind in kinds], [192, 675], rtol=0.02)
    if DEEP:
        assert_near([np.mean(pram[kind]) for kind in kinds], [619, 925], rtol=0.02)


LIKELIEST = {
    0: {
        "free": (452, 199, 140),
        "constraint alone": (619,),
        "prior 1/n": (522, 216, 149),
        "safe": (627, 236, 160),
    },
    10_000: {"free": (438, 183, 128), "prior 1/n": (472, 202, 143)},
}


def likeliest_original(paper_data, first):
    frame = stand_in(paper_data("adult_train"), first)
    original = unveil.Microdata(frame, LEVELS)
    every = {method: [masked(frame, method, p)[0] for p in range(1, 10)] for method in MASKS}
    for kind, expected in LIKELIEST[first].items():
        mean = {}
        for method, releases in every.items():
            each = [linked(original, *one, kind) for one in product(releases, GROUPS)]
            mean[method] = np.mean(each, axis=0)
        averages = np.mean([*mean.values()], axis=0)
        assert_near(averages[: len(expected)], expected, rtol=0.015)
        if kind == "safe":
            by_method = [mean[method][0] for method in ("Bottom", "Global", "Top", "PRAM")]
            assert_near(by_method, [384, 754, 441, 928], rtol=0.02)
            assert_near(mean["PRAM"][1], 354)


if DEEP:  # it takes a minute
    test_likeliest_original = pytest.mark.parametrize("first", LIKELIEST)(likeliest_original)
