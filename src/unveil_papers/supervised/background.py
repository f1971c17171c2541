"""What the paper on supervised linkage says of linkage in general: up to Section 2.3."""

from functools import partial

from scipy.stats import beta, hypergeom

from unveil_papers.framework.verdicts import Judged, span, verdict_of
from unveil_papers.supervised.conditions import KEY, PEOPLE
from unveil_papers.supervised.files import FILES, SIZE
from unveil_papers.supervised.results import (
    GUESS,
    IMPORTANT,
    MODELS,
    SELDOM,
    SMALL,
    SupervisedResults,
    beyond_chance,
    by_file,
    more_in,
    percent,
)

NEARLY = 1e-9
CODED = f"{len(KEY)} attributes"


def worst_case(results: SupervisedResults) -> Judged:
    better = [
        weights >= max(plain) - NEARLY
        for name in FILES
        for weights, *plain in zip(
            *(results.of(name, column) for column in ("d2WM", "d2AM", "each")), strict=False
        )
    ]
    richer = [
        learnt >= weights - NEARLY
        for column in ("d2CI", "d2MD*")
        for learnt, weights in results.every(column, "d2WM")
    ]
    proofs = [results.total(column, "proven") for column in MODELS]
    proven, many = (sum(one) for one in zip(*proofs, strict=True))
    return verdict_of(all(better), all(richer), proven == many), (
        "learnt weights link at least as many as equal weights and inverse variances in "
        f"{sum(better)} of {len(better)} files, d2CI and d2MD* at least as many as learnt weights "
        f"in {sum(richer)} of {len(richer)}; {proven:.0f} of {many} learnt distances are proven to "
        "be the best of their family"
    )


def identifier_left(results: SupervisedResults) -> Judged:
    share = results.log.one("facts", figure="identified")
    return verdict_of(share == 1), (
        "by definition: an identifier is one person's alone, and the illness stands beside it; of "
        f"a survey's {percent(share)} are so"
    )


def several_releases(results: SupervisedResults) -> Judged:
    once, twice = results.once("scenarios", "once", "twice")
    return verdict_of(twice > once), (
        f"two noisy releases together link {twice:.3f}, one {once:.3f}"
    )


def sources(results: SupervisedResults) -> Judged:
    one, other = results.log.series("knowledge", figure="sources")
    combined = results.log.one("knowledge", figure="combined")
    return verdict_of(combined > max(one, other)), (
        f"of M4-33 who has the first two attributes links {one:.3f}, who has the last two "
        f"{other:.3f}, and who has joined both {combined:.3f}"
    )


def intervals(results: SupervisedResults) -> Judged:
    share, counted = results.once("facts", "swapped", "swapped ranks")
    other = results.log.one("facts", figure="microaggregated")
    return verdict_of(share == counted == 1), (
        f"swapped by at most 10 % of the ranks: interval disclosure at 10 % is {percent(share)}, "
        f"and one by one {percent(counted)} of the originals stand so near; of M6-385 it is "
        f"{percent(other)}"
    )


def regression(results: SupervisedResults) -> Judged:
    fits = results.log.series("facts", figure="regression")
    others = len(fits) - 1
    chance = float(beta.isf(SELDOM, others / 2, (SIZE - others - 1) / 2))
    fitting = [fit > chance for fit in fits]
    return verdict_of(*fitting), (
        f"regressions fitted to the release of M6-385 explain {span(fits)} of the variance of the "
        f"originals, attribute by attribute; in {sum(fitting)} of {len(fits)} more than the "
        f"{chance:.3f} that chance explains once in a thousand times"
    )


def single_attribute(results: SupervisedResults) -> Judged:
    category, together, number = results.once(
        "facts", "single category", "together", "single number"
    )
    return verdict_of(category == number == 0, together > 0), (
        f"several can: of 1,000 people of a survey four attributes single out {together:.0f}. But "
        f"of these four one by itself singles out {category:.0f}, and each of the six of Census at "
        f"least {number:.0f} of {SIZE}"
    )


def no_identifiers(results: SupervisedResults) -> Judged:
    together, linked = results.once("facts", "together", "linked")
    return verdict_of(together == 0, not beyond_chance(linked)), (
        f"M4-33 has no identifier, and {percent(linked)} of the originals find their row; of 1,000 "
        f"people of a survey {together:.0f} are alone with their region, sex, age and education"
    )


def almost_any(results: SupervisedResults) -> Judged:
    number = results.log.one("facts", figure="single number")
    return verdict_of(number > 0), (
        f"each of the six attributes of Census singles out at least {number:.0f} of {SIZE} by "
        "itself: none of them would be left"
    )


def whose(results: SupervisedResults) -> Judged:
    linked, right = results.once("facts", "linked", "right")
    return verdict_of(linked < IMPORTANT), (
        f"of M4-33 {percent(linked)} of the originals find their row, by the covariance of true "
        f"pairs, and {percent(right)} read the right value of the seventh column"
    )


def values_of_links(results: SupervisedResults) -> Judged:
    right = results.log.one("facts", figure="right if linked")
    return verdict_of(right == 1), (
        "by definition, where they are released as they are: of M4-33 with a seventh column "
        f"{percent(right)} of the right links tell its value"
    )


def whatever(results: SupervisedResults) -> Judged:
    shares = results.log.series("knowledge", figure="linked")
    above = [beyond_chance(share) for share in shares]
    most = max((share for share, so in zip(shares, above, strict=True) if not so), default=0.0)
    return verdict_of(*above), (
        "with 6, 3 or 1 of six attributes known, after noise, multiplied noise, swapping, "
        f"microaggregation and rounding, Euclid links {span(shares)}: more than guesses would in "
        f"{sum(above)} of {len(shares)} cases"
        + ("" if all(above) else f"; of the others {most:.3f} at most, by one attribute")
    )


