"""Categories by their own codes, where the audit was asked for them (`show_values`)."""

from collections.abc import Mapping
from typing import Any

import msgspec

from unveil.values.results.evidence import Evidence


def with_codes(evidence: Evidence) -> Evidence:
    """The evidence with codes of the data in the place of letters; unchanged if it has no codes."""
    if not evidence.categories:
        return evidence
    groups, verdict = _coded(evidence.subgroups, evidence.categories), evidence.verdict
    worst = None if evidence.subgroups is None else evidence.subgroups.highest
    if verdict is not None and worst is not None:
        before, after = (f"{one.column}, {one.group}: " for one in (worst, groups.highest))
        limits = (
            msgspec.structs.replace(one, reason=one.reason.replace(before, after))
            for one in verdict.limits
        )
        verdict = msgspec.structs.replace(verdict, limits=tuple(limits))
    return msgspec.structs.replace(
        evidence,
        subgroups=groups,
        verdict=verdict,
        loss=_coded(evidence.loss, evidence.categories),
        shapes=_coded(evidence.shapes, evidence.categories),
    )


def _coded(value: Any, categories: Mapping[str, Mapping[str, str]], column: str = "") -> Any:
    """A result in which the names of a column's categories are replaced by their codes."""
    if isinstance(value, tuple):
        return tuple(_coded(one, categories, column) for one in value)
    if isinstance(value, msgspec.Struct):
        own = getattr(value, "column", column)
        fields = {
            name: _coded(getattr(value, name), categories, own) for name in value.__struct_fields__
        }
        return type(value)(**fields)
    return categories.get(column, {}).get(value, value) if isinstance(value, str) else value
