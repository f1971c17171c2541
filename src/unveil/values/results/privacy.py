"""The check of a privacy model on a file."""

from typing import Any

import msgspec

from unveil.wording import count


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """Whether every class of equal records satisfies a privacy model, and by how much.

    >>> print(Promise(model="k-anonymity", parameters={"k": 5}, keys=("age",), column=None,
    ...               asked=5.0, found=2.0, kept=False, records=14, n=100))
    k-anonymity of age: 5 asked, 2 found (14 of 100 records are in classes that break it)
    """

    model: str
    parameters: dict[str, Any]
    keys: tuple[str, ...]  # attributes in which the records of a class are equal
    column: str | None  # the confidential attribute; None: the model has none
    asked: float
    found: float | None  # of the worst class; None: infinite
    kept: bool
    records: int  # in classes that violate it
    n: int

    def __str__(self) -> str:
        about = ", ".join(self.keys) if self.column is None else self.column
        if self.parameters.get("unit") == "household":
            about = f"households by {about}"
        found = "none" if self.found is None else f"{self.found:.4g}"
        result = f"{self.model} of {about}: {self.asked:.4g} asked, {found} found"
        if self.kept:
            return result
        return (
            f"{result} ({self.records:,} of {count(self.n, 'record')} "
            f"{'is' if self.records == 1 else 'are'} in classes that break it)"
        )
