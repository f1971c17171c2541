"""Write a report: one page, and its charts as files of their own."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import msgspec

from unveil.errors import FileError, UsageError
from unveil.files.atomic_write import write_bytes
from unveil.files.documents.evidence import NO_EVIDENCE, read_evidence
from unveil.files.documents.study_result import NO_STUDY, is_study, read_study
from unveil.files.locations import as_path, check_outputs
from unveil.reports.content import Exhibit, Summary
from unveil.values.results.choice import Choice, StudyResult
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit, Evidence
from unveil.wording import reason

ENDINGS = (".html", ".htm")


class ShownPage:
    """A page that a notebook shows in a frame of its own, as a browser shows the file."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __repr__(self) -> str:
        return f"ShownPage({len(self.html):,} letters; report(result, 'page.html') writes a file)"

    def _repr_html_(self) -> str:
        height = "style='width:100%;height:50em;border:0' title='report'"
        return f"<iframe sandbox='allow-scripts' {height} srcdoc=\"{escape(self.html)}\"></iframe>"


def report(
    result: Audit | Evidence | Comparison | Choice | StudyResult | Summary | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    external: bool = False,
    figures: str | os.PathLike[str] | None = None,
    title: str | None = None,
    force: bool = False,
) -> ShownPage | None:
    """Write a result as one page that needs no other file, or show the page in a notebook.

    Parameters
    ----------
    result
        An audit or its evidence, a choice or its study, the file of either; a comparison, or a
        summary of anything else.
    path
        The page, an .html file; without it, the page is returned and a notebook shows it.
    external
        Omit what would help an attacker: parameters and seeds, files, the records, groups and
        attributes at the highest risk.
    figures
        Folder for the charts, each as SVG and PNG.
    title
        Title of the page, such as the name of the survey.
    force
        Replace files that exist.

    Examples
    --------
    >>> import tempfile, unveil
    >>> people = unveil.households(40)
    >>> quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    >>> result = unveil.audit(
    ...     people, people, truth="person", attacks=["distance"], settings=quick
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     unveil.report(result, f"{folder}/audit.html")
    """
    target = None if path is None else as_path(path)
    if target is not None:
        read = result if isinstance(result, str | os.PathLike) else None
        check_report(target, [read], force=force)
    if figures is not None:
        check_figures(as_path(figures), [target], force=force, external=external)
    page = publish(result, target, figures, external=external, title=title)
    return ShownPage(page) if target is None else None


def publish(
    result: object,
    page: Path | None,
    figures: str | os.PathLike[str] | None,
    *,
    external: bool,
    title: str | None = None,
) -> str:
    """Make a page, and write it and its figures where a place for them is given and checked."""
    from unveil.reports.page import page as render

    summary = summary_of(result, external=external)
    date = summary.date if isinstance(result, Summary) else _date()
    summary = msgspec.structs.replace(summary, title=title or summary.title, date=date)
    pictures = {} if figures is None else _pictures(summary.exhibits())
    html = render(summary)
    if page is not None:
        write_bytes(page, html.encode(), force=True)
    if figures is not None:
        _write(pictures, as_path(figures))
    return html


def _date() -> str:
    """The date of today; SOURCE_DATE_EPOCH gives another, for equal bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = (
        datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now().astimezone()
    )
    return f"{now.day} {now:%B %Y}"


def check_report(path: Path, inputs: Sequence[object] = (), *, force: bool) -> None:
    """Refuse a page that cannot be written or that no browser would open."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError("a page is an .html file: give a name that ends in .html").at(str(path))
    check_outputs([path], inputs, force=force)


def check_figures(
    folder: Path, files: Sequence[Path | None] = (), *, force: bool, external: bool = False
) -> None:
    """Refuse a folder that is a file, one of these files, or not empty.

    This comes before the work, as does the check that the package that draws is installed.
    """
    from unveil.reports.charts.export import converter

    converter()
    here = folder.absolute()
    if {one.absolute() for one in files if one is not None} & {here, *here.parents}:
        raise UsageError("figures go to a folder of their own").at(str(folder))
    try:
        there = next((one for one in (folder, *folder.parents) if one.exists()), None)
        if there is not None and not there.is_dir():
            raise UsageError(f"figures go to a folder, and {there} is a file").at(str(folder))
        if not folder.is_dir() or not any(folder.iterdir()):
            return
    except OSError as error:  # a name too long, a folder shut
        message = f"figures cannot be written here: {reason(error)}; name another folder"
        raise FileError(message).at(str(folder)) from None
    if external:  # figures that are not for others might be there
        raise FileError("the folder is not empty: external figures need a new one").at(str(folder))
    if not force:
        raise FileError("the folder is not empty: name another, or add --force").at(str(folder))


def summary_of(result: object, *, external: bool = False) -> Summary:
    """The summary of an audit, a choice or a comparison, or of the file of one."""
    from unveil.reports.summary import choice_summary, comparison_summary, summary

    if isinstance(result, Comparison):
        return comparison_summary(result, external=external)
    if isinstance(result, Choice | StudyResult):
        return choice_summary(result, external=external)
    if isinstance(result, Summary):
        if external and not result.external:
            raise UsageError("external: a summary is internal or external already; leave it out")
        return result
    if isinstance(result, str | os.PathLike):
        return _of_file(result, external=external)
    if isinstance(result, Audit):
        result = result.evidence
    if not isinstance(result, Evidence):
        raise UsageError(
            "result: give an audit, its evidence or the file of it, a choice, or a comparison, not "
            f"{type(result).__name__}"
        )
    return summary(result, external=external)


def _of_file(path: str | os.PathLike[str], *, external: bool) -> Summary:
    studied = is_study(path)
    found = read_study(path) if studied else read_evidence(path)
    try:
        return summary_of(found, external=external)
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError):
        missing = NO_STUDY if studied else NO_EVIDENCE
        raise FileError(missing).at(os.fspath(path)) from None  # parts that have no type


def write_figures(exhibits: Sequence[Exhibit], folder: Path) -> None:
    """Write the charts of exhibits into a folder that is checked, each as SVG and PNG."""
    _write(_pictures(exhibits), folder)


def _pictures(exhibits: Sequence[Exhibit]) -> dict[str, bytes]:
    from unveil.reports.charts.export import png, svg

    drawings = {one.name: svg(one) for one in exhibits if one.chart is not None}
    pictures = {f"{name}.png": png(drawing) for name, drawing in drawings.items()}
    return {f"{name}.svg": drawing for name, drawing in drawings.items()} | pictures


def _write(files: dict[str, bytes], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"the folder cannot be made: {reason(error)}").at(str(folder)) from None
    for name, content in files.items():
        write_bytes(folder / name, content, force=True)
