"""What a statistics package's file says of its columns beside cells, labels and levels."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Package = Literal["SPSS", "Stata", "SAS"]
Ends = tuple[float, float] | tuple[str, str]


class Variable(NamedTuple):
    """How a package keeps and shows one column.

    None of it changes a number; written back, it makes the file look as it did.
    """

    format: str = ""  # F8.2, %9.0g, DATE9
    informat: str = ""
    measure: str = ""  # nominal, ordinal or scale, as its owner declared it
    width: int = 0  # of the column as it is shown
    length: int = 0  # of the longest text that fits
    missing: tuple[Ends, ...] = ()  # from .. to: what counts as missing


class Codebook(NamedTuple):
    """What a file says of itself, and of its columns by name.

    >>> Codebook("SPSS", variables={"age": Variable(format="F3.0")}).variable("age").format
    'F3.0'
    """

    package: Package
    label: str = ""
    notes: tuple[str, ...] = ()
    table: str = ""  # what a SAS file calls its table
    variables: Mapping[str, Variable] = {}

    def variable(self, name: str) -> Variable:
        """What it says of a column."""
        return self.variables.get(name, Variable())
