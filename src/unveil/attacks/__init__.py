"""Attacks: ways to link an intruder's records to the rows of a release.

Record linkage decides which records of two files belong to the same people. A correct link undoes
the masking for that person.

>>> from unveil import attacks
>>> attacks.Rank(criterion="max").criterion
'max'
"""

from unveil.attacks.base import Attack
from unveil.attacks.combined.attack import Combined
from unveil.attacks.distance.attack import Distance
from unveil.attacks.distance.attribute_costs import Distances
from unveil.attacks.external_links import Pairs
from unveil.attacks.probabilistic.attack import Probabilistic
from unveil.attacks.rank.attack import Rank
from unveil.attacks.row_order import Position
from unveil.attacks.structural.attack import Structural
from unveil.attacks.supervised.attack import Supervised
from unveil.attacks.tailored.attack import Tailored
from unveil.attacks.tailored.compatible import Compatible

__all__ = [
    "Attack",
    "Combined",
    "Compatible",
    "Distance",
    "Distances",
    "Pairs",
    "Position",
    "Probabilistic",
    "Rank",
    "Structural",
    "Supervised",
    "Tailored",
]

METHODS: tuple[type[Attack], ...] = (
    Distance,
    Rank,
    Probabilistic,
    Compatible,
    Tailored,
    Combined,
    Structural,
    Supervised,
    Position,
    Pairs,
)
