"""The words of a report, explained by the docstrings of what they stand for.

Nothing is explained here: each entry has a title and a source, which says it where the number is
made. So whoever changes a measure changes its explanation beside it.
"""

import inspect
import re
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple, get_type_hints

import msgspec

from unveil import attacks, masks, measures, models
from unveil.attacks import matched
from unveil.attacks import nearest as search
from unveil.attacks.matched import one_to_one, posterior
from unveil.errors import UnveilError
from unveil.measures.information_loss import further as further_losses
from unveil.measures.information_loss.catalogue import GLOSSARY, MeasureMeaning
from unveil.support.specs import method_name
from unveil.table.roles import ROLE_MEANINGS
from unveil.values import disclosure_scenario
from unveil.values.intruder import Intruder
from unveil.values.results import (
    choice,
    disclosure,
    knowledge,
    pair_classes,
    policy,
    read_off,
    remedies,
    study,
    subgroups,
)
from unveil.values.results import evidence as audit
from unveil.values.results import supervised_bound as learnt
from unveil.values.results.comparison import Dominated, Recommendation
from unveil.values.results.households import LinkedHouseholds
from unveil.values.results.loss import Shape
from unveil.values.results.population import in_population, uniques
from unveil.values.results.risk import Risk
from unveil.values.use import Use
from unveil.workflows.auditing.attack_names import method_of
from unveil.workflows.choosing import decision

SCENARIO = disclosure_scenario.DisclosureScenario
PARAGRAPHS = 2  # of a docstring: what it is, and what that means; what follows is for statisticians


class GlossaryEntry(msgspec.Struct, frozen=True):
    """A word of a report, and what it means in plain sentences."""

    key: str
    title: str
    text: str


class Field(NamedTuple):
    """A field of a struct, which its description explains."""

    struct: type[msgspec.Struct]
    name: str


