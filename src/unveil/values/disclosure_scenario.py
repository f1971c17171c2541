"""Disclosure scenarios: intruders with their knowledge, their target people and their limits."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.specs import Spec
from unveil.wording import listing, suggest

STRESS_TEST, REGISTER, ACQUAINTANCE, INSIDER = "stress test", "register", "acquaintance", "insider"
FIXED = (STRESS_TEST, REGISTER, ACQUAINTANCE, INSIDER)  # the rows of every audit, in this order
PROSECUTOR, JOURNALIST, MARKETER = "prosecutor", "journalist", "marketer"
NAMED = (*FIXED, PROSECUTOR, JOURNALIST, MARKETER)  # a policy need not say what they know
WHO = {  # in words
    STRESS_TEST: "An intruder who knows every quasi-identifier of all people in the release "
    "exactly, and the masking. An upper reference for the others, not a realistic intruder.",
    REGISTER: "An intruder with a file of the population or a large part of it, such as a "
    "register or a customer list. It has the keys that are not confidential, 5 % of its values "
    "are out of date, and it does not show who is in the release.",
    ACQUAINTANCE: "An intruder who knows one person, such as a neighbour or a colleague: the "
    "most visible keys (declared visible in the schema, or else those with the fewest values), "
    "numbers roughly, and that the person is in the release.",
    INSIDER: "An intruder who holds the true records of a tenth of the respondents, such as an "
    "interviewer, and knows the masking.",
    PROSECUTOR: "An intruder who looks for one person and knows that this person is in the "
    "release, every quasi-identifier of this person exactly, and the masking.",
    JOURNALIST: "An intruder who looks for any one person, with an exact file of the population: "
    "the keys that are not confidential, not who is in the release. The intruder knows the "
    "masking.",
    MARKETER: "An intruder who links as many people as possible at once, with an exact file of "
    "the population: the keys that are not confidential, not who is in the release. The intruder "
    "knows the masking.",
}
NAME = r"\w([\w -]{0,58}\w)?"
SCENARIO_LIMITS = ("max_linked", "max_confirmed", "max_wrongly_confirmed", "max_learned")

Share = Annotated[float, Meta(ge=0, le=1)]


class DisclosureScenario(Spec, frozen=True, kw_only=True):
    """One intruder: knowledge, target people and limits.

    Every audit has four: *stress test* (all people, all quasi-identifiers, exact, plan known: an
    upper reference, not an attack by somebody), *register* (the keys of a file that also has other
    people, 5 % of its cells out of date), *acquaintance* (one person at a time, the most visible
    keys, coarse values) and *insider* (a tenth of the respondents, exact, plan known). A policy
    sets their limits, changes what they know, and adds others: the usual *prosecutor*,
    *journalist* and *marketer*, or its own.

    >>> bank = DisclosureScenario(name="bank", knows=["income", "savings"], max_linked=0.05)
    >>> bank.limits
    {'max_linked': 0.05}
    """

    name: Annotated[
        str, Meta(description=f"One of {', '.join(NAMED)}, or the name of a further intruder.")
    ]
    knows: Annotated[tuple[str, ...] | None, Meta(description="The known attributes.")] = None
    records: Annotated[
        Annotated[int, Meta(ge=1)] | Annotated[float, Meta(gt=0, le=1)] | None,
        Meta(
            description="The people that the intruder holds: a fraction or a number of those in "
            "the release. With member = false, the number of people in the intruder's file, "
            "including those of the release."
        ),
    ] = None
    error: Annotated[
        Share | None,
        Meta(
            description="The share of the intruder's cells, from 0 to 1, that are out of date: "
            "such a cell holds another person's value."
        ),
    ] = None
    coarse: Annotated[
        bool | None,
        Meta(
            description="Whether numbers are known only roughly, as tenths of the distribution; "
            "categories are known exactly."
        ),
    ] = None
    member: Annotated[
        bool | None, Meta(description="Whether the intruder knows who is in the release.")
    ] = None
    plan: Annotated[
        bool | None, Meta(description="Whether the intruder knows how the release was masked.")
    ] = None
    together: Annotated[
        bool | None,
        Meta(
            description="Whether the intruder compares all records at once; otherwise one person "
            "at a time."
        ),
    ] = None
    knows_households: Annotated[
        bool | None,
        Meta(
            description="Whether the intruder knows who lives together; by default only the "
            "insider does."
        ),
    ] = None
    max_linked: Annotated[
        Share | None,
        Meta(description="The share of the people in the release who may be linked correctly."),
    ] = None
    max_confirmed: Annotated[
        Share | None,
        Meta(
            description="The share of the people in the release whose link the intruder may claim "
            "correctly. The intruder cannot tell these claims from wrong ones."
        ),
    ] = None
    max_wrongly_confirmed: Annotated[
        Share | None,
        Meta(
            description="The share of the intruder's people, including those outside the "
            "release, for whom a wrong link may be claimed."
        ),
    ] = None
    max_learned: Annotated[
        Share | None,
        Meta(
            description="The share of the people whose value of any column may be learned, beyond "
            "the same attack without their own rows."
        ),
    ] = None
    max_risk: Annotated[Share | None, Meta(description="Another word for max_linked.")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not re.fullmatch(NAME, self.name):
            raise SpecError(
                "policy: intruder: name: give a name of up to 60 letters, digits, blanks and "
                "hyphens, which begins and ends with a letter or a digit"
            )
        if self.max_risk is not None:
            if self.max_linked is not None:
                raise self._refused("max_risk is another word for max_linked: leave one out")
            msgspec.structs.force_setattr(self, "max_linked", self.max_risk)
            msgspec.structs.force_setattr(self, "max_risk", None)
        self._check_knowledge()

    def _check_knowledge(self) -> None:
        known = self.knows
        if known == ():
            raise self._refused("knows is empty; name at least one attribute")
        if known is not None and len(set(known)) < len(known):
            raise self._refused("knows: a column is named twice")
        if self.name == STRESS_TEST and self.knowledge:
            raise self._refused(
                f"{listing(self.knowledge)}: the stress test always knows everything exactly; "
                "set its limits only, or give another intruder another name"
            )
        if self.name not in NAMED and known is None:
            raise self._refused(
                "no intruder of this name is known"
                f"{suggest(self.name, NAMED, 'those with a name are')}; for another, give the "
                "known attributes (knows)"
            )
        member = self.name != REGISTER if self.member is None else self.member
        if not member and isinstance(self.records, float):
            raise self._refused(
                "records: with member = false the file also has people outside the release; "
                "give the number of people in it, not a fraction"
            )

    def _refused(self, rule: str) -> SpecError:
        return SpecError(f"policy: intruder '{self.name}': {rule}")

    @property
    def knowledge(self) -> tuple[str, ...]:
        """The fields that are set, beside the name and the limits."""
        fields = (
            "knows",
            "records",
            "error",
            "coarse",
            "member",
            "plan",
            "together",
            "knows_households",
        )
        return tuple(field for field in fields if getattr(self, field) is not None)

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set."""
        return {n: value for n in SCENARIO_LIMITS if (value := getattr(self, n)) is not None}

    def to_dict(self) -> dict[str, Any]:
        """The parameters that are set, as plain values, as in a TOML table."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return {name: value for name, value in plain.items() if value is not None}


def check_names(scenarios: tuple[DisclosureScenario, ...]) -> None:
    """Refuse two intruders of one name."""
    names = [one.name for one in scenarios]
    folded = [re.sub(r"[^\w]", "", one).casefold() for one in (*names, *NAMED)]
    own = folded[: len(names)]
    twice = [n for n, one in zip(names, own, strict=True) if own.count(one) > 1]
    if twice:
        raise SpecError(
            f"policy: intruder: {listing(dict.fromkeys(twice))}: a name occurs twice; use one "
            "table, or names that differ in more than blanks, hyphens and capitals"
        )
    for name, one in zip(names, own, strict=True):
        if name not in NAMED and one in folded[len(names) :]:
            raise SpecError(
                f"policy: intruder '{name}': no intruder of this name is known"
                f"{suggest(name, NAMED)}"
            )
