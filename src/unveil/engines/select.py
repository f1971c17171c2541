"""Engines by name: which ones there are, and which one answers where another cannot.

Another package brings an engine by an entry point of the group `unveil.engines`: its class, which
is made without arguments and imports what it needs when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from unveil.engines.base import Codes, Engine, Prepared
from unveil.engines.blocks import Blocks
from unveil.engines.local.engine import LocalEngine
from unveil.engines.metric import Metric
from unveil.engines.records import Records
from unveil.errors import UsageError
from unveil.support.arrays import Floats, Ints
from unveil.support.equal_rows import EqualRows
from unveil.support.registry import Registry
from unveil.wording import listing, suggest

AUTO = "auto"
LOCAL = LocalEngine()
ENGINES: Registry[Callable[[], Engine]] = Registry(
    "an engine",
    "unveil.engines",
    {},
    lambda one: str(getattr(one, "name", "")),
    lambda one: isinstance(one, type) and callable(getattr(one, "prepare", None)),
    reserved=(AUTO, LOCAL.name),
)
register = ENGINES.register


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
        if not hasattr(name, "prepare"):
            raise UsageError(f"engine: one of {listing(engine_names())}")
        return SelectedEngine(name.name, name)
    if name in (AUTO, LOCAL.name):
        return SelectedEngine(name, LOCAL)
    if name not in engine_names():
        raise UsageError(
            f"'{name}' is not an installed engine{suggest(name, engine_names(), 'engines are')}"
        )
    others = listing(one for one in engine_names() if one != name)
    try:
        return SelectedEngine(name, ENGINES.find(name)())
    except ImportError as error:
        raise UsageError(
            f"engine '{name}' needs the package {error.name}, which is not installed: pip install "
            f"{error.name}, or choose one of {others}"
        ) from None
    except UsageError as error:
        error.or_else(f"or choose one of {others}")
        raise


def engine_names() -> tuple[str, ...]:
    """The names of all engines, installed or not: "auto" and "local" first."""
    return (AUTO, LOCAL.name, *ENGINES.names())
