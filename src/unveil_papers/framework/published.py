"""What the papers printed: one data file for each, its figures as they are printed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from unveil_papers.framework.reproduction import Verdict

NOTHING = "-"  # a cell that the paper leaves blank


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed table: each line of `cells` the name of a row, then its figures.

    Parameters
    ----------
    title, unit
        Of what, in which unit.
    columns
        The names of the columns.
    cells
        The lines; a name of several words has underscores between them, which are read as
        blanks.
    runs
        How many runs each figure is the mean of.
    truncated
        Whether digits were cut off where they should have been rounded.
    """

    title: str
    unit: str
    columns: tuple[str, ...]
    cells: str
    runs: int = 1
    truncated: bool = False

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
    """A claim in words, put in ours: where it stands, what it says, and how it is judged.

    Parameters
    ----------
    where, says
        The section, and the claim.
    judge, given
        The function that judges it, as module.function of the paper's package, and its arguments.
    verdict, because
        In place of a judge: the verdict where no figure decides, and why.
    """

    where: str
    says: str
    judge: str = ""
    given: dict[str, Any] = {}
    verdict: Verdict = "cannot be tested"
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
