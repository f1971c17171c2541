"""Which attributes of two files are compared, and which attack suits them."""

from collections.abc import Sequence
from typing import NamedTuple

from unveil.attacks import Attack, Distance, Pairs, Position, Probabilistic, Structural
from unveil.errors import DataError
from unveil.table.infer import guess_attribute
from unveil.table.microdata import Microdata
from unveil.wording import absent_column, listing
from unveil.workflows.auditing.checks import comparable
from unveil.workflows.inputs.intruder_view import UNUSED, check_no_identifier
from unveil.workflows.inputs.scenario import Scenario

ENOUGH = 3  # attributes: of fewer, agreement does not tell what agrees by chance


def chosen(scenario: Scenario, knows: tuple[str, ...] | None = None) -> Attack:
    """The attack that suits two files, where none was asked for.

    >>> import unveil
    >>> from unveil.workflows.inputs.scenario import prepare
    >>> people = unveil.households(50)
    >>> scene = prepare(people, people, intruder=unveil.Intruder(), truth=None, seed=0)
    >>> chosen(scene).name
    'probabilistic'
    """
    check_known(scenario, knows)
    shared = [name for name in knows or () if name in scenario.side.data.columns]
    if knows is not None and shared and len(shared) < len(knows):
        other = [name for name in knows if name not in shared]
        raise DataError(
            f"knows: the second file has {listing(shared)}, and lacks {listing(other)}: name "
            "attributes that both have, or that the second lacks, or choose an attack"
        )
    many = len(shared) if knows is not None else len(common(scenario).columns)
    if many >= ENOUGH:
        return Probabilistic(matching="posterior")
    if many:  # in one unit for both: who is in one file only would shift the other's mean
        return Distance(scale="release", matching="posterior")
    if knows is None and common(scenario).left_out and not all(_apart(scenario)):
        remedy = "declare them in a schema, or give files with attributes of their own"
        raise nothing_common(scenario, remedy)
    return Structural()


def check_known(scenario: Scenario, knows: Sequence[str] | None) -> None:
    """The attributes to link by are attributes of the first file."""
    for name in knows or ():
        if name not in scenario.places.intruder_records.columns:
            told = absent_column(name, scenario.places.intruder_records.columns)
            raise DataError(f"knows: in the first file, {told}")
        check_no_identifier(name, scenario.places.intruder_records)


class CommonAttributes(NamedTuple):
    """The attributes that both files have: those that are compared, and why others are not."""

    columns: tuple[str, ...]
    left_out: dict[str, str]


def common(scenario: Scenario) -> CommonAttributes:
    """What both files say of a person, as far as it can be compared.

    >>> import unveil
    >>> from unveil.workflows.inputs.scenario import prepare
    >>> people = unveil.households(50)
    >>> scene = prepare(people, people, intruder=unveil.Intruder(), truth="person", seed=0)
    >>> common(scene).columns[:3]
    ('region', 'sex', 'age')
    """
    first, second = both = scenario.places.intruder_records, scenario.side.data
    roles = {name: first.schema[name].role | second.schema[name].role for name in first.columns}
    truth = scenario.truth if isinstance(scenario.truth, str) else None
    columns, left_out = [], {}
    for name in first.columns:
        if name not in second.columns or roles[name] & UNUSED or name == truth:
            continue
        reason = _reason(*both, name)
        if reason is None:
            columns.append(name)
        else:
            left_out[name] = reason
    quasi = [name for name in columns if "quasi" in roles[name]]
    return CommonAttributes(tuple(quasi or columns), left_out)


def _reason(first: Microdata, second: Microdata, name: str) -> str | None:
    """Why a column of both files cannot be compared."""
    for data, which in ((first, "first"), (second, "second")):
        cells = data.column(name).drop_nulls()
        if cells.is_empty():
            return f"is missing in every record of the {which} file"
        if data is second and cells.n_unique() == 1:  # who is looked for may be of one kind
            return f"does not vary in the {which} file"
    levels = first.schema[name].level, second.schema[name].level
    if None not in levels and levels[0] != levels[1]:
        return f"is {levels[0]} in the first file and {levels[1]} in the second"
    cells_differ = first.schema[name].generalised or second.schema[name].generalised
    if not cells_differ and not comparable(first, second, name):
        return "is of another type in the second file than in the first"
    return None


def like_identifiers(scenario: Scenario, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns without a role in which no two records of either file agree.

    >>> import unveil
    >>> from unveil.workflows.inputs.scenario import prepare
    >>> people = unveil.Microdata(unveil.households(50).to_frame())
    >>> scene = prepare(people, people, intruder=unveil.Intruder(), truth=None, seed=0)
    >>> like_identifiers(scene, people.columns)
    ('person',)
    """
    both = scenario.places.intruder_records, scenario.side.data
    return tuple(
        name
        for name in columns
        if not any(data.schema[name].role for data in both)
        and all("identifier" in guess_attribute(data.column(name)).question for data in both)
    )


def compares(spec: Attack) -> bool:
    """Whether an attack compares attributes of one name.

    >>> compares(Distance()), compares(Structural())
    (True, False)
    """
    return not isinstance(spec, Structural | Position | Pairs)


def _apart(scenario: Scenario) -> tuple[list[str], list[str]]:
    """The attributes of each file that the other lacks."""
    first, second = scenario.places.intruder_records, scenario.side.data

    def lacking(data: Microdata, other: Microdata) -> list[str]:
        told = (name for name in data.columns if not UNUSED & data.schema[name].role)
        return [name for name in told if name not in other.columns]

    return lacking(first, second), lacking(second, first)


def nothing_common(scenario: Scenario, remedy: str) -> DataError:
    """The error of files that share nothing, with what they seemed to share."""
    left_out = common(scenario).left_out
    told = "; ".join(f"'{name}' {reason}" for name, reason in left_out.items())
    said = f" ({told})" if told else ""
    return DataError(
        f"the two files have no attribute in common that can be compared{said}; {remedy}"
    )
