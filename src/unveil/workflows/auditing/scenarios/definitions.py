"""The scenarios of an audit as its schema and policy define them."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from unveil.errors import DataError, SpecError, UnveilError
from unveil.measures import sampling_fraction
from unveil.table.microdata import Microdata
from unveil.values.disclosure_scenario import (
    ACQUAINTANCE,
    FIXED,
    INSIDER,
    JOURNALIST,
    MARKETER,
    PROSECUTOR,
    REGISTER,
    STRESS_TEST,
    DisclosureScenario,
)
from unveil.values.file_pair import FilePair
from unveil.values.results.policy import Policy
from unveil.wording import absent_column, count, listing
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.inputs.intruder_view import check_no_identifier

LEAST_VISIBLE, MOST_VISIBLE = 3, 6  # keys of an acquaintance
STALE = 0.05  # share of the cells of a register
INSIDERS_PART = 0.1  # of the respondents
MOST_PEOPLE = 10**11  # of a register
OTHERS_PER_MEMBER = 1  # people of a register beside each of the release, where no weight tells more
WITHOUT_SECRETS = REGISTER, ACQUAINTANCE, JOURNALIST, MARKETER  # know no confidential key
# What an intruder has unless the policy says otherwise. The masking is no secret; who lives
# together is.
EXACT = {
    "error": 0.0, "coarse": False, "member": True, "plan": True, "together": True,
    "knows_households": False,
}  # fmt: skip


def scenarios_of(inputs: AuditInputs, policy: Policy | None) -> tuple[DisclosureScenario, ...]:
    """The scenarios beside the stress test, completed: of every audit, then of the policy.

    The stress test is the attacks of the audit itself. There is no scenario where the rows of the
    release are nobody's.
    """
    if inputs.pair.truth is None:
        return ()
    given = {one.name: one for one in (() if policy is None else policy.intruder)}
    names = dict.fromkeys((*FIXED, *given))
    found = tuple(_completed(n, given.get(n), inputs) for n in names if n != STRESS_TEST)
    for scenario in found:
        _check(scenario, inputs)
    return found


def _completed(
    name: str, own: DisclosureScenario | None, inputs: AuditInputs
) -> DisclosureScenario:
    known, people = inputs.known, inputs.pair.original
    special: dict[str, dict[str, Any]] = {
        REGISTER: {"knows": keys_of(known, people), "error": STALE, "member": False, "plan": False},
        ACQUAINTANCE: {
            "knows": visible_keys(known, people),
            "coarse": True,
            "plan": False,
            "together": False,
        },
        INSIDER: {"records": INSIDERS_PART, "knows_households": True},
        PROSECUTOR: {"together": False},
        JOURNALIST: {"knows": keys_of(known, people), "member": False, "together": False},
        MARKETER: {"knows": keys_of(known, people), "member": False},
    }
    set_by_policy = {} if own is None else {n: getattr(own, n) for n in own.knowledge} | own.limits
    fields = {"knows": known} | EXACT | special.get(name, {}) | set_by_policy
    if not fields["member"] and fields.get("records") is None:
        fields["records"] = _register_size(inputs.pair)
    return DisclosureScenario(name=name, **fields)


def keys_of(known: Sequence[str], people: Microdata) -> tuple[str, ...]:
    """The quasi-identifiers that are not confidential: what a register has; or all of them."""
    keys = tuple(n for n in known if "confidential" not in people.schema[n].role)
    return keys or tuple(known)


def visible_keys(known: Sequence[str], people: Microdata) -> tuple[str, ...]:
    """The keys that an acquaintance sees: those declared visible, then those of fewest values.

    Of more than six declared ones, the six of fewest values; where fewer than three are declared,
    others make up three, or six if none is.
    """
    ranked = sorted(known, key=lambda name: people.column(name).n_unique())
    declared = [name for name in ranked if people.schema[name].visible]
    others = [name for name in ranked if name in keys_of(known, people) and name not in declared]
    size = max(len(declared), LEAST_VISIBLE) if declared else MOST_VISIBLE
    chosen = (declared + others)[: min(size, MOST_VISIBLE)]
    return tuple(name for name in known if name in chosen)


def note_on(scenario: DisclosureScenario, given: Sequence[str], inputs: AuditInputs) -> str:
    """What is assumed of a scenario where neither schema nor policy say it."""
    people, known = inputs.pair.original, scenario.knows or ()
    visible = [name for name in known if people.schema[name].visible]
    notes, beyond = list[str](), [name for name in known if name not in inputs.known]
    if scenario.name == ACQUAINTANCE and "knows" not in given and len(visible) < len(known):
        notes.append(
            f"the schema declares {count(len(visible), 'quasi-identifier')} visible, so that "
            f"{'others' if visible else 'those'} with the fewest values are taken for visible "
            "(visible = [...])"
        )
    dropped = [n for n in inputs.known if people.schema[n].visible and n not in known]
    if scenario.name == ACQUAINTANCE and "knows" not in given and dropped:
        notes.append(
            f"the schema declares {count(len(visible) + len(dropped), 'quasi-identifier')} "
            f"visible, of which this intruder knows the {MOST_VISIBLE} with the fewest values, and "
            f"not {listing(dropped)} (knows = [...] in the policy)"
        )
    secret = all("confidential" in people.schema[name].role for name in known)
    if secret and scenario.name in WITHOUT_SECRETS and "knows" not in given:
        notes.append(
            "every quasi-identifier is confidential, so that this intruder is assumed to know "
            "confidential attributes (knows = [...] in the policy)"
        )
    if beyond:
        notes.append(
            f"knows {listing(beyond)}, which the stress test does not know: the stress test is no "
            "upper reference for this intruder"
        )
    if scenario.name not in FIXED and "knows_households" not in given and _has_households(people):
        notes.append(
            "this intruder is assumed not to know who lives together (knows_households = true in "
            "the policy)"
        )
    if not scenario.member and "records" not in given and _fraction(people) is None:
        notes.append(_population_note(people))
    return "; ".join(notes)


def _has_households(people: Microdata) -> bool:
    return bool(people.schema.with_role("household"))


def _population_note(people: Microdata) -> str:
    why = "no weight tells how large the population is"
    if people.schema.with_role("weight"):
        why = (
            "the weights do not tell how large the population is (some are missing or not above "
            "0, or they sum to fewer people than there are)"
        )
    return (
        f"{why}: as many strangers are assumed as the release has people (records = ... in the "
        "policy)"
    )


def _register_size(pair: FilePair) -> int:
    """The people of the population by the weights; without any, twice those of the release."""
    members, fraction = len(pair.released), _fraction(pair.original)
    size = members * (1 + OTHERS_PER_MEMBER) if fraction is None else round(members / fraction)
    return max(size, len(pair.original))


def _fraction(people: Microdata) -> float | None:
    with suppress(UnveilError):  # the audit says what is wrong with the weights
        return sampling_fraction(people)
    return None


def _check(scenario: DisclosureScenario, inputs: AuditInputs) -> None:
    """Refuse a scenario that this original and this release cannot have."""
    where, pair = f"policy: intruder '{scenario.name}'", inputs.pair
    for name in scenario.knows or ():
        for data, file in ((pair.original, "original"), (pair.release, "release")):
            if name not in data.columns:
                raise DataError(
                    f"{where}: knows: in the {file}, {absent_column(name, data.columns)}"
                )
        try:
            check_no_identifier(name, pair.original)
        except SpecError as error:
            error.at(where)
            raise
    members, held = len(pair.released), scenario.records
    if not isinstance(held, int):
        return
    if held > MOST_PEOPLE:
        raise DataError(f"{where}: records: at most {MOST_PEOPLE:,} people")
    people = count(held, "person").replace("persons", "people")
    if not scenario.member and held < len(pair.original):
        raise DataError(
            f"{where}: records: a file of {people} is smaller than the original, of "
            f"{len(pair.original):,}; it has these people and others: give the number of both"
        )
    if scenario.member and held > members:
        raise DataError(
            f"{where}: records: {people} of a release of {members:,}: give at most so many, or "
            "member = false, if the others are not in the release"
        )
