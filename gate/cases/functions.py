"""Python functions: each public measure, model and operator, called by its public name.

A public name that has no line here fails the gate. When a name changes, change it here and write
the old and the new case into ``gate/renamed.toml``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import unveil
from gate.case import Case
from unveil import aggregation, attacks, masks, measures, models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

K = ("region", "sex", "education")
N = ("age", "hours", "income", "tax")
VALUES = np.array([[0.2, 0.4, 0.1], [0.9, 0.3, 0.5], [0.0, 1.0, 0.7]])
CAPACITY = (0, 0.2, 0.3, 0.6, 0.4, 0.7, 0.8, 1)
KNOWN = {"coarse": ("sex", "age"), "rank": N[:3]}  # many ties; what has an order
FAMILIES = ("exponent", "sigmoid", "threshold")


@cache
def people() -> unveil.Microdata:
    """The survey."""
    return unveil.households(200, seed=7)


@cache
def release(kind: str = "mixed") -> unveil.Release:
    """A release of the survey."""
    plans: dict[str, list[masks.Mask]] = {
        "mixed": [
            masks.RankSwapping(p=8, columns=N),
            masks.Pram(theta=0.2, invariant=False, columns=K),
        ],
        "sampled": [masks.Sampling(share=0.6), masks.LocalSuppression(k=2, columns=(*K, "age"))],
        "ranges": [masks.Mondrian(k=4)],
    }
    return unveil.mask(people(), plans[kind], seed=3)


@cache
def links(attack: str = "distance", kind: str = "mixed", back: bool = False) -> unveil.Links:
    """The links of one attack."""
    specs = {
        "distance": attacks.Distance(),
        "rank": attacks.Rank(criterion="max"),
        "posterior": attacks.Distance(matching="posterior"),
        "compatible": attacks.Compatible(),
        "position": attacks.Position(),
        "coarse": attacks.Distance(),
    }
    intruder = unveil.Intruder(
        direction="release-to-original" if back else "original-to-release", knows=KNOWN.get(attack)
    )
    return unveil.attack(people(), release(kind), specs[attack], intruder=intruder, seed=1)


def outsiders() -> unveil.Links:
    """The same attack by people who are not in the release."""
    return links().on(unveil.households(60, seed=11))


def both(kind: str = "mixed") -> measures.FilePair:
    """The survey and a release side by side."""
    one = release(kind)
    return measures.FilePair.of(people(), one.data, one.row_map)


def on_links(function: Any, **how: Any) -> list[Any]:
    """A measure of links, for several attacks."""
    ways = (("distance", False), ("distance", True), ("coarse", False), ("posterior", False))
    return [function(links(attack, back=back), **how) for attack, back in ways]


def on_both(function: Any, **how: Any) -> list[Any]:
    """A measure of two files, for several releases."""
    return [function(both(kind), **how) for kind in ("mixed", "sampled", "ranges")]


def belief() -> list[Any]:
    """A belief function, asked in every way."""
    one = measures.Belief(3, {(0,): 0.5, (1, 2): 0.3, (0, 1, 2): 0.2})
    return [one.belief([1]), one.plausibility([1]), one.pignistic(), one.is_below([0.6, 0.2, 0.2])]


def own_results() -> Any:
    """Beliefs of one's own for each record of the links: ignorance, but for the first."""
    told = links()
    beliefs = [measures.Belief.vacuous(told.candidates)] * (len(told) - 1)
    certain = measures.Belief(told.candidates, {(int(told.true_rows[0]),): 1.0})
    return measures.formal(told, results=[certain, *beliefs])


def own_distributions() -> list[Any]:
    """Two records with one and two candidates, and what they give to rows 0 and 1."""
    one = measures.Distributions(*map(np.array, ([0, 1], [0, 1, 3], [0, 0, 1], [0.5, 0.3, 0.7])))
    return [one.of(np.array([0, 1])), one[1]]


def true_distributions(columns: Any = None) -> list[Any]:
    """The true distributions of several attacks, as arrays."""
    return [
        (one.records, one.starts, one.rows, one.probability)
        for one in on_links(measures.true_distributions, columns=columns)
    ]


def record_risks() -> Any:
    """How the risk of two attacks is spread."""
    risks = {f"{name} out": measures.hits(links(name)) for name in ("distance", "rank")}
    return measures.record_risks(risks, attack="rank", direction="out")


def aligned() -> list[Any]:
    """Which rows of two files belong together."""
    return [(one.originals, one.released, list(one.columns)) for one in on_both(lambda one: one)]


def groups_of_hits(function: Any) -> Any:
    """A measure of the hits and the households."""
    homes = people().column("household").to_numpy()
    return function(measures.hits(links()), np.unique(homes, return_inverse=True)[1])


