"""Categorical records: the notes of the paper and its conclusions, judged."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from unveil_papers.categorical.results import (
    AND_EXPECTED,
    EMS,
    PRAM,
    SIMILAR,
    CategoricalResults,
    by_group,
    by_mask,
    correlation,
    in_groups,
)
from unveil_papers.categorical.stand_in import GROUPS, MASKS, PARAMETERS
from unveil_papers.framework.tools import Floats
from unveil_papers.framework.verdicts import Judged, untestable, verdict_of

CLOSE = 0.1  # two correlations
GAIN = 1.0  # percent more hits that are better
FIXED = [place for place, method in enumerate(MASKS) if method != "PRAM"]


def records_are_not_the_same(results: CategoricalResults) -> Judged:
    def share(em: str, ties: str, window: int) -> float:
        both, either = (results.mean(em, ties, one, window) for one in ("both", "either"))
        return 100 * both / either

    def so(em: str, ties: str, window: int) -> bool:
        return share(em, ties, window) < 100 * SIMILAR

    pairs = [(em, ties) for em in EMS for ties in ("any", "unique")]
    shares = [results.quote(share, *pair, digits=1) for pair in pairs]
    many = [results.in_words(attack) for attack in ("DBRL", *EMS)]
    return verdict_of(
        *(results.everywhere(so, *pair) for pair in pairs),
        *(results.alike(em, "DBRL", ties) for em in EMS for ties in AND_EXPECTED),
    ), (
        f"Of the stand-in DBRL links {many[0]}, PRL {many[1]} by free and {many[2]} by safe EM. Of "
        f"the records that either finds, both find {shares[0]} % with ties as hits and {shares[1]} "
        f"% without ties by free EM, {shares[2]} and {shares[3]} % by safe EM. Printed are numbers "
        "only."
    )


def numbers_differ_in_m_and_u(results: CategoricalResults) -> Judged:
    def unlike(prl: Floats, dbrl: Floats) -> float:
        one, other = in_groups(prl, "mu"), in_groups(dbrl, "mu")
        return 100 * float((np.minimum(one, other) < SIMILAR * np.maximum(one, other)).mean())

    def of(em: str, window: int) -> float:
        return unlike(results.hits(em, "any", window), results.hits("DBRL", "any", window))

    def so(em: str, window: int) -> bool:
        return of(em, window) > 0

    printed = unlike(results.printed["PRL"], results.printed["DBRL"])
    free, safe = (results.quote(of, em) for em in EMS)
    return verdict_of(printed > 0, *(results.everywhere(so, em) for em in EMS)), (
        f"In m and u the numbers are not similar in {printed:.0f} % of the printed experiments; on "
        f"the stand-in in {free} % by free and {safe} % by safe EM."
    )


def they_are_complementary(results: CategoricalResults) -> Judged:
    def gain(em: str, ties: str, window: int) -> float:
        best = max(results.mean(one, ties, window=window) for one in (em, "DBRL"))
        return 100 * (results.mean(em, ties, "either", window) / best - 1)

    def so(em: str, ties: str, window: int) -> bool:
        return gain(em, ties, window) >= GAIN

    cases = [(em, ties) for em in EMS for ties in AND_EXPECTED]
    said = [results.quote(gain, *case, digits=1) for case in cases]
    added = [100 * (together / max(alone) - 1) for _, _, together, alone in _added_up(results)]
    return verdict_of(all(results.everywhere(so, *case) for case in cases), min(added) >= GAIN), (
        "An oracle that knew which of both to believe would link more than the better one: by free "
        f"EM {said[0]} % with ties as hits and {said[1]} % expected, by safe EM {said[2]} and "
        f"{said[3]} %. But there is no oracle: the sum of both, which is an attack, gains "
        f"{min(added):.1f} to {max(added):.1f} % expected."
    )


def _on_pram(results: CategoricalResults, attack: str, ties: str, window: int) -> float:
    return by_mask(results.hits(attack, ties, window))["PRAM"]


def distance_is_better_on_pram(results: CategoricalResults) -> Judged:
    on = partial(_on_pram, results)

    def so(em: str, window: int) -> bool:
        return on("DBRL", "any", window) > on(em, "any", window)

    dbrl, prl = (results.printed[name] for name in ("DBRL", "PRL"))
    rest = [in_groups(one, "sol")[PRAM].mean() for one in (dbrl, prl)]
    said = [results.quote(on, attack, "any") for attack in ("DBRL", *EMS)]
    return verdict_of(
        dbrl[PRAM].mean() > prl[PRAM].mean(), *(results.everywhere(so, em) for em in EMS)
    ), (
        f"Printed: DBRL {dbrl[PRAM].mean():.0f}, PRL {prl[PRAM].mean():.0f}, but {rest[0]:.0f} and "
        f"{rest[1]:.0f} without m and u. Stand-in: DBRL {said[0]}, PRL {said[1]} by free and "
        f"{said[2]} by safe EM."
    )


def probability_is_better_elsewhere(results: CategoricalResults) -> Judged:
    others = [method for method in MASKS if method != "PRAM"]

    def on(attack: str, method: str, window: int) -> float:
        return by_mask(results.hits(attack, "any", window))[method]

    def more(em: str, method: str, window: int) -> bool:
        return on(em, method, window) > on("DBRL", method, window)

    printed = [[by_mask(results.printed[one])[method] for one in ("PRL", "DBRL")]
               for method in others]  # fmt: skip
    so = [prl > dbrl for prl, dbrl in printed]
    said = ["printed " + ", ".join(f"{prl:.0f} to {dbrl:.0f}" for prl, dbrl in printed)]
    for em, words in zip(EMS, ("stand-in by free EM", "by safe EM"), strict=True):
        so += [results.everywhere(more, em, method) for method in others]
        pairs = [[results.quote(on, one, method) for one in (em, "DBRL")] for method in others]
        said.append(f"{words} {', '.join(f'{prl} to {dbrl}' for prl, dbrl in pairs)}")
    return verdict_of(*so), f"PRL to DBRL on {', '.join(others)}: {'; '.join(said)}."


def only_pram_draws(results: CategoricalResults) -> Judged:
    drawn = dict.fromkeys(MASKS, 0)
    for method in MASKS:
        for p in PARAMETERS:
            drawn[method] += results.log.one("changed", 0, method, p, figure="drawn") == 1
    draws = [method for method, times in drawn.items() if times]
    said = ", ".join(f"{method} {times}" for method, times in drawn.items())
    return verdict_of(draws == ["PRAM"]), (
        f"With another seed the file is another one so many times of {len(PARAMETERS)}: {said}."
    )


def distance_suits_random_errors(results: CategoricalResults) -> Judged:
    on = partial(_on_pram, results)

    def so(ties: str, window: int) -> bool:
        return on("PRL-safe", ties, window) < SIMILAR * on("DBRL", ties, window)

    said = [
        results.quote(on, attack, ties) for ties in AND_EXPECTED for attack in ("DBRL", "PRL-safe")
    ]
    against = in_groups(results.against_a_match("PRL-free"), "m")
    return verdict_of(*(results.everywhere(so, ties) for ties in AND_EXPECTED)), (
        f"On PRAM DBRL links {said[0]} and PRL by safe EM {said[1]}, expected {said[2]} and "
        f"{said[3]}. Free EM lets agreement in some attribute speak against a match "
        f"in {against.sum()} of {against.size} experiments in m. That the paper's EM failed so is "
        "likely from its figures in m, and not known."
    )


def loss_goes_with_both_alike(results: CategoricalResults) -> Judged:
    def with_loss(attack: str, figure: str, window: int) -> float:
        lost = results.of_mask(figure, window)
        return correlation(results.hits(attack, "any", window), lost)

    def close(em: str, figure: str, window: int) -> bool:
        return abs(with_loss("DBRL", figure, window) - with_loss(em, figure, window)) < CLOSE

    so, said = [], []
    for figure in ("change", "entropy"):
        so += [results.everywhere(close, em, figure) for em in EMS]
        dbrl, free, safe = (
            results.quote(with_loss, one, figure, digits=2) for one in ("DBRL", *EMS)
        )
        said.append(f"with {figure} DBRL {dbrl}, PRL {free} (free EM), {safe} (safe)")
    return verdict_of(*so), (
        "The paper refers to another one for figures. Correlation of the stand-in's hits, ties "
        f"counted, {'; '.join(said)}."
    )


def knowing_the_mask_helps(results: CategoricalResults) -> Judged:
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


def knowing_the_mask_in_figures(results: CategoricalResults) -> Judged:
    return untestable(
        "No table is printed for it, and the extract is not to be had; on the stand-in "
        f"{results.in_words('DBRL')} become {results.in_words('aware')}."
    )


def knowing_the_mask_beats_probability(results: CategoricalResults) -> Judged:
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


def _added_up(results: CategoricalResults) -> Iterator[tuple[str, int, float, tuple[float, float]]]:
    """Expected hits of the sum of both, and of DBRL and PRL alone, by kind of EM and window.

    Over the experiments in which both were added up, which in a hurry are not all.
    """
    for window in results.windows:
        for em, words in (("prior", "prior 1/n"), ("safe", "safe EM")):
            attacks = (f"sum-{em}", "DBRL", f"PRL-{em}")
            each = [results.hits(one, "expected", window) for one in attacks]
            run = np.isfinite(each).all(axis=0)
            if run.any():
                together, dbrl, prl = (float(one[run].mean()) for one in each)
                yield words, window, together, (dbrl, prl)


def both_together_are_best(results: CategoricalResults) -> Judged:
    so, said = [], []
    for words, window, together, alone in _added_up(results):
        so.append(together >= (1 + GAIN / 100) * max(alone))
        figures = f"{words} {together:.1f} to {alone[0]:.1f} and {alone[1]:.1f}"
        said.append(f"[{figures}]" if window else figures)
    return verdict_of(*so), (
        "Nothing is printed of it. The sum of both against DBRL and PRL alone on the stand-in, "
        f"expected: {'; '.join(said)}. To know the mask is worth more: "
        f"{results.in_words('aware', 'expected')} over all experiments."
    )


def weights_depend_on_the_problem(results: CategoricalResults) -> Judged:
    def many(group: str, window: int) -> int:
        return len(np.unique(in_groups(results.single("PRL-safe", "heaviest", window), group)))

    def several(group: str, window: int) -> bool:
        return many(group, window) > 1

    said = ", ".join(f"{results.quote(many, group)} in {group}" for group in GROUPS)
    files = len(MASKS) * len(PARAMETERS)
    return verdict_of(*(results.everywhere(several, group) for group in GROUPS)), (
        f"By safe EM so many attributes weigh most of their group, each for some of {files} files: "
        f"{said}."
    )


def weights_are_learnt_beforehand(results: CategoricalResults) -> Judged:
    def in_m(attack: str, window: int) -> float:
        return by_group(results.hits(attack, "expected", window))["m"]

    return untestable(
        "No weights are learnt from other files here. Those that EM learns from the two files "
        "themselves, where attributes are equal or not, are PRL's: in m it links "
        f"{results.quote(in_m, 'PRL-safe')} expected, equal weights "
        f"{results.quote(in_m, 'unordered')}."
    )
