"""What every attack is: a spec that, given two files, can find a record's likely partners."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from unveil.aggregation.measure import FuzzyMeasure
from unveil.attacks.blocking import RecordBlocks
from unveil.attacks.supervised.training import FittedDistance
from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.support.specs import Spec, method_name
from unveil.table.encoding.shared_attributes import common_categories, common_numbers
from unveil.table.microdata import Microdata
from unveil.values.links import Finder
from unveil.values.release.composition import Masking
from unveil.wording import absent_column, count

T = TypeVar("T")

Matching = Literal["nearest", "one-to-one", "posterior"]
Level = Literal["method", "parameters", "original"]

Weights = Annotated[
    dict[str, float] | None,
    Meta(description="How much each attribute counts; those not named count 1."),
]
Aggregation = Annotated[
    Any,
    Meta(
        description="A fuzzy measure by which the attributes' parts are integrated (Choquet), "
        "instead of added up: a number for each set of attributes, the first attribute the "
        "lowest bit.",
    ),
]


@dataclass(frozen=True, repr=False, eq=False)
class LinkageFiles:
    """The two files as an attack sees them."""

    mine: Microdata  # the records that are linked with released rows
    people: Microdata  # those whose ranks and scales count: mine, unless these are strangers
    release: Microdata
    columns: tuple[str, ...]  # those that both have and the intruder knows
    few: bool  # whether the intruder's records say nothing of how values are distributed
    reverse: bool  # whether released rows look for their originals
    blocks: RecordBlocks
    pairs: Ints | None  # the released row of each of the people, -1 for none: the truth
    positions: RowPositions
    masking: Masking | None = None  # how the release was masked, where the intruder knows it
    others: tuple[str, ...] = ()  # columns of the release, where it is known by none of mine
    seed: int = 0  # of what an attack draws
    taught: FittedDistance | None = (
        None  # what was learnt of the people, where strangers are attacked
    )
    told: Callable[[float, float], None] | None = None  # how many links are learnt, and the bound

    @property
    def both(self) -> tuple[Microdata, Microdata]:
        """The records that are linked, and the release."""
        return self.mine, self.release

    def generalised(self, column: str) -> bool:
        """Whether cells are ranges, sets or stars, in any of the files."""
        every = (self.mine, self.people, self.release)
        return any(data.schema[column].generalised for data in every)

    def categories(self, column: str) -> tuple[str, ...]:
        """The categories of the people and of the release."""
        return common_categories(self.people, self.release, column)

    def numbers(self, column: str) -> tuple[Floats, Floats, Floats]:
        """The numbers of mine, of the people and of the release, in one unit."""
        if self.people is self.mine:
            mine, released = common_numbers(*self.both, column=column)
            return mine, mine, released
        mine, people, released = common_numbers(self.mine, self.people, self.release, column=column)
        return mine, people, released

    def asked(self, mine: T, released: T) -> tuple[T, T]:
        """Which of the two asks, and which is asked."""
        return (released, mine) if self.reverse else (mine, released)


class RowPositions(NamedTuple):
    """Where rows stand in their files."""

    mine: Ints
    file: int  # how many rows the file has in which mine stand
    released: Ints  # as the release is, or would be, written


class Attack(Spec, frozen=True, kw_only=True):
    """One way to link records.

    An attack does what an intruder would do who has people's true values in hand and the released
    file: it compares the two and says which row is whose. An audit knows the truth, so it can
    count how often that is right.

    >>> from unveil.attacks import METHODS
    >>> all(issubclass(method, Attack) for method in METHODS)
    True
    """

    matching: Annotated[
        Matching,
        Meta(
            description="Whom a record is linked with: the nearest; its partner when all are "
            "matched one to one at the least total cost; or whom it has most often in a random "
            "matching."
        ),
    ] = "nearest"

    @property
    def name(self) -> str:
        """The attack's name."""
        return method_name(type(self))

    @property
    def knows(self) -> Level | None:
        """What the intruder needs to know of the masking; nothing, for most attacks."""
        return None

    @abc.abstractmethod
    def finder(self, files: LinkageFiles) -> Finder:
        """Make ready to link the records of two files."""

    def matching_of(self, finder: Finder) -> Matching:  # noqa: ARG002 - some ask it
        """Whom a record is linked with."""
        return self.matching


def weights_of(attack: Attack, given: dict[str, float] | None, columns: Sequence[str]) -> Floats:
    """A weight for each column: 1 where none was given."""
    for name, weight in (given or {}).items():
        if name not in columns:
            raise SpecError(f"{attack.name}: weights: {absent_column(name, columns)}")
        if not 0 <= weight < np.inf:
            raise SpecError(f"{attack.name}: weights: finite numbers of 0 or more")
    weights = np.array([(given or {}).get(name, 1.0) for name in columns])
    if not weights.any():
        raise SpecError(f"{attack.name}: weights: not all of them are zero")
    return weights


def as_measure(attack: Attack, given: Any) -> None:
    """Keep an aggregation as plain numbers, held to what a fuzzy measure is."""
    if given is None:
        return
    values = given.values if isinstance(given, FuzzyMeasure) else given
    try:
        measure = FuzzyMeasure(values)
    except SpecError as error:
        error.at(f"{attack.name}: aggregation")
        raise
    msgspec.structs.force_setattr(attack, "aggregation", tuple(measure.values.tolist()))


def measure_for(attack: Attack, given: tuple[float, ...], columns: Sequence[str]) -> FuzzyMeasure:
    """The fuzzy measure over these columns."""
    measure = FuzzyMeasure(given)
    if len(measure) != len(columns):
        raise SpecError(
            f"{attack.name}: aggregation: the measure is one of "
            f"{count(len(measure), 'attribute')}, and {len(columns)} are compared"
        )
    return measure
