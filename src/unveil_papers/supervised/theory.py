"""What the paper on supervised linkage says of its theory, and what our figures say of it."""

import numpy as np
from scipy.stats import spearmanr

from unveil_papers.framework.verdicts import Judged, listed, span, verdict_of
from unveil_papers.supervised.conditions import FEW, KEY, OPERATORS, PEOPLE
from unveil_papers.supervised.files import FILES
from unveil_papers.supervised.results import (
    GUESS,
    HARD,
    IMPORTANT,
    SupervisedResults,
    beyond_chance,
    more_in,
    percent,
)

NEARLY = 1e-9
AGREES = 0.5  # a rank correlation
MOVED = "differences"  # of the true pairs, squared


def one_is_enough(results: SupervisedResults) -> Judged:
    place = list(FILES).index(HARD)
    plain, each, learnt = (one[place] for one in results.columns("d2AM", "each", "d2WM"))
    return verdict_of(each > plain + IMPORTANT), (
        f"of {HARD} plain distance links {plain:.3f}, inverse variances, which need no truth, "
        f"{each:.3f}, learnt weights {learnt:.3f}"
    )


def refused(results: SupervisedResults) -> Judged:
    refused, away = results.once("compatibility", "refused", "away")
    return verdict_of(refused == 1), (
        f"with the truth (0.6, 0.4), (0.95, 0.05) is refused: {away:.2f} of it would have to go "
        "elsewhere"
    )


def fewer_attributes(results: SupervisedResults) -> Judged:
    fewer, pairs = results.columns("fewer", "d2MD")
    lost = more_in(pairs, fewer)
    above = list(map(beyond_chance, fewer))
    return verdict_of(all(lost), all(above)), (
        f"without the last attribute d2MD links {span(fewer)}, with it {span(pairs)}: fewer in "
        f"{sum(lost)} of 6 files, and more than guesses would ({GUESS:.4f}) in {sum(above)}"
    )


def a_probability(results: SupervisedResults) -> Judged:
    off = max(max(results.log.by_run("beside", name, figure="off")) for name in FILES)
    return verdict_of(off < 1e-9), (
        "the results of d2AM, in equal parts on those that tie, sum to 1 for every released row, "
        f"but for {off:g}"
    )


def compatible(results: SupervisedResults) -> Judged:
    allowed, tried, agreed, believed = results.once(
        "compatibility", "allowed", "tried", "agreed", "believed"
    )
    return verdict_of(allowed == 1, agreed == tried, believed == tried), (
        f"(0.35, 0.65) is compatible with (0.6, 0.4). Of {tried:.0f} pairs on two records "
        f"{agreed:.0f} agree with p/2 <= p' <= (1 + p)/2, and wherever it is compatible the belief "
        "function is there: at most the truth on every set, with p' as its bets"
    )


def record_linkage(results: SupervisedResults) -> Judged:
    (shares,) = results.columns("compatible")
    return verdict_of(min(shares) > 0, min(shares) == 1), (
        f"d2AM's results are compatible with the truth for {span(shares)} of the released rows: by "
        "this definition it is record linkage for these, and not for the others, to which it "
        "gives a wrong record"
    )


def misclassified(results: SupervisedResults) -> Judged:
    alone, kept = results.once("miscoded", "alone", "as they were")
    return verdict_of(1 - kept / alone > IMPORTANT), (
        f"of {PEOPLE:,} people of a survey, {len(KEY)} attributes changed by PRAM, {alone:.0f} are "
        f"alone with theirs; {percent(kept / alone)} of these have their own combination, where "
        "without misclassification all would"
    )


def identity(results: SupervisedResults) -> Judged:
    differ = sum(results.log.by_run("algebra", figure="identity"))
    return verdict_of(differ == 0), f"on whitened files {differ:.0f} records are linked otherwise"


