"""Measures: what an attack gained, and what the masking cost.

>>> import unveil
>>> people = unveil.households(100)
>>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
>>> unveil.measures.risk(links).n
100
"""

from unveil.data.aligned import Aligned
from unveil.measures.belief import Belief
from unveil.measures.categorical import categorical
from unveil.measures.claims import claims, control, margins, precision
from unveil.measures.compatibility import compatible
from unveil.measures.compatible_rows import compatible_rows, rows_that_fit
from unveil.measures.discernibility import discernibility
from unveil.measures.distributions import distributions
from unveil.measures.forecast import certainty, forecast
from unveil.measures.formal import formal
from unveil.measures.glossary import GLOSSARY
from unveil.measures.groups import (
    by_subgroup,
    every_subgroup,
    household_chances,
    household_hits,
    subgroups,
)
from unveil.measures.hits import at_risk, hits, in_any, top_k
from unveil.measures.identity import baseline, ceiling, p_value, risk
from unveil.measures.inference import linked_disclosure
from unveil.measures.interval import wilson
from unveil.measures.intervals import interval_disclosure
from unveil.measures.loss import classical_score, loss, overall
from unveil.measures.numeric import il1s, numeric
from unveil.measures.openness import openness
from unveil.measures.permutation import permutation_law
from unveil.measures.population import individual_risk, population_risk, sampling_fraction
from unveil.measures.position import row_order
from unveil.measures.propensity import propensity
from unveil.measures.relation import related
from unveil.measures.shapes import shapes
from unveil.measures.significance import random_links, random_matching
from unveil.measures.suppression import discards, suppression, uneven_discards
from unveil.measures.tables import tables
from unveil.measures.tail import record_risks
from unveil.measures.unchanged import unchanged
from unveil.measures.uniqueness import diversity, release_uniqueness, uniqueness
from unveil.measures.utility import predictions

__all__ = [
    "GLOSSARY",
    "Aligned",
    "Belief",
    "at_risk",
    "baseline",
    "by_subgroup",
    "categorical",
    "ceiling",
    "certainty",
    "claims",
    "classical_score",
    "compatible",
    "compatible_rows",
    "control",
    "discards",
    "discernibility",
    "distributions",
    "diversity",
    "every_subgroup",
    "forecast",
    "formal",
    "hits",
    "household_chances",
    "household_hits",
    "il1s",
    "in_any",
    "individual_risk",
    "interval_disclosure",
    "linked_disclosure",
    "loss",
    "margins",
    "numeric",
    "openness",
    "overall",
    "p_value",
    "permutation_law",
    "population_risk",
    "precision",
    "predictions",
    "propensity",
    "random_links",
    "random_matching",
    "record_risks",
    "related",
    "release_uniqueness",
    "risk",
    "row_order",
    "rows_that_fit",
    "sampling_fraction",
    "shapes",
    "subgroups",
    "suppression",
    "tables",
    "top_k",
    "unchanged",
    "uneven_discards",
    "uniqueness",
    "wilson",
]
