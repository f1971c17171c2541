"""Households: the additional risk where an intruder knows who lives together."""

from collections.abc import Iterator
from typing import NamedTuple

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack, direction
from unveil.reports.tables import counts, expected_counts, high, labels, low, shares, tabulate, text
from unveil.support.phrases import Phrase, counted, percent, phrase
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Evidence, Finding
from unveil.values.results.households import LinkedHouseholds
from unveil.values.results.risk import Claims

GROUPINGS = {"shown": "household number", "read-off": "derived", "none": "not used"}
TOGETHER = (
    "An intruder who knows the members of a household first links the released household that "
    "fits all of them best, then each person in it."
)
ALONE = (
    "An intruder who knows the members of a household links one member, and finds the household "
    "if the row belongs to any member, because {}."
)
Attacked = tuple[Finding, LinkedHouseholds]


def households(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The risk that the grouping adds: persons linked one by one and through their households."""
    attacked = evidence.household_attacks
    if not attacked:
        return None
    exhibits = [_attacks(attacked)]
    if not external and attacked[0][1].subgroups:
        exhibits.append(_subgroups(attacked[0]))
    return Section(
        key="households",
        title="Additional risk through households",
        paragraphs=(_gain(evidence), *_read_off(attacked)),
        exhibits=tuple(exhibits),
    )


def _gain(evidence: Evidence) -> Phrase:
    """The best attack on households, and persons linked one by one and through households."""
    finding, homes = evidence.household_attacks[0]
    through = [one.risk.share for one, linked in evidence.household_attacks if linked.together]
    single = [one for one in evidence.attacks if one.households is None and one.risk.attributes]
    alone, how = phrase(""), phrase(TOGETHER)
    if not homes.together:
        links_more = "this links more households than the groups of rows do"
        why = links_more if through else "no rows are grouped"
        how = phrase(ALONE, why)
    if single and through:
        alone = phrase(
            " The best attack links {} of the persons one by one and {} through their households.",
            percent(single[0].risk.share),
            percent(max(through)),
        )
    return phrase(
        "{} The best attack, {}, links {} of {} [households](linked-households) ({}); a guess "
        "links {}.{}",
        how,
        attack(finding.name),
        counted(homes.risk.expected),
        counted(homes.risk.n),
        percent(homes.risk.share),
        counted(homes.risk.baseline),
        alone,
    )


def _read_off(attacked: tuple[Attacked, ...]) -> tuple[Phrase, ...]:
    """That rows are grouped without a household number."""
    groupings = {homes.grouping for _, homes in attacked}
    if "read-off" not in groupings:
        return ()
    shown = (
        "The household number shows who lives together. Without it, "
        if "shown" in groupings
        else ""
    )
    return (
        phrase(
            "{}rows that agree in all household-level columns are treated as one household "
            "([derived](household-grouping)).",
            shown or "The release has no household number: ",
        ),
    )


def _attacks(attacked: tuple[Attacked, ...]) -> Exhibit:
    table = tabulate(
        attacked,
        (text("attack", "[attack](attack)"), lambda row: attack(row[0].name)),
        (text("direction", "direction"), lambda row: direction(row[0].risk.direction)),
        (text("grouping", "[grouping](household-grouping)"), _grouping),
        expected_counts(
            "linked", "[households linked](linked-households)", lambda row: row[1].risk.expected
        ),
        counts("n", "of", lambda row: row[1].risk.n),
        shares("share", "share", lambda row: row[1].risk.share),
        low(lambda row: row[1].risk.interval, "of all households, [at least](interval)"),
        high(lambda row: row[1].risk.interval),
        counts("guess", "[a guess](guess)", lambda row: row[1].risk.baseline),
        counts("ceiling", "[ceiling](ceiling)", lambda row: row[1].risk.ceiling),
        counts("claimed", "[claimed](claims)", lambda row: _claims(row).claimed),
        expected_counts("right", "correct claims", lambda row: _claims(row).right),
        shares("forecast", "[forecast](forecast)", _forecast),
        shares("persons", "persons linked", lambda row: row[0].risk.share),
    )
    return Exhibit(
        name="households",
        title="Households that each attack links, and the persons in them",
        table=table.filled(),
    )


class _NoClaims(NamedTuple):
    """No claims: the scores do not show how sure a link is."""

    claimed: None = None
    right: None = None


def _claims(row: Attacked) -> Claims | _NoClaims:
    return row[1].claims or _NoClaims()


def _forecast(row: Attacked) -> float | None:
    return None if row[1].forecast is None else row[1].forecast.share


def _grouping(row: Attacked) -> Phrase:
    return phrase("{}", GROUPINGS.get(row[1].grouping, row[1].grouping))


def _subgroups(worst: Attacked) -> Exhibit:
    groups = [one for one in worst[1].subgroups if not one.small and one.share is not None]
    table = tabulate(
        groups,
        labels("column", "households by", lambda one: one.column),
        labels("group", "[subgroup](subgroup)", lambda one: one.group),
        counts("n", "households", lambda one: one.n),
        shares("share", "linked", lambda one: one.share),
    )
    return Exhibit(
        name="household_groups",
        title="Households linked by the best attack, by subgroup",
        table=table.filled(),
    )


def beside_persons(comparison: Comparison) -> Iterator[Exhibit]:
    """The households linked in each release, beside the persons; empty if none was attacked."""
    rows = [(one, one.households) for one in comparison.releases if one.households is not None]
    if not rows:
        return
    table = tabulate(
        rows,
        labels("release", "release", lambda row: row[0].name),
        (text("attack", "best [attack](attack) on households"), lambda row: attack(row[1].attack)),
        (text("direction", "direction"), lambda row: direction(row[1].direction)),
        (
            text("grouping", "[grouping](household-grouping)"),
            lambda row: GROUPINGS.get(row[1].grouping, row[1].grouping),
        ),
        expected_counts(
            "linked", "[households linked](linked-households)", lambda row: row[1].expected
        ),
        counts("n", "of", lambda row: row[1].n),
        shares("share", "share", lambda row: row[1].share),
        low(lambda row: row[1].interval, "of all households, [at least](interval)"),
        high(lambda row: row[1].interval),
        shares("allowed", "limit of the [policy](policy)", lambda row: row[0].max_household_risk),
        shares("persons", "persons linked", lambda row: row[0].risk),
    )
    yield Exhibit(
        name="households-beside",
        title="Households linked by the best attack, beside persons",
        table=table.filled(),
        lead=(
            phrase(
                "An intruder who knows who lives together links whole "
                "[households](linked-households) first, then the persons in them."
            ),
        ),
    )
