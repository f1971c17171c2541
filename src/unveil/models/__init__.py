"""Privacy models: what a release promises of all records that are alike, counted on the file.

A model says how many people must be alike, or how different what is confidential must be among
them. A mask is given models to keep; whether a file keeps them is counted on the file itself.

>>> import unveil
>>> from unveil import models
>>> people = unveil.households(300, seed=7)
>>> found = models.check(people, [models.KAnonymity(k=3)], keys=["sex", "region"])
>>> found[0].kept, found[0].found >= 3
(True, True)
"""

from unveil.models.base import Model
from unveil.models.compliance import check
from unveil.models.k_anonymity import KAnonymity, KMap
from unveil.models.l_diversity import AlphaKAnonymity, LDiversity
from unveil.models.t_closeness import TCloseness

__all__ = ["AlphaKAnonymity", "KAnonymity", "KMap", "LDiversity", "Model", "TCloseness", "check"]

METHODS: tuple[type[Model], ...] = (KAnonymity, KMap, LDiversity, AlphaKAnonymity, TCloseness)
