"""Domingo-Ferrer and Torra, Validating distance-based record linkage (2002).

The paper's extract is not to be had: a thousand records of Adult stand in for it. Four masks with
nine parameters make 36 files, and each is attacked on five groups of attributes, by distance and by
probabilistic linkage: 180 experiments (Tables 2 to 6). The masked records look for their originals,
and what a tie counts is tried three ways. Beside them: EM held in several ways, the distance that
is told the mask, the sum of both linkages, and what the masks lose.
"""

from collections.abc import Iterator

from unveil_papers.categorical.results import WINDOWS, CategoricalResults
from unveil_papers.categorical.stand_in import ATTACKS, MASKS, PARAMETERS, changed, counted, linked
from unveil_papers.categorical.tables import tables
from unveil_papers.framework.experiment import PaperTrial

__all__ = ["DATA", "WORK", "results", "tables", "trials"]

DATA = ("adult_train",)
results = CategoricalResults  # what the judges of claims are given
WORK = {"linked": linked, "changed": changed, "counted": counted}
COSTS = {  # seconds of each attack on one masked file
    "DBRL": 0.15,
    "PRL-free": 0.45,
    "PRL-prior": 0.35,
    "PRL-order": 0.4,
    "PRL-safe": 0.3,
    "aware": 0.1,
    "unordered": 0.1,
    "sum-prior": 0.7,
    "sum-safe": 0.7,
    "one-to-one": 1.2,
}
IN_A_HURRY = ("DBRL", "PRL-free", "PRL-safe", "aware", "unordered")
ADDED_UP = ("sum-prior", "PRL-prior", "sum-safe")  # in a hurry, with these parameters only:
A_FEW = (PARAMETERS[0], PARAMETERS[-1])


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """Every attack on each masked file of two thousands of records; in a hurry, of the first."""
    for window in WINDOWS[:1] if quick else WINDOWS:
        yield PaperTrial("counted", (window,), 0.1)
        for method in MASKS:
            for p in PARAMETERS:
                yield PaperTrial("changed", (window, method, p), 0.3)
                for attack in ATTACKS:
                    if not quick or attack in IN_A_HURRY or (attack in ADDED_UP and p in A_FEW):
                        yield PaperTrial("linked", (attack, window, method, p), COSTS[attack])
