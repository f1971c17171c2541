"""Masks in words: what a step does to the cells, for readers who do not know the methods."""

from collections.abc import Callable, Mapping
from typing import Any

from unveil.support.phrases import Figure, Phrase, as_given, level, phrase

_Said = tuple[str, str, Callable[[float], Figure]]  # the sentence, its parameter, and its form
_SENTENCES: dict[str, _Said] = {
    "additive-noise": ("noise of {} standard deviations is added", "scale", as_given),
    "correlated-noise": ("correlated noise of {} standard deviations is added", "scale", as_given),
    "rank-permutation": ("values are exchanged within {} % of the ranks", "p", as_given),
    "rank-swapping": ("values are swapped in pairs within {} % of the ranks", "p", as_given),
    "microaggregation": ("groups of at least {} similar people get the same values", "k", as_given),
    "mondrian": ("groups of at least {} similar people become alike", "k", as_given),
    "local-suppression": (
        "rare cells are suppressed until at least {} people are alike", "k", as_given
    ),
    "full-domain": ("all cells become coarser until at least {} people are alike", "k", as_given),
    "pram": (
        "categories change at random, the rarest with a probability of {}", "theta", as_given
    ),
    "top-coding": ("the highest {} of the values become one value", "share", level),
    "bottom-coding": ("the lowest {} of the values become one value", "share", level),
    "rounding": ("numbers are rounded to multiples of {}", "base", as_given),
    "repair": ("the {} of the records most at risk become alike in groups", "share", level),
}  # fmt: skip


def effect_in_words(mask: Mapping[str, Any]) -> tuple[Phrase, str] | None:
    """What a step of a plan does, and the parameter that the sentence states; None without words.

    >>> from unveil.support.phrases import plain
    >>> said, parameter = effect_in_words({"method": "rank-permutation", "p": 3})
    >>> plain(said), parameter
    ('values are exchanged within 3 % of the ranks', 'p')
    """
    known = _SENTENCES.get(str(mask.get("method")))
    if known is None or not isinstance(mask.get(known[1]), int | float):
        return None
    sentence, parameter, form = known
    return phrase(sentence, form(mask[parameter])), parameter