# A function, class, property or module is explained by its docstring, a text by itself.
WORDS: dict[str, tuple[str, object]] = {
    "record-linkage": ("Record linkage", attacks),
    "attack": ("Attack", attacks.Attack),
    "intruder": ("Intruder", Intruder),
    "original-to-release": ("From original to release", Field(Intruder, "direction")),
    "release-to-original": ("From release to original", Field(Intruder, "direction")),
    "matchings": ("Matchings", matched),
    "matching-nearest": ("Matching: nearest", search),
    "matching-one-to-one": ("Matching: one to one", one_to_one),
    "matching-posterior": ("Matching: posterior", posterior),
    "pair-classes": ("Linked, clerical, non-linked", pair_classes.PairClasses),
    "match-weight": ("Match weight", Field(pair_classes.WeightStep, "weight")),
    "comparison-level": ("Comparison level", Field(pair_classes.WeightStep, "level")),
    "mask": ("Mask", masks),
    "identifier": ("Identifier", ROLE_MEANINGS["identifier"]),
    "quasi-identifier": ("Quasi-identifier", ROLE_MEANINGS["quasi"]),
    "confidential": ("Confidential attribute", ROLE_MEANINGS["confidential"]),
    "weight": ("Sampling weight", ROLE_MEANINGS["weight"]),
    "stratum": ("Stratum", ROLE_MEANINGS["stratum"]),
    "household-number": ("Household number", ROLE_MEANINGS["household"]),
    "other": ("Other attribute", ROLE_MEANINGS["other"]),
    "linked": ("Linked rightly", Risk),
    "guess": ("What a guess links", measures.baseline),
    "ceiling": ("Ceiling", measures.ceiling),
    "claims": ("Claims", audit.Finding.claims),
    "control": ("Control", measures.control),
    "forecast": ("Forecast", measures.forecast),
    "reliability": ("Reliability", measures.reliability),
    "p-value": ("p-value", measures.p_value),
    "interval": ("95 % interval", measures.wilson),
    "rank-of-truth": ("Among the k best", measures.top_k),
    "at-risk": ("Records at risk", measures.at_risk),
    "record-risk": ("Risk of a record", measures.shared_hits),
    "knowledge": ("Knowledge curve", knowledge.Knowledge),
    "knowledge-surface": ("Knowledge surface", knowledge.KnowledgePoint),
    "noisy-knowledge": ("Noisy knowledge", knowledge.NoisyKnowledge),
    "remasking": ("Masking again", remedies.Remasking),
    "attribute-risk": ("Attributes that carry the risk", knowledge.AttributeRisks),
    "halves": ("Halves of the attributes", knowledge.Halves),
    "learnt": ("Worst case (learnt)", learnt.SupervisedBound),
    "held-out": ("Held out", learnt.HeldOut),
    "remedy": ("Remedies", remedies.Remedies),
    "subgroup": ("Subgroups", subgroups.Subgroups),
    "household": ("Households", disclosure.HouseholdHits),
    "linked-households": ("Linked households", LinkedHouseholds),
    "household-grouping": ("Who lives together", Field(attacks.Households, "grouping")),
    "interval-disclosure": ("Interval disclosure", measures.interval_disclosure),
    "uniqueness": ("Uniqueness", measures.uniqueness),
    "compatible-rows": ("Rows that fit", measures.compatible_rows),
    "k-anonymity": ("k-anonymity", disclosure.Uniqueness),
    "l-diversity": ("l-diversity", measures.diversity),
    "population-risk": ("Risk in the population", measures.population_risk),
    "population-estimates": ("In the population", in_population.InPopulation),
    "log-linear": ("Log-linear model", measures.population_model),
    "super-population": ("Super-population estimators", uniques.SuperPopulation),
    "special-uniques": ("Special uniques", measures.suda),
    "attackers": ("Prosecutor, journalist, marketer", measures.attackers),
    "sampling-fraction": (
        "Sampling fraction",
        Field(disclosure.PopulationRisk, "sampling_fraction"),
    ),
    "inference": ("What a link tells", disclosure.Inference),
    "homogeneous": ("Homogeneous", Field(disclosure.Inference, "homogeneous")),
    "unchanged": ("Unchanged columns", measures.unchanged),
    "read-off": ("Reading off", read_off.ReadOff),
    "singled-out": ("Singled out", Field(disclosure.Unchanged, "singled_out")),
    "row-order": ("Order of the rows", measures.row_order),
    "loss": ("Overall loss", measures.overall),
    "use": ("Use", Use),
    "changed-cells": ("Changed cells", measures.changed_cells),
    "shape": ("Before and after", Shape),
    "dominated": ("Dominated release", Dominated),
    "nearest": ("Nearest to the policy", Recommendation),
    "plan-risk": ("Risk of a plan", study.TriedPlan),
    "frontier": ("Frontier", decision.frontier),
    "confirmation": ("Confirmation on fresh seeds", choice.Confirmation),
    "limit-cost": ("What a limit costs", choice.LimitCost),
    "score": ("Classical score", measures.classical_score),
    "policy": ("Policy", policy.Policy),
    "scenario": ("Scenario", disclosure_scenario.DisclosureScenario),
    "scenario-stress-test": ("Stress test", disclosure_scenario.WHO["stress test"]),
    "scenario-register": ("Register", disclosure_scenario.WHO["register"]),
    "scenario-acquaintance": ("Acquaintance", disclosure_scenario.WHO["acquaintance"]),
    "scenario-insider": ("Insider", disclosure_scenario.WHO["insider"]),
    "scenario-prosecutor": ("Prosecutor", disclosure_scenario.WHO["prosecutor"]),
    "scenario-journalist": ("Journalist", disclosure_scenario.WHO["journalist"]),
    "scenario-marketer": ("Marketer", disclosure_scenario.WHO["marketer"]),
    "scenario-linked": ("Linked by an intruder", Field(SCENARIO, "max_linked")),
    "scenario-confirmed": ("Confirmed by an intruder", Field(SCENARIO, "max_confirmed")),
    "scenario-wrong": ("Wrongly confirmed", Field(SCENARIO, "max_wrongly_confirmed")),
    "scenario-learned": ("Learned from a link", Field(SCENARIO, "max_learned")),
    "limit-columns-without-a-role": ("Limit: columns without a role", disclosure.WithoutRole),
    "limit-identifiers-released": (
        "Limit: identifiers released",
        Field(audit.Evidence, "identifiers"),
    ),
}


