"""Categorical records: what the paper says in words, on its own figures and on the stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unveil.workflows.reproducing.categorical import notes
from unveil.workflows.reproducing.categorical.results import (
    AND_EXPECTED,
    EMS,
    SIMILAR,
    Results,
    correlation,
    in_groups,
    similar,
)
from unveil.workflows.reproducing.categorical.stand_in import EM, GROUPS, MASKS, PARAMETERS
from unveil.workflows.reproducing.verdicts import judged, untestable, verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from unveil.data.reproduction import Claim
    from unveil.workflows.reproducing.experiment import Found
    from unveil.workflows.reproducing.published import Published
    from unveil.workflows.reproducing.verdicts import Judged

RISES = 0.95  # of the steps from p to p + 1
LITERATURE = "It is about other works of its time, not about figures."


def claims(found: Found, published: Published) -> list[Claim]:
    """Every claim with its verdict."""
    judges: list[Callable[[Results], Judged]] = [
        averages_are_similar,
        the_distance_is_validated,
        equality_is_not_enough,
        lambda _: untestable(LITERATURE),
        lambda _: untestable("How simple a method is has no figure."),
        knowledge_can_be_taken_in,
        no_weights_are_needed,
        two_probabilities_are_enough,
        lambda _: untestable("All attributes are categories here."),
        lambda _: untestable(LITERATURE),
        groups_go_by_categories,
        masks_distort_more_and_more,
        experiments_are_180,
        the_distance_is_one,
        each_is_sometimes_better,
        averages_are_as_printed,
        notes.records_are_not_the_same,
        notes.numbers_differ_in_m_and_u,
        notes.they_are_complementary,
        notes.distance_is_better_on_pram,
        notes.probability_is_better_elsewhere,
        notes.only_pram_draws,
        notes.distance_suits_random_errors,
        notes.loss_goes_with_both_alike,
        lambda _: untestable("It is about what offices do."),
        notes.knowing_the_mask_helps,
        notes.knowing_the_mask_in_figures,
        notes.knowing_the_mask_beats_probability,
        notes.both_together_are_best,
        notes.weights_depend_on_the_problem,
        notes.weights_are_learnt_beforehand,
    ]
    return judged(published, judges, Results(found, published))


def averages_are_similar(results: Results) -> Judged:
    """On the printed figures, and on the stand-in by two kinds of EM and two policies for ties."""
    prl, dbrl = results.printed["PRL"], results.printed["DBRL"]
    hits = results.in_words
    return verdict_of(
        similar(prl.mean(), dbrl.mean()),
        *(results.alike(em, "DBRL", ties) for em in EMS for ties in AND_EXPECTED),
    ), (
        f"Printed: PRL {prl.mean():.1f}, DBRL {dbrl.mean():.1f}; but the experiments correlate by "
        f"{correlation(prl, dbrl):.2f} only, DBRL is better in {100 * (dbrl > prl).mean():.0f} % "
        f"of them, and without m and u it is {in_groups(prl, 'sol').mean():.0f} to "
        f"{in_groups(dbrl, 'sol').mean():.0f}. Stand-in, ties as hits: DBRL {hits('DBRL')}, PRL "
        f"{hits('PRL-free')} by free and {hits('PRL-safe')} by safe EM; expected "
        f"{hits('DBRL', 'expected')}, {hits('PRL-free', 'expected')} and "
        f"{hits('PRL-safe', 'expected')}."
    )


def the_distance_is_validated(results: Results) -> Judged:
    """Whether it is similar to PRL, and better than one that ignores the order of categories."""
    hits = results.in_words
    return verdict_of(results.alike("DBRL", "PRL-safe"), results.above("DBRL", "unordered")), (
        "Similar averages do not tell this distance from another: on the stand-in one that ignores "
        f"the order of categories links {hits('unordered')}, this one {hits('DBRL')} and PRL by "
        f"safe EM {hits('PRL-safe')}; expected {hits('unordered', 'expected')}, "
        f"{hits('DBRL', 'expected')} and {hits('PRL-safe', 'expected')}."
    )


def equality_is_not_enough(results: Results) -> Judged:
    """To look for equal records, against the distance."""

    def equal(ties: str, window: int) -> float:
        return float(results.of_mask("equal", window, ties).mean())

    def so(window: int) -> bool:
        return equal("expected", window) < SIMILAR * results.mean("DBRL", "expected", window=window)

    return verdict_of(results.everywhere(so)), (
        f"On the stand-in {results.told(equal, 'any')} of 1000 masked records still equal their "
        f"original; to look for equal ones links {results.told(equal, 'expected')} expected, DBRL "
        f"{results.in_words('DBRL', 'expected')}."
    )


def knowledge_can_be_taken_in(results: Results) -> Judged:
    """What the mask cannot have done is such knowledge."""
    return verdict_of(results.above("aware", "DBRL")), (
        "Infinite distances for what the mask cannot have done are such knowledge: with them "
        f"{results.in_words('aware')} records of the stand-in are linked, without "
        f"{results.in_words('DBRL')}."
    )


def no_weights_are_needed(results: Results) -> Judged:
    """PRL without any, against DBRL."""
    hits = results.in_words
    return verdict_of(
        results.above("PRL-safe", "DBRL"), results.above("PRL-safe", "DBRL", "expected")
    ), (
        f"PRL weighs the attributes itself; by safe EM it links {hits('PRL-safe')} and DBRL "
        f"{hits('DBRL')}, expected {hits('PRL-safe', 'expected')} and {hits('DBRL', 'expected')}."
    )


def two_probabilities_are_enough(results: Results) -> Judged:
    """They would be if it did not matter how EM is held."""
    kinds = results.complete(f"PRL-{kind}" for kind in EM)
    means = [results.mean(kind) for kind in kinds]
    return verdict_of(similar(min(means), max(means))), (
        "Where the highest index is taken, not even these are asked. But how EM is held decides: "
        f"{len(kinds)} kinds of it link from {min(means):.0f} to {max(means):.0f} records of the "
        "stand-in on average, ties counted as hits."
    )


def groups_go_by_categories(results: Results) -> Judged:
    """In the printed table, and on the stand-in."""
    table = results.published.tables["Table 1"].figures()
    printed = {row: float(figure) for (row, _), figure in table.items()}
    so, said = [set(GROUPS["u"]) == {*GROUPS["m"], *GROUPS["l"]}], []
    for categories in (printed, results.categories):
        sizes = [[categories[name] for name in GROUPS[group]] for group in "sml"]
        (_, few), (some, several), (many, _) = ends = [(min(one), max(one)) for one in sizes]
        so += [few < some, several < many]
        said.append(", ".join(f"{least:.0f} to {most:.0f}" for least, most in ends))
    return verdict_of(*so), (
        f"Categories in s, m and l: printed {said[0]}; on the stand-in {said[1]}."
    )


def masks_distort_more_and_more(results: Results) -> Judged:
    """From p to p + 1, by two measures of loss."""
    more = [np.diff(results.of_mask(figure), axis=1) >= 0 for figure in ("change", "entropy")]
    fewer = [np.diff(results.printed[name], axis=1) <= 0 for name in ("DBRL", "PRL")]
    steps = more[0].size
    return verdict_of(*(one.mean() > RISES for one in more)), (
        f"On the stand-in, of {steps} steps from p to p + 1, {more[0].sum()} leave as many cells "
        f"changed or more, and {more[1].sum()} as much entropy lost or more. In the printed tables "
        f"the hits of DBRL do not rise in {fewer[0].sum()} of {steps} steps, those of PRL in "
        f"{fewer[1].sum()}."
    )


def experiments_are_180(results: Results) -> Judged:
    """The figures of Tables 2 to 6, counted."""
    many = [int(np.isfinite(results.printed[name]).sum()) for name in ("PRL", "DBRL")]
    return verdict_of(many == [180, 180], len(MASKS) * len(PARAMETERS) == 36), (
        f"Tables 2 to 6 print {many[0]} figures of PRL and {many[1]} of DBRL."
    )


def the_distance_is_one(results: Results) -> Judged:
    """Of a category from itself it would have to be 0."""
    (attribute, _), categories = next(iter(results.published.tables["Table 1"].figures().items()))
    least = 1 / float(categories)
    return verdict_of(least == 0), (
        f"A category is not at distance 0 from itself: in {attribute} it is 1/{categories} = "
        f"{least:.2f}. That is so for all pairs, so that nobody's nearest record changes; only "
        "thresholds would."
    )


def each_is_sometimes_better(results: Results) -> Judged:
    """In the printed experiments, and in those on the stand-in."""
    pairs = [
        (results.printed["PRL"], results.printed["DBRL"]),
        (results.hits("PRL-free"), results.hits("DBRL")),
    ]
    better = [(int((prl > dbrl).sum()), int((dbrl > prl).sum())) for prl, dbrl in pairs]
    return verdict_of(*(min(one) > 0 for one in better)), (
        f"PRL is better in {better[0][0]} and DBRL in {better[0][1]} of the printed experiments; "
        f"in {better[1][0]} and {better[1][1]} on the stand-in, by free EM, ties counted as hits."
    )


def averages_are_as_printed(results: Results) -> Judged:
    """The text, held against the tables."""
    means = {name: float(results.printed[name].mean()) for name in ("DBRL", "PRL")}
    said = results.averages_in_the_text
    return verdict_of(*(abs(said[name] - mean) < 0.01 for name, mean in means.items())), (
        f"The figures of Tables 2 to 6 have the means {means['DBRL']:.4f}, which is {said['DBRL']} "
        f"with its digits cut off, and {means['PRL']:.4f}, where the text has {said['PRL']}. The "
        f"stand-in has {results.in_words('DBRL')} and, by free EM, {results.in_words('PRL-free')}."
    )