def uneven() -> Any:
    """On whom discards fall."""
    groupings = measures.subgroups(people(), ["sex", "age"])
    old = np.flatnonzero(people().column("age").to_numpy() < 60)
    phrase = measures.uneven_discards(measures.discards(200, old, groupings))
    return [getattr(one, "value", str(one)) for one in phrase]


def decided() -> measures.Decisions:
    """The decisions on pairs of one attack."""
    spec = attacks.Probabilistic(p_link_unmatched=1e-4, p_nonlink_matched=0.05)
    one = release()
    return measures.decisions(unveil.attack(people(), one, spec, seed=1))


def match_probabilities() -> list[Any]:
    """A match on the key in a known population, in both views."""
    changes = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
    found = measures.match_probability(np.array([1.0, 3.0, 0.0]), changes, 0.2)
    return [found.sample_unique, found.fellegi_sunter, found.m, found.u]


def population_models() -> list[Any]:
    """A model of the population by weights and by a fraction, and of a perturbed release."""
    keys = ("region", "sex", "education", "marital_status")
    pram = masks.Pram(theta=0.3, invariant=False, columns=("region",))
    masked = unveil.mask(people(), [pram], seed=3)
    found = [
        measures.population_model(people(), keys),
        measures.population_model(people(), keys, fraction=0.02, terms="two-way"),
        measures.population_model(people(), keys, fraction=0.02, release=masked),
    ]
    return [part for one in found for part in (one.estimates, one.risks, one.unique)]


def anonymity_sets() -> list[Any]:
    """Anonymity sets of overlapping patterns, by each condition alone, and of a release."""
    how: dict[str, Any] = {"k": 3, "columns": K, "by_confidential": False}
    plans = [
        masks.AntiUnification(order=">", assignment="overlapping", stars=1, **how),
        masks.AntiUnification(order="<", assignment="overlapping", stars=1, **how),
        masks.AntiUnification(**how),
    ]
    found = [plan.patterns(people()) for plan in plans]
    return [(one.table, measures.anonymity_sets(one)) for one in found]


def trees() -> list[Any]:
    """Trees of the survey and of patterns, with and without their counts, tested on the survey."""
    data = people().select((*K, "occupation"))
    patterns = masks.AntiUnification(k=3, columns=K, by_confidential=False).patterns(data).table
    found = [
        m.decision_tree(data, "occupation", least=1).test(data),
        m.decision_tree(data, "occupation", confidence=None).test(data),
        m.decision_tree(data, "sex", values={"region": ["Northport"]}).test(data),
    ]
    counts = patterns.column("count").to_numpy()
    for weights in (None, counts):
        tree = m.decision_tree(patterns.select(K), "education", weights=weights)
        found.append(tree.test(data))
    return found


