"""Attacks: ways to link an intruder's records to the rows of a release.

Record linkage decides which records of two files belong to the same people. A correct link undoes
the masking for that person.

>>> from unveil import attacks
>>> attacks.Rank(criterion="max").criterion
'max'
"""

from typing import TYPE_CHECKING

from unveil.attacks.base import Attack
from unveil.support.lazy_names import lazy_names
from unveil.support.registry import Registry, concrete_subclass
from unveil.support.specs import method_name

if TYPE_CHECKING:  # an attack is imported when it is asked for
    from unveil.attacks.combined.attack import Combined
    from unveil.attacks.distance.attack import Distance
    from unveil.attacks.distance.attribute_costs import Distances
    from unveil.attacks.external_links import Pairs
    from unveil.attacks.households.attack import Households
    from unveil.attacks.probabilistic.attack import Probabilistic
    from unveil.attacks.rank.attack import Rank
    from unveil.attacks.row_order import Position
    from unveil.attacks.simulated.attack import Simulated
    from unveil.attacks.structural.attack import Structural
    from unveil.attacks.supervised.attack import Supervised
    from unveil.attacks.tailored.attack import Tailored
    from unveil.attacks.tailored.compatible import Compatible
    from unveil.attacks.tailored.exchange.attack import Exchange

__all__ = [
    "Attack", "Combined", "Compatible", "Distance", "Distances", "Exchange", "Households", "Pairs",
    "Position", "Probabilistic", "Rank", "Simulated", "Structural", "Supervised", "Tailored",
]  # fmt: skip

_HOME = {
    "Distance": "unveil.attacks.distance.attack",
    "Rank": "unveil.attacks.rank.attack",
    "Probabilistic": "unveil.attacks.probabilistic.attack",
    "Compatible": "unveil.attacks.tailored.compatible",
    "Tailored": "unveil.attacks.tailored.attack",
    "Exchange": "unveil.attacks.tailored.exchange.attack",
    "Simulated": "unveil.attacks.simulated.attack",
    "Combined": "unveil.attacks.combined.attack",
    "Households": "unveil.attacks.households.attack",
    "Structural": "unveil.attacks.structural.attack",
    "Supervised": "unveil.attacks.supervised.attack",
    "Position": "unveil.attacks.row_order",
    "Pairs": "unveil.attacks.external_links",
}

METHODS: Registry[type[Attack]] = Registry(
    "an attack", "unveil.attacks", _HOME, method_name, concrete_subclass(Attack), variants=True
)
register = METHODS.register
_LAZY = _HOME | {"Distances": "unveil.attacks.distance.attribute_costs"}
__getattr__, __dir__ = lazy_names(__name__, _LAZY, __all__)
