"""Memory of this machine, and work that needs more of it."""

import os
from contextlib import suppress
from pathlib import Path

from unveil.errors import UsageError

_GROUP_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")  # of a container


def machine_memory() -> int | None:
    """The bytes that this process may have at most; None where the system does not say."""
    with suppress(AttributeError, OSError, ValueError):  # no sysconf on Windows
        sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
        for name in _GROUP_LIMITS:
            with suppress(OSError, ValueError):  # "max" is no limit
                sizes.append(int(Path("/sys/fs/cgroup", name).read_text()))
        return min(size for size in sizes if size > 0)
    return None


def require_memory(need: int, work: str, remedy: str) -> None:
    """Refuse work that needs more memory than the machine has, before it begins."""
    memory = machine_memory()
    if memory is not None and need > memory:
        raise UsageError(
            f"{work} needs about {in_units(need)} of memory, and this machine has "
            f"{in_units(memory)}: {remedy}"
        )


def in_units(size: int) -> str:
    """A number of bytes in GiB or MiB: 3.0 GiB."""
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"
