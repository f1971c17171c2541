"""Whether what the paper on fuzzy integrals says in words is so."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.fuzzy_integrals.files import FEW, FILES
from unveil.workflows.reproducing.fuzzy_integrals.results import TABLES, Results
from unveil.workflows.reproducing.fuzzy_integrals.theory import THEORY
from unveil.workflows.reproducing.verdicts import untestable, verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from unveil.data.reproduction import Verdict
    from unveil.workflows.reproducing.verdicts import Judged


POOR = ("iris", "dermatology", "housing")


def judges() -> list[Callable[[Results], Judged]]:
    """The judges, in the order of the claims."""
    numbered: dict[int, Callable[[Results], Judged]] = {
        1: _beats_chance, 2: _definition, 3: _beats_chance, 4: _no_experiment, 5: _about_effort,
        6: _em, 7: _categories, 16: _standard, 22: _split, 23: _poor, 24: _few_attributes,
        25: _water, 26: _ten_percent, 27: _averages, 28: _maxima, 29: _baselines, 34: _other_paper,
        35: _best_run, 36: _best_probable, 37: _synthetic, 38: _owa, 39: _thresholds, 40: _distance,
        41: _standardised, 42: _identical, 43: _range, 44: _beats_chance, 45: _blocks, 46: _few,
    }  # fmt: skip
    for number, judge in THEORY.items():
        numbered[number] = partial(_whatever_was_found, judge)
    return [numbered[number] for number in sorted(numbered)]


def _whatever_was_found(judge: Callable[[], Judged], _: Results) -> Judged:
    return judge()


def _mostly(right: int, of: int) -> Verdict:
    """A claim "in general": in most, in some, in few."""
    return (
        "holds" if 3 * right >= 2 * of else "holds in part" if 3 * right > of else "does not hold"
    )


def _bests(results: Results, names: tuple[str, ...] = tuple(TABLES)) -> str:
    return ", ".join(f"{name} {results.best(name)[1]:.1f}" for name in names)


def _beats_chance(results: Results) -> Judged:
    least = max(results.chance(name) for name in TABLES)
    return verdict_of(*(results.chance(name) < 0.001 for name in TABLES)), (
        f"the best averages are {_bests(results)} of 100, where chance links 1; a random matching "
        f"links as many with a probability of {least:.0e} or less"
    )


def _definition(results: Results) -> Judged:
    best = max(results.structure("wdbc", "linked") or [0.0])
    return untestable(
        "it is a definition; by it the risk is that of the attack by default, which links up to "
        f"{best:.0f} of 100 in wdbc"
    )


def _no_experiment(_: Results) -> Judged:
    return untestable("in no experiment of the paper attributes are matched")


def _about_effort(_: Results) -> Judged:
    return untestable("it is about the work of those who implement and tune")


def _em(results: Results) -> Judged:
    converged = np.mean([
        one for name in FILES for one in results.found.each("probability", name, figure="converged")
    ])  # fmt: skip
    return "holds" if converged >= 0.95 else "holds in part", (
        f"EM has converged in {converged:.1%} of the runs, with no truth given"
    )


def _categories(_: Results) -> Judged:
    return untestable(
        "it is a result of another paper, on categories too; on the numbers here see claim 40"
    )


def _standard(results: Results) -> Judged:
    refused, of = (int(results.found.one("standard", figure=one)) for one in ("refused", "of"))
    return verdict_of(refused == of, refused > 0), (
        f"{refused} of {of} attacks that compare common attributes refuse such files"
    )


def _split(results: Results) -> Judged:
    each = {name: results.found.of("split", name) for name in FILES}
    kept = [not one["together"] for one in each.values()]
    count = ", ".join(
        f"{name} {one['together']:.0f} and {one['apart']:.0f}" for name, one in each.items()
        if one["together"]
    )  # fmt: skip
    return verdict_of(*kept), (
        f"kept in {sum(kept)} of 8 files; pairs that correlate by 0.7 in one file, and between the "
        f"two: {count}"
    )


def _poor(results: Results) -> Judged:
    good = min(results.best(name)[1] for name in TABLES)
    return verdict_of(*(results.best(name)[1] < good for name in POOR)), (
        f"best averages: {_bests(results)}; poor: {_bests(results, POOR)}"
    )


def _few_attributes(results: Results) -> Judged:
    sizes = {name: results.found.one("split", name, figure="attributes") for name in FILES}
    best = {name: results.best(name)[1] for name in FILES}
    against = best["abalone"] > best["housing"] > best["dermatology"]
    return verdict_of(not against), (
        f"abalone has {sizes['abalone']:.0f} attributes, as many as housing, and links "
        f"{best['abalone']:.1f} against {best['housing']:.1f}; dermatology has "
        f"{sizes['dermatology']:.0f} and links {best['dermatology']:.1f}"
    )


def _water(results: Results) -> Judged:
    best, most = results.best("water-treatment")[1], np.mean(results.maxima("water-treatment"))
    near = abs(best - 10) < 2 and results.is_same(16, results.maxima("water-treatment"))
    return "holds" if near else "holds in part", (
        f"{best:.1f} are linked on average by the best way, and at most {most:.1f} in ten runs; in "
        f"census {results.best('census')[1]:.1f} and {np.mean(results.maxima('census')):.1f}"
    )


def _ten_percent(results: Results) -> Judged:
    names = (*TABLES, "water-treatment")
    return verdict_of(*(results.best(name)[1] >= 10 for name in names)), (
        f"best averages: {_bests(results, names)}; in the paper's own table abalone has 9.9"
    )


def _averages(results: Results) -> Judged:
    cells = {"wdbc": ("N2 OWA Qt", 18.2), "ionosphere": ("N1 OWA Qt", 21.9)}
    runs = {
        name: results.found.each("distance", name, figure=way) for name, (way, _) in cells.items()
    }
    right = (results.is_same(cells[name][1], own, theirs=10) for name, own in runs.items())
    return verdict_of(*right), (
        f"in the same cells ours are {np.mean(runs['wdbc']):.1f} and "
        f"{np.mean(runs['ionosphere']):.1f}; Table VI itself has 22.2 by PRL"
    )


def _maxima(results: Results) -> Judged:
    printed = {"wdbc": 26, "ionosphere": 28}
    told, right = [], []
    for name, figure in printed.items():
        ten, kinds = results.maxima(name), [results.most(name, kind) for kind in ("DBRL", "PRL")]
        right.append(results.is_same(figure, ten) and max(kinds) >= figure)
        told.append(
            f"{name} {np.mean(ten):.1f} on average of ten runs, and of all runs {kinds[0]:.0f} by "
            f"DBRL and {kinds[1]:.0f} by PRL"
        )
    return verdict_of(*right), f"the most records linked in one run: {'; '.join(told)}"


def _baselines(results: Results) -> Judged:
    scores = {
        name: results.found.each("ranking", figure=name)
        for name in ("first component", "sum of z-scores")
    }
    most = results.maxima("census")
    way, best = results.best("census")
    return verdict_of(
        *(results.is_same(5, own) for own in scores.values()),
        results.is_same(12, most),
        results.is_same(10.4, results.cell("census", way), theirs=10),
    ), (
        ", ".join(f"{name} {np.mean(own):.1f}" for name, own in scores.items())
        + f" of 90; the method {np.mean(most):.1f} at most and {best:.1f} on average ({way})"
    )


def _other_paper(_: Results) -> Judged:
    return untestable("these are averages of another paper's experiments, not described here")


def _best_run(results: Results) -> Judged:
    most = results.maxima("ionosphere")
    return verdict_of(
        max(most) > 26.12, np.mean(most) > 26.12
    ), f"the most in ten runs is {np.mean(most):.1f} on average, and {max(most):.0f} at most"


def _best_probable(results: Results) -> Judged:
    way, best = results.best("ionosphere", "PRL")
    return verdict_of(best > 19.72), f"ours is {best:.1f} ({way})"


def _synthetic(_: Results) -> Judged:
    return untestable("it is another paper's result, and no figure of it is given")


def _owa(results: Results) -> Judged:
    ours = results.ahead("OWA", "SI")
    return _mostly(ours.more, ours.pairs), (
        f"OWA links more in {ours}; in the printed tables in "
        f"{results.ahead('OWA', 'SI', printed=True)}"
    )


def _thresholds(results: Results) -> Judged:
    pairs = [results.ahead("Qt", other) for other in ("Qe", "Qs")]
    theirs = [results.ahead("Qt", other, printed=True) for other in ("Qe", "Qs")]
    more, of = sum(one.more for one in pairs), sum(one.pairs for one in pairs)
    return _mostly(more, of), (
        f"Qt links more than Qe in {pairs[0]} and more than Qs in {pairs[1]}; in the printed "
        f"tables in {theirs[0]} and {theirs[1]}, since theirs collapses by PRL"
    )


def _distance(results: Results) -> Judged:
    ours = results.ahead("DBRL", "PRL")
    return _mostly(ours.more, ours.pairs), (
        f"DBRL links more in {ours}; in the printed tables in "
        f"{results.ahead('DBRL', 'PRL', printed=True)}"
    )


def _standardised(results: Results) -> Judged:
    ours = results.ahead("N2", "N1")
    each = ", ".join(
        f"{name} {results.best_of('N2', name):.1f} and {results.best_of('N1', name):.1f}"
        for name in TABLES
    )
    return _mostly(ours.more, ours.pairs), (
        f"N2 links more in {ours}; in the printed tables in "
        f"{results.ahead('N2', 'N1', printed=True)}. Best averages by N2 and N1: {each}"
    )


def _identical(results: Results) -> Judged:
    same: list[bool] = []
    for name in TABLES:
        for kind in ("distance", "probability"):
            both = [results.found.each(kind, name, figure=f"N1 {way} Qt") for way in ("OWA", "SI")]
            same += (a == b for a, b in zip(*both, strict=True))
    return verdict_of(*same), (
        f"so in {sum(same):,} of {len(same):,} runs: both are the same order statistics of values "
        "from 0 to 1"
    )


def _range(results: Results) -> Judged:
    above = (results.best(name)[1] >= 10 for name in TABLES)
    return verdict_of(*above), f"best averages: {_bests(results)}"


def _blocks(_: Results) -> Judged:
    return untestable(
        "these files have no categories to make blocks of, and the paper has no experiment of it"
    )


def _few(results: Results) -> Judged:
    told, right = [], []
    for name in TABLES:
        way = max(("N1 OWA Qt", "N2 OWA Qt"), key=lambda way: results.mean(name, "DBRL", way))
        few = [100 * one / FEW for one in results.found.each("few", name, figure=way)]
        whole = results.found.each("distance", name, figure=way)
        right.append(results.is_same(float(np.mean(whole)), few, theirs=len(whole)))
        told.append(f"{name} {np.mean(few):.1f} % and {np.mean(whole):.1f} %")
    return verdict_of(*right), (
        f"with {FEW} of the 100 records, and with all, by OWA and Qt: " + ", ".join(told)
    )
