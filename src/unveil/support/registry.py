"""Methods by name: built in, registered by a program, or brought by another package (a plug-in).

built in      a table of names and modules; a module is imported when its method is asked for
registered    `register(method)`, by the running program
plug-ins      entry points of installed packages, loaded when asked for by name, or listed
"""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from typing import Any, Generic, NamedTuple, TypeVar

from unveil.errors import PlugInError, SpecError, UnveilError, UsageError
from unveil.support.specs import kebab_case
from unveil.wording import printable, suggest

INTERFACE = 1  # version of the plug-in interface: raised when older plug-ins can no longer work
SWITCH = "UNVEIL_PLUGINS"  # an environment variable: off hides the plug-ins of other packages

M = TypeVar("M")


class MethodOrigin(NamedTuple):
    """The package that a method comes from, if that is not unveil."""

    package: str
    version: str  # empty for a method that the running program registered

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()


class Registry(Iterable[M], Generic[M]):
    """The methods of one kind. It iterates over those built in, then those registered."""

    def __init__(
        self,
        kind: str,  # with its article: "an attack"
        group: str,  # of entry points
        built_in: Mapping[str, str],  # the module of each class
        name_of: Callable[[M], str],
        is_valid: Callable[[Any], bool],
        reserved: Iterable[str] = (),  # further names that nobody may take
        *,
        variants: bool = False,  # rank-max is a variant of rank, so nobody may take that either
    ) -> None:
        self.kind, self.group = kind, group
        self._built_in = {kebab_case(name): (home, name) for name, home in built_in.items()}
        self.name_of, self._is_valid = name_of, is_valid
        self._reserved = {*self._built_in, *reserved}
        self._prefixes = tuple(f"{name}-" for name in self._built_in) if variants else ()
        self._registered: dict[str, M] = {}
        self._loaded: dict[str, tuple[M, MethodOrigin]] = {}

    def register(self, method: M) -> M:
        """Make a method known by its name; usable as a decorator.

        A name has one method: a second one is refused, unless it is the same definition run again.
        """
        if not self._is_valid(method):
            raise UsageError(f"{_place(method)} cannot be registered: it is not {self.kind}")
        name = self.name_of(method)
        if self._is_reserved(name):
            raise SpecError(f"'{name}' is {self.kind} of unveil; choose another name")
        old = self._registered.get(name)
        if old is not None and _place(old) != _place(method):
            raise SpecError(
                f"'{name}' is already {self.kind} of {_place(old)}; choose another name for that "
                f"of {_place(method)}"
            )
        self._registered[name] = method
        return method

    def find(self, name: object) -> M:
        """The method of this name, or an error that lists all."""
        if isinstance(name, str):
            if name in self._built_in:
                return self._import(name)
            if name in self._registered:
                return self._registered[name]
            if not self._is_reserved(name) and (points := self._plugins().get(name)):
                return self._load(name, points)
        known = self.names()
        word = "method: not given" if name is None else f"'{name}' is not {self.kind}"
        hint = suggest(name, known, "methods are") if known else "; no installed package has any"
        hidden = f"; plug-ins are switched off ({SWITCH})" if self._switched_off() else ""
        raise SpecError(f"{word}{hint}{hidden}")

    def names(self) -> tuple[str, ...]:
        """All names, in order; no plug-in is loaded."""
        free = (name for name in self._plugins() if not self._is_taken(name))
        return (*self._built_in, *self._registered, *sorted(free))

    def named_in(self, name: str) -> str | None:
        """The longest method name that a name with its variant begins with: rank of rank-max."""
        if name in self._built_in:
            return name
        fitting = [one for one in self.names() if f"{name}-".startswith(f"{one}-")]
        return max(fitting, key=len, default=None)

    def listed(self) -> Iterator[M]:
        """Every method, with those of plug-ins; a plug-in that cannot be used is a warning."""
        yield from self
        for name, points in sorted(self._plugins().items()):
            try:
                if self._is_taken(name):
                    self._refuse_taken(name, points)
                else:
                    yield self._load(name, points)
            except UnveilError as error:
                logging.getLogger("unveil").warning("%s", error)

    def added(self) -> tuple[M, ...]:
        """The methods that are not unveil's: registered, or loaded from a plug-in so far."""
        return (*self._registered.values(), *(method for method, _ in self._loaded.values()))

    def origin(self, method: M) -> MethodOrigin | None:
        """The package of a method; None for one of unveil."""
        name = self.name_of(method)
        if name in self._loaded and self._loaded[name][0] is method:
            return self._loaded[name][1]
        return MethodOrigin(_module(method), "") if self._registered.get(name) is method else None

    @contextmanager
    def blame(self, method: M) -> Iterator[None]:
        """An error in the code of a plug-in names its package."""
        try:
            yield
        except UnveilError:
            raise
        except Exception as error:
            if (origin := self.origin(method)) is None:
                raise
            raise PlugInError(
                f"'{self.name_of(method)}' of {origin} failed ({type(error).__name__}): report it "
                "to the authors of that package"
            ) from error

    def __iter__(self) -> Iterator[M]:
        return map(self.find, (*self._built_in, *self._registered))

    def _import(self, name: str) -> M:
        module, attribute = self._built_in[name]
        method: M = getattr(import_module(module), attribute)
        return method

    def _plugins(self) -> dict[str, tuple[EntryPoint, ...]]:
        return {} if self._switched_off() else _entry_points(self.group, tuple(sys.path))

    @staticmethod
    def _switched_off() -> bool:
        return os.environ.get(SWITCH, "").strip().lower() in {"off", "0", "no", "false"}

    def _is_reserved(self, name: str) -> bool:
        return name in self._reserved or name.startswith(self._prefixes)

    def _is_taken(self, name: str) -> bool:
        return self._is_reserved(name) or name in self._registered

    def _refuse_taken(self, name: str, points: Sequence[EntryPoint]) -> None:
        for point in points:
            ours = self._registered.get(name)
            if ours is None or _module(ours) != point.module.partition(".")[0]:
                owner = "unveil" if ours is None else _place(ours)
                raise SpecError(
                    f"'{name}' of {_package(point)} is not used: {owner} has {self.kind} of this "
                    "name"
                )

    def _load(self, name: str, points: Sequence[EntryPoint]) -> M:
        """The method of an entry point, refused if it does not suit this version."""
        if name in self._loaded:
            return self._loaded[name][0]
        if len(points) > 1:
            raise SpecError(
                f"'{name}' is {self.kind} of {' and of '.join(str(_package(p)) for p in points)}: "
                f"uninstall one of them, or set {SWITCH}=off"
            )
        origin = _package(points[0])
        where = f"'{name}' of {origin}"
        try:
            method = points[0].load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another package does
            reason = printable(f"{type(error).__name__}: {error}")
            raise UsageError(
                f"{where} cannot be loaded ({reason}); repair or uninstall it"
            ) from None
        if not self._is_valid(method) or self.name_of(method) != name:
            raise UsageError(
                f"{where} is not {self.kind} of that name: the entry point must have the name of "
                "the method that it loads"
            )
        written_for = getattr(method, "interface", None)
        if written_for != INTERFACE:
            stated = "none" if written_for is None else written_for
            raise UsageError(
                f"{where} was written for version {stated} of the plug-in interface, and this "
                f"unveil has version {INTERFACE}: install another version of either"
            )
        self._loaded[name] = method, origin
        return self._loaded[name][0]


def concrete_subclass(base: type) -> Callable[[Any], bool]:
    """The test that something is a class below a base, without abstract methods."""
    return lambda one: isinstance(one, type) and issubclass(one, base) and not isabstract(one)


@cache
def _entry_points(group: str, _path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of all packages on the path, by name."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def _package(point: EntryPoint) -> MethodOrigin:
    dist = point.dist
    return MethodOrigin(point.module, "") if dist is None else MethodOrigin(dist.name, dist.version)


def _place(method: object) -> str:
    """The module and the name of a definition."""
    defined = method if isinstance(method, type) else type(method)
    return f"{defined.__module__}.{defined.__qualname__}"


def _module(method: object) -> str:
    return str(getattr(method, "__module__", "")).partition(".")[0]
