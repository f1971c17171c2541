"""The codebook of a statistics package's file: formats and labels beside the schema."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Package = Literal["SPSS", "Stata", "SAS"]
Ends = tuple[float, float] | tuple[str, str]


class Variable(NamedTuple):
    """How a package stores and shows one column.

    It changes no number, and is written back so that the file looks as it did.
    """

    format: str = ""  # F8.2, %9.0g, DATE9
    informat: str = ""
    measure: str = ""  # nominal, ordinal or scale, as its owner declared it
    width: int = 0  # of the column as it is shown
    length: int = 0  # of the longest text that fits
    missing: tuple[Ends, ...] = ()  # from .. to: what counts as missing


class Codebook(NamedTuple):
    """The metadata of a file, and of its columns by name."""

    package: Package
    label: str = ""
    notes: tuple[str, ...] = ()
    table: str = ""  # name of the table in a SAS file
    variables: Mapping[str, Variable] = {}

    def variable(self, name: str) -> Variable:
        """The entry of a column."""
        return self.variables.get(name, Variable())
