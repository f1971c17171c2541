"""How an audit is made: the software, the files, the settings, and methods of other packages."""

import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from unveil import __version__
from unveil.attacks import METHODS as ATTACKS
from unveil.attacks.base import Attack
from unveil.engines.base import Engine
from unveil.engines.select import ENGINES
from unveil.masks import METHODS as MASKS
from unveil.measures.information_loss.further import METHODS as LOSSES
from unveil.measures.information_loss.further import as_loss_methods
from unveil.support.registry import Registry
from unveil.values.results.evidence import FORMAT, UsedPlugin
from unveil.values.results.policy import Policy
from unveil.workflows.auditing.attack_names import plain_spec
from unveil.workflows.auditing.checks import identifiers_in
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.settings import AuditSettings

SOFTWARE = ("numpy", "polars", "numba", "scipy", "scikit-learn", "msgspec")


def audit_statement(
    inputs: AuditInputs,
    settings: AuditSettings,
    policy: Policy | None,
    specs: Sequence[Attack] | None,
) -> dict[str, Any]:
    """How an audit is made, for the evidence and its digest."""
    return {
        "format": FORMAT,
        "version": __version__,
        "software": {
            "python": platform.python_version(),
            **{name: version(name) for name in SOFTWARE},
        },
        "inputs": inputs.files,
        "truth": inputs.truth,
        "plan": None if inputs.plan is None else inputs.plan.to_dict(),
        "seed": inputs.scenario.seed,
        "settings": settings.to_dict(),
        "asked": None if specs is None else [plain_spec(spec) for spec in specs],
        "schema": inputs.pair.original.schema.to_dict(),
        "policy": None if policy is None else policy.to_dict(),
    }


def file_counts(inputs: AuditInputs) -> dict[str, Any]:
    """The counts of both files and the visible features of the release, for the evidence."""
    pair = inputs.pair
    return {
        "records": len(pair.original),
        "released": len(pair.release),
        "pairs": None if pair.truth is None else len(pair.released),
        "known": inputs.known,
        "identifiers": identifiers_in(pair.original, pair.release),
        "grouping": pair.grouping if pair.shows_households else (),
        "read_off": inputs.read_off,
    }


def used_plugins(
    attacks: Iterable[Attack], masks: Iterable[Any], measures: Iterable[str], engine: Engine
) -> tuple[UsedPlugin, ...]:
    """The plug-ins among attacks, those that these combine, masks, loss measures and engines."""
    combined = (part for spec in attacks for part in _parts(spec))
    found = [
        *_plugins("attack", ATTACKS, map(type, combined)),
        *_plugins("mask", MASKS, map(type, masks)),
        *_plugins("loss", LOSSES, map(type, as_loss_methods(measures))),
        *_plugins("engine", ENGINES, [type(engine)]),
    ]
    return tuple(dict.fromkeys(found))


def _parts(spec: Attack) -> Iterator[Attack]:
    yield spec
    for name in spec.__struct_fields__:
        value = getattr(spec, name)
        for part in value if isinstance(value, tuple) else ():
            if isinstance(part, Attack):
                yield from _parts(part)


def _plugins(kind: str, known: Registry[Any], used: Iterable[type]) -> Iterator[UsedPlugin]:
    for method in used:
        origin = known.origin(method)
        if origin is not None:
            name, package = known.name_of(method), origin.package
            yield UsedPlugin(kind=kind, name=name, package=package, version=origin.version)
