"""Red-team a microdata release: mask it, attack it, measure it, choose.

>>> import unveil
>>> len(unveil.households(1000, seed=7))
1000
"""

import importlib as _importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil import aggregation, attacks, files, masks, measures, models
    from unveil.errors import UnveilError
    from unveil.files.tables import read, write
    from unveil.reports.write import report
    from unveil.table.microdata import Microdata
    from unveil.table.registers import registers
    from unveil.table.sample import households
    from unveil.table.schema import Schema
    from unveil.values.disclosure_scenario import DisclosureScenario
    from unveil.values.intruder import Intruder
    from unveil.values.links import Links
    from unveil.values.release.plan import Plan
    from unveil.values.release.release import Release, Releases
    from unveil.values.results.choice import Choice
    from unveil.values.results.evidence import Audit
    from unveil.values.results.policy import Policy
    from unveil.values.search_space import SearchSpace
    from unveil.values.use import Use
    from unveil.workflows.attack import attack
    from unveil.workflows.audit import audit
    from unveil.workflows.auditing.settings import AuditSettings
    from unveil.workflows.choose import choose
    from unveil.workflows.compare import compare
    from unveil.workflows.inspect import inspect
    from unveil.workflows.link import link
    from unveil.workflows.mask import mask

del TYPE_CHECKING  # the public names are exactly those of __all__

__version__ = "0.1.0"

__all__ = [
    "Audit", "AuditSettings", "Choice", "DisclosureScenario", "Intruder", "Links", "Microdata",
    "Plan", "Policy", "Release", "Releases", "Schema", "SearchSpace", "UnveilError", "Use",
    "aggregation", "attack", "attacks", "audit", "choose", "compare", "files", "households",
    "inspect", "link", "mask", "masks", "measures", "models", "read", "registers", "report",
    "write",
]  # fmt: skip

# Public names load when first used: importing unveil loads no heavy package.
_HOME = {
    "Audit": "unveil.values.results.evidence",
    "AuditSettings": "unveil.workflows.auditing.settings",
    "Choice": "unveil.values.results.choice",
    "DisclosureScenario": "unveil.values.disclosure_scenario",
    "Intruder": "unveil.values.intruder",
    "Links": "unveil.values.links",
    "Microdata": "unveil.table.microdata",
    "Plan": "unveil.values.release.plan",
    "Policy": "unveil.values.results.policy",
    "Release": "unveil.values.release.release",
    "Releases": "unveil.values.release.release",
    "Schema": "unveil.table.schema",
    "SearchSpace": "unveil.values.search_space",
    "UnveilError": "unveil.errors",
    "Use": "unveil.values.use",
    "aggregation": "unveil",
    "attack": "unveil.workflows.attack",
    "attacks": "unveil",
    "audit": "unveil.workflows.audit",
    "choose": "unveil.workflows.choose",
    "compare": "unveil.workflows.compare",
    "files": "unveil",
    "households": "unveil.table.sample",
    "inspect": "unveil.workflows.inspect",
    "link": "unveil.workflows.link",
    "mask": "unveil.workflows.mask",
    "masks": "unveil",
    "measures": "unveil",
    "models": "unveil",
    "read": "unveil.files.tables",
    "registers": "unveil.table.registers",
    "report": "unveil.reports.write",
    "write": "unveil.files.tables",
}

_DISPLAYS = "unveil.reports.displays"  # registers how values are shown, when one is first shown


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute '{name}'")
    home = _HOME[name]
    if home == "unveil":
        return _importlib.import_module(f"unveil.{name}")
    checks = _importlib.import_module("unveil.support.checked_calls")
    value = checks.checked(getattr(_importlib.import_module(home), name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
