"""What the papers printed: one data file for each, its figures as they are printed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from unveil_papers.framework.reproduction import Verdict

NOTHING = "-"  # a cell that the paper leaves blank


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed table: each line of `cells` is the name of a row and its figures.

    Underscores in the name of a row are read as blanks; "-" is a blank cell.
    """

    title: str
    unit: str
    columns: tuple[str, ...]
    cells: str
    runs: int = 1  # whose mean each figure is
    truncated: bool = False  # digits were cut off where they should have been rounded

    def printed(self) -> Iterator[tuple[str, str, str | None]]:
        """Each row, column and figure.

        >>> table = PublishedTable("noise", "%", ("DBRL", "RBRL"), "0.10 98.4 -")
        >>> list(table.printed())
        [('0.10', 'DBRL', '98.4'), ('0.10', 'RBRL', None)]
        """
        for line in self.cells.strip().splitlines():
            row, *figures = line.split()
            for column, figure in zip(self.columns, figures, strict=True):
                yield row.replace("_", " "), column, None if figure == NOTHING else figure

    def figures(self) -> dict[tuple[str, str], str]:
        """What is printed, by row and column.

        >>> PublishedTable("noise", "%", ("DBRL", "RBRL"), "0.10 98.4 -").figures()
        {('0.10', 'DBRL'): '98.4'}
        """
        return {(row, column): text for row, column, text in self.printed() if text is not None}


class PublishedClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim in our words, and how it is judged."""

    where: str
    says: str
    judge: str = ""  # a function of the paper's package, as module.function
    given: dict[str, Any] = {}  # its further arguments
    verdict: Verdict = "cannot be tested"  # in place of a judge, where no figure decides
    because: str = ""


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A paper: its tables by name, and its claims in the order in which they are made."""

    title: str
    source: str
    setting: tuple[str, ...]
    tables: dict[str, PublishedTable] = {}
    claims: tuple[PublishedClaim, ...] = ()


def published(name: str) -> Published:
    """What one paper printed."""
    path = Path(__file__).parent.parent / name.replace("-", "_") / "published.toml"
    return msgspec.toml.decode(path.read_bytes(), type=Published)
