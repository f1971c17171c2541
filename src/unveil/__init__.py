"""Red-team a microdata release: mask it, attack it, measure it, choose.

>>> import unveil
>>> len(unveil.households(1000, seed=7))
1000
"""

import importlib as _importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil import aggregation, attacks, masks, measures, models
    from unveil.data.attribute import Attribute
    from unveil.data.audit import Audit
    from unveil.data.intruder import Intruder
    from unveil.data.links import Links
    from unveil.data.microdata import Microdata
    from unveil.data.policy import Policy
    from unveil.data.release import Plan, Release, Releases
    from unveil.data.samples import households
    from unveil.data.schema import Schema
    from unveil.errors import UnveilError
    from unveil.files.csv import Csv
    from unveil.files.evidence import read_evidence
    from unveil.files.excel import Excel
    from unveil.files.plans import read_plan
    from unveil.files.policies import read_policy
    from unveil.files.schemas import read_schema
    from unveil.files.tables import read, write
    from unveil.reports.writing import report
    from unveil.workflows.attacking import attack
    from unveil.workflows.auditing import audit
    from unveil.workflows.comparing import compare
    from unveil.workflows.inspecting import inspect
    from unveil.workflows.linking import link
    from unveil.workflows.masking import mask

del TYPE_CHECKING  # the public names are exactly those of __all__

__version__ = "0.1.0"

__all__ = [
    "Attribute",
    "Audit",
    "Csv",
    "Excel",
    "Intruder",
    "Links",
    "Microdata",
    "Plan",
    "Policy",
    "Release",
    "Releases",
    "Schema",
    "UnveilError",
    "aggregation",
    "attack",
    "attacks",
    "audit",
    "compare",
    "households",
    "inspect",
    "link",
    "mask",
    "masks",
    "measures",
    "models",
    "read",
    "read_evidence",
    "read_plan",
    "read_policy",
    "read_schema",
    "report",
    "write",
]

# Public names load when first used: importing unveil loads no heavy package.
_HOME = {
    "Attribute": "unveil.data.attribute",
    "Audit": "unveil.data.audit",
    "Csv": "unveil.files.csv",
    "Excel": "unveil.files.excel",
    "Intruder": "unveil.data.intruder",
    "Links": "unveil.data.links",
    "Microdata": "unveil.data.microdata",
    "Plan": "unveil.data.release",
    "Policy": "unveil.data.policy",
    "Release": "unveil.data.release",
    "Releases": "unveil.data.release",
    "Schema": "unveil.data.schema",
    "UnveilError": "unveil.errors",
    "aggregation": "unveil",
    "attack": "unveil.workflows.attacking",
    "attacks": "unveil",
    "audit": "unveil.workflows.auditing",
    "compare": "unveil.workflows.comparing",
    "households": "unveil.data.samples",
    "inspect": "unveil.workflows.inspecting",
    "link": "unveil.workflows.linking",
    "mask": "unveil.workflows.masking",
    "masks": "unveil",
    "measures": "unveil",
    "models": "unveil",
    "read": "unveil.files.tables",
    "read_evidence": "unveil.files.evidence",
    "read_plan": "unveil.files.plans",
    "read_policy": "unveil.files.policies",
    "read_schema": "unveil.files.schemas",
    "report": "unveil.reports.writing",
    "write": "unveil.files.tables",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute '{name}'")
    home = _HOME[name]
    if home == "unveil":
        return _importlib.import_module(f"unveil.{name}")
    value = getattr(_importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
