"""Categorical records: what was found, and what was printed, as arrays of the 180 experiments."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil_papers.categorical.stand_in import GROUPS, MASKS, PARAMETERS, TIES
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.tools import Floats
from unveil_papers.framework.yardstick import half_a_digit

WINDOWS = (0, 10_000)  # where each thousand records begins
TABLES = dict(zip(GROUPS, (f"Table {number}" for number in range(2, 7)), strict=True))
ROUNDING = 1e-9
EXPERIMENTS = (len(MASKS), len(PARAMETERS), len(GROUPS))
PRAM = list(MASKS).index("PRAM")
EMS = ("PRL-free", "PRL-safe")  # the paper's EM, and one that does not fail
AND_EXPECTED = ("any", "expected")  # what a tie counts: as in the paper, and by its share
SIMILAR = 0.9  # the smaller of two numbers of hits, over the larger


class CategoricalResults:
    """Arrays of masks x parameters x groups; a NaN where a trial was not run."""

    def __init__(self, log: TrialLog, published: Published) -> None:
        self.log = log
        self.published = published

    @cached_property
    def printed(self) -> dict[str, Floats]:
        """The printed figures of PRL and of DBRL."""
        arrays = {linkage: np.full(EXPERIMENTS, np.nan) for linkage in ("PRL", "DBRL")}
        methods = list(MASKS)
        for place, name in enumerate(TABLES.values()):
            for (p, column), figure in self.published.tables[name].figures().items():
                linkage, _, method = column.partition(" ")
                arrays[linkage][methods.index(method), int(p) - 1, place] = float(figure)
        return arrays

    @property
    def categories(self) -> dict[str, float]:
        """How many categories each attribute of the stand-in has."""
        attributes = self.log.of("counted", 0)
        return {name: self.log.one("counted", 0, figure=name) for name in attributes}

    @property
    def averages_in_the_text(self) -> dict[str, float]:
        """Those that Section 3 tells."""
        told = self.published.tables["Averages"].figures()
        return {row: float(figure) for (row, _), figure in told.items()}

    def is_average_in_text(self, linkage: str, mean: float) -> bool:
        """Whether the text tells this average, its digits cut off."""
        printed = self.published.tables["Averages"].figures()[linkage, "printed tables"]
        return 0 <= mean - float(printed) < 2 * half_a_digit(printed)

    def hits(self, attack: str, ties: str = "any", window: int = 0, figure: str = "") -> Floats:
        """The hits of an attack by one policy for ties; of a figure beside them, if named."""
        return self._array("linked", (attack, window), figure, _place(ties))

    def single(self, attack: str, figure: str, window: int = 0) -> Floats:
        """A figure of an attack that has no ties."""
        return self._array("linked", (attack, window), figure)

    def against_a_match(self, attack: str) -> NDArray[np.bool_]:
        """Where to agree in some attribute speaks against a match."""
        return self.single(attack, "agreement") < -ROUNDING

    def of_mask(self, figure: str, window: int = 0, ties: str | None = None) -> Floats:
        """A figure of the masks themselves."""
        return self._array("changed", (window,), figure, None if ties is None else _place(ties))

    def complete(self, attacks: Iterable[str], window: int = 0) -> list[str]:
        """Those of which every experiment was run."""
        return [one for one in attacks if not np.isnan(self.hits(one, window=window)).any()]

    @cached_property
    def windows(self) -> list[int]:
        """The thousands of records that both linkages were run on."""
        both = ["DBRL", "PRL-free", "PRL-safe", "aware"]
        return [window for window in WINDOWS if len(self.complete(both, window)) == len(both)]

    def mean(self, attack: str, ties: str = "any", figure: str = "", window: int = 0) -> float:
        """The average of an attack over all experiments."""
        return float(self.hits(attack, ties, window, figure).mean())

    def quote(self, of: Callable[..., float], *given: str, digits: int = 0) -> str:
        """A figure of the first thousand records, and in brackets that of the other."""
        return in_brackets(f"{of(*given, window=window):.{digits}f}" for window in self.windows)

    def in_words(self, attack: str, ties: str = "any", figure: str = "") -> str:
        """The average of an attack."""
        return self.quote(self.mean, attack, ties, figure)

    def everywhere(self, so: Callable[..., bool], *given: str) -> bool:
        """Whether it is so for each thousand records that was run."""
        return all(so(*given, window=window) for window in self.windows)

    def alike(self, one: str, other: str, ties: str = "any") -> bool:
        """Whether two attacks link about as many records."""
        return all(similar(*means) for means in self._means(one, other, ties))

    def as_many(self, one: str, other: str, ties: str = "any") -> bool:
        """Whether one attack links about as many records as another, or more."""
        return all(a >= SIMILAR * b for a, b in self._means(one, other, ties))

    def above(self, one: str, other: str, ties: str = "any") -> bool:
        """Whether one attack links more records than another."""
        return all(a > b for a, b in self._means(one, other, ties))

    def _means(self, one: str, other: str, ties: str) -> list[tuple[float, float]]:
        mean = self.mean
        return [(mean(one, ties, window=w), mean(other, ties, window=w)) for w in self.windows]

    def _array(self, work: str, of: tuple[str | int, ...], figure: str,
               place: int | None = None) -> Floats:  # fmt: skip
        found = np.full(EXPERIMENTS, np.nan)
        for i, method in enumerate(MASKS):
            for j, p in enumerate(PARAMETERS):
                if not self.log.has(work, *of, method, p):
                    continue
                figures = self.log.of(work, *of, method, p)
                for k, group in enumerate(GROUPS):
                    value = figures[f"{group} {figure}".strip()]
                    found[i, j, k] = value[place or 0] if isinstance(value, list) else value
        return found


def _place(ties: str) -> int:
    return [str(one) for one in TIES].index(ties)


def similar(one: float, other: float) -> bool:
    """Whether two numbers of hits are.

    >>> similar(586, 627), similar(586, 452)
    (True, False)
    """
    return min(one, other) >= SIMILAR * max(one, other)


def by_mask(figures: Floats) -> dict[str, float]:
    """The average of each mask."""
    return dict(zip(MASKS, figures.mean(axis=(1, 2)).tolist(), strict=True))


def by_group(figures: Floats) -> dict[str, float]:
    """The average of each group."""
    return dict(zip(GROUPS, figures.mean(axis=(0, 1)).tolist(), strict=True))


def in_brackets(figures: Iterable[str]) -> str:
    """That of the first thousand records, and in brackets that of the other.

    >>> in_brackets(["586", "587"]), in_brackets(["586"])
    ('586 [587]', '586')
    """
    first, *other = figures
    return first + "".join(f" [{figure}]" for figure in other)


def in_groups(figures: NDArray[Any], groups: Iterable[str]) -> NDArray[Any]:
    """Some groups only, each named by its letter."""
    return figures[:, :, [list(GROUPS).index(group) for group in groups]]


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's, over the experiments."""
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])