def glossary() -> dict[str, GlossaryEntry]:
    """All that a report may need to explain, by key.

    >>> print(glossary()["p-value"].text)
    The probability of this number of correct links or more... It goes from 0 to 1...
    """
    entries = {key: (title, explained(source)) for key, (title, source) in WORDS.items()}
    for limit in disclosure_scenario.SCENARIO_LIMITS:
        title = f"Limit: {limit.replace('_', ' ')}"
        entries[limit_key(limit)] = title, explained(Field(SCENARIO, limit))
    for limit in policy.Policy.__struct_fields__:
        title = f"Limit: {limit.replace('_', ' ')}"
        entries[limit_key(limit)] = title, explained(Field(policy.Policy, limit))
    further = {method_name(one): one.meaning for one in further_losses.METHODS.added()}
    for name, meaning in (GLOSSARY | further).items():
        entries[loss_key(name)] = f"Loss: {name}", _loss(meaning)
    for kind, known in (("attack", attacks.METHODS), ("mask", masks.METHODS)):
        for spec in (*known, *known.added()):  # "Linkage by rank: each record is ..."
            entries[f"{kind}-{method_name(spec)}"] = _titled(plain(spec.__doc__ or ""))
    for model in models.METHODS:
        entries.setdefault(method_name(model), _titled(plain(model.__doc__ or "")))
    return {key: GlossaryEntry(key, title, text) for key, (title, text) in entries.items()}


def attack_key(name: str) -> str:
    """The key of an attack, by its short name in evidence; "attack" if its package is not here."""
    method = method_of(name)
    return "attack" if method is None else f"attack-{method_name(method)}"


def mask_key(method: str) -> str:
    """The key of a mask, by its method in a plan; "mask" if its package is not here."""
    with suppress(UnveilError):
        return f"mask-{method_name(masks.METHODS.find(method))}"
    return "mask"


def limit_key(limit: str) -> str:
    """The key of a limit of a policy."""
    return f"limit-{_kebab(limit)}"


def loss_key(name: str) -> str:
    """The key of a measure of loss; "loss" if its package is not here."""
    if name not in GLOSSARY:
        try:
            further_losses.METHODS.find(name)
        except UnveilError:
            return "loss"
    return f"loss-{_kebab(name)}"


def explained(source: object) -> str:
    """The explanation that a source gives of itself, in plain sentences."""
    if isinstance(source, str):
        return source
    if isinstance(source, Field):
        hint: Any = get_type_hints(source.struct, include_extras=True)[source.name]
        meta = (one for one in hint.__metadata__ if isinstance(one, msgspec.Meta))
        return " ".join(one.description for one in meta if one.description)
    text = plain(source.__doc__ or "")
    return _titled(text)[1] if isinstance(source, ModuleType) else text


def plain(docstring: str) -> str:
    r"""The first paragraphs of a docstring as sentences: no markup, no sections, no examples.

    >>> plain("How ``far`` it *is*.\n\nAs :func:`~unveil.measures.hits` says.\n\n>>> 1")
    'How far it is. As hits says.'
    """
    kept = []
    for paragraph in inspect.cleandoc(docstring).split("\n\n")[:PARAGRAPHS]:
        if paragraph.startswith(">>>") or "\n---" in paragraph:
            break
        kept.append(" ".join(paragraph.split()))
    text = re.sub(r":\w+:`[^`]*?([^`.~]*)`", r"\1", " ".join(kept))
    text = re.sub(r"(?<!\w)\*(\w[^*]*)\*(?!\w)", r"\1", text)
    return re.sub(r"`+([^`]*)`+", r"\1", text)


def _titled(text: str) -> tuple[str, str]:
    """The title that a text begins with, up to a colon, and the rest as sentences."""
    title, _, rest = text.partition(": ")
    return title, rest[:1].upper() + rest[1:]


def _loss(meaning: MeasureMeaning) -> str:
    """A measure of loss in sentences: what it is, plainly and exactly, and what it cannot see."""
    end = "there is no upper end" if meaning.worst is None else f"{meaning.worst:g} is worst"
    return (
        f"{meaning.plain} 0 is best, {end}. Exactly: {meaning.definition}. "
        f"It cannot see {meaning.blind}."
    )


def _kebab(name: str) -> str:
    return name.lower().replace(" ", "-").replace("_", "-")
