"""Engines by name: which ones there are, and which one answers where another cannot.

Another package brings an engine by an entry point of the group `unveil.engines`: its name, and a
function without arguments that makes the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from numpy.typing import ArrayLike

from unveil.engines.base import Codes, Engine, Prepared
from unveil.engines.blocks import Blocks
from unveil.engines.local.engine import LocalEngine
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.wording import listing

AUTO = "auto"
GROUP = "unveil.engines"
LOCAL = LocalEngine()
_registered: dict[str, Callable[[], Engine]] = {}


@dataclass(frozen=True, repr=False, eq=False)
class SelectedEngine:
    """The engine that was requested; a metric that it does not support is searched by `local`.

    `Prepared.engine` names the one that answers.
    """

    requested: str
    engine: Engine

    @property
    def name(self) -> str:
        """The name of the engine that answers where it can."""
        return self.engine.name

    def prepare(
        self,
        queries: Records | ArrayLike,
        base: Records | ArrayLike,
        metric: Metric,
        *,
        blocks: Blocks | None = None,
    ) -> Prepared:
        """Prepare a comparison, by the local engine where the other does not support the metric."""
        able = self.engine if self.engine.supports(metric) else LOCAL
        return able.prepare(queries, base, metric, blocks=blocks)

    def pattern_counts(self, a: Codes, b: Codes) -> Ints:
        """Count the pairs by the attributes on which they agree."""
        return self.engine.pattern_counts(a, b)

    def distinct_rows(self, values: Floats) -> EqualRows:
        """Group the rows whose cells are all equal."""
        return self.engine.distinct_rows(values)

    def supports(self, metric: Metric) -> bool:  # noqa: ARG002 - what one cannot, the other can
        """Whether the metric can be searched by: always."""
        return True


def engine(name: str | Engine = AUTO) -> SelectedEngine:
    """The engine of a name; "auto" is the local one. An engine stands for itself.

    >>> engine().name
    'local'
    """
    if isinstance(name, SelectedEngine):
        return name
    if not isinstance(name, str):
        return SelectedEngine(name.name, name)
    if name in (AUTO, LOCAL.name):
        return SelectedEngine(name, LOCAL)
    source = _sources().get(name)
    if source is None:
        raise UsageError(f"there is no engine '{name}'; there are {listing(engine_names())}")
    if not isinstance(source, EntryPoint):
        return SelectedEngine(name, source())
    try:
        return SelectedEngine(name, source.load()())
    except ImportError as error:
        others = listing(one for one in engine_names() if one != name)
        raise UsageError(
            f"engine '{name}' needs the package {error.name}, which is not installed: pip install "
            f"{error.name}; without it there are {others}"
        ) from None


def engine_names() -> tuple[str, ...]:
    """The names of all engines, installed or not: "auto" and "local" first."""
    return (AUTO, LOCAL.name, *sorted(_sources()))


def register(name: str, make: Callable[[], Engine]) -> None:
    """Add an engine for this process."""
    if name in engine_names():
        raise UsageError(f"there is an engine '{name}' already: choose another name")
    _registered[name] = make


def _sources() -> dict[str, Callable[[], Engine] | EntryPoint]:
    plugged = {one.name: one for one in entry_points(group=GROUP)}
    return {
        name: source
        for name, source in (plugged | _registered).items()
        if name not in (AUTO, LOCAL.name)
    }
