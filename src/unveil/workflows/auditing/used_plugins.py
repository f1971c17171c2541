"""The methods of other packages that the numbers of an audit depend on."""

from collections.abc import Iterable, Iterator
from typing import Any

from unveil.attacks import METHODS as ATTACKS
from unveil.attacks.base import Attack
from unveil.engines.base import Engine
from unveil.engines.select import ENGINES
from unveil.masks import METHODS as MASKS
from unveil.measures.information_loss.further import METHODS as LOSSES
from unveil.support.registry import Registry
from unveil.values.results.evidence import UsedPlugin


def used_plugins(
    attacks: Iterable[Attack], masks: Iterable[Any], measures: Iterable[str], engine: Engine
) -> tuple[UsedPlugin, ...]:
    """The plug-ins among attacks, those that these combine, masks, loss measures and engines."""
    combined = (part for spec in attacks for part in _parts(spec))
    found = [
        *_plugins("attack", ATTACKS, map(type, combined)),
        *_plugins("mask", MASKS, map(type, masks)),
        *_plugins("loss", LOSSES, map(LOSSES.find, measures)),
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
            name, package, version = known.name_of(method), origin.package, origin.version
            yield UsedPlugin(kind=kind, name=name, package=package, version=version)
