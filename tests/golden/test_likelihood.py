"""The intruder who knows the mask, and the posterior over matchings, on the papers' files.

What is held against are the figures of a prototype, from 1 to 4 runs: its error is taken for
that of 2. The deviations are those of 20 runs of ours, which the deep profile makes; the
ordinary suite makes fewer, of which the means vary more.

The prototype's categories are not written down. Of the sets that were tried (its five groups
of the stand-in in test_categorical.py, all ten attributes, all sets of 4 and 5 of them, with and
without an order, invariant and not), the eight categorical attributes of the first thousand
records of Adult fit best by far, each changed with probability .15 to any other category.
"""

from functools import cache

import numpy as np
import pytest

import unveil
from fixtures import paper_files
from unveil import Intruder, attacks, masks, measures

pytestmark = pytest.mark.slow

RUNS = 20
THEIRS = 2  # runs of the prototype
OVER, BACK = "original-to-release", "release-to-original"
MASKS = {
    "additive .25": masks.AdditiveNoise(scale=0.25, keep_type=False),
    "additive .5": masks.AdditiveNoise(scale=0.5, keep_type=False),
    "additive 1": masks.AdditiveNoise(scale=1, keep_type=False),
    "correlated .25": masks.CorrelatedNoise(scale=0.25, keep_type=False),
    "multiplicative .5": masks.MultiplicativeNoise(scale=0.5, keep_type=False),
    "swapping 10": masks.RankSwapping(p=10),
    "swapping 25": masks.RankSwapping(p=25),
    "swapping 50": masks.RankSwapping(p=50),
}
RAW = attacks.Tailored(corrected=False)
CORRECTED = attacks.Tailored()
POSTERIOR = attacks.Tailored(matching="posterior")
METHOD = attacks.Tailored(level="method")
# In percent: the prototype's figure (of rank swapping that of the second one, if it has one),
# and the mean and the deviation of 20 runs of ours.
CELLS = [
    ("additive .25", RAW, OVER, 67.8, 68.13, 0.91),
    ("additive .25", RAW, BACK, 79.9, 79.33, 1.08),
    ("additive .25", CORRECTED, OVER, 85.4, 83.99, 1.27),
    ("additive .25", POSTERIOR, OVER, 88.1, 86.80, 1.21),
    ("additive .5", RAW, OVER, 23.5, 23.40, 0.94),
    ("additive .5", RAW, BACK, 38.3, 38.28, 1.02),
    ("additive .5", CORRECTED, OVER, 41.1, 40.94, 1.21),
    ("additive .5", POSTERIOR, OVER, 41.8, 41.84, 1.21),
    ("additive 1", RAW, OVER, 4.4, 3.94, 0.51),
    ("additive 1", RAW, BACK, 11.3, 10.79, 0.87),
    ("additive 1", CORRECTED, OVER, 11.4, 11.27, 0.69),
    ("additive 1", POSTERIOR, OVER, 12.0, 11.45, 0.75),
    ("correlated .25", RAW, OVER, 86.8, 86.71, 0.81),
    ("correlated .25", RAW, BACK, 92.5, 92.04, 0.63),
    ("correlated .25", CORRECTED, OVER, 95.2, 95.28, 0.60),
    ("correlated .25", POSTERIOR, OVER, 96.9, 96.90, 0.51),
    ("multiplicative .5", RAW, OVER, 75.8, 76.08, 0.88),
    ("multiplicative .5", RAW, BACK, 88.1, 88.19, 0.86),
    ("multiplicative .5", CORRECTED, OVER, 93.1, 93.78, 0.62),
    ("multiplicative .5", POSTERIOR, OVER, 97.2, 96.67, 0.61),
    ("swapping 10", CORRECTED, OVER, 100, 99.91, 0.10),
    ("swapping 10", POSTERIOR, OVER, 100, 99.93, 0.08),
    ("swapping 25", RAW, OVER, 42.5, 43.15, 1.05),
    ("swapping 25", CORRECTED, OVER, 69.6, 73.68, 1.36),  # the first prototype: 67.5
    ("swapping 25", POSTERIOR, OVER, 81.9, 79.93, 1.67),  # 80.1
    ("swapping 50", RAW, OVER, 2.0, 1.88, 0.07),
    ("swapping 50", CORRECTED, OVER, 10.2, 11.99, 1.10),  # 4.8
    ("swapping 50", POSTERIOR, OVER, 12.6, 12.14, 1.09),  # 12.1
]


@pytest.fixture
def census(paper_data):
    data = paper_data("census")
    return unveil.Microdata(data.to_frame(), unveil.Schema(quasi=data.columns))


def run(data, release, attack, direction=OVER, **options):
    intruder = Intruder(direction=direction, **options.pop("intruder", {}))
    return unveil.attack(data, release, attack, intruder=intruder, **options)


def expected(links):
    return float(measures.hits(links, ties="expected").mean())


@cache
def released(name, seed):
    data = paper_files.read("census")
    data = unveil.Microdata(data.to_frame(), unveil.Schema(quasi=data.columns))
    return data, unveil.mask(data, [MASKS[name]], seed=seed)


@cache
def run_once(name, seed, attack, direction=OVER):
    return run(*released(name, seed), attack, direction)


def assert_near(found, theirs, ours, deviation, *, better=False):
    """Equal to the prototype and to ourselves, but for three standard errors and the printing.

    Ours finds more where values were swapped: it knows that at the ends there is less room.
    """
    error = deviation / len(found) ** 0.5
    assert np.mean(found) == pytest.approx(ours, abs=3 * error * 1.5 + 0.01)
    both = 3 * deviation * (1 / len(found) + 1 / THEIRS) ** 0.5 + 0.05
    assert np.mean(found) > theirs - both
    if not better:
        assert np.mean(found) < theirs + both


