"""Limit lines: the policy's limits, drawn into every chart whose axis they are measured on."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from unveil.reports.content import Exhibit, LimitLine, Section
from unveil.values.disclosure_scenario import STRESS_TEST

AXES: dict[
    str, dict[Literal["x", "y"], str]
] = {  # of each chart: the limit that each axis is compared with
    "attacks": {"x": "max_risk"},
    "claims": {"x": "max_confirmed"},
    "knowledge": {"y": "max_risk"},
    "knowledge_surface": {"y": "max_risk"},
    "noise": {"y": "max_risk"},
    "subgroups": {"x": "max_subgroup_risk"},
    "remedies": {"x": "max_risk"},
    "risk_loss": {"x": "max_loss", "y": "max_risk"},
    "attacks_beside": {"x": "max_risk"},
}


def with_limit_lines(section: Section, policy: Mapping[str, Any] | None) -> Section:
    """The section with the limits of a policy in its charts: those of the stress test."""

    def limited(exhibits: Sequence[Exhibit]) -> tuple[Exhibit, ...]:
        return tuple(
            msgspec.structs.replace(one, limits=limit_lines(one.chart, policy or {}))
            for one in exhibits
        )

    choices = tuple(
        msgspec.structs.replace(one, exhibits=limited(one.exhibits))
        if one.title == STRESS_TEST
        else one
        for one in section.choices
    )
    return msgspec.structs.replace(section, exhibits=limited(section.exhibits), choices=choices)


def limit_lines(chart: str | None, policy: Mapping[str, Any]) -> tuple[LimitLine, ...]:
    """The limits of a policy that a chart can show.

    >>> limit_lines("attacks", {"max_risk": 0.05, "max_loss": 0.3})
    (LimitLine(axis='x', limit='max_risk', value=0.05),)
    """
    return tuple(
        LimitLine(axis=axis, limit=limit, value=float(policy[limit]))
        for axis, limit in AXES.get(chart or "", {}).items()
        if policy.get(limit) is not None
    )
