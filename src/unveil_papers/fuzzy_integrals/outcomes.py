"""What the paper on fuzzy integrals says of its experiments, and whether it is so."""

from itertools import product

import numpy as np

from unveil_papers.framework.contests import contest
from unveil_papers.framework.verdicts import Judged, untestable, verdict_of
from unveil_papers.fuzzy_integrals.files import FEW, FILES, RANKED, RECORDS, WAYS
from unveil_papers.fuzzy_integrals.results import TABLES, TEN, WORK_OF, FuzzyIntegralResults

POOR = ("iris", "dermatology", "housing")
SELDOM = 0.001
SCORES = ("first component", "sum of z-scores")


def _bests(results: FuzzyIntegralResults, names: tuple[str, ...] = tuple(TABLES)) -> str:
    return ", ".join(f"{name} {results.best(name)[1]:.1f}" for name in names)


def beats_chance(results: FuzzyIntegralResults) -> Judged:
    chances = [results.chance_of(results.best(name)[1]) for name in TABLES]
    return verdict_of(*(one < SELDOM for one in chances)), (
        f"the best averages are {_bests(results)} of 100, where chance links 1; a random matching "
        f"links as many with a probability of {max(chances):.0e} or less"
    )


def best_four(results: FuzzyIntegralResults) -> Judged:
    best = {name: results.best(name)[1] for name in FILES}
    others = [name for name in FILES if name not in TABLES]
    so = [all(best[name] > best[other] for other in others) for name in TABLES]
    return verdict_of(*so), (
        f"best averages: {_bests(results)}; of the others: {_bests(results, tuple(others))}"
    )


def poor(results: FuzzyIntegralResults) -> Judged:
    least = min(results.best(name)[1] for name in FILES if name not in POOR)
    so = [results.best(name)[1] < least / 2 for name in POOR]
    return verdict_of(*so), (
        f"best averages: {_bests(results, POOR)}; in {sum(so)} of {len(so)} less than half of what "
        f"the least of the other five links, {least:.1f}"
    )


def few_attributes(results: FuzzyIntegralResults) -> Judged:
    sizes = {name: results.log.one("split", name, figure="attributes") for name in FILES}
    told, so = [], []
    for name in ("iris", "housing"):
        as_few = [
            other for other in FILES
            if other not in POOR and sizes[other] <= sizes[name]
            and results.best(other)[1] > results.best(name)[1]
        ]  # fmt: skip
        so.append(not as_few)
        more = _bests(results, tuple(as_few)) or "none"
        told.append(
            f"{name} has {sizes[name]:.0f} and links {results.best(name)[1]:.1f} (more, with as "
            f"few: {more})"
        )
    return verdict_of(*so), (
        f"{'; '.join(told)}; but dermatology has {sizes['dermatology']:.0f} and links "
        f"{results.best('dermatology')[1]:.1f}"
    )


def water(results: FuzzyIntegralResults) -> Judged:
    way, best = results.best("water-treatment")
    other, census = results.best("census")
    some = results.in_words("averages", "water-treatment", "linked")
    near = results.is_same(some, results.cell("water-treatment", way), theirs=TEN)
    like = results.is_same(best, results.cell("census", other), theirs=TEN)
    return verdict_of(near, like), (
        f"{best:.1f} are linked on average by the best way, and {census:.1f} in census, which ten "
        f"runs {'do not tell' if like else 'tell'} apart"
    )


def water_at_most(results: FuzzyIntegralResults) -> Judged:
    return _reached(results, "water-treatment")


def _reached(results: FuzzyIntegralResults, *names: str) -> Judged:
    """Whether as many as printed are linked in one of ten runs: in half of the tens, in some."""
    told, so = [], []
    for name in names:
        printed, reached, tens = results.reached(name)
        so += [reached > 0, 2 * reached >= tens]
        told.append(
            f"in {name} {printed:.0f} or more in {reached} of {tens} times ten runs (the most of "
            f"ten is {np.mean(results.maxima(name)):.1f} on average)"
        )
    return verdict_of(*so), f"by the best of all ways: {'; '.join(told)}"


