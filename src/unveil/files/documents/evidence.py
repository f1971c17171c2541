"""Evidence as JSON files, and the risk of each record as a table of its own."""

import os

import msgspec
import numpy as np

from unveil import __version__
from unveil.errors import DataError, FileError
from unveil.files.atomic_write import write_bytes
from unveil.files.locations import as_path
from unveil.files.tables import read, write
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.values.results.audit_frames import ROW, record_risks
from unveil.values.results.evidence import FORMAT, OLDEST_FORMAT, Audit, Evidence
from unveil.wording import reason

NO_EVIDENCE = (
    "this is not the complete evidence of an audit; give the file of `unveil audit --evidence`"
)


class _Version(msgspec.Struct):
    """The fields that decide whether the evidence can be read at all."""

    format: int
    version: str


def evidence_json(evidence: Evidence) -> bytes:
    """Return the bytes of the evidence's file: the same evidence, the same bytes."""
    text = msgspec.json.encode(evidence, order="deterministic")
    return msgspec.json.format(text, indent=2) + b"\n"


def write_evidence(
    evidence: Evidence, path: str | os.PathLike[str], *, force: bool = False
) -> None:
    """Write evidence to a JSON file, whole or not at all, readable by its owner only."""
    write_bytes(as_path(path), evidence_json(evidence), force=force)


def read_evidence(path: str | os.PathLike[str]) -> Evidence:
    """Read the evidence of an audit.

    >>> import tempfile, unveil
    >>> people = unveil.households(40)
    >>> quick = unveil.AuditSettings(sweep=False, remedies=False, worst_case=False)
    >>> found = unveil.audit(
    ...     people, people, truth="person", attacks=["distance"], settings=quick
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_evidence(found.evidence, f"{folder}/audit.json")
    ...     read_evidence(f"{folder}/audit.json").records
    40
    """
    path = as_path(path)
    try:
        text = path.read_bytes()
        made_by = msgspec.json.decode(text, type=_Version)
        if not OLDEST_FORMAT <= made_by.format <= FORMAT:
            raise FileError(
                f"this evidence was made by unveil {made_by.version}, in format {made_by.format}; "
                f"this is unveil {__version__}, which reads formats {OLDEST_FORMAT} to {FORMAT}: "
                "audit again, or read it with that version"
            ).at(str(path))
        evidence = msgspec.json.decode(text, type=Evidence)
    except OSError as error:
        raise FileError(f"the evidence cannot be read: {reason(error)}").at(str(path)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # whose message may quote it
        raise FileError(NO_EVIDENCE).at(str(path)) from None
    if not {"original", "release"} <= set(evidence.inputs):
        raise FileError(NO_EVIDENCE).at(str(path))
    return evidence


def write_records(audit: Audit, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write the risk of each original by each attack: a table as private as the original.

    Rows are counted from 1; a cell is blank where the record was not attacked.
    """
    write(Microdata(record_risks(audit)), path, force=force)


def read_records(path: str | os.PathLike[str]) -> dict[str, Floats]:
    """Read the risk of each original by each attack, in row order; NaN where not attacked."""
    table = read(path)
    if ROW not in table.columns or len(table.columns) < 2:
        raise DataError(
            "this is not a table of the risk of each record; give the file of --per-record"
        ).at(str(path))
    names = [name for name in table.columns if name != ROW]
    values = numbers(table, [ROW, *names]).values
    rows = values[:, 0]
    if not (np.sort(rows) == np.arange(1, len(rows) + 1)).all():
        raise DataError(
            "its row numbers are not those of an original, from 1; give the file of --per-record"
        ).at(str(path))
    ordered = values[np.argsort(rows)]
    return {name: ordered[:, position] for position, name in enumerate(names, start=1)}