def synthetic(results: SupervisedResults) -> Judged:
    share = results.log.one("scenarios", figure="synthetic")
    return verdict_of(beyond_chance(share)), (
        f"four columns drawn anew from their regression on the others: {share:.3f} are linked, "
        f"where a guess links {GUESS:.4f}"
    )


def not_found(results: SupervisedResults) -> Judged:
    (numbers,) = results.columns("found")
    categories = results.log.one("miscoded", figure="found") / PEOPLE
    return verdict_of(max(numbers) < 0.5, categories < 0.5), (
        f"{span(numbers)} of the released rows of the six files have values that are a row of the "
        f"original; but of {PEOPLE:,} people of a survey, {CODED} changed by PRAM, "
        f"{percent(categories)} have a combination that somebody had"
    )


def rare(results: SupervisedResults) -> Judged:
    alone, before, both = results.once("miscoded", "alone", "alone before", "both")
    by_chance = float(hypergeom.sf(both - 1, PEOPLE, before, alone))
    return verdict_of(by_chance >= SELDOM), (
        f"of {alone:.0f} people who are alone in that release {percent(both / alone)} are alone in "
        f"the original, of all {percent(before / PEOPLE)}: who is rare in the one is more often so "
        "in the other"
        if by_chance < SELDOM
        else f"of {alone:.0f} people alone in that release {percent(both / alone)} are so in the "
        f"original, and of all {percent(before / PEOPLE)}"
    )


def standardise(results: SupervisedResults) -> Judged:
    raw, plain = results.columns("raw", "d2AM")
    fewer = more_in(plain, raw)
    return verdict_of(*fewer), (
        f"as they are the attributes link fewer in {sum(fewer)} of 6 files ({span(raw)} against "
        f"{span(plain)}): the largest by its unit weighs most, which is right where it was masked "
        "least"
    )


def probabilistic(results: SupervisedResults) -> Judged:
    plain, learnt, probable = results.columns("d2AM", "d2WM", "probabilistic")
    above = more_in(plain, probable)
    best = sum(more_in(learnt, probable))
    return verdict_of(*above), (
        f"plain distance links more than probabilistic linkage by levels in {sum(above)} of 6 "
        f"files ({span(plain)} against {span(probable)}); learnt weights do in {best}"
    )


def knowledge(results: SupervisedResults) -> Judged:
    known, plain = results.columns("each", "d2AM")
    above = more_in(known, plain)
    return verdict_of(*above), (
        f"attributes weighted by what masking did to their variances link {span(known)}, alike "
        f"{span(plain)}"
    )


def choice(results: SupervisedResults) -> Judged:
    plain, pairs, learnt = results.columns("d2AM", "d2MD", "d2WM")
    gains = [max(b, c) - a for a, b, c in zip(plain, pairs, learnt, strict=True)]
    return verdict_of(*(gain > IMPORTANT for gain in gains)), (
        f"by file, the best of d2AM, d2MD and d2WM links {span(gains)} more than d2AM"
    )


def no_weights(results: SupervisedResults) -> Judged:
    plain, pairs, moments, own, released = results.columns(
        "d2AM", "d2MD", "groups", "original", "release"
    )
    above = [more_in(one, plain) for one in (pairs, own, released)]
    return verdict_of(*map(all, above)), (
        "no weights, but which covariance? That of the true pairs' differences links "
        f"{span(pairs)}, that of both files' moments {span(moments)}; but that of the original "
        f"{span(own)} and that of the release {span(released)}, where d2AM links {span(plain)}"
    )


def rescaled(results: SupervisedResults) -> Judged:
    moved = sum(sum(results.log.by_run("beside", name, figure="rescaled")) for name in FILES)
    return verdict_of(moved == 0), (
        f"with all columns but one in thousandths {moved:.0f} records are linked otherwise"
    )


def two_probabilities(results: SupervisedResults) -> Judged:
    levels, one_level, steps = (
        by_file(partial(results.log.by_run, "parameters", figure=figure))
        for figure in ("levels", "one level", "steps")
    )
    moved = [
        abs(a - b) > SMALL
        for other in (one_level, steps)
        for a, b in zip(levels, other, strict=True)
    ]
    return verdict_of(all(map(beyond_chance, levels)), not any(moved)), (
        f"with nothing given it links {span(levels)}. But of numbers somebody has to say when they "
        f"agree: with one level, 5 % of the range, it is {span(one_level)}, with levels that are "
        f"not prorated {span(steps)}"
    )


def specific(results: SupervisedResults) -> Judged:
    tailored, plain, pairs = results.columns("tailored", "d2AM", "d2MD")
    above = more_in(tailored, plain)
    of_pairs = sum(more_in(tailored, pairs))
    return verdict_of(*above), (
        f"who knows the microaggregation links {span(tailored)}, more than d2AM in {sum(above)} of "
        f"6 files and than d2MD, which needs the true pairs, in {of_pairs}"
    )


def structure(results: SupervisedResults) -> Judged:
    halves, alternate = results.log.series("structure", figure="linked")
    return verdict_of(beyond_chance(halves / SIZE), beyond_chance(alternate / SIZE)), (
        f"of {SIZE} people of Census OWA operators link {alternate:.0f} where every second column "
        f"is in the other file, and {halves:.0f} where the last seven are; a guess links 1, and 6 "
        "or more less than once in a thousand times"
    )
