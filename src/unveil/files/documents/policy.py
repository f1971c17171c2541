"""Policies as TOML files."""

import os
from typing import Any

import msgspec

from unveil.errors import SpecError, UsageError
from unveil.files.documents.toml import read_toml
from unveil.values.results.policy import Policy


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """Read a policy from its TOML file: a line for each limit.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "policy.toml")
    ...     _ = path.write_text("max_risk = 0.05")
    ...     read_policy(path).max_risk
    0.05
    """
    return read_toml(path, "policy", lambda table: Policy(**table), SpecError)


def policy_toml(policy: Policy) -> bytes:
    """Return the policy as the bytes of its TOML file."""
    return msgspec.toml.encode(policy.to_dict())


def as_policy(given: Any) -> Policy | None:
    """Return a policy, reading it from its file if a path is given."""
    if given is None or isinstance(given, Policy):
        return given
    if isinstance(given, str | os.PathLike):
        return read_policy(given)
    raise UsageError(f"a policy is a Policy or a path, not {type(given).__name__}")
