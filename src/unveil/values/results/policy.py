"""Policy: the limits that a data steward sets, and the verdict on each."""

from math import inf, isinf
from typing import Annotated, Any, ClassVar, cast

import msgspec
from msgspec import Meta

from unveil.errors import SpecError
from unveil.support.specs import Spec, method_name
from unveil.values.disclosure_scenario import (
    FIXED,
    NAMED,
    SCENARIO_LIMITS,
    DisclosureScenario,
    check_names,
)
from unveil.values.use import Use, check_use_names
from unveil.wording import listing

Share = Annotated[float, Meta(ge=0, le=1)]
AtLeastOne = Annotated[int, Meta(ge=1)]


class ClassLimit(Spec, frozen=True, kw_only=True):
    """A limit on classes of released records: those with equal values in the keys."""

    parameter: ClassVar[str]  # the name of its number

    keys: Annotated[
        tuple[str, ...] | None, Meta(description="The attributes that define the classes.")
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.keys == ():
            raise SpecError(f"{method_name(type(self))}: keys: name at least one column")


class KAnonymityLimit(ClassLimit, frozen=True, kw_only=True):
    """The least size of a class, by its keys."""

    parameter = "k"
    k: AtLeastOne


class LDiversityLimit(ClassLimit, frozen=True, kw_only=True):
    """The fewest values of a confidential attribute in a class, by its keys."""

    parameter = "l"
    l: AtLeastOne  # noqa: E741 - the literature's name


class TClosenessLimit(ClassLimit, frozen=True, kw_only=True):
    """The largest distance of a class from all records, by its keys."""

    parameter = "t"
    t: Share


ALWAYS = ("columns_without_a_role", "identifiers_released")  # of every policy; shown if broken
TABLES: dict[str, type[Spec]] = {"intruder": DisclosureScenario, "use": Use}  # [[intruder]], ...
POPULATION_LIMITS = ("max_population_risk", "max_expected_matches")  # by the log-linear model
CLASS_LIMITS: dict[str, type[ClassLimit]] = {
    "k_anonymity": KAnonymityLimit,
    "l_diversity": LDiversityLimit,
    "t_closeness": TClosenessLimit,
}


class Policy(Spec, frozen=True, kw_only=True):
    """The limits that a release must meet; a limit that is not given is not checked.

    The person responsible for the release sets them, best before seeing the results. A limit on a
    figure that cannot be measured is not met; of a sample, the upper end of the interval counts.

    Limits on classes of equal records name their keys. A number alone stands for the keys that the
    masking promised, else for the quasi-identifiers that were not perturbed.

    >>> Policy(max_risk=0.05).to_dict()
    {'max_risk': 0.05}
    >>> Policy(k_anonymity={"k": 3, "keys": ["age", "sex"]}).class_limit("k_anonymity").keys
    ('age', 'sex')
    """

    max_risk: Annotated[
        Share | None,
        Meta(
            description="The share of the records, from 0 to 1, that the best attack may link "
            "correctly."
        ),
    ] = None
    max_subgroup_risk: Annotated[
        Share | None,
        Meta(
            description="The share of the records that the best attack may link correctly in any "
            "subgroup of at least 10 records, from 0 to 1."
        ),
    ] = None
    max_household_risk: Annotated[
        Share | None,
        Meta(
            description="The share of the households, from 0 to 1, that the best attack on "
            "households may link correctly."
        ),
    ] = None
    max_confirmed: Annotated[
        Share | None,
        Meta(
            description="The share of the records, from 0 to 1, that an intruder may claim "
            "correctly by any attack."
        ),
    ] = None
    max_wrong_certainty: Annotated[
        Share | None,
        Meta(
            description="The share of the records, from 0 to 1, with a wrong link to which any "
            "attack gives a probability above 90 %."
        ),
    ] = None
    max_interval_disclosure: Annotated[
        Share | None,
        Meta(
            description="The share of original values of any quasi-identifier or confidential "
            "attribute that may lie within 10 % of the ranks around their masked value, beyond "
            "chance: from 0 (chance) to 1 (all)."
        ),
    ] = None
    max_population_risk: Annotated[
        Share | None,
        Meta(
            description="The expected share of the released records, from 0 to 1, that an intruder "
            "matches correctly who knows the keys of everybody in the population, but not who is "
            "in the release."
        ),
    ] = None
    max_expected_matches: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        Meta(
            description="The expected number of people whose records that intruder matches "
            "correctly."
        ),
    ] = None
    k_anonymity: Annotated[
        AtLeastOne | KAnonymityLimit | None,
        Meta(description="The fewest released records that may be equal in all keys."),
    ] = None
    l_diversity: Annotated[
        AtLeastOne | LDiversityLimit | None,
        Meta(
            description="The fewest distinct values that a confidential attribute may have among "
            "released records that are equal in all keys; by default the keys of k-anonymity."
        ),
    ] = None
    t_closeness: Annotated[
        Share | TClosenessLimit | None,
        Meta(
            description="The distance, from 0 to 1, allowed between the distribution of a "
            "confidential attribute among released records that are equal in all keys (by default "
            "those of k-anonymity) and its distribution among all records."
        ),
    ] = None
    max_loss: Annotated[
        Share | None, Meta(description="The overall loss allowed, that of any use, from 0 to 1.")
    ] = None
    forbid_row_order: Annotated[
        bool, Meta(description="Whether the order of the rows must not identify people.")
    ] = False
    may_stay_unchanged: Annotated[
        tuple[str, ...] | None, Meta(description="The only columns that may be released unchanged.")
    ] = None
    intruder: Annotated[
        tuple[DisclosureScenario, ...],
        Meta(
            description="Intruders with their own limits, a table [[intruder]] for each: "
            f"{', '.join(NAMED)}, or a further one with its known attributes."
        ),
    ] = ()
    use: Annotated[
        tuple[Use, ...],
        Meta(
            description="Uses of the release, a table [[use]] for each, with the loss allowed; by "
            "default distributions, relations, and models of the confidential columns."
        ),
    ] = ()

    def __post_init__(self) -> None:
        for name, kind in CLASS_LIMITS.items():
            table: Any = getattr(self, name)
            if isinstance(table, dict) and all(isinstance(key, str) for key in table):
                try:
                    msgspec.structs.force_setattr(self, name, kind(**table))
                except SpecError as error:
                    rule = str(error).removeprefix(f"{method_name(kind)}: ")
                    raise SpecError(f"policy: {name}: {rule}") from None
        for field, spec in TABLES.items():
            tables: Any = getattr(self, field)
            if isinstance(tables, dict):
                raise SpecError(f"policy: {field}: a table of each {field}, [[{field}]] in TOML")
            if isinstance(tables, list | tuple) and all(isinstance(one, dict) for one in tables):
                specs = tuple(_from_table(field, spec, table) for table in tables)
                msgspec.structs.force_setattr(self, field, specs)
        super().__post_init__()
        check_names(self.intruder)
        check_use_names(self.use)
        self._check_limits()

    def _check_limits(self) -> None:
        """Refuse a policy without a limit."""
        fields = tuple(name for name in self.__struct_fields__ if name not in TABLES)
        own = any(one.limits for one in self.intruder)
        own |= any(one.max_loss is not None for one in self.use)
        if not own and not any(name in self.to_dict() for name in fields):
            rows = dict.fromkeys((*FIXED, *(one.name for one in self.intruder)))
            raise SpecError(
                "policy: it sets no limit; give one, such as max_risk, k_anonymity or max_loss, or "
                f"for an intruder ({listing(rows)}) {', '.join(SCENARIO_LIMITS)}"
            )

    def to_dict(self) -> dict[str, object]:
        """The limits that are set, as plain values, as in a TOML file."""
        plain: dict[str, object] = msgspec.to_builtins(self)
        for name, limit in plain.items():
            if isinstance(limit, dict):  # TOML has no null
                plain[name] = {n: value for n, value in limit.items() if value is not None}
        for field in TABLES:
            plain[field] = [one.to_dict() for one in getattr(self, field)] or None
        # A limit of 0 counts, although 0 == False in Python.
        return {n: value for n, value in plain.items() if value is not None and value is not False}

    def class_limit(self, name: str) -> ClassLimit | None:
        """The limit of this name on classes of equal records; None if it is not set."""
        limit, kind = getattr(self, name), CLASS_LIMITS[name]
        if limit is None or isinstance(limit, ClassLimit):
            return limit
        return kind(**{kind.parameter: limit})


