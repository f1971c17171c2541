"""l-diversity and (alpha, k)-anonymity: the confidential values within each class."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from unveil.errors import SpecError
from unveil.grouping.classes import DISTINCT, ENTROPY, RECURSIVE, SHARE, SIZE
from unveil.models.base import MOST_RECORDS, ConfidentialModel, ModelRequirement
from unveil.table.microdata import Microdata


class LDiversity(ConfidentialModel, frozen=True, kw_only=True):
    """l-diversity: every class has at least l values of each confidential attribute.

    If all records of a class have the same diagnosis, an intruder need not know which of them is
    the person's. With l values no value is certain; it may still be probable.

    `distinct` counts the values; `entropy` counts as many equally frequent values as have the
    entropy of the class; `recursive` requires that the most frequent value is less than c times as
    frequent as all but the l - 1 most frequent together. A missing value is a value of its own.
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity (2007), Definitions 4.1 and
    4.2.
    """

    l: Annotated[  # noqa: E741
        float, Meta(ge=1, description="The least number of values; whole except for entropy.")
    ]
    kind: Annotated[
        Literal["distinct", "entropy", "recursive"], Meta(description="How values are counted.")
    ] = "distinct"
    c: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="Recursive: how frequent the most frequent value may be."),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.c is None) == (self.kind == "recursive"):
            raise SpecError("l-diversity: c goes with kind 'recursive', which needs it")
        if self.kind != "entropy" and not float(self.l).is_integer():
            raise SpecError(f"l-diversity: l: a whole number, as values are {self.kind}")

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        rule = {
            "distinct": ModelRequirement(DISTINCT, self.l),
            "entropy": ModelRequirement(ENTROPY, self.l),
            "recursive": ModelRequirement(RECURSIVE, self.c or 0.0, least=int(self.l)),
        }[self.kind]
        return tuple(rule._replace(column=name) for name in self.confidential(data, keys))


class AlphaKAnonymity(ConfidentialModel, frozen=True, kw_only=True):
    """(alpha, k)-anonymity: k-anonymity, and no confidential value too frequent in a class.

    At most a share alpha of every class has the same confidential value, so that no value can be
    inferred with more certainty than that.

    Wong et al., (alpha, k)-anonymity (2006); here for every value, not for one that is sensitive.
    """

    alpha: Annotated[
        float, Meta(gt=0, le=1, description="The largest share that one value may have.")
    ]
    k: Annotated[int, Meta(ge=1, le=MOST_RECORDS, description="The least number of equal records.")]

    @property
    def least_size(self) -> int:
        return self.k

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        shares = (
            ModelRequirement(SHARE, self.alpha, column) for column in self.confidential(data, keys)
        )
        return (ModelRequirement(SIZE, float(self.k)), *shares)
