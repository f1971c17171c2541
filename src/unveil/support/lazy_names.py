"""Public names that load when first used, so that importing a package imports no heavy one."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], public: Sequence[str]
) -> tuple[Callable[[str], Any], Callable[[], Sequence[str]]]:
    """The `__getattr__` and the `__dir__` of a package, from the module of each lazy name."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(homes[name]), name)

    return load, lambda: public
