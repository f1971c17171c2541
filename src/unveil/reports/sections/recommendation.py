"""Recommendation: which releases keep the policy, and what each intruder achieves with each."""

from collections.abc import Iterator
from typing import cast

import msgspec

from unveil.reports.content import Exhibit, Section
from unveil.reports.glossary import limit_key
from unveil.reports.headline import LOSS_SCALE
from unveil.reports.sections.scenarios import compared_scenarios, scenario_name, who
from unveil.reports.sections.verdict import ACHIEVEMENTS, NO_SHARES, form_of
from unveil.reports.tables import Cell, Column, Row, Table, labels, tabulate, text
from unveil.support.phrases import (
    Mark,
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
    level,
    name,
    names,
    percent,
    phrase,
    points,
    several,
)
from unveil.values.disclosure_scenario import STRESS_TEST
from unveil.values.results.comparison import ComparedRelease, Comparison
from unveil.values.results.policy import Limit

ROUNDING = 1e-9  # difference of shares below which there is no interval
COLUMNS = 5  # releases in the first table


def recommendation(comparison: Comparison) -> Phrase:
    """Which releases keep every limit; if none does, which is nearest, and what it misses."""
    found = comparison.recommendation
    if found is None:
        return phrase("No [policy](policy) was given, so the comparison gives no verdict.")
    if len(found.kept) > 1:
        return phrase(
            "These releases keep every limit of the [policy](policy), the least loss first: {}.",
            names(found.kept),
        )
    if found.kept:
        return phrase("Only {} keeps every limit of the [policy](policy).", name(found.kept[0]))
    said = phrase("No release keeps every limit of the [policy](policy).")
    alike: dict[Phrase, list[str]] = {}  # releases that miss as many limits
    for nearest in map(comparison.__getitem__, found.nearest):
        alike.setdefault(count_of_misses(nearest), []).append(nearest.name)
    for misses, nearests in alike.items():
        be, they = ("is", "it misses") if len(nearests) == 1 else ("are", "each misses")
        said += phrase(" [Nearest](nearest) {} {}: {} {}.", be, names(nearests), they, misses)
    listed = [(comparison[one].missed, largest_misses(comparison[one])) for one in found.nearest]
    if any(len(missed) > len([*largest]) for missed, largest in listed):
        said += phrase(" The list has the largest miss of each intruder.")
    return said


def count_of_misses(release: ComparedRelease) -> Phrase:
    """How many limits a release misses."""
    return phrase("{} of {}", counted(len(release.missed)), several(release.limits, "limit"))


def nearest_misses(comparison: Comparison) -> Iterator[Phrase]:
    """The limits that the nearest releases miss, for each intruder the largest miss."""
    found = comparison.recommendation
    alike: dict[tuple[Phrase, ...], list[str]] = {}  # releases with the same misses
    for nearest in () if found is None or found.kept else found.nearest:
        alike.setdefault(tuple(largest_misses(comparison[nearest])), []).append(nearest)
    for misses, nearests in alike.items():
        for miss in misses:
            yield phrase("{}: {}", names(nearests), miss)


def largest_misses(release: ComparedRelease) -> Iterator[Phrase]:
    """The limit that is missed by most, for each intruder, each use and the file itself."""
    largest: dict[tuple[str, str], Limit] = {}
    for limit in release.missed:  # the largest miss comes first
        largest.setdefault((limit.scenario, limit.use), limit)
    for limit in largest.values():
        yield phrase("{}, {}", whose(limit), miss(release, limit))


def whose(limit: Limit) -> Phrase:
    """The intruder or the use that a limit is on; else the file."""
    if limit.use:
        return phrase("[use](use) {}", name(limit.use))
    return (scenario_name(limit.scenario) if limit.scenario else "the file",)


