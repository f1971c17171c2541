"""Attacks: ways to link the records of a release with those that an intruder has.

Record linkage takes two files and says which records of the one are about the same people as
which records of the other. Where it links a released row with the person it was made of, the
masking is undone for that person.

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
