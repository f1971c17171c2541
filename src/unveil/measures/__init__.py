"""Measures: what an attack gained, and what the masking cost.

>>> import unveil
>>> people = unveil.households(100)
>>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
>>> unveil.measures.risk(links).n
100
"""

from unveil.measures.disclosure.anonymity_sets import anonymity_sets
from unveil.measures.disclosure.compatible_rows import compatible_rows, rows_that_fit
from unveil.measures.disclosure.inference import linked_disclosure
from unveil.measures.disclosure.intervals import interval_disclosure
from unveil.measures.disclosure.pair_dependence import related
from unveil.measures.disclosure.population import individual_risk, population_risk
from unveil.measures.disclosure.read_off import read_off
from unveil.measures.disclosure.unchanged import unchanged
from unveil.measures.disclosure.uniqueness import diversity, release_uniqueness, uniqueness
from unveil.measures.formal.belief import Belief
from unveil.measures.formal.compatibility import compatible
from unveil.measures.formal.distributions import Distributions, distributions
from unveil.measures.formal.reidentification import formal, true_distributions
from unveil.measures.identity.chance import baseline, permutation_law, random_links, random_matching
from unveil.measures.identity.claims import claims, control, margins, precision
from unveil.measures.identity.confidence_interval import wilson
from unveil.measures.identity.decisions import decisions
from unveil.measures.identity.forecast import certainty, forecast
from unveil.measures.identity.hits import at_risk, hits, in_any, shared_hits, top_k
from unveil.measures.identity.per_record import record_risks
from unveil.measures.identity.reliability import reliability
from unveil.measures.identity.risk import ceiling, risk
from unveil.measures.identity.row_order import row_order
from unveil.measures.identity.significance import p_value
from unveil.measures.identity.subgroups import (
    by_subgroup,
    every_subgroup,
    household_chances,
    household_hits,
    subgroups,
)
from unveil.measures.information_loss.catalogue import GLOSSARY
from unveil.measures.information_loss.catalogue import MeasureMeaning as MeasureMeaning
from unveil.measures.information_loss.categorical import categorical
from unveil.measures.information_loss.changed_cells import changed_cells
from unveil.measures.information_loss.discernibility import discernibility
from unveil.measures.information_loss.distributions import shapes
from unveil.measures.information_loss.further import LossMethod as LossMethod
from unveil.measures.information_loss.further import register as register
from unveil.measures.information_loss.generalisation import openness
from unveil.measures.information_loss.loss import classical_score, loss, overall
from unveil.measures.information_loss.numeric import il1s, numeric
from unveil.measures.information_loss.prediction import predictions
from unveil.measures.information_loss.propensity import propensity
from unveil.measures.information_loss.suppression import discards, suppression, uneven_discards
from unveil.measures.information_loss.tables import tables
from unveil.measures.information_loss.trees.decision_tree import decision_tree
from unveil.measures.information_loss.uses.reference import UseReference, use_losses
from unveil.measures.population.attackers import attackers
from unveil.measures.population.keys import sampling_fraction
from unveil.measures.population.misclassification import match_probability
from unveil.measures.population.model import population_model
from unveil.measures.population.suda import suda
from unveil.measures.population.super_population import super_population
from unveil.support.checked_calls import check_names as _check_names
from unveil.values.file_pair import FilePair
from unveil.values.pair_decisions import Decisions

__all__ = [
    "GLOSSARY", "Belief", "Decisions", "Distributions", "FilePair", "UseReference",
    "anonymity_sets", "at_risk", "attackers", "baseline", "by_subgroup", "categorical", "ceiling",
    "certainty", "changed_cells", "claims", "classical_score", "compatible", "compatible_rows",
    "control", "decision_tree", "decisions", "discards", "discernibility", "distributions",
    "diversity", "every_subgroup", "forecast", "formal", "hits", "household_chances",
    "household_hits", "il1s", "in_any", "individual_risk", "interval_disclosure",
    "linked_disclosure", "loss", "margins", "match_probability", "numeric", "openness", "overall",
    "p_value", "permutation_law", "population_model", "population_risk", "precision",
    "predictions", "propensity", "random_links", "random_matching", "read_off", "record_risks",
    "related", "release_uniqueness", "reliability", "risk", "row_order", "rows_that_fit",
    "sampling_fraction", "shapes", "shared_hits", "subgroups", "suda", "super_population",
    "suppression", "tables", "top_k", "true_distributions", "unchanged", "uneven_discards",
    "uniqueness", "use_losses", "wilson",
]  # fmt: skip

_check_names(globals(), __all__)
