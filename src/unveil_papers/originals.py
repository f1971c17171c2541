"""Convert the papers' public files, as their hosts give them, into the files that are read here."""

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from unveil.errors import FileError, UsageError
from unveil.wording import listing, suggest
from unveil_papers.datasets import DATASETS, DataSet, data_folder, dataset_path
from unveil_papers.r_data import read_data_frame

Rows = list[list[str]]
_IRISES = {"Iris-setosa": "0", "Iris-versicolor": "1", "Iris-virginica": "2"}


class Imported(msgspec.Struct, frozen=True):
    """What an import wrote, and the data sets that are still missing."""

    written: tuple[str, ...]
    missing: tuple[DataSet, ...]


def import_originals(files: Iterable[Path], *, force: bool = False) -> Imported:
    """Convert downloaded files, each known by its name, into the first folder that is searched.

    All are converted and verified before the first is written.

    Examples
    --------
    >>> import_originals([]).written  # then: import_originals([Path("adult.data")])
    ()
    """
    converted = {}
    for file in files:
        known = _known(file)
        converted[data_folder() / known.file] = _converted(known, file)
    for target, content in converted.items():
        if not force and target.is_file() and _read(target) != content:
            raise FileError("this file exists and is not the data set; --force replaces it").at(
                str(target)
            )
    for target, content in converted.items():
        _write(target, content)
    return Imported(tuple(map(str, converted)), tuple(_missing()))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror})").at(str(file)) from None


def _write(target: Path, content: bytes) -> None:
    part = target.with_suffix(".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise FileError(f"cannot be written ({error.strerror})").at(str(target)) from None


def _known(file: Path) -> DataSet:
    originals = {known.original: known for known in DATASETS.values()}
    found = originals.get(file.name)
    if found is None:
        raise UsageError(
            f"{file.name}: not a file that can be imported; give it the name that its host gives "
            f"it: {listing(originals)}{suggest(file.name, originals)}"
        )
    return found


def _missing() -> Iterator[DataSet]:
    for name, known in DATASETS.items():
        try:
            dataset_path(name)
        except FileError:
            yield known


def _converted(known: DataSet, file: Path) -> bytes:
    """The content of the data set's file, verified by its hash."""
    content = _read(file)
    try:
        rows = convert(known, content)
    except FileError as error:
        raise error.at(str(file)) from None
    found = hashlib.sha256(rows).hexdigest()
    if found != known.sha256:
        raise FileError(
            f"this is not {known.original} as its host gives it: the data set '{known.name}' made "
            f"of it should have the SHA-256 {known.sha256}, and has {found}; download it again"
        ).at(str(file))
    return rows


def convert(known: DataSet, content: bytes) -> bytes:
    """The CSV file that is read here, of an original: a header, ``?`` for missing."""
    if known.original.endswith(".rda"):
        columns = read_data_frame(content)
        header = list(columns)
        rows = [
            ["?" if cell is None else cell for cell in row]
            for row in zip(*columns.values(), strict=True)
        ]
    else:
        header = known.header
        rows = _REPAIRS.get(known.name, list)(list(_table(content)))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def _table(content: bytes) -> Iterator[list[str]]:
    """Lines of cells between commas, or between spaces; others are empty or a remark."""
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise FileError("this is not text; unpack an archive first") from None
    for line in lines:
        if line.strip() and not line.startswith("|"):
            yield re.split(r"\s*,\s*|\s+", line.strip())


def _adult_test(rows: Rows) -> Rows:
    """The class without its dot."""
    return [[*row[:-1], row[-1].removesuffix(".")] for row in rows]


def _abalone(rows: Rows) -> Rows:
    """Whole measurements are written as the others; the sex and the rings stay."""
    return [
        [row[0], *(cell if "." in cell else f"{cell}.0" for cell in row[1:-1]), row[-1]]
        for row in rows
    ]


def _iris(rows: Rows) -> Rows:
    """Fisher's values in rows 35 and 38, where the repository has others; classes as numbers."""
    fixed = [[*row[:-1], _IRISES.get(row[-1], row[-1])] for row in rows]
    if len(fixed) > 37:
        fixed[34][3:4] = ["0.2"]
        fixed[37][1:3] = ["3.6", "1.4"]
    return fixed


_REPAIRS: dict[str, Callable[[Rows], Rows]] = {
    "adult_test": _adult_test,
    "abalone": _abalone,
    "iris": _iris,
}
