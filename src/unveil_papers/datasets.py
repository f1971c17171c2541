"""The data sets of the papers: read where the user keeps them, never downloaded."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from unveil import Csv, Microdata, Schema, read
from unveil.errors import FileError, UsageError, listing, nearest


class DataSetMissingError(FileError):
    """A data set is in none of the folders where it is looked for."""


class DataSet(msgspec.Struct, frozen=True):
    """One data set: what it is, how it is known, where a user gets it."""

    name: str
    rows: int
    columns: int
    sha256: str
    source: str

    @property
    def file(self) -> str:
        """The name of its file: UTF-8 CSV with a header, ``?`` for missing."""
        return f"{self.name}.csv"


_SDCMICRO, _UCI = "the R package sdcMicro", "the UCI Machine Learning Repository"

DATASETS = {
    data.name: data
    for data in (
        DataSet(
            "abalone", 4177, 9,
            "50126af5ea3554ef637579b40f120be68e26aaa1d354df1e1f0e90775f629b44",
            f"abalone.data of {_UCI}",
        ),
        DataSet(
            "adult_test", 16281, 15,
            "bf12783929c4da32ae2ac55190fcbe1b389ebf589fe0d32def2b05d9bfd79fc6",
            f"adult.test of {_UCI}, without the dot after the class",
        ),
        DataSet(
            "adult_train", 32561, 15,
            "8fb550d41c43de9dba884c297067639ef94ae5aced00c30275ea52b97eb87efc",
            f"adult.data of {_UCI}",
        ),
        DataSet(
            "census", 1080, 13,
            "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
            f"data/CASCrefmicrodata.rda of {_SDCMICRO}",
        ),
        DataSet(
            "dermatology", 366, 35,
            "54fb03775352866b7a66be69e6088275f66fc8ac5da5bd817ef6b523d0edc934",
            f"dermatology.data of {_UCI}",
        ),
        DataSet(
            "eia", 4092, 15,
            "4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
            f"data/EIA.rda of {_SDCMICRO}",
        ),
        DataSet(
            "housing", 506, 14,
            "ebf8b4a9ceaf375f9591be7b862b3eafc6efc952251e77f09dd6c2df9e216ba0",
            f"housing.data of {_UCI}",
        ),
        DataSet(
            "ionosphere", 351, 35,
            "1fc408aa183e7f307eeb4294f86d1eedd9d36f7a9a80fe24af9bdb390415c024",
            f"ionosphere.data of {_UCI}",
        ),
        DataSet(
            "iris", 150, 5,
            "81269defbe7c559bfe8c9c79a46698e32ef1dd3dbdf9d9c91a42a039bf85df2d",
            "Fisher's iris as scikit-learn ships it",
        ),
        DataSet(
            "water-treatment", 527, 39,
            "a4061f18e279ca4b09dd1d0410132850f3545de802f079042bf6b3fb199ef8fb",
            f"water-treatment.data of {_UCI}",
        ),
        DataSet(
            "wdbc", 569, 32,
            "1beebcb6fe65e01dc93a1aafd43bee201723dc5bbd2479e5f7ed8c634e788202",
            f"wdbc.data of {_UCI}",
        ),
    )
}  # fmt: skip


def dataset(name: str, schema: Schema | None = None) -> Microdata:
    """Read one of the papers' data sets, its hash verified.

    It is looked for in the folder that the environment variable ``UNVEIL_DATA`` names, then
    in the user's cache; nothing is downloaded.

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
            f"{nearest(name, DATASETS)}"
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
        f"the data set '{name}' is not here: make {_made(known)}, and put it into "
        f"{cache_folder()}, or into a folder that the environment variable UNVEIL_DATA names"
    )


def check_datasets(names: Iterable[str]) -> None:
    """Refuse, with all that is to be got and where to put it, unless every data set is here."""
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
        f"{many} not in {listing(map(str, _folders()))}. None is downloaded: make what is listed "
        "below, put it into a folder, and name that in the environment variable UNVEIL_DATA, or "
        f"put it into {cache_folder()}"
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


def _folders() -> list[Path]:
    given = os.environ.get("UNVEIL_DATA")
    return [*([Path(given)] if given else []), cache_folder()]