def at_least(results: FuzzyIntegralResults, least: float) -> Judged:
    names = tuple(name for name in FILES if name not in POOR)
    return verdict_of(*(results.best(name)[1] >= least for name in names)), (
        f"best averages: {_bests(results, names)}; {_own(results, least)}"
    )


def _own(results: FuzzyIntegralResults, least: float) -> str:
    printed = {name: results.best_printed(name) or 0.0 for name in TABLES}
    below = ", ".join(f"{name} {best}" for name, best in printed.items() if best < least)
    return f"in the paper's own tables less than {least:.0f} have: {below or 'none'}"


def averages(results: FuzzyIntegralResults) -> Judged:
    cells = {"wdbc": "N2 OWA Qt", "ionosphere": "N1 OWA Qt"}
    told, so = [], []
    for name, way in cells.items():
        own, printed = results.cell(name, f"DBRL {way}"), results.printed(name, "DBRL", way)
        so.append(results.is_same(printed, own, theirs=TEN))
        told.append(f"{name} {np.mean(own):.1f} (printed {printed})")
    return verdict_of(*so), (
        f"in the same cells ours are {' and '.join(told)}; Table VI itself has "
        f"{results.best_printed('ionosphere')} by PRL"
    )


def maxima(results: FuzzyIntegralResults) -> Judged:
    return _reached(results, "wdbc", "ionosphere")


def rankings(results: FuzzyIntegralResults) -> Judged:
    runs = {score: results.log.by_run("ranking", figure=score) for score in SCORES}
    so = [
        results.is_same(results.in_words("baselines", score, "linked"), own)
        for score, own in runs.items()
    ]
    told = ", ".join(f"{score} {np.mean(own):.1f}" for score, own in runs.items())
    return verdict_of(*so), f"on average {told} of {RANKED}"


def one_run(results: FuzzyIntegralResults) -> Judged:
    return _reached(results, "census")


def above_rankings(results: FuzzyIntegralResults) -> Judged:
    way = "N1 OWA Qt"
    own, printed = results.cell("census", f"PRL {way}"), results.printed("census", "PRL", way)
    shares = {
        score: [one / RANKED for one in results.log.by_run("ranking", figure=score)]
        for score in SCORES
    }
    rows = {score: ([one / RECORDS for one in own], runs) for score, runs in shares.items()}
    above = contest(rows, paired=False)
    told = " and ".join(f"{np.mean(runs):.1%} by {score}" for score, runs in shares.items())
    same = results.is_same(printed, own, theirs=TEN)
    return verdict_of(same, not above.even and not above.less), (
        f"in the same cell (PRL {way}) ours is {np.mean(own):.1f}; the rankings link {told}; our "
        f"best average is {results.best('census')[1]:.1f} ({results.best('census')[0]})"
    )


def fewer(results: FuzzyIntegralResults) -> Judged:
    told, so = [], []
    for kind in WORK_OF:
        printed = results.in_words("standard linkage", "masked files", kind)
        every = [results.mean(name, kind, way) for name, way in product(TABLES, WAYS)]
        so.append(float(np.mean(every)) < printed)
        told.append(f"{kind} {np.mean(every):.1f}, {max(every):.1f} in the best cell")
    return verdict_of(*so), f"on average of the cells of Tables V to VIII: {'; '.join(told)}"


def acceptable(results: FuzzyIntegralResults) -> Judged:
    default = [results.structure(name, "linked") for name in TABLES]
    known = [np.mean(runs) for runs in default if runs]
    return untestable(
        f"what is acceptable is not said: the best averages are {_bests(results)}, where chance "
        f"links 1 and the attack by default up to {max(known):.1f}"
    )


def best_run(results: FuzzyIntegralResults) -> Judged:
    most = results.maxima("ionosphere")
    printed = results.in_words("standard linkage", "masked files", "DBRL")
    more = sum(one > printed for one in most)
    return verdict_of(more > 0, 2 * more >= len(most)), (
        f"so in {more} of {len(most)} times ten runs; the most of ten is {np.mean(most):.1f} on "
        "average"
    )


