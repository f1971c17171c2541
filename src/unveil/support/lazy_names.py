"""Public names that load when first used, so that importing a package imports no heavy one."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
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

    @cache
    def load_checked(name: str) -> Any:
        from unveil.support.checked_calls import checked

        return checked(load(name))

    return load_checked, lambda: public