def miss(release: ComparedRelease, limit: Limit) -> Phrase:
    """The figure that misses a limit, the limit, and by how many points it is missed."""
    word = ACHIEVEMENTS.get(limit.limit, limit.limit.replace("_", " "))
    said: Phrase = (Term(word, limit_key(limit.limit)),)
    if limit.found is None:
        why = phrase(" ({})", name(limit.reason)) if limit.reason else phrase(" (not measured)")
        return said + why
    if isinstance(limit.allowed, bool | tuple):
        return said
    if limit.limit in NO_SHARES:
        return phrase("{} {} (limit {})", said, figure(release, limit), as_given(limit.allowed))
    by = () if limit.excess is None else phrase(", {} points above", points(limit.excess))
    return phrase("{} {} (limit {}{})", said, figure(release, limit), level(limit.allowed), by)


def figure(release: ComparedRelease, limit: Limit) -> Phrase:
    """The figure that is compared with a limit: a share with its estimate, if it was sampled."""
    found = cast("float", limit.found)
    if limit.limit in NO_SHARES:
        return (form_of(limit.limit)(found),)
    estimate = estimated(release, limit)
    if estimate is None or found - estimate < ROUNDING:
        return (percent(found),)
    return phrase("{}, up to {} with sampling error", percent(estimate), percent(found))


def estimated(release: ComparedRelease, limit: Limit) -> float | None:
    """The share of whose interval the limit's figure is the upper end; None: it has none."""
    if limit.limit in ("max_risk", "max_household_risk"):
        return release.risk if limit.limit == "max_risk" else release.household_risk
    compared = release.scenario(limit.scenario)
    if compared is None:
        return None
    result = compared.result
    if limit.limit == "max_learned":
        return None if result.most_learned is None else result.most_learned.learned
    counts = {"max_linked": result.linked, "max_confirmed": result.confirmed}
    counts["max_wrongly_confirmed"] = result.wrongly_confirmed
    people = counts.get(limit.limit)
    return None if people is None else people.share


def ranked(comparison: Comparison) -> list[ComparedRelease]:
    """The releases that keep the policy, the least loss first, then those that miss the least."""
    found = comparison.recommendation
    first = () if found is None else (*found.kept, *found.nearest)

    def place(one: ComparedRelease) -> tuple[int, int]:
        at = first.index(one.name) if one.name in first else len(first)
        return at, len(one.missed)

    return sorted(comparison.releases, key=place)


def first_table(comparison: Comparison, *, external: bool = False) -> Exhibit:
    """For each release: whether it keeps the policy, and what each intruder links and learns."""
    releases = ranked(comparison)
    shown = releases[:COLUMNS]
    rows: list[Row] = [
        (Term("policy", "policy"), "the limits of the data steward", *map(_kept, shown))
    ]
    for scenario in _intruders(comparison):
        cells = [_achieved(one, scenario, external=external) for one in shown]
        rows.append((scenario_name(scenario), _who(comparison, scenario), *cells))
    losses = ["not known" if one.loss is None else decimal(one.loss) for one in shown]
    rows.append((Term("loss", "loss"), f"information loss, {LOSS_SCALE}", *losses))
    columns = [text("who", "[who](scenario)"), text("knows", "knows")]
    columns += [Column(f"release {place}", (name(one.name),)) for place, one in enumerate(shown)]
    return Exhibit(
        name="scenarios",
        title="What each intruder could link and learn in each release",
        table=Table(tuple(columns), tuple(rows)),
        notes=tuple(_how_to_read(comparison, len(releases) - len(shown))),
    )


def _intruders(comparison: Comparison) -> list[str]:
    """Every intruder of an audit or of a limit; the stress test, which is nobody, is the last."""
    found = [one.result.name for release in comparison.releases for one in release.scenarios]
    found += [one.scenario for release in comparison.releases for one in release.missed]
    return [*dict.fromkeys(one for one in found if one not in ("", STRESS_TEST)), STRESS_TEST]


def _who(comparison: Comparison, scenario: str) -> Phrase:
    found = (release.scenario(scenario) for release in comparison.releases)
    results = [one.result for one in found if one is not None]
    if results:
        return who(results[0])
    return phrase("The best attack of the audit.") if scenario == STRESS_TEST else ("not known",)


def _kept(release: ComparedRelease) -> Cell:
    if release.passed is None:
        return "none given"
    if release.passed:
        return phrase("{}: {}", Mark("✓ kept", "holds"), several(release.limits, "limit"))
    broken, missed = Mark("✗ broken", "does not hold"), counted(len(release.missed))
    return phrase("{}: misses {} of {}", broken, missed, several(release.limits, "limit"))