def best_probable(results: FuzzyIntegralResults) -> Judged:
    way = "N1 OWA Qs"
    own = results.cell("ionosphere", f"PRL {way}")
    printed = results.in_words("standard linkage", "masked files", "PRL")
    held = contest({way: (own, [printed] * len(own))})
    best, mean = results.best("ionosphere", "PRL")
    told = "" if held.more or held.less else ", no difference that shows"
    return held.verdict, (
        f"in the same cell (PRL {way}) ours is {np.mean(own):.2f}{told}; our best is {mean:.1f} "
        f"({best})"
    )


def owa(results: FuzzyIntegralResults) -> Judged:
    ours = results.ahead("OWA", "SI")
    return ours.in_general, (
        f"OWA links more in {ours}; in the printed tables in "
        f"{results.ahead('OWA', 'SI', printed=True)}"
    )


def thresholds(results: FuzzyIntegralResults) -> Judged:
    told, so = [], []
    for kind, other in product(WORK_OF, ("Qe", "Qs")):
        ours = results.ahead("Qt", other, kind)
        theirs = results.ahead("Qt", other, kind, printed=True)
        so.append(ours.in_general == "holds")
        told.append(
            f"than {other} by {kind} in {ours.more} and {ours.less} (printed {theirs.more} and "
            f"{theirs.less})"
        )
    return verdict_of(*so), (
        f"of 16 pairs of cells each, Qt links more and fewer {', '.join(told)}. By PRL theirs "
        "collapses where representatives repeat each other; here repeats are dropped"
    )


def distance(results: FuzzyIntegralResults) -> Judged:
    ours = results.ahead("DBRL", "PRL")
    return ours.in_general, (
        f"DBRL links more in {ours}; in the printed tables in "
        f"{results.ahead('DBRL', 'PRL', printed=True)}"
    )


def standardised(results: FuzzyIntegralResults) -> Judged:
    ours = results.ahead("N2", "N1")
    each = ", ".join(
        f"{name} {results.best_of('N2', name):.1f} and {results.best_of('N1', name):.1f}"
        for name in TABLES
    )
    return ours.in_general, (
        f"N2 links more in {ours}; in the printed tables in "
        f"{results.ahead('N2', 'N1', printed=True)}. Best averages by N2 and N1: {each}"
    )


def between(results: FuzzyIntegralResults, least: float, most: float) -> Judged:
    best = {name: results.best(name)[1] for name in TABLES}
    beyond = [name for name, one in best.items() if one > most]
    return verdict_of(*(least <= one <= most for one in best.values())), (
        f"best averages: {_bests(results)}; above it: {' and '.join(beyond) or 'none'}; "
        f"{_own(results, least)}"
    )


def above(results: FuzzyIntegralResults, level: float) -> Judged:
    best = {name: results.best(name)[1] for name in TABLES}
    more = [name for name, one in best.items() if one > level]
    return verdict_of(bool(more)), f"so in {' and '.join(more) or 'none'}: {_bests(results)}"


def few_linked(results: FuzzyIntegralResults) -> Judged:
    rows, told = {}, []
    for name in TABLES:
        few, _ = _of_few(results, name)
        rows[name] = few, [100 / RECORDS] * len(few)
        told.append(f"{name} {np.mean(few):.1f} %")
    return contest(rows).verdict, (
        f"where {FEW} of the 100 records are known, OWA with Qt and DBRL link of these "
        f"{', '.join(told)}, and chance 1 %"
    )


def estimated(results: FuzzyIntegralResults) -> Judged:
    told, so = [], []
    for name in TABLES:
        few, whole = _of_few(results, name)
        so.append(results.is_same(float(np.mean(whole)), few, theirs=len(whole)))
        told.append(f"{name} {np.mean(few):.1f} % and {np.mean(whole):.1f} %")
    return verdict_of(*so), (
        f"where {FEW} of the 100 records are known, and where all are, by OWA, Qt and DBRL: "
        f"{', '.join(told)}"
    )


def _of_few(results: FuzzyIntegralResults, name: str) -> tuple[list[float], list[float]]:
    """What share is linked where few records are known, and where all are, by the better way."""
    way = max(("N1 OWA Qt", "N2 OWA Qt"), key=lambda way: results.mean(name, "DBRL", way))
    few = [100 * one / FEW for one in results.log.by_run("few", name, figure=way)]
    return few, results.cell(name, f"DBRL {way}")
