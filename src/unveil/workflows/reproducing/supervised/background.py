"""What the paper on supervised linkage says of linkage in general, and what our figures say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

from unveil.workflows.reproducing.supervised.files import FILES, SIZE
from unveil.workflows.reproducing.supervised.results import (
    GUESS,
    HARD,
    IMPORTANT,
    MODELS,
    by_file,
    more_in,
    percent,
)
from unveil.workflows.reproducing.verdicts import untestable, verdict_of
from unveil.workflows.reproducing.wording import listed, span

if TYPE_CHECKING:
    from unveil.workflows.reproducing.supervised.results import Results
    from unveil.workflows.reproducing.verdicts import Judged


# Abstract, Sections 1 and 2


def _worst_case(results: Results) -> Judged:
    better = [
        learnt >= max(plain) - 1e-9
        for name in FILES
        for learnt, *plain in zip(
            results.learnt(name, "d2WM"),
            results.plain(name, "d2AM"),
            results.plain(name, "each"),
            strict=False,
        )
    ]
    proven = sum(sum(results.every(column, "proven")) for column in MODELS)
    many = sum(len(results.every(column)) for column in MODELS)
    return verdict_of(*better, proven > 0), (
        "learnt weights link at least as many as equal weights and inverse variances in "
        f"{sum(better)} of {len(better)} files; {proven:.0f} of {many} learnt distances are proven "
        "to be the best of their family"
    )


def _identifier_left(results: Results) -> Judged:
    share = results.found.one("facts", figure="identified")
    return verdict_of(share == 1), (
        f"of a survey's identifiers {percent(share)} are one person's alone"
    )


def _several_releases(results: Results) -> Judged:
    once, twice = results.once("scenarios", "once", "twice")
    return verdict_of(twice > once), (
        f"two noisy releases together link {twice:.3f}, one {once:.3f}"
    )


def _intervals(results: Results) -> Judged:
    share, counted = results.once("facts", "swapped", "swapped ranks")
    other = results.found.one("facts", figure="microaggregated")
    return verdict_of(share == counted == 1), (
        f"swapped by at most 10 % of the ranks: interval disclosure at 10 % is {percent(share)}, "
        f"and one by one {percent(counted)} of the originals stand so near; of M6-385 it is "
        f"{percent(other)}"
    )


def _regression(results: Results) -> Judged:
    fits = results.found.several("facts", figure="regression")
    return verdict_of(*(fit > 0 for fit in fits)), (
        f"regressions fitted to the release of M6-385 explain {span(fits)} of the variance of the "
        "originals, attribute by attribute"
    )


def _single_attribute(results: Results) -> Judged:
    category, together, number = results.once(
        "facts", "single category", "together", "single number"
    )
    return verdict_of(category <= 0.01 * 1000, number <= 0.01 * SIZE), (
        f"of 1,000 people of a survey any one of four attributes singles out {category:.0f} at "
        f"most, all four {together:.0f}; but any one of the six of Census singles out {number:.0f} "
        f"of {SIZE}"
    )


def _values_of_links(results: Results) -> Judged:
    right = results.found.one("facts", figure="right if linked")
    return verdict_of(right == 1), (
        f"of M4-33 with a seventh column released as it is, {percent(right)} of the right links "
        "tell its value"
    )


def _whose(results: Results) -> Judged:
    linked, right = results.once("facts", "linked", "right")
    return verdict_of(linked < IMPORTANT), (
        f"of M4-33 {percent(linked)} of the originals find their row, by the covariance of true "
        f"pairs, and {percent(right)} read the right value of the seventh column"
    )


def _synthetic(results: Results) -> Judged:
    share = results.found.one("scenarios", figure="synthetic")
    return verdict_of(share > GUESS), (
        f"four columns drawn anew from their regression on the others: {share:.3f} are linked, "
        f"where a guess links {GUESS:.4f}"
    )


def _not_found(results: Results) -> Judged:
    found = results.beside("found")
    return verdict_of(*(share < 0.5 for share in found)), (
        f"{span(found)} of the released rows of the six files have values that are a row of the "
        "original"
    )


FIRST = (
    _worst_case, _identifier_left, _several_releases, _intervals, _regression, _single_attribute,
    _values_of_links, _whose, _synthetic, _not_found,
)  # fmt: skip


# Section 2.3


def _probabilistic(results: Results) -> Judged:
    probable = results.beside("probabilistic")
    plain, learnt = results.columns("d2AM", "d2WM")
    above = more_in(plain, probable)
    best = sum(more_in(learnt, probable))
    return verdict_of(*above), (
        f"plain distance links more than probabilistic linkage by levels in {sum(above)} of 6 "
        f"files ({span(plain)} against {span(probable)}); learnt weights do in {best}"
    )


def _simple(_: Results) -> Judged:
    return untestable("it is a judgement, for which there is no figure")


def _knowledge(results: Results) -> Judged:
    known = by_file(lambda name: results.plain(name, "each"))
    (plain,) = results.columns("d2AM")
    above = more_in(known, plain)
    return verdict_of(*above), (
        f"attributes weighted by what masking did to their variances link {span(known)}, alike "
        f"{span(plain)}"
    )


def _choice(results: Results) -> Judged:
    plain, pairs, learnt = results.columns("d2AM", "d2MD", "d2WM")
    gains = [max(b, c) - a for a, b, c in zip(plain, pairs, learnt, strict=True)]
    return verdict_of(*(gain > IMPORTANT for gain in gains)), (
        f"by file, the best of d2AM, d2MD and d2WM links {span(gains)} more than d2AM"
    )


def _no_weights(results: Results) -> Judged:
    plain, pairs = results.columns("d2AM", "d2MD")
    own, released = (results.beside(kind) for kind in ("original", "release"))
    moments = by_file(lambda name: results.plain(name, "groups"))
    above = [more_in(one, plain) for one in (pairs, own, released)]
    return verdict_of(*map(all, above)), (
        "no weights, but which covariance? That of the true pairs' differences links "
        f"{span(pairs)}, that of both files' moments {span(moments)}; but that of the original "
        f"{span(own)} and that of the release {span(released)}, less than d2AM, {span(plain)}"
    )


def _rescaled(results: Results) -> Judged:
    moved = sum(sum(results.found.each("beside", name, figure="rescaled")) for name in FILES)
    return verdict_of(moved == 0), (
        f"with all columns but one in thousandths {moved:.0f} records are linked otherwise"
    )


def _two_probabilities(results: Results) -> Judged:
    share = results.beside("probabilistic")
    return "holds", f"it was run with no parameter at all, and links {span(share)}"


def _specific(results: Results) -> Judged:
    tailored = results.beside("tailored")
    plain, pairs = results.columns("d2AM", "d2MD")
    above = more_in(tailored, plain)
    of_pairs = sum(more_in(tailored, pairs))
    return verdict_of(*above), (
        f"who knows the microaggregation links {span(tailored)}, more than d2AM in {sum(above)} of "
        f"6 files and than d2MD, which needs the true pairs, in {of_pairs}"
    )


LINKAGE = (
    _probabilistic, _simple, _knowledge, _choice, _no_weights, _rescaled, _two_probabilities,
    _specific,
)  # fmt: skip


# Sections 2.4 and 2.5


def _one_is_enough(results: Results) -> Judged:
    plain = float(np.mean(results.plain(HARD, "d2AM")))
    each, learnt = (
        float(np.mean(one)) for one in (results.plain(HARD, "each"), results.learnt(HARD, "d2WM"))
    )
    return verdict_of(each > plain + IMPORTANT), (
        f"of {HARD} plain distance links {plain:.3f}, inverse variances, which need no truth, "
        f"{each:.3f}, learnt weights {learnt:.3f}"
    )


def _fewer_attributes(results: Results) -> Judged:
    fewer = results.beside("fewer")
    (pairs,) = results.columns("d2MD")
    return verdict_of(*more_in(pairs, fewer)), (
        f"without the last attribute d2MD links {span(fewer)}, with it {span(pairs)}"
    )


def _refused(results: Results) -> Judged:
    refused, away = results.once("compatibility", "refused", "away")
    return verdict_of(refused == 1), (
        f"with the truth (0.6, 0.4), (0.95, 0.05) is refused: {away:.2f} of it would have to go "
        "elsewhere"
    )


def _a_probability(results: Results) -> Judged:
    off = max(max(results.found.each("beside", name, figure="off")) for name in FILES)
    return verdict_of(off < 1e-9), (
        "the results of d2AM, in equal parts on those that tie, sum to 1 for every released row, "
        f"but for {off:g}"
    )


def _compatible(results: Results) -> Judged:
    allowed, tried, agreed, believed = results.once(
        "compatibility", "allowed", "tried", "agreed", "believed"
    )
    return verdict_of(allowed == 1, agreed == tried, believed == tried), (
        f"(0.35, 0.65) is compatible with (0.6, 0.4). Of {tried:.0f} pairs on two records "
        f"{agreed:.0f} agree with p/2 <= p' <= (1 + p)/2, and wherever it is compatible the belief "
        "function is there: at most the truth on every set, with p' as its bets"
    )


def _record_linkage(results: Results) -> Judged:
    shares = results.beside("compatible")
    return verdict_of(min(shares) > 0, min(shares) == 1), (
        f"d2AM's results are compatible with the truth for {span(shares)} of the released rows: by "
        "this definition it is record linkage for these, and not for the others, to which it gives "
        "a wrong record"
    )


def _sugar_farms(_: Results) -> Judged:
    return untestable("the file of sugar farms is not published with the report")


FORMAL = (
    _one_is_enough, _fewer_attributes, _refused, _a_probability, _compatible, _record_linkage,
    _sugar_farms,
)  # fmt: skip


# Section 2.6


def _identity(results: Results) -> Judged:
    differ = sum(results.found.each("algebra", figure="identity"))
    return verdict_of(differ == 0), f"on whitened files {differ:.0f} records are linked otherwise"


def _factor(results: Results) -> Judged:
    factor, n = (results.found.mean("algebra", figure=one) for one in ("factor", "n"))
    return verdict_of(abs(factor - n**2) < 1e-6), (
        f"of {n:.0f} attributes the squared distance is {factor:.0f} times the mean: n times, not "
        "n squared"
    )


def _divided(results: Results) -> Judged:
    differ = sum(results.found.each("algebra", figure="divided"))
    return verdict_of(differ == 0), f"{differ:.0f} records are linked otherwise"


def _interactions(results: Results) -> Judged:
    pairs = list(zip(results.every("d2CI"), results.every("d2WM"), strict=True))
    above, below = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    gain = float(np.mean([a - b for a, b in pairs]))
    held = [
        float(np.mean(results.learnt(n, "d2CI", "halves linked")))
        - float(np.mean(results.learnt(n, "d2WM", "halves linked")))
        for n in FILES
    ]
    return verdict_of(above > 0, above > below), (
        f"the Choquet integral links more than weights in {above} of {len(pairs)} files and fewer "
        f"in {below}, {gain:.4f} more on average; of people held out {float(np.mean(held)):+.4f}"
    )


def _diagonal(results: Results) -> Judged:
    agreeing = [
        float(spearmanr(matrix["importance"], weights["importance"]).statistic)
        for name in FILES
        for matrix, weights in zip(
            results.learning(name, "d2MD*"), results.learning(name, "d2WM"), strict=True
        )
    ]
    strongest = results.every("d2MD*", "interacting")
    return verdict_of(np.mean(agreeing) > 0.5, max(strongest) > 0), (
        "the order of the diagonal and that of the learnt weights agree by a rank correlation of "
        f"{float(np.mean(agreeing)):.2f} on average ({min(agreeing):.2f} at least); the strongest "
        f"pair interacts by {span(strongest)}"
    )


def _key_attribute(results: Results) -> Judged:
    alone, learnt, weight, plain = (
        results.found.mean("key", figure=one) for one in ("alone", "learnt", "weight", "plain")
    )
    return verdict_of(alone == 1, learnt == 1, weight > 0.99), (
        "one of four attributes unmasked and nobody alike in it: all weight on it links "
        f"{percent(alone)}, learnt weights {percent(learnt)} with {weight:.3f} of the weight on "
        f"it, equal weights {percent(plain)}"
    )


def _nested(results: Results) -> Judged:
    differ = [
        sum(results.found.each("algebra", figure=one))
        for one in ("divided", "additive", "diagonal")
    ]
    return verdict_of(*(one == 0 for one in differ)), (
        f"equal weights, an additive measure and a diagonal matrix link {listed(differ, 0)} "
        "records otherwise than what they are cases of"
    )


DISTANCES = (
    _identity, _factor, _divided, _interactions, _diagonal, _key_attribute, _nested,
)  # fmt: skip


BACKGROUND = (*FIRST, *LINKAGE, *FORMAL, *DISTANCES)