def _achieved(release: ComparedRelease, scenario: str, *, external: bool) -> Phrase:
    """What an intruder links and learns in a release, with the limits on these."""
    compared = release.scenario(scenario)
    limits = {one.limit: one for one in release.missed if one.scenario == scenario}
    if compared is not None:
        limits |= {one.limit: one for one in compared.limits}
    result = None if compared is None else compared.result
    share: float | None = None if result is None or result.linked is None else result.linked.share
    if scenario == STRESS_TEST:
        if release.worst is None:
            return phrase("nobody was attacked")
        share = release.risk
    limit = limits.get("max_linked") or limits.get("max_risk")
    linked = phrase("linked {}", "not known" if share is None else percent(share))
    said = linked + _limit(release, limit)
    most = None if result is None else result.most_learned
    limit = limits.get("max_learned")
    if most is None and limit is None:
        return said
    of = () if external or most is None else phrase(": {}", name(most.column))
    nothing = "nothing" if result is not None and result.knows_all else "not known"
    learned = nothing if most is None else percent(most.learned)
    return said + phrase("\nlearned {}{}", learned, of) + _limit(release, limit)


def _limit(release: ComparedRelease, limit: Limit | None) -> Phrase:
    """The upper end that is compared with a limit, the limit, and whether it is kept."""
    if limit is None or isinstance(limit.allowed, bool | tuple):
        return ()
    allowed = level(float(limit.allowed))
    if limit.found is None:
        mark = Mark("✗ not measured", "does not hold")
        return phrase("\n{}: limit {}", mark, allowed)
    estimate, found = estimated(release, limit), float(cast("float", limit.found))
    end: Phrase = ()
    if estimate is not None and found - estimate > ROUNDING:
        end = phrase(" (up to {})", percent(found))
    mark = Mark("✓ kept", "holds") if limit.kept else Mark("✗ broken", "does not hold")
    return phrase("{}\n{}: limit {}", end, mark, allowed)


def _how_to_read(comparison: Comparison, more: int) -> Iterator[Phrase]:
    yield phrase(
        "How to read this: [linked](scenario-linked) is the share of the people whose row the "
        "intruder finds. [Learned](scenario-learned) is the share whose value of an unknown column "
        "the intruder reads from the linked row, beyond what similar rows tell; the column with "
        'the highest share is named. "Up to" is the upper end of the interval '
        "([sampling error](interval)), which is compared with the limit. The stress test is an "
        "upper reference, not a realistic intruder."
    )
    if more > 0:
        yield phrase("{} are in the tables below.", several(more, "more release"))
    reasons: dict[str, list[str]] = {}
    for release in comparison.releases:
        for limit in release.missed:
            if limit.found is None and limit.scenario and limit.reason:
                of = reasons.setdefault(limit.reason, [])
                of += [] if release.name in of else [release.name]
    for reason, of in reasons.items():
        yield phrase("{} ({}).", name(reason[:1].upper() + reason[1:]), names(of))


def limits_in_detail(comparison: Comparison, *, external: bool = False) -> Section | None:
    """Every figure of each intruder, and every limit that is missed."""
    exhibits = []
    if (shown := compared_scenarios(comparison, external=external)) is not None:
        title = "Linked, confirmed and learned, with counts and intervals"
        exhibits.append(msgspec.structs.replace(shown, name="scenarios-in-full", title=title))
    missed = [(release, one) for release in comparison.releases for one in release.missed]
    if missed:
        table = tabulate(
            missed,
            labels("release", "release", lambda row: row[0].name),
            (text("who", "[who](scenario)"), lambda row: whose(row[1])),
            (text("limit", "missed limit"), lambda row: miss(row[0], row[1])),
        )
        exhibits.append(Exhibit(name="missed", title="Limits that are missed", table=table))
    if not exhibits:
        return None
    return Section(
        key="limits",
        title="Intruders and limits in detail",
        points=tuple(
            phrase("{}: {}", scenario_name(one), _who(comparison, one))
            for one in _intruders(comparison)
        ),
        exhibits=tuple(exhibits),
    )
