"""Files in and out: tables in every format and database, documents, checkpoints.

`read` and `write` are for tables, `write` also for schemas, plans, policies, links and audits. What
was written as a document is read by `read_schema`, `read_plan`, `read_policy`, `read_space`,
`read_evidence`, and what a search found by `read_study`.
`Csv` and `Excel` have the options of these formats.

>>> from unveil import files
>>> files.Csv(delimiter=";", decimal=",").decimal
','
"""

from typing import TYPE_CHECKING

from unveil.support.lazy_names import lazy_names as _lazy_names

if TYPE_CHECKING:
    from unveil.files.documents.evidence import read_evidence
    from unveil.files.documents.study_result import read_study
    from unveil.files.documents.toml import read_plan, read_policy, read_schema, read_space
    from unveil.files.formats.csv.format import Csv
    from unveil.files.formats.excel import Excel
    from unveil.files.tables import read, write

del TYPE_CHECKING  # the public names are exactly those of __all__

__all__ = [
    "Csv", "Excel", "read", "read_evidence", "read_plan", "read_policy", "read_schema",
    "read_space", "read_study", "write",
]  # fmt: skip

_HOME = {
    "Csv": "unveil.files.formats.csv.format",
    "Excel": "unveil.files.formats.excel",
    "read": "unveil.files.tables",
    "read_evidence": "unveil.files.documents.evidence",
    "read_plan": "unveil.files.documents.toml",
    "read_policy": "unveil.files.documents.toml",
    "read_schema": "unveil.files.documents.toml",
    "read_space": "unveil.files.documents.toml",
    "read_study": "unveil.files.documents.study_result",
    "write": "unveil.files.tables",
}

__getattr__, __dir__ = _lazy_names(__name__, _HOME, __all__)
