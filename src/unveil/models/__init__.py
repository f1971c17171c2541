"""Privacy models: promises about classes of equal records, counted on the released file.

A model bounds the size of every class, or the diversity of the confidential attributes in it. A
mask takes models to satisfy; `check` counts on a file whether it satisfies them.

>>> import unveil
>>> from unveil import models
>>> people = unveil.households(300, seed=7)
>>> found = models.check(people, [models.KAnonymity(k=3)], keys=["sex", "region"])
>>> found[0].kept, found[0].found >= 3
(True, True)
"""

from unveil.models.base import Model
from unveil.models.compliance import check
from unveil.models.concealment import KConcealment, NConfusion
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.models.l_diversity import AlphaKAnonymity, LDiversity
from unveil.models.t_closeness import TCloseness
from unveil.support.checked_calls import check_names as _check_names

__all__ = [
    "AlphaKAnonymity",
    "KAnonymity",
    "KConcealment",
    "KMap",
    "LDiversity",
    "Model",
    "NConfusion",
    "TCloseness",
    "check",
]

METHODS: tuple[type[Model], ...] = (
    KAnonymity,
    KMap,
    LDiversity,
    AlphaKAnonymity,
    TCloseness,
    KConcealment,
    NConfusion,
)

_check_names(globals(), __all__)