def factor(results: SupervisedResults) -> Judged:
    factor, n = (results.log.mean("algebra", figure=one) for one in ("factor", "n"))
    return verdict_of(abs(factor - n**2) < 1e-6), (
        f"of {n:.0f} attributes the squared distance is {factor:.0f} times the mean: n times, not "
        "n squared"
    )


def divided(results: SupervisedResults) -> Judged:
    differ = sum(results.log.by_run("algebra", figure="divided"))
    return verdict_of(differ == 0), f"{differ:.0f} records are linked otherwise"


def every_operator(results: SupervisedResults) -> Judged:
    broken = {one: results.log.one("operators", figure=one) for one in OPERATORS}
    triples = FEW * (FEW - 1) * (FEW - 2)
    fails = {one: many for one, many in broken.items() if many}
    return verdict_of(not fails), (
        f"a detour by a third record should not be shorter. Of {triples:,} triples of Census it is "
        + ", ".join(f"in {many:,.0f} by the {one}" for one, many in broken.items())
        + (". To link records by they serve all the same" if fails else "")
    )


def interactions(results: SupervisedResults) -> Judged:
    pairs = [
        pair
        for name in FILES
        for pair in zip(
            results.learnt(name, "d2CI"), results.learnt(name, "d2WM", "bound"), strict=False
        )
    ]
    above = sum(linked > bound + NEARLY for linked, bound in pairs)
    held = [a - b for a, b in results.every("d2CI", "d2WM", figure="halves linked")]
    return verdict_of(above > 0, float(np.mean(held)) > 0), (
        f"in {above} of {len(pairs)} files the Choquet integral links more than any weights can; "
        f"but of people held out {float(np.mean(held)):+.4f}: what it represents beside the "
        f"weights is {'not ' if np.mean(held) > 0 else ''}of those it was learnt on alone"
    )


def diagonal(results: SupervisedResults) -> Judged:
    agreeing: list[float] = []
    covariance: list[float] = []
    for name in FILES:
        runs = zip(results.learning(name, "d2MD*"), results.learning(name, "d2WM"), strict=False)
        for matrix, weights in runs:
            for found, other in ((agreeing, matrix["importance"]), (covariance, matrix[MOVED])):
                found.append(float(spearmanr(other, weights["importance"]).statistic))
    strongest = [one for (one,) in results.every("d2MD*", figure="interacting")]
    first, second = (float(np.mean(one)) for one in (agreeing, covariance))
    return verdict_of(first > AGREES, second > AGREES, max(strongest) > 0), (
        "so it is with the learnt form, which is the inverse of the report's Sigma: the order of "
        f"its diagonal and that of the learnt weights agree by a rank correlation of {first:.2f} "
        f"on average, and the strongest pair interacts by {span(strongest)}. The diagonal of Sigma "
        f"itself, which is what masking moved, goes the other way ({second:.2f})"
        if second < 0
        else f"the diagonal of the learnt form agrees with the weights by {first:.2f}, that of "
        f"Sigma by {second:.2f}"
    )


def key_attribute(results: SupervisedResults) -> Judged:
    alone, learnt, weight, plain = (
        results.log.mean("key", figure=one) for one in ("alone", "learnt", "weight", "plain")
    )
    return verdict_of(alone == 1, learnt == 1, weight > 0.99), (
        "one of four attributes unmasked and nobody alike in it: all weight on it links "
        f"{percent(alone)}, learnt weights {percent(learnt)} with {weight:.3f} of the weight on "
        f"it, equal weights {percent(plain)}"
    )


def nested(results: SupervisedResults) -> Judged:
    differ = [
        sum(results.log.by_run("algebra", figure=one))
        for one in ("divided", "additive", "diagonal")
    ]
    return verdict_of(*(one == 0 for one in differ)), (
        f"equal weights, an additive measure and a diagonal matrix link {listed(differ, 0)} "
        "records otherwise than what they are cases of"
    )


DISTANCES = (
    identity, factor, divided, every_operator, interactions, diagonal, key_attribute,
    nested,
)  # fmt: skip
