"""k-anonymity in the file, and k-map in the population."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.grouping.classes import SIZE
from unveil.models.base import MOST_RECORDS, Model, ModelRequirement
from unveil.table.microdata import Microdata

Stars = Annotated[
    Literal["value", "wildcard"],
    Meta(
        description="Meaning of a star: a value that only a star equals, or a wildcard that "
        "equals any value. Only as values do stars bound the links of an attack."
    ),
]

Unit = Annotated[
    Literal["record", "household"],
    Meta(
        description="Unit that must be alike: k records, or k households with all of their members."
    ),
]


class KAnonymity(Model, frozen=True, kw_only=True):
    """k-anonymity: every record equals at least k - 1 others on the quasi-identifiers.

    The quasi-identifiers cannot distinguish a person from at least k - 1 others. Their confidential
    values may still be the same: see l-diversity.

    A missing cell is a value of its own, a range or a set is its text. A star is also a value;
    as a wildcard it equals every value (and so does a missing cell), as in sdcMicro: then
    the rows that fit each row are counted, and an attack may link more than one in k.

    With `unit` "household", at least k households have the same number of members with the same
    cells: somebody who sees who lives together cannot tell a household from k - 1 others. Each
    record then equals k - 1 others as well. A record without a household number is a household.
    Samarati and Sweeney, Protecting privacy when disclosing information (1998).
    """

    k: Annotated[int, Meta(ge=1, le=MOST_RECORDS, description="The least number of equal records.")]
    stars: Stars = "value"
    unit: Unit = "record"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stars == "wildcard" and self.unit == "household":
            raise SpecError(
                "k-anonymity: households are compared as written, so a star cannot be a "
                "wildcard; set stars to 'value', or unit to 'record'"
            )

    @property
    def counted(self) -> Literal["classes", "rows", "homes"]:
        if self.unit == "household":
            return "homes"
        return "classes" if self.stars == "value" else "rows"

    @property
    def least_size(self) -> int:
        return self.k

    def of_classes(self) -> Model:
        return KAnonymity(k=self.k)

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:  # noqa: ARG002
        """The size of each class; none if rows are counted one by one, or households."""
        return (ModelRequirement(SIZE, float(self.k)),) if self.counted == "classes" else ()


class KMap(Model, frozen=True, kw_only=True):
    """k-map: every released record fits at least k people of a population.

    Where the release is a sample, an intruder who finds a row cannot tell to which of at least k
    people it belongs. The model is weaker than k-anonymity on the release, and needs a file of the
    population with the same quasi-identifiers.

    A released cell fits a value that it may hold: equal, within the range, in the set, any for a
    star; a missing cell on either side fits. Sweeney, k-anonymity: a model for protecting privacy
    (2002).
    """

    k: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_RECORDS,
            description="The least number of people compatible with each record.",
        ),
    ]
    population: Annotated[
        Any,
        Meta(
            description="The population, with the same columns: Microdata; for a mask also a "
            "file or a frame, read with the schema of the masked table."
        ),
    ] = None

    @property
    def counted(self) -> Literal["people"]:
        return "people"

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def people(self) -> Microdata | None:
        return self.population if isinstance(self.population, Microdata) else None

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:
        if self.population is None or self.people is not None:
            return self
        return msgspec.structs.replace(self, population=read(self.population))

    def __eq__(self, other: object) -> bool:
        """The same k, and the same population: a file by its name, a table by itself."""
        if not isinstance(other, KMap) or self.k != other.k:
            return False
        first, second = self.population, other.population
        return first is second or (isinstance(first, str) and first == second)

    def __hash__(self) -> int:
        return hash((self.k, id(self.population)))

    def __repr__(self) -> str:
        named = isinstance(self.population, str) or self.population is None
        population = repr(self.population) if named else type(self.population).__name__
        return f"KMap(k={self.k}, population={population})"

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:  # noqa: ARG002
        """None on classes: people are counted in the population."""
        return ()