m = measures
MEASURES: dict[str, Callable[[], Any]] = {
    "GLOSSARY": lambda: len(m.GLOSSARY),
    "Distributions": own_distributions,
    "FilePair": aligned,
    "Belief": belief,
    "Decisions": lambda: [
        decided().pairs().head(50).to_dict(as_series=False),
        decided().review(20).drop("answer").to_dict(as_series=False),
        decided().of_pair(3, 5).classes.example,
    ],
    "decision_tree": trees,
    "decisions": lambda: decided().classes,
    "anonymity_sets": anonymity_sets,
    "at_risk": lambda: on_links(m.at_risk, threshold=0.3),
    "attackers": lambda: [
        m.attackers(people(), columns=K),
        m.attackers(people(), columns=K, fraction=0.1, threshold=0.05),
        m.attackers(release("ranges"), people(), columns=K),
    ],
    "baseline": lambda: on_links(m.baseline),
    "by_subgroup": lambda: [m.by_subgroup(m.hits(links()), one) for one in m.subgroups(people())],
    "categorical": lambda: on_both(m.categorical),
    "ceiling": lambda: on_links(m.ceiling),
    "certainty": lambda: m.certainty(links("posterior")),
    "changed_cells": lambda: on_both(m.changed_cells),
    "claims": lambda: [on_links(m.claims), on_links(m.claims, margin=0.5)],
    "classical_score": lambda: m.classical_score(
        20, interval_disclosure=40, distance=10, probabilistic=30
    ),
    "compatible": lambda: [
        m.compatible([0.2, 0.4, 0.4], [0.0, 1.0, 0.0]),
        m.compatible([0.1, 0.5, 0.4], [0.5, 0.2, 0.3]),
    ],
    "compatible_rows": lambda: m.compatible_rows(links("compatible", "ranges")),
    "control": lambda: [on_links(m.control), m.control(links(), outsiders=outsiders())],
    "discards": lambda: m.discards(200, np.arange(150), m.subgroups(people(), ["sex"])),
    "discernibility": lambda: on_both(m.discernibility),
    "distributions": lambda: [
        (one.records, one.starts, one.rows, one.probability) for one in on_links(m.distributions)
    ],
    "diversity": lambda: m.diversity(people(), K),
    "every_subgroup": lambda: m.every_subgroup(people()),
    "forecast": lambda: on_links(m.forecast),
    "formal": lambda: [*on_links(m.formal, sample=60), m.formal(links(), columns=K), own_results()],
    "hits": lambda: [
        on_links(m.hits, ties=ties) for ties in ("expected", "any", "unique", "first")
    ],
    "household_chances": lambda: groups_of_hits(m.household_chances),
    "household_hits": lambda: groups_of_hits(m.household_hits),
    "il1s": lambda: on_both(m.il1s),
    "in_any": lambda: m.in_any([links(), links("rank")]),
    "individual_risk": lambda: m.individual_risk(people(), K, "weight"),
    "interval_disclosure": lambda: on_both(m.interval_disclosure, seed=1),
    "linked_disclosure": lambda: m.linked_disclosure(links(), both(), seed=1),
    "loss": lambda: on_both(m.loss, seed=1),
    "margins": lambda: [on_links(m.margins), on_links(m.margins, without_true=True)],
    "match_probability": match_probabilities,
    "numeric": lambda: on_both(m.numeric),
    "openness": lambda: on_both(m.openness),
    "overall": lambda: m.overall(m.use_losses(both(), seed=1)),
    "p_value": lambda: on_links(m.p_value, draws=99),
    "permutation_law": lambda: m.permutation_law([links(), links("coarse")], draws=99),
    "population_model": population_models,
    "population_risk": lambda: m.population_risk(people(), K),
    "precision": lambda: on_links(m.precision),
    "predictions": lambda: m.predictions(both(), seed=1),
    "propensity": lambda: m.propensity(both(), seed=1),
    "random_links": lambda: m.random_links(20, 30),
    "random_matching": lambda: m.random_matching(20, 30),
    "read_off": lambda: [one.found for one in on_both(m.read_off)],
    "record_risks": record_risks,
    "related": lambda: on_both(m.related, seed=1),
    "release_uniqueness": lambda: on_both(m.release_uniqueness),
    "reliability": lambda: m.reliability(links("posterior")),
    "risk": lambda: [on_links(m.risk), m.risk(links(), outsiders=outsiders())],
    "row_order": lambda: m.row_order(links("position")),
    "rows_that_fit": lambda: m.rows_that_fit(links("compatible", "ranges")),
    "sampling_fraction": lambda: m.sampling_fraction(people()),
    "shapes": lambda: on_both(m.shapes),
    "shared_hits": lambda: [*on_links(m.shared_hits), m.shared_hits(links("coarse", back=True))],
    "subgroups": lambda: m.subgroups(people(), [*K, "age"], least=5),
    "suda": lambda: [
        (one.summary, one.scores, one.dis_scores, one.contributions)
        for one in (m.suda(people(), (*K, "age")), m.suda(people(), K, max_size=2, dis=0.1))
    ],
    "super_population": lambda: [
        m.super_population(people(), (*K, "age")),
        m.super_population(people(), (*K, "age"), fraction=0.3),
    ],
    "suppression": lambda: on_both(m.suppression, groupings=m.subgroups(people(), ["sex"])),
    "tables": lambda: on_both(m.tables),
    "top_k": lambda: on_links(m.top_k, most=5),
    "true_distributions": lambda: [true_distributions(), true_distributions(K)],
    "unchanged": lambda: on_both(m.unchanged),
    "uneven_discards": uneven,
    "uniqueness": lambda: [m.uniqueness(people(), columns) for columns in (K, (*K, "age"))],
    "UseReference": lambda: m.UseReference(people(), seed=1).losses(both()),
    "use_losses": lambda: on_both(m.use_losses, seed=1),
    "wilson": lambda: [m.wilson(30, 100, 1000), m.wilson(0, 50, 60, confidence=0.9)],
}


def check(model: models.Model) -> list[Any]:
    """What a file and two releases keep of a model."""
    files = (people(), release("sampled").data, release("ranges").data)
    return [models.check(one, model, keys=K) for one in files]


def conceal(model: type[models.Model], least: str) -> list[Any]:
    """What the file itself and two releases keep of a model of assignments."""
    return check(model(**{least: 3, "originals": people()}))


