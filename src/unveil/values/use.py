"""Uses: what a release is for, and how much of each use may be lost."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.specs import Spec
from unveil.values.disclosure_scenario import NAME, Share
from unveil.wording import listing

UseKind = Literal["distributions", "relations", "model", "estimates"]


class Use(Spec, frozen=True, kw_only=True):
    """One use of a release: what is estimated from it, and how much of it may be lost.

    The loss of a use is 0 for the original and 1 for a file in which the use is destroyed. Its kind
    says what is compared: *distributions* of single columns, *relations* of pairs of columns, a
    *model* of one column on others, or *estimates*: means and shares with their confidence
    intervals. Without declared uses there are three: distributions, relations, and models of the
    confidential columns.

    >>> pay = Use(name="pay", kind="model", target="income", columns=["age", "sex"], max_loss=0.2)
    >>> pay.to_dict()["target"]
    'income'
    """

    name: Annotated[str, Meta(description="The name of the use.")]
    kind: Annotated[
        UseKind, Meta(description="Kind of the use: distributions, relations, model, estimates.")
    ]
    columns: Annotated[
        tuple[str, ...] | None,
        Meta(
            description="The columns of the use (of a model, its predictors); by default all of "
            "the original except identifiers, household numbers and weights."
        ),
    ] = None
    target: Annotated[
        str | None,
        Meta(description="The column that a model predicts; by default each confidential one."),
    ] = None
    by: Annotated[
        str | None, Meta(description="Estimates: the column in whose classes they are repeated.")
    ] = None
    max_loss: Annotated[
        Share | None, Meta(description="The loss of this use allowed, from 0 to 1.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(NAME, self.name):
            raise SpecError(
                "policy: use: name: give a name of up to 60 letters, digits, blanks and hyphens, "
                "which begins and ends with a letter or a digit"
            )
        columns = self.columns
        if columns == ():
            raise self._refused("columns: name at least one column")
        if columns is not None and len(set(columns)) < len(columns):
            raise self._refused("columns: a column is named twice")
        if self.target is not None and self.kind != "model":
            raise self._refused("target: only a model has a target; leave it out")
        if self.by is not None and self.kind != "estimates":
            raise self._refused("by: only estimates have classes; leave it out")
        if self.kind == "relations" and columns is not None and len(columns) < 2:
            raise self._refused("columns: relations need two columns at least")
        if self.target is not None and columns == (self.target,):
            raise self._refused("columns: a model needs another column than its target")

    def _refused(self, rule: str) -> SpecError:
        return SpecError(f"policy: use '{self.name}': {rule}")

    def to_dict(self) -> dict[str, Any]:
        """The parameters that are set, as plain values, as in a TOML table."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in plain.items() if value is not None}


DEFAULT_USES = (
    Use(name="distributions", kind="distributions"),
    Use(name="relations", kind="relations"),
    Use(name="models", kind="model"),
)


def check_use_names(uses: tuple[Use, ...]) -> None:
    """Refuse two uses of one name."""
    folded = [re.sub(r"[^\w]", "", use.name).casefold() for use in uses]
    twice = [u.name for u, one in zip(uses, folded, strict=True) if folded.count(one) > 1]
    if twice:
        raise SpecError(
            f"policy: use: {listing(dict.fromkeys(twice))}: a name occurs twice; use names that "
            "differ in more than blanks, hyphens and capitals"
        )
