"""The common attributes of two files: those to compare, and why others are left out."""

from collections.abc import Sequence
from typing import NamedTuple

from unveil.table.encoding.shared_attributes import has_mixed_levels
from unveil.table.likely_roles import all_differ
from unveil.table.microdata import Microdata
from unveil.values.links import LinkageMethod, Links
from unveil.workflows.auditing.checks import same_type
from unveil.workflows.inputs.intruder_view import UNUSED
from unveil.workflows.inputs.scenario import Scenario

UNORDERED = (
    "has numbers in one file and nominal categories in the other, and no number that both files "
    "have shows their order; declare it (level ordinal)"
)


class CommonAttributes(NamedTuple):
    """The common attributes of two files: those to compare, and why others are left out."""

    columns: tuple[str, ...]
    left_out: dict[str, str]


def common(
    scenario: Scenario, blocks: Sequence[str] = (), attack: LinkageMethod | None = None
) -> CommonAttributes:
    """The personal attributes of both files that can be compared, beside the blocks.

    Categories in one file are compared with numbers in the other by an attack that says so.
    """
    first, second = _files(scenario)
    roles = {name: first.schema[name].role | second.schema[name].role for name in first.columns}
    truth = scenario.truth if isinstance(scenario.truth, str) else None
    shared = [
        name
        for name in first.columns
        if name in second.columns and not roles[name] & UNUSED and name not in (truth, *blocks)
    ]
    as_written = () if attack is None else attack.compared_as_written
    reasons = {
        name: _not_comparable(first, second, name, as_written=name in as_written) for name in shared
    }
    if attack is not None and attack.compares_mixed_levels:
        mixed = {n for n in shared if has_mixed_levels(first, second, n)} - {*as_written}
        mixed = {name for name in mixed if _empty(first, second, name) is None}
        offered = [name for name in shared if name in mixed or reasons[name] is None]
        kept = attack.comparable(scenario.pair, offered)
        reasons |= {name: None if name in kept else UNORDERED for name in mixed}
    columns = [name for name in shared if reasons[name] is None]
    quasi = [name for name in columns if "quasi" in roles[name]]
    left_out = {name: reason for name, reason in reasons.items() if reason is not None}
    return CommonAttributes(tuple(quasi or columns), left_out)


def common_of(links: Links, scenario: Scenario) -> CommonAttributes:
    """The common attributes that the attack of these links can compare."""
    return common(scenario, links.intruder.blocks, links.attack)


def _files(scenario: Scenario) -> tuple[Microdata, Microdata]:
    return scenario.pair.original, scenario.pair.release


def _not_comparable(
    first: Microdata, second: Microdata, name: str, *, as_written: bool
) -> str | None:
    """Why a column of both files cannot be compared; None if it can."""
    if (reason := _empty(first, second, name)) is not None:
        return reason
    if not as_written and has_mixed_levels(first, second, name):
        held = "numbers", "categories"
        one, other = held if first.level(name) == "numeric" else held[::-1]
        return (
            f"has {one} in the first file and {other} in the second, which only distance compares"
        )
    levels = first.schema[name].level, second.schema[name].level
    if None not in levels and levels[0] != levels[1]:
        return f"is {levels[0]} in the first file and {levels[1]} in the second"
    generalised = first.schema[name].generalised or second.schema[name].generalised
    if not (as_written or generalised) and not same_type(first, second, name):
        return "has different types in the two files"
    return None


def _empty(first: Microdata, second: Microdata, name: str) -> str | None:
    """Why a column says nothing of anybody; None if it says something."""
    for data, which in ((first, "first"), (second, "second")):
        cells = data.column(name).drop_nulls()
        if cells.is_empty():
            return f"is missing in every record of the {which} file"
        if data is second and cells.n_unique() == 1:  # the records of the first may be of one kind
            return f"does not vary in the {which} file"
    return None


def like_identifiers(scenario: Scenario, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns without a role in which no two records of either file agree."""
    files = _files(scenario)
    return tuple(
        name
        for name in columns
        if not any(data.schema[name].role for data in files)
        and all(all_differ(data.column(name)) for data in files)
    )