@pytest.mark.parametrize(
    "cell", CELLS, ids=[f"{n}-{a.corrected}-{a.matching}-{d[0]}" for n, a, d, *_ in CELLS]
)
@pytest.mark.usefixtures("census")
def test_the_table(cell):
    name, attack, direction, *figures = cell
    found = [100 * expected(run_once(name, seed, attack, direction)) for seed in range(RUNS)]
    assert_near(found, *figures, better="swapping" in name and attack is CORRECTED)


ATTRIBUTES = (
    *("workclass", "education", "marital-status", "occupation"),
    *("relationship", "race", "sex", "native-country"),
)
PRAM = [  # hits of 1000
    (attacks.Distance(), OVER, 356, 359.7, 10.2),
    (attacks.Distance(), BACK, 451, 454.4, 6.8),
    (RAW, OVER, 404, 409.4, 9.4),
    (RAW, BACK, 484, 487.6, 9.5),
    (CORRECTED, OVER, 529, 536.9, 13.1),
    (POSTERIOR, OVER, 539, 544.5, 11.2),
]


def test_categories(paper_data):
    """What is unknown in Adult is a category like any other."""
    known = paper_data("adult_train").to_frame("polars")[:1000].select(ATTRIBUTES)
    levels = {name: {"role": "quasi", "level": "nominal"} for name in ATTRIBUTES}
    adult = unveil.Microdata(known.fill_null("?"), unveil.Schema(levels))
    spec = masks.Pram(theta=0.15, invariant=False)
    releases = [unveil.mask(adult, [spec], seed=seed) for seed in range(RUNS)]
    for attack, direction, *figures in PRAM:
        found = [
            1000 * expected(run(adult, releases[seed], attack, direction)) for seed in range(RUNS)
        ]
        assert_near(found, *figures)


@pytest.mark.parametrize(
    ("name", "claims", "right"),
    [
        ("additive .25", 561, 0.98),
        ("additive .5", 101, 0.97),
        ("additive 1", 0, 0.9),
        ("swapping 25", 0, 0.98),
        ("swapping 50", 0, 0.9),
    ],
)
@pytest.mark.usefixtures("census")
def test_forecasts(name, claims, right):
    """Without the truth in hand: about what is found, and what is claimed is right.

    `claims` are those of Sinkhorn's scaling alone, which is too modest: 79, 35 and 10 % were
    forecast of 88, 42 and 12 % found.
    """
    runs = range(RUNS)
    each = [measures.forecast(run_once(name, seed, POSTERIOR, OVER)) for seed in runs]
    found, forecast, claimed, held = (
        np.mean([getattr(one, what) for one in each])
        for what in ("found", "share", "claimed", "right")
    )
    # All runs are calibrated by the same simulated file of 1,080 links, whose error stays.
    simulated = (found * (1 - found) / 1080) ** 0.5
    assert forecast == pytest.approx(found, abs=3 * (simulated + 0.012 / len(runs) ** 0.5))
    assert held >= right * claimed
    assert claimed >= claims


@pytest.mark.parametrize(
    ("k", "classes", "by_rank", "hits"),
    [(270, 950, 949.0, 950.0), (360, 704, 701.4, 702.117), (540, 270, 265.5, 269.859)],
)
def test_individual_ranking(census, k, classes, by_rank, hits):
    """Nearer to the ceiling than ranks come, which is where equal originals straddle groups."""
    release = unveil.mask(census, [masks.IndividualRanking(k=k, keep_type=False)])
    links = run(census, release, CORRECTED)
    assert measures.ceiling(links) == pytest.approx(classes)
    found = expected(links) * len(census)
    assert found == pytest.approx(hits, abs=0.01)
    assert by_rank < found <= classes


@pytest.mark.parametrize("k", [3, 5, 20])
def test_microaggregation_done_again(census, k):
    """With the whole original in hand one row of each group is found."""
    release = unveil.mask(census, [masks.Microaggregation(k=k, keep_type=False)])
    again = run(census, release, attacks.Tailored(level="original"))
    assert measures.ceiling(again) == len(census) // k
    assert expected(again) * len(census) == pytest.approx(len(census) // k)
    assert expected(run(census, release, CORRECTED)) < expected(again)


@pytest.mark.parametrize(
    ("name", "raw", "corrected"), [("additive .25", 68, 74.5), ("swapping 25", 44, 52)]
)
@pytest.mark.usefixtures("census")
def test_an_intruder_with_few_records(name, raw, corrected):
    """A bell fitted to the release where noise was added, else the released rows themselves.

    The prototype had 67.8 and, corrected, 74.5 at noise .25.
    """
    some = {"intruder": {"records": 108}}
    for attack, hits in ((RAW, raw), (CORRECTED, corrected)):
        found = [
            100 * expected(run(*released(name, seed), attack, seed=seed, **some))
            for seed in range(2 * RUNS)
        ]
        assert np.mean(found) == pytest.approx(hits, abs=3 * 5 / len(found) ** 0.5)


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.usefixtures("census")
def test_the_method_alone_is_nearly_enough(name):
    known, guessed = (
        100 * np.mean([expected(run_once(name, seed, attack, OVER)) for seed in range(RUNS)])
        for attack in (CORRECTED, METHOD)
    )
    assert guessed > known - 3
