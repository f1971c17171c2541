"""Categorical records: what the paper says in words, on its own figures and on the stand-in."""

from types import SimpleNamespace

import numpy as np

from unveil_papers.categorical.results import (
    AND_EXPECTED,
    EMS,
    ROUNDING,
    SIMILAR,
    CategoricalResults,
    correlation,
    in_brackets,
    in_groups,
    similar,
)
from unveil_papers.categorical.stand_in import ATTACKS, EM, GROUPS, MASKS, ORDINAL, PARAMETERS
from unveil_papers.framework.tools import distances_given_mask
from unveil_papers.framework.verdicts import Judged, untestable, verdict_of

RISES = 0.95  # of the steps from p to p + 1


def averages_are_similar(results: CategoricalResults) -> Judged:
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


def the_distance_is_validated(results: CategoricalResults) -> Judged:
    hits = results.in_words
    return verdict_of(results.alike("DBRL", "PRL-safe"), results.above("DBRL", "unordered")), (
        "Similar averages do not tell this distance from another: on the stand-in one that ignores "
        f"the order of categories links {hits('unordered')}, this one {hits('DBRL')} and PRL by "
        f"safe EM {hits('PRL-safe')}; expected {hits('unordered', 'expected')}, "
        f"{hits('DBRL', 'expected')} and {hits('PRL-safe', 'expected')}."
    )


def equality_is_not_enough(results: CategoricalResults) -> Judged:
    def equal(ties: str, window: int) -> float:
        return float(results.of_mask("equal", window, ties).mean())

    def so(window: int) -> bool:
        return equal("expected", window) < SIMILAR * results.mean("DBRL", "expected", window=window)

    return verdict_of(results.everywhere(so)), (
        f"On the stand-in {results.quote(equal, 'any')} of 1000 masked records still equal their "
        f"original; to look for equal ones links {results.quote(equal, 'expected')} expected, DBRL "
        f"{results.in_words('DBRL', 'expected')}."
    )


def thresholds_and_probabilities_are_needed(results: CategoricalResults) -> Judged:
    hits = results.in_words
    kinds = results.complete(f"PRL-{kind}" for kind in EM)

    def held(window: int) -> bool:
        means = [results.mean(kind, window=window) for kind in kinds]
        return not similar(min(means), max(means))

    return verdict_of(not results.as_many("PRL-safe", "DBRL"), results.everywhere(held)), (
        f"No threshold is used here, the highest index is taken: by safe EM PRL links "
        f"{hits('PRL-safe')}, DBRL {hits('DBRL')}. How the probabilities are estimated decides: "
        f"{', '.join(f'{hits(kind)} by {ATTACKS[kind][5:]}' for kind in kinds)}."
    )


def they_are_radically_different(results: CategoricalResults) -> Judged:
    r = correlation(results.hits("DBRL", "expected"), results.hits("PRL-safe", "expected"))
    return untestable(
        "How different two methods are has no figure. Over the experiments on the stand-in the "
        f"expected hits of DBRL and of PRL by safe EM correlate by {r:.2f}."
    )


def knowledge_can_be_taken_in(results: CategoricalResults) -> Judged:
    groups = [group for group, names in GROUPS.items() if set(names) & set(ORDINAL)]
    matters = [
        in_groups(results.hits("DBRL", "expected", window), groups)
        != in_groups(results.hits("unordered", "expected", window), groups)
        for window in results.windows
    ]
    so = [float(one.mean()) for one in matters]
    said = in_brackets(f"{100 * one:.0f}" for one in so)
    return verdict_of(*(one > 0.5 for one in so)), (
        "That an attribute is ordered is such knowledge: it is taken in or left out, and the "
        f"expected hits change in {said} % of the experiments on groups with ordered attributes. "
        "Of people nothing was tried."
    )


def no_weights_are_needed(results: CategoricalResults) -> Judged:
    hits = results.in_words
    cases = [(em, ties) for em in EMS[::-1] for ties in AND_EXPECTED]
    said = [f"{hits(em, ties)} where DBRL links {hits('DBRL', ties)}" for em, ties in cases]
    return verdict_of(*(results.as_many(em, "DBRL", ties) for em, ties in cases)), (
        f"PRL weighs the attributes itself. By safe EM it links {said[0]}, expected {said[1]}; by "
        f"free EM {said[2]}, expected {said[3]}."
    )


def results_depend_less_on_the_file(results: CategoricalResults) -> Judged:
    hits = results.in_words
    return untestable(
        "Other files would have to be linked in as many ways. Two thousands of records of one "
        f"file, as here, have DBRL {hits('DBRL')} and PRL {hits('PRL-free')} by free EM, where the "
        f"survey has {results.printed['DBRL'].mean():.0f} and {results.printed['PRL'].mean():.0f}."
    )


