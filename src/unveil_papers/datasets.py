"""The data sets of the papers, verified by their hashes; nothing is downloaded."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from unveil import Microdata, Schema, read
from unveil.errors import FileError, UsageError
from unveil.files import Csv
from unveil.wording import listing, suggest


class DataSetMissingError(FileError):
    """A data set is in none of the folders where it is looked for."""


class DataSet(msgspec.Struct, frozen=True):
    """One data set: what it is, how it is known, where a user gets it."""

    name: str
    rows: int
    columns: int
    sha256: str
    source: str
    original: str  # the file that its host gives
    column_names: str = ""  # between spaces, where the original has none

    @property
    def file(self) -> str:
        """The name of its file: UTF-8 CSV with a header, ``?`` for missing."""
        return f"{self.name}.csv"

    @property
    def header(self) -> list[str]:
        """The names of the columns that the original does not name."""
        return self.column_names.split()


_FILE = Path(__file__).with_suffix(".toml")
_LISTED = msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, list[DataSet]])["datasets"]
DATASETS = {data.name: data for data in _LISTED}


def dataset(name: str, schema: Schema | None = None) -> Microdata:
    """Read one of the papers' data sets and verify its hash.

    The folder that the environment variable ``UNVEIL_DATA`` names comes first, then the user's
    cache; nothing is downloaded.

    Examples
    --------
    >>> sorted(DATASETS)[:4]  # then: dataset("census")
    ['abalone', 'adult_test', 'adult_train', 'census']
    """
    path = dataset_path(name)
    return read(path, schema, format=Csv(delimiter=",", missing=("?",)))


def dataset_path(name: str) -> Path:
    """Find the verified file of a data set."""
    known = DATASETS.get(name)
    if known is None:
        raise UsageError(
            f"'{name}' is not a data set; data sets are: {listing(DATASETS)}"
            f"{suggest(name, DATASETS)}"
        )
    for folder in _folders():
        path = folder / known.file
        if path.is_file():
            if hashlib.sha256(path.read_bytes()).hexdigest() != known.sha256:
                raise FileError(
                    f"this is not the data set '{name}': its SHA-256 should be {known.sha256}"
                ).at(str(path))
            return path
    raise DataSetMissingError(
        f"the data set '{name}' is not here: get {known.original} and run 'unveil papers --import "
        f"{known.original}', or make {_made(known)}, and put it into {cache_folder()}, or into a "
        "folder that the environment variable UNVEIL_DATA names"
    )


def check_datasets(names: Iterable[str]) -> None:
    """Raise an error that lists every missing data set, its source and the folder to put it in."""
    missing = []
    for name in dict.fromkeys(names):
        try:
            dataset_path(name)
        except DataSetMissingError:
            missing.append(_made(DATASETS[name]))
        except FileError as damaged:
            missing.append(f"{damaged}, {_made(DATASETS[name])}")
    if not missing:
        return
    many = "1 of the papers' data sets is" if len(missing) == 1 else (
        f"{len(missing)} of the papers' data sets are"
    )  # fmt: skip
    error = DataSetMissingError(
        f"{many} not in {listing(map(str, _folders()))}. None is downloaded: get the originals and "
        "run 'unveil papers --import FILE ...', or make what is listed below, put it into a "
        "folder, and name that in the environment variable UNVEIL_DATA, or put it into "
        f"{cache_folder()}"
    )
    for one in missing:
        error.add_note(one)
    raise error


def _made(known: DataSet) -> str:
    return (
        f"{known.file} ({known.rows:,} rows and {known.columns} columns, UTF-8 with a header, ? "
        f"for missing, SHA-256 {known.sha256}) from {known.source}"
    )


def cache_folder() -> Path:
    """Where the program keeps what it needs again, and data sets may be put."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unveil"


def data_folder() -> Path:
    """The folder that is searched first."""
    return _folders()[0]


def _folders() -> list[Path]:
    given = os.environ.get("UNVEIL_DATA")
    return [*([Path(given)] if given else []), cache_folder()]
