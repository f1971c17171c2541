"""t-closeness: the confidential values of each class are distributed as those of the file."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from unveil.errors import SpecError
from unveil.grouping.classes import EQUAL, ORDERED
from unveil.models.base import ConfidentialModel, ModelRequirement
from unveil.table.microdata import Microdata


class TCloseness(ConfidentialModel, frozen=True, kw_only=True):
    """t-closeness: every class has about the distribution of confidential values of the file.

    An intruder who finds a person's class learns little from it: at 0 nothing, at 1 everything.

    The distance is the earth mover's. `ordered`: values stand in a line (numbers, ordered
    categories), and moving from one end to the other costs 1; a missing value has no place and is
    left out. `equal`: any two values are 1 apart. By default ordered where there is an order.
    Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity
    (2007), Section 4.
    """

    t: Annotated[
        float, Meta(ge=0, le=1, description="The largest distance of a class from all records.")
    ]
    distance: Annotated[
        Literal["ordered", "equal"] | None, Meta(description="The distance between two values.")
    ] = None

    of_whole_file: ClassVar[bool] = True

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        return tuple(
            ModelRequirement(self._kind(data, column), self.t, column)
            for column in self.confidential(data, keys)
        )

    def _kind(self, data: Microdata, column: str) -> int:
        plain = data.level(column) != "nominal" and not data.schema[column].generalised
        if self.distance == "ordered" and not plain:
            raise SpecError(
                f"t-closeness: column '{column}' has no order: choose distance 'equal', or declare "
                "an order in the schema"
            )
        return EQUAL if self.distance == "equal" or not plain else ORDERED