def groups_go_by_categories(results: CategoricalResults) -> Judged:
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


def masks_distort_more_and_more(results: CategoricalResults) -> Judged:
    more = {
        figure: [np.diff(results.of_mask(figure, window), axis=1) >= 0 for window in
                 results.windows]
        for figure in ("change", "entropy")
    }  # fmt: skip
    fewer = [np.diff(results.printed[name], axis=1) <= 0 for name in ("DBRL", "PRL")]
    changed, lost = (in_brackets([str(one.sum()) for one in each]) for each in more.values())
    return verdict_of(*(one.mean() > RISES for each in more.values() for one in each)), (
        f"On the stand-in, of {fewer[0].size} steps from p to p + 1, {changed} leave as many cells "
        f"changed or more, and {lost} as much entropy lost or more. In the printed tables the hits "
        f"of DBRL do not rise in {fewer[0].sum()} of {fewer[0].size} steps, those of PRL in "
        f"{fewer[1].sum()}."
    )


def experiments_are_180(results: CategoricalResults) -> Judged:
    many = [int(np.isfinite(results.printed[name]).sum()) for name in ("PRL", "DBRL")]
    return verdict_of(many == [180, 180], len(MASKS) * len(PARAMETERS) == 36), (
        f"Tables 2 to 6 print {many[0]} figures of PRL and {many[1]} of DBRL."
    )


def only_equality_is_asked(results: CategoricalResults) -> Judged:
    linked = [
        (in_groups(results.hits("DBRL", "any", window), "m")
         == in_groups(results.hits("unordered", "any", window), "m")).all()
        for window in results.windows
    ]  # fmt: skip
    methods = list(MASKS)
    top, bottom = (
        in_groups(results.printed["DBRL"], "m")[methods.index(one)] for one in ("Top", "Bottom")
    )
    same = int((top == bottom).sum())
    return verdict_of(all(linked), same == top.size), (
        "The linkage asks no more: in m, where all attributes are nominal, DBRL links as many as "
        f"one that ignores every order in {sum(map(int, linked))} of {len(linked)} thousands of "
        "records. But top and bottom coding need an order: DBRL's printed figures of m are the "
        f"same for both at {same} of {top.size} parameters."
    )


def the_distance_is_one(results: CategoricalResults) -> Judged:
    (attribute, _), printed = next(iter(results.published.tables["Table 1"].figures().items()))
    names, every = tuple(map(str, range(int(printed)))), np.ones((int(printed),) * 2)
    anything = SimpleNamespace(categories=names, matrix=every)  # a mask that makes any of any
    apart = np.array(distances_given_mask(anything, ordinal=True, inclusive=True).distances)
    around = (apart[:, :, None] + apart[None]).min(axis=1)  # by way of some other category
    axioms = {
        "a category is at 0 from itself": bool((apart.diagonal() == 0).all()),
        "both ways are as far": bool((apart == apart.T).all()),
        "no way round is shorter": bool((apart <= around + ROUNDING).all()),
    }
    said = "; ".join(f"{axiom}: {'yes' if so else 'no'}" for axiom, so in axioms.items())
    return verdict_of(*axioms.values()), (
        f"By definition, tried with the {printed} categories of {attribute}: {said}. From itself "
        f"a category is at {apart[0, 0]:.2f}. That is added to all pairs alike, so that nobody's "
        "nearest record changes; only thresholds would."
    )


def each_is_sometimes_better(results: CategoricalResults) -> Judged:
    pairs = [(results.printed["PRL"], results.printed["DBRL"])]
    pairs += [(results.hits("PRL-free", "any", one), results.hits("DBRL", "any", one))
              for one in results.windows]  # fmt: skip
    better = [(int((prl > dbrl).sum()), int((dbrl > prl).sum())) for prl, dbrl in pairs]
    (prl, dbrl), *ours = better
    by_prl, by_dbrl = (in_brackets(map(str, each)) for each in zip(*ours, strict=True))
    return verdict_of(*(min(one) > 0 for one in better)), (
        f"PRL is better in {prl} and DBRL in {dbrl} of the printed experiments; in {by_prl} and "
        f"{by_dbrl} on the stand-in, by free EM, ties counted as hits."
    )


def averages_are_as_printed(results: CategoricalResults) -> Judged:
    means = {name: float(results.printed[name].mean()) for name in ("DBRL", "PRL")}
    said = results.averages_in_the_text
    so = [results.is_average_in_text(name, mean) for name, mean in means.items()]
    return verdict_of(*so), (
        f"The figures of Tables 2 to 6 have the means {means['DBRL']:.4f}, which is {said['DBRL']} "
        f"with its digits cut off, and {means['PRL']:.4f}, where the text has {said['PRL']}. The "
        f"stand-in has {results.in_words('DBRL')} and, by free EM, "
        f"{results.in_words('PRL-free')}."
    )