MODELS: dict[str, Callable[[], Any]] = {
    "AlphaKAnonymity": lambda: check(models.AlphaKAnonymity(alpha=0.5, k=2)),
    "KAnonymity": lambda: [
        check(models.KAnonymity(k=3)),
        check(models.KAnonymity(k=3, stars="wildcard")),
    ],
    "KConcealment": lambda: conceal(models.KConcealment, "k"),
    "KMap": lambda: check(models.KMap(k=3, population=unveil.households(400, seed=7))),
    "LDiversity": lambda: [
        check(models.LDiversity(l=2)),
        check(models.LDiversity(l=2, kind="entropy")),
        check(models.LDiversity(l=2, kind="recursive", c=2)),
    ],
    "Model": lambda: 0,  # what models have in common
    "NConfusion": lambda: conceal(models.NConfusion, "n"),
    "TCloseness": lambda: [
        [
            models.check(
                people(), models.TCloseness(t=0.3, distance=distance, columns=("rent",)), keys=K
            )
            for distance in (None, "ordered", "equal")
        ],
        check(models.TCloseness(t=0.3)),
    ],
    "check": lambda: models.check(people(), [models.KAnonymity(k=2), models.LDiversity(l=2)]),
}


def measure() -> aggregation.FuzzyMeasure:
    """A fuzzy measure of three attributes."""
    return aggregation.FuzzyMeasure(CAPACITY)


def quantifiers() -> list[aggregation.Quantifier]:
    """Quantifiers of each family."""
    return [q for family in FAMILIES for q in aggregation.published_quantifiers(family)]


a = aggregation
AGGREGATION: dict[str, Callable[[], Any]] = {
    "FuzzyMeasure": lambda: [
        a.choquet(VALUES, one)
        for one in (
            a.FuzzyMeasure.additive([0.2, 0.3, 0.5]),
            a.FuzzyMeasure.symmetric([0.1, 0.4, 1]),
        )
    ],
    "Quantifier": lambda: [
        a.Quantifier("exponent", 2.0).by_size(5),
        a.Quantifier("sigmoid", 0.4).by_size(5),
    ],
    "banzhaf": lambda: a.banzhaf(measure()),
    "choquet": lambda: a.choquet(VALUES, measure()),
    "from_moebius": lambda: a.choquet(VALUES, a.from_moebius(a.moebius(measure()))),
    "interaction": lambda: [a.interaction(measure(), some) for some in ([0, 1], [0, 1, 2])],
    "interactions": lambda: a.interactions(measure()),
    "moebius": lambda: a.moebius(measure()),
    "owa": lambda: [a.owa(VALUES, q) for q in quantifiers()],
    "published_quantifiers": lambda: [q.by_size(6) for q in quantifiers()],
    "shapley": lambda: a.shapley(measure()),
    "sugeno": lambda: a.sugeno(VALUES, measure()),
    "symmetric_sugeno": lambda: [a.symmetric_sugeno(VALUES, q) for q in quantifiers()],
    "weighted_mean": lambda: a.weighted_mean(VALUES, [0.5, 0.3, 0.2], present=VALUES > 0.1),
}


def doubled(values: Any, rng: np.random.Generator) -> Any:
    """A user's own mask."""
    return values * 2 + rng.integers(0, 3, len(values))


def own_mask() -> list[Any]:
    """A mask that only Python reaches."""
    made = unveil.mask(people(), [masks.Function(function=doubled, columns=("age",))], seed=3)
    told = unveil.Intruder(channel=True)
    tailored = unveil.attack(people(), made, attacks.Tailored(), intruder=told, seed=1)
    return [made.data, made.row_map, measures.risk(tailored)]


def patterns() -> list[Any]:
    """The patterns of anti-unification, which overlap."""
    how: dict[str, Any] = {"k": 3, "columns": K, "assignment": "overlapping"}
    found = [masks.AntiUnification(order=order, **how).patterns(people()) for order in ("><", "<>")]
    return [(len(one), len(one.rest)) for one in found]


OTHERS: dict[str, Callable[[], Any]] = {
    "households": lambda: unveil.households(500, seed=3),
    "function": own_mask,
    "patterns": patterns,
}
PUBLIC = {
    "measures": (measures, MEASURES),
    "models": (models, MODELS),
    "aggregation": (a, AGGREGATION),
}


def missing() -> list[str]:
    """Public names that no case calls, and cases of names that are gone."""
    return [
        f"{package}.{name}"
        for package, (module, functions) in PUBLIC.items()
        for name in sorted({*module.__all__} ^ {*functions})
    ]


def cases() -> Iterator[Case]:
    """A case for each public name."""
    for package, (_, functions) in PUBLIC.items():
        for name, function in functions.items():
            yield Case(f"{package}/{name}", function=function)
    for name, function in OTHERS.items():
        yield Case(f"python/{name}", function=function)