def _from_table(field: str, spec: type[Spec], table: dict[Any, Any]) -> Spec:
    """One intruder or use of a policy; an error names it."""
    try:
        return spec(**{str(name): value for name, value in table.items()})
    except SpecError as error:
        rule = str(error).removeprefix(f"{method_name(spec)}: ")
        if rule == str(error):
            raise
        whose = f"{field} '{table['name']}'" if "name" in table else field
        raise SpecError(f"policy: {whose}: {rule}") from None


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """One limit of a policy and the figure found."""

    limit: str
    allowed: float | int | bool | tuple[str, ...]
    found: float | int | bool | tuple[str, ...] | None  # None: it could not be measured
    kept: bool
    reason: str  # in words
    keys: tuple[str, ...] = ()  # of the classes that were counted
    scenario: str = ""  # whose limit it is; empty: of the file, whoever attacks it
    use: str = ""  # which use may lose so much; empty: none or any
    excess: float | None = None  # found beyond what is allowed; None: it is kept, or no number
    people: int | None = None  # of whom the share is
    allowed_people: int | None = None  # the most of these that the limit allows

    @property
    def title(self) -> str:
        """The name of the limit, with the use that it is of."""
        return f"use {self.use}: {self.limit}" if self.use else self.limit

    @property
    def miss(self) -> float:
        """How far the figure is beyond the limit, relative to the limit; 0 if it is met.

        Infinite where that is no number: nothing was measured, or nothing is allowed.
        """
        if self.kept:
            return 0.0
        allowed, beyond = cast("float", self.allowed), self.beyond
        return inf if isinf(beyond) or not allowed else beyond / allowed

    @property
    def beyond(self) -> float:
        """How far the figure is beyond the limit; 0 if it is met, infinite if it is no number."""
        if self.kept:
            return 0.0
        allowed, found = self.allowed, self.found
        if isinstance(allowed, bool | tuple) or isinstance(found, bool | tuple | None):
            return inf
        return float(abs(found - allowed))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a release meets a policy, limit by limit."""

    passed: bool
    limits: tuple[Limit, ...]

    @property
    def broken(self) -> tuple[Limit, ...]:
        """The limits that are not met."""
        return tuple(limit for limit in self.limits if not limit.kept)

    @property
    def misses(self) -> tuple[Limit, ...]:
        """The limits that are not met, the largest miss relative to its limit first.

        Any miss of a limit of 0 is infinite: of several, the figure farthest beyond its limit is
        the first.
        """
        return tuple(sorted(self.broken, key=lambda limit: (-limit.miss, -limit.beyond)))

    def of_scenario(self, name: str) -> tuple[Limit, ...]:
        """The limits of one scenario."""
        return tuple(limit for limit in self.limits if limit.scenario == name)
