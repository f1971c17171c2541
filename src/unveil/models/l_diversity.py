"""How different what is confidential is among those who are alike."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from unveil.errors import SpecError
from unveil.grouping.classes import DISTINCT, ENTROPY, RECURSIVE, SHARE, SIZE
from unveil.models.base import ConfidentialModel, ModelRequirement
from unveil.table.microdata import Microdata


class LDiversity(ConfidentialModel, frozen=True, kw_only=True):
    """l-diversity: those who are alike have at least l values of what is confidential.

    If all who are alike have the same diagnosis, an intruder need not know which of them a person
    is. With l values nobody's is certain; it may still be likely.

    `distinct` counts the values; by `entropy` a class has as many as would have its entropy, were
    they equally frequent; `recursive` asks that the most frequent value is less than c times as
    frequent as all but the l - 1 most frequent together. A missing value is a value of its own.
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity (2007), Definitions 4.1 and
    4.2.

    >>> LDiversity(l=3).kind
    'distinct'
    """

    l: Annotated[float, Meta(ge=1, description="How many values; a whole number but for entropy.")]  # noqa: E741
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
        """The number of values of each attribute."""
        asked = {
            "distinct": ModelRequirement(DISTINCT, self.l),
            "entropy": ModelRequirement(ENTROPY, self.l),
            "recursive": ModelRequirement(RECURSIVE, self.c or 0.0, least=int(self.l)),
        }[self.kind]
        return tuple(asked._replace(column=name) for name in self.confidential(data, keys))


class AlphaKAnonymity(ConfidentialModel, frozen=True, kw_only=True):
    """(alpha, k)-anonymity: k alike, and no value of what is confidential too frequent there.

    Nobody is told from k - 1 others, and of those who are alike at most a share alpha have the
    same confidential value, so that nothing can be said of them with more certainty than that.

    Wong et al., (alpha, k)-anonymity (2006); here of every value, not of one that is sensitive.

    >>> AlphaKAnonymity(alpha=0.5, k=5).alpha
    0.5
    """

    alpha: Annotated[
        float, Meta(gt=0, le=1, description="The largest share that one value may have.")
    ]
    k: Annotated[int, Meta(ge=1, description="How many records at least are alike.")]

    def requirements(self, data: Microdata, keys: Sequence[str]) -> tuple[ModelRequirement, ...]:
        """The size of each class, and the share of its most frequent value."""
        shares = (
            ModelRequirement(SHARE, self.alpha, column) for column in self.confidential(data, keys)
        )
        return (ModelRequirement(SIZE, float(self.k)), *shares)
