"""Write a report: one page, and its charts as files of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unveil.data.audit import Audit, Evidence
from unveil.data.comparison import Comparison
from unveil.errors import FileError, UsageError, reason
from unveil.files.evidence import read_evidence
from unveil.files.toml import as_path
from unveil.files.whole import check_outputs, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from unveil.reports.content import Summary

ENDINGS = (".html", ".htm")


def report(
    found: Audit | Evidence | Comparison | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    external: bool = False,
    figures: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> None:
    """Write what was found as one page that needs nothing else, to read, to print and to send.

    Parameters
    ----------
    found
        An audit, its evidence or the file of it, or a comparison.
    path
        The page, an .html file.
    external
        Whether it is for others: without what would help an attacker (parameters and seeds,
        files, who and what is at the highest risk).
    figures
        A folder to write each chart to, as SVG and as PNG.
    force
        Whether files that are there may be replaced.

    Examples
    --------
    >>> import tempfile, unveil
    >>> people = unveil.households(100)
    >>> found = unveil.audit(people, people, truth="person", attacks=["distance"], sweep=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unveil.report(found, f"{folder}/audit.html")
    """
    target = as_path(path)
    check_page(target)
    source = found if isinstance(found, str | os.PathLike) else None
    check_outputs([target], [source], force=force)
    said = summary_of(found, external=external)
    drawn = {} if figures is None else _drawn(said, as_path(figures), force=force)
    from unveil.reports.page import page

    write_bytes(target, page(said).encode(), force=force)
    for file, content in drawn.items():
        write_bytes(file, content, force=force)


def check_page(path: Path) -> None:
    """Refuse what nobody's browser would open."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"a page is an .html file, not '{path.suffix or path.name}'")


def summary_of(found: object, *, external: bool = False) -> Summary:
    """What is said of an audit, its evidence or the file of it, or of a comparison."""
    from unveil.reports.summary import compared, summary

    if isinstance(found, Comparison):
        return compared(found, external=external)
    if isinstance(found, str | os.PathLike):
        found = read_evidence(found)
    if isinstance(found, Audit):
        found = found.evidence
    if not isinstance(found, Evidence):
        raise UsageError(
            "a report is of an audit, of its evidence or the file of it, or of a comparison, not "
            f"of {type(found).__name__}"
        )
    return summary(found, external=external)


def _drawn(said: Summary, folder: Path, *, force: bool) -> dict[Path, bytes]:
    """Each chart as the bytes of two files, where these can be written."""
    from unveil.reports.figures import png, svg

    charts = [exhibit for exhibit in said.exhibits() if exhibit.chart is not None]
    files = [folder / f"{one.name}.{kind}" for one in charts for kind in ("svg", "png")]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None
    check_outputs(files, [], force=force)
    made: dict[Path, bytes] = {}
    for one in charts:
        made[folder / f"{one.name}.svg"] = drawing = svg(one)
        made[folder / f"{one.name}.png"] = png(drawing)
    return made
