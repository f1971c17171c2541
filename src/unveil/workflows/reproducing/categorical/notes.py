"""Categorical records: the notes of the paper and its conclusions, judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.categorical.results import (
    AND_EXPECTED,
    EMS,
    PRAM,
    SIMILAR,
    by_group,
    by_mask,
    correlation,
    in_groups,
)
from unveil.workflows.reproducing.categorical.stand_in import GROUPS, MASKS, PARAMETERS
from unveil.workflows.reproducing.verdicts import untestable, verdict_of

if TYPE_CHECKING:
    from unveil.workflows.reproducing.categorical.results import Floats, Results
    from unveil.workflows.reproducing.verdicts import Judged

CLOSE = 0.1  # two correlations
FIXED = [place for place, method in enumerate(MASKS) if method != "PRAM"]


def records_are_not_the_same(results: Results) -> Judged:
    """What both find of what either finds."""

    def share(em: str, ties: str, window: int) -> float:
        both, either = (results.mean(em, ties, one, window) for one in ("both", "either"))
        return 100 * both / either

    def so(em: str, ties: str, window: int) -> bool:
        return share(em, ties, window) < 100 * SIMILAR

    pairs = [(em, ties) for em in EMS for ties in ("any", "unique")]
    shares = [results.told(share, *pair, digits=1) for pair in pairs]
    return verdict_of(*(results.everywhere(so, *pair) for pair in pairs)), (
        "Printed are numbers only. Of the records of the stand-in that either finds, both find "
        f"{shares[0]} % with ties as hits and {shares[1]} % without ties by free EM, {shares[2]} "
        f"and {shares[3]} % by safe EM."
    )


def numbers_differ_in_m_and_u(results: Results) -> Judged:
    """In how many experiments of these groups they are not similar."""

    def unlike(prl: Floats, dbrl: Floats) -> float:
        one, other = in_groups(prl, "mu"), in_groups(dbrl, "mu")
        return 100 * float((np.minimum(one, other) < SIMILAR * np.maximum(one, other)).mean())

    dbrl = results.hits("DBRL")
    printed = unlike(results.printed["PRL"], results.printed["DBRL"])
    free, safe = (unlike(results.hits(em), dbrl) for em in EMS)
    return verdict_of(printed > 50, free > 50, safe > 50), (
        f"In m and u the numbers are not similar in {printed:.0f} % of the printed experiments; on "
        f"the stand-in in {free:.0f} % by free and {safe:.0f} % by safe EM."
    )


def they_are_complementary(results: Results) -> Judged:
    """Whether the better of both is far below what an oracle makes of them."""

    def so(em: str, ties: str, window: int) -> bool:
        best = max(results.mean(one, ties, window=window) for one in (em, "DBRL"))
        return best < SIMILAR * results.mean(em, ties, "either", window)

    hits = results.in_words
    said = [
        f"{hits(em, ties, 'either')} where PRL links {hits(em, ties)}"
        for ties in AND_EXPECTED
        for em in EMS
    ]
    return verdict_of(*(results.everywhere(so, em, ties) for em in EMS for ties in AND_EXPECTED)), (
        f"An oracle that knew which of both to believe would link, ties as hits, {said[0]} (free "
        f"EM), {said[1]} (safe EM) and DBRL {hits('DBRL')}; expected, {said[2]}, {said[3]} and "
        f"DBRL {hits('DBRL', 'expected')}."
    )


def _on_pram(results: Results, attack: str, ties: str, window: int) -> float:
    return by_mask(results.hits(attack, ties, window))["PRAM"]


def distance_is_better_on_pram(results: Results) -> Judged:
    """Printed, and on the stand-in by both kinds of EM."""
    on = partial(_on_pram, results)

    def so(em: str, window: int) -> bool:
        return on("DBRL", "any", window) > on(em, "any", window)

    dbrl, prl = (results.printed[name] for name in ("DBRL", "PRL"))
    rest = [in_groups(one, "sol")[PRAM].mean() for one in (dbrl, prl)]
    said = [results.told(on, attack, "any") for attack in ("DBRL", *EMS)]
    return verdict_of(
        dbrl[PRAM].mean() > prl[PRAM].mean(), *(results.everywhere(so, em) for em in EMS)
    ), (
        f"Printed: DBRL {dbrl[PRAM].mean():.0f}, PRL {prl[PRAM].mean():.0f}, but {rest[0]:.0f} and "
        f"{rest[1]:.0f} without m and u. Stand-in: DBRL {said[0]}, PRL {said[1]} by free and "
        f"{said[2]} by safe EM."
    )


def probability_is_better_elsewhere(results: Results) -> Judged:
    """Mask by mask: printed, and on the stand-in by both kinds of EM."""
    others = [method for method in MASKS if method != "PRAM"]
    dbrl = results.hits("DBRL")
    cases = {
        "printed": (results.printed["PRL"], results.printed["DBRL"]),
        "stand-in by free EM": (results.hits("PRL-free"), dbrl),
        "by safe EM": (results.hits("PRL-safe"), dbrl),
    }
    so, said = [], []
    for case, (one, other) in cases.items():
        pairs = [(by_mask(one)[method], by_mask(other)[method]) for method in others]
        so += [one > other for one, other in pairs]
        said.append(f"{case} {', '.join(f'{one:.0f} to {other:.0f}' for one, other in pairs)}")
    return verdict_of(*so), f"PRL to DBRL on {', '.join(others)}: {'; '.join(said)}."


def only_pram_draws(results: Results) -> Judged:
    """Whether another seed makes another file."""
    drawn = dict.fromkeys(MASKS, 0)
    for method in MASKS:
        for p in PARAMETERS:
            drawn[method] += results.found.one("changed", 0, method, p, figure="drawn") == 1
    draws = [method for method, times in drawn.items() if times]
    said = ", ".join(f"{method} {times}" for method, times in drawn.items())
    return verdict_of(draws == ["PRAM"]), (
        f"With another seed the file is another one so many times of {len(PARAMETERS)}: {said}."
    )


def distance_suits_random_errors(results: Results) -> Judged:
    """On PRAM, against an EM that does not fail."""
    on = partial(_on_pram, results)

    def so(ties: str, window: int) -> bool:
        return on("PRL-safe", ties, window) < SIMILAR * on("DBRL", ties, window)

    said = [
        results.told(on, attack, ties) for ties in AND_EXPECTED for attack in ("DBRL", "PRL-safe")
    ]
    against = in_groups(results.against_a_match("PRL-free"), "m")
    return verdict_of(*(results.everywhere(so, ties) for ties in AND_EXPECTED)), (
        f"With a sound EM it is a draw: on PRAM DBRL links {said[0]} and PRL {said[1]}, expected "
        f"{said[2]} and {said[3]}. Free EM lets agreement in some attribute speak against a match "
        f"in {against.sum()} of {against.size} experiments in m. That the paper's EM failed so is "
        "likely from its figures in m, and not known."
    )


def loss_goes_with_both_alike(results: Results) -> Judged:
    """Correlations with two measures of loss."""
    so, said = [], []
    for figure in ("change", "entropy"):
        lost = results.of_mask(figure)
        dbrl, free, safe = (correlation(results.hits(one), lost) for one in ("DBRL", *EMS))
        so += [abs(dbrl - free) < CLOSE, abs(dbrl - safe) < CLOSE]
        said.append(f"with {figure} DBRL {dbrl:.2f}, PRL {free:.2f} (free EM), {safe:.2f} (safe)")
    return verdict_of(*so), (
        "The paper refers to another one for figures. Correlation of the stand-in's hits, ties "
        f"counted, {'; '.join(said)}."
    )


def knowing_the_mask_helps(results: Results) -> Judged:
    """Many more are linked, and where nothing is drawn, as many as can be counted."""

    def so(ties: str, window: int) -> bool:
        plain, aware = (results.mean(one, ties, window=window) for one in ("DBRL", "aware"))
        return plain < SIMILAR * aware

    hits = results.in_words
    expected = results.hits("aware", "expected")[FIXED]
    same = np.abs(expected - results.of_mask("different")[FIXED]) < 1e-6
    return verdict_of(*(results.everywhere(so, ties) for ties in AND_EXPECTED)), (
        f"Stand-in: {hits('DBRL')} become {hits('aware')}, expected {hits('DBRL', 'expected')} "
        f"become {hits('aware', 'expected')}. In {same.sum()} of {same.size} experiments with "
        "masks that draw nothing the expected hits are exactly the number of different masked "
        "records, which needs no distance."
    )


def knowing_the_mask_in_figures(results: Results) -> Judged:
    """Nothing is printed to add up."""
    return untestable(
        "No table is printed for it, and the extract is not to be had; on the stand-in "
        f"{results.in_words('DBRL')} become {results.in_words('aware')}."
    )


def knowing_the_mask_beats_probability(results: Results) -> Judged:
    """Printed, and on the stand-in by both kinds of EM."""
    said, hits = results.averages_in_the_text, results.in_words
    theirs = said["DBRL, method-aware"]
    return verdict_of(
        theirs > said["PRL"],
        *(results.above("aware", em, ties) for em in EMS for ties in AND_EXPECTED),
    ), (
        f"Printed: {theirs} to {said['PRL']}. Stand-in: {hits('aware')} to {hits('PRL-free')} by "
        f"free and {hits('PRL-safe')} by safe EM, expected {hits('aware', 'expected')} to "
        f"{hits('PRL-free', 'expected')} and {hits('PRL-safe', 'expected')}."
    )


def both_together_are_best(results: Results) -> Judged:
    """Over the experiments in which both were added up, which in a hurry are not all."""
    so, said = [], []
    for window in results.windows:
        for em, words in (("prior", "prior 1/n"), ("safe", "safe EM")):
            attacks = (f"sum-{em}", "DBRL", f"PRL-{em}")
            each = [results.hits(one, "expected", window) for one in attacks]
            run = np.isfinite(each).all(axis=0)
            if run.any():
                together, dbrl, prl = (float(one[run].mean()) for one in each)
                so.append(together > max(dbrl, prl))
                figures = f"{words} {together:.1f} to {dbrl:.1f} and {prl:.1f}"
                said.append(f"[{figures}]" if window else figures)
    return verdict_of(*so), (
        "Nothing is printed of it. The sum of both against DBRL and PRL alone on the stand-in, "
        f"expected: {'; '.join(said)}. To know the mask is worth more: "
        f"{results.in_words('aware', 'expected')} over all experiments."
    )


def weights_depend_on_the_problem(results: Results) -> Judged:
    """Which attribute weighs most, mask by mask."""
    heaviest = results.single("PRL-safe", "heaviest")
    many = {group: len(np.unique(in_groups(heaviest, group))) for group in GROUPS}
    said = ", ".join(f"{one} in {group}" for group, one in many.items())
    return verdict_of(*(one > 1 for one in many.values())), (
        "By safe EM several attributes weigh most of their group, each for some of the 36 files: "
        f"{said}."
    )


def weights_are_learnt_beforehand(results: Results) -> Judged:
    """Those that EM learns from the two files, against equal ones."""
    learnt, equal = (
        by_group(results.hits(attack, "expected"))["m"] for attack in ("PRL-safe", "unordered")
    )
    return verdict_of(learnt < SIMILAR * equal), (
        "Where attributes are equal or not, PRL's index is such a weighted distance, and EM learns "
        f"its weights from the two files alone: in m it links {learnt:.0f} expected, equal weights "
        f"{equal:.0f}."
    )
