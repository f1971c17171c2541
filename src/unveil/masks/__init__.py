"""Masks: methods that protect a table before it is released.

A mask changes cells, rows or whole records, so that people are harder to re-identify and
inferences about them are less certain. Every mask costs information.

    noise              additive, correlated and multiplicative noise
    swapping           rank swapping, distribution swapping, rank permutation
    record_swapping    households at risk swapped with others elsewhere
    repair             only the records at risk made alike, with random others as cover
    coding             top coding, bottom coding
    global_recoding    categories merged, numbers put into ranges
    rounding           numbers rounded to multiples of a base
    pram               post-randomisation of categories
    sampling           sampling of records, shuffling of rows
    pseudonymisation   identifiers replaced by their keyed hash
    microaggregation/  MDAV, V-MDAV, optimal univariate groups; individual ranking
    generalisation/    Mondrian, full-domain, local suppression, anti-unification
    synthesis/         synthetic records from trees or a copula
    function           a function of the user's own

`per_household` applies any of them once per household to the columns that describe households. The
other modules are what several masks share; `base` is the interface that a new mask implements.

>>> from unveil import masks
>>> masks.RankSwapping(p=5, columns=["age"]).p
5.0
"""

from typing import TYPE_CHECKING

from unveil.masks.base import Mask
from unveil.support.lazy_names import lazy_names
from unveil.support.registry import Registry, concrete_subclass
from unveil.support.specs import method_name

if TYPE_CHECKING:  # a mask is imported when it is asked for
    from unveil.masks.coding import BottomCoding, TopCoding
    from unveil.masks.function import Function
    from unveil.masks.generalisation.anti_unification import AntiUnification
    from unveil.masks.generalisation.full_domain import FullDomain
    from unveil.masks.generalisation.local_suppression import LocalSuppression
    from unveil.masks.generalisation.mondrian import Mondrian
    from unveil.masks.global_recoding import GlobalRecoding
    from unveil.masks.microaggregation.individual_ranking import IndividualRanking
    from unveil.masks.microaggregation.mask import Microaggregation
    from unveil.masks.noise import AdditiveNoise, CorrelatedNoise, MultiplicativeNoise
    from unveil.masks.pram import Pram
    from unveil.masks.pseudonymisation import Pseudonymisation
    from unveil.masks.record_swapping import RecordSwapping
    from unveil.masks.repair import Repair
    from unveil.masks.rounding import Rounding
    from unveil.masks.sampling import Sampling, Shuffle
    from unveil.masks.swapping import DistributionSwapping, RankPermutation, RankSwapping
    from unveil.masks.synthesis.mask import Synthesis

__all__ = [
    "AdditiveNoise", "AntiUnification", "BottomCoding", "CorrelatedNoise", "DistributionSwapping",
    "FullDomain", "Function", "GlobalRecoding", "IndividualRanking", "LocalSuppression", "Mask",
    "Microaggregation", "Mondrian", "MultiplicativeNoise", "Pram", "Pseudonymisation",
    "RankPermutation", "RankSwapping", "RecordSwapping", "Repair", "Rounding", "Sampling",
    "Shuffle", "Synthesis", "TopCoding",
]  # fmt: skip

_HOME = {
    "AdditiveNoise": "unveil.masks.noise",
    "CorrelatedNoise": "unveil.masks.noise",
    "MultiplicativeNoise": "unveil.masks.noise",
    "RankSwapping": "unveil.masks.swapping",
    "DistributionSwapping": "unveil.masks.swapping",
    "RankPermutation": "unveil.masks.swapping",
    "IndividualRanking": "unveil.masks.microaggregation.individual_ranking",
    "Microaggregation": "unveil.masks.microaggregation.mask",
    "AntiUnification": "unveil.masks.generalisation.anti_unification",
    "Mondrian": "unveil.masks.generalisation.mondrian",
    "LocalSuppression": "unveil.masks.generalisation.local_suppression",
    "FullDomain": "unveil.masks.generalisation.full_domain",
    "TopCoding": "unveil.masks.coding",
    "BottomCoding": "unveil.masks.coding",
    "GlobalRecoding": "unveil.masks.global_recoding",
    "Pram": "unveil.masks.pram",
    "Rounding": "unveil.masks.rounding",
    "RecordSwapping": "unveil.masks.record_swapping",
    "Repair": "unveil.masks.repair",
    "Sampling": "unveil.masks.sampling",
    "Shuffle": "unveil.masks.sampling",
    "Synthesis": "unveil.masks.synthesis.mask",
    "Pseudonymisation": "unveil.masks.pseudonymisation",
    "Function": "unveil.masks.function",
}

METHODS: Registry[type[Mask]] = Registry(
    "a mask", "unveil.masks", _HOME, method_name, concrete_subclass(Mask)
)
register = METHODS.register
__getattr__, __dir__ = lazy_names(__name__, _HOME, __all__)
