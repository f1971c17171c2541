"""Limit lines: the policy's limits, drawn into every chart whose axis they are measured on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from unveil.reports.content import Exhibit, LimitLine, Section
from unveil.values.disclosure_scenario import STRESS_TEST

Axes = dict[Literal["x", "y"], tuple[str, ...]]

# Limits on the share linked by the best attack of the audit, which is the stress test's.
LINKED = ("max_risk", "max_linked")
AXES: dict[str, Axes] = {  # of each chart: the limits on the figure of each axis
    "attacks": {"x": LINKED},
    "claims": {"x": ("max_confirmed",)},
    "knowledge": {"y": LINKED},
    "knowledge_surface": {"y": LINKED},
    "noise": {"y": LINKED},
    "without": {"x": LINKED},
    "subgroups": {"x": ("max_subgroup_risk",)},
    "remedies": {"x": LINKED},
    "risk_loss": {"x": ("max_loss",), "y": LINKED},
    "attacks_beside": {"x": LINKED},
}
OF_INTRUDERS: dict[str, Axes] = {"subgroups": {"x": ("max_linked",)}}  # in the view of each


def with_limit_lines(section: Section, policy: Mapping[str, Any] | None) -> Section:
    """The section with the limits of a policy in its charts; a view has those of its intruder."""

    def limited(exhibits: Sequence[Exhibit], scenario: str = STRESS_TEST) -> tuple[Exhibit, ...]:
        return tuple(
            msgspec.structs.replace(one, limits=tuple(limit_lines(one.chart, policy, scenario)))
            for one in exhibits
        )

    choices = tuple(
        msgspec.structs.replace(one, exhibits=limited(one.exhibits, one.title))
        for one in section.choices
    )
    return msgspec.structs.replace(section, exhibits=limited(section.exhibits), choices=choices)


def limit_lines(
    chart: str | None, policy: Mapping[str, Any] | None, scenario: str = STRESS_TEST
) -> Iterator[LimitLine]:
    """The limits of a policy that a chart can show; of several on one axis, the tightest.

    >>> list(limit_lines("attacks", {"max_risk": 0.05, "max_loss": 0.3}))
    [LimitLine(axis='x', limit='max_risk', value=0.05, of='')]
    """
    axes, tables, of = AXES, [policy or {}], ""
    if scenario != STRESS_TEST:  # whose limit is on all people, and its charts are of groups
        axes, tables, of = OF_INTRUDERS, [], "of all people"
    tables += [one for one in (policy or {}).get("intruder", ()) if one["name"] == scenario]
    for axis, limits in axes.get(chart or "", {}).items():
        found = [(float(t[one]), one) for t in tables for one in limits if t.get(one) is not None]
        if found:
            value, limit = min(found)
            yield LimitLine(axis=axis, limit=limit, value=value, of=of)
