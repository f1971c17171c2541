"""Masks: ways to protect a table before it is released.

Masking changes a table before it is released, so that people in it are harder to find and what is
said of them is less certain. It always costs some information: the more is changed, the less can
be learned from the release.

>>> from unveil import masks
>>> masks.RankSwapping(p=5, columns=["age"]).p
5.0
"""

from unveil.masks.base import Mask
from unveil.masks.coding import BottomCoding, TopCoding
from unveil.masks.function import Function
from unveil.masks.generalisation.anti_unification import AntiUnification
from unveil.masks.generalisation.full_domain import FullDomain
from unveil.masks.generalisation.local_suppression import LocalSuppression
from unveil.masks.generalisation.mondrian import Mondrian
from unveil.masks.microaggregation.individual_ranking import IndividualRanking
from unveil.masks.microaggregation.mask import Microaggregation
from unveil.masks.noise import AdditiveNoise, CorrelatedNoise, MultiplicativeNoise
from unveil.masks.pram import Pram
from unveil.masks.recoding import GlobalRecoding
from unveil.masks.rounding import Rounding
from unveil.masks.rows import Sampling, Shuffle
from unveil.masks.swapping import DistributionSwapping, RankSwapping
from unveil.masks.synthesis.mask import Synthesis

__all__ = [
    "AdditiveNoise",
    "AntiUnification",
    "BottomCoding",
    "CorrelatedNoise",
    "DistributionSwapping",
    "FullDomain",
    "Function",
    "GlobalRecoding",
    "IndividualRanking",
    "LocalSuppression",
    "Mask",
    "Microaggregation",
    "Mondrian",
    "MultiplicativeNoise",
    "Pram",
    "RankSwapping",
    "Rounding",
    "Sampling",
    "Shuffle",
    "Synthesis",
    "TopCoding",
]

METHODS: tuple[type[Mask], ...] = (
    AdditiveNoise,
    CorrelatedNoise,
    MultiplicativeNoise,
    RankSwapping,
    DistributionSwapping,
    IndividualRanking,
    Microaggregation,
    AntiUnification,
    Mondrian,
    LocalSuppression,
    FullDomain,
    TopCoding,
    BottomCoding,
    GlobalRecoding,
    Pram,
    Rounding,
    Sampling,
    Shuffle,
    Synthesis,
    Function,
)
