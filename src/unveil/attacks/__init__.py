"""Attacks: ways to link the records of a release with those that an intruder has.

Record linkage takes two files and says which records of the one are about the same people as
which records of the other. Where it links a released row with the person it was made of, the
masking is undone for that person.

>>> from unveil import attacks
>>> attacks.Rank(criterion="max").criterion
'max'
"""

from unveil.attacks.attributes import Distances
from unveil.attacks.base import Attack
from unveil.attacks.combined import Combined
from unveil.attacks.compatible import Compatible
from unveil.attacks.distance import Distance
from unveil.attacks.pairs import Pairs
from unveil.attacks.position import Position
from unveil.attacks.probabilistic import Probabilistic
from unveil.attacks.rank import Rank
from unveil.attacks.structural import Structural
from unveil.attacks.supervised import Supervised
from unveil.attacks.tailored import Tailored

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
