"""Red-team a microdata release: mask it, attack it, measure it, choose.

>>> import unveil
>>> len(unveil.households(1000, seed=7))
1000
"""

import importlib as _importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil import attacks, masks, measures
    from unveil.data.attribute import Attribute
    from unveil.data.intruder import Intruder
    from unveil.data.links import Links
    from unveil.data.microdata import Microdata
    from unveil.data.release import Plan, Release, Releases
    from unveil.data.samples import households
    from unveil.data.schema import Schema
    from unveil.errors import UnveilError
    from unveil.files.csv import Csv
    from unveil.files.datasets import dataset
    from unveil.files.plans import read_plan
    from unveil.files.schemas import read_schema
    from unveil.files.tables import read, write
    from unveil.workflows.attacking import attack
    from unveil.workflows.inspecting import inspect
    from unveil.workflows.masking import mask

del TYPE_CHECKING  # the public names are exactly those of __all__

__version__ = "0.1.0"

__all__ = [
    "Attribute",
    "Csv",
    "Intruder",
    "Links",
    "Microdata",
    "Plan",
    "Release",
    "Releases",
    "Schema",
    "UnveilError",
    "attack",
    "attacks",
    "dataset",
    "households",
    "inspect",
    "mask",
    "masks",
    "measures",
    "read",
    "read_plan",
    "read_schema",
    "write",
]

# Public names load when first used: importing unveil loads no heavy package.
_HOME = {
    "Attribute": "unveil.data.attribute",
    "Csv": "unveil.files.csv",
    "Intruder": "unveil.data.intruder",
    "Links": "unveil.data.links",
    "Microdata": "unveil.data.microdata",
    "Plan": "unveil.data.release",
    "Release": "unveil.data.release",
    "Releases": "unveil.data.release",
    "Schema": "unveil.data.schema",
    "UnveilError": "unveil.errors",
    "attack": "unveil.workflows.attacking",
    "attacks": "unveil",
    "dataset": "unveil.files.datasets",
    "households": "unveil.data.samples",
    "inspect": "unveil.workflows.inspecting",
    "mask": "unveil.workflows.masking",
    "masks": "unveil",
    "measures": "unveil",
    "read": "unveil.files.tables",
    "read_plan": "unveil.files.plans",
    "read_schema": "unveil.files.schemas",
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
