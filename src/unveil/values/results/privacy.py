"""Promise: what a file keeps of a privacy model, counted."""

from typing import Any

import msgspec

from unveil.wording import count


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """Whether every class of like records keeps a privacy model, and by how much.

    >>> print(Promise(model="k-anonymity", parameters={"k": 5}, keys=("age",), column=None,
    ...               asked=5.0, found=2.0, kept=False, records=14, n=100))
    k-anonymity of age: 5 asked, 2 found (14 of 100 records are in classes that break it)
    """

    model: str
    parameters: dict[str, Any]
    keys: tuple[str, ...]  # in which records of a class are alike
    column: str | None  # the confidential attribute that it is about; None: about none
    asked: float
    found: float | None  # of the worst class; None: infinite
    kept: bool
    records: int  # in classes that break it
    n: int

    def __str__(self) -> str:
        about = ", ".join(self.keys) if self.column is None else self.column
        found = "none" if self.found is None else f"{self.found:.4g}"
        told = f"{self.model} of {about}: {self.asked:.4g} asked, {found} found"
        if self.kept:
            return told
        return (
            f"{told} ({self.records:,} of {count(self.n, 'record')} "
            f"{'is' if self.records == 1 else 'are'} in classes that break it)"
        )
