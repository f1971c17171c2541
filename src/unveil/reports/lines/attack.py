"""The result of an attack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unveil.reports.content import Line, TextTable
from unveil.reports.headline import chance_sentence, tenths
from unveil.support.phrases import level, percent, plain
from unveil.values.block_keys import block_columns
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.results.households import LinkedHouseholds
    from unveil.values.results.risk import Claims, Risk
    from unveil.values.results.supervised_bound import HeldOut, SupervisedBound
    from unveil.workflows.auditing.attack_summary import AttackSummary, UncountedLinks

LEARNT = {"weights": "weights", "choquet": "weights of sets of attributes", "bilinear": "matrix"}


def attack_lines(summary: AttackSummary) -> Iterator[Line]:
    """The summary of an attack."""
    links, risk = summary.links, summary.risk
    blocks = block_columns(links.intruder.blocks, links.pair.release.columns)
    knows = listing(dict.fromkeys([*links.finder.columns, *blocks]))
    held = links.intruder.to_dict()["records"]
    yield f"{links.name}: {f'the intruder knows {knows} of {held}' if knows else held}"
    inside = listing(links.intruder.blocks)
    yield (
        f"{links.intruder.direction}, {count(links.candidates, 'candidate')}"
        f"{f', compared only where equal in {inside}' if inside else ''}"
    )
    yield ""
    if summary.uncounted is not None:
        yield from _uncounted_lines(summary, summary.uncounted)
    if risk is None:
        return
    rows = {
        "expected correct links": risk.expected,
        "  without ties": risk.unique,
        "by guessing": risk.baseline,
    }
    if risk.attributes and risk.ceiling is not None:
        rows["ceiling of any attack on these attributes"] = risk.ceiling
    yield TextTable(
        ["", f"of {risk.n:,}", "share"],
        [
            [name, tenths(value), plain(percent(value / risk.n)) if risk.n else "-"]
            for name, value in rows.items()
        ],
        numbers=[f"of {risk.n:,}", "share"],
    )
    yield ""
    yield from _risk_lines(risk, summary)


def _risk_lines(risk: Risk, summary: AttackSummary) -> Iterator[Line]:
    if risk.interval is not None:
        interval = risk.interval
        yield (
            f"Attacked: a random sample of {risk.n:,} of {risk.population:,} records. Share of "
            f"correct links among all: {percent(interval.low)} to {percent(interval.high)} "
            f"({level(interval.confidence)} confidence)."
        )
    if risk.absent:
        yield f"{count(risk.absent, 'record')} attacked without a released row: not counted."
    if risk.supervised:
        yield "This attack uses the truth, which no intruder has."
    else:  # the hits of a supervised attack are not by chance
        yield chance_sentence(risk)
    at_risk = summary.at_risk
    yield (
        f"Records with a risk above {level(at_risk['threshold'])}: {percent(at_risk['above'])}; "
        f"highest risk {percent(at_risk['highest'])}, mean {percent(at_risk['mean'])}."
    )
    curve = summary.top
    n, population = curve["n"], curve["population"]
    sample = f" ({n:,} of {population:,} records)" if n < population else ""
    places = ", ".join(
        f"k = {k}: {percent(share)}" for k, share in enumerate(curve["share"], start=1)
    )
    yield f"True row among the k best candidates{sample}: {places}."
    if summary.details.get("level") and risk.confirmed is not None:
        yield (
            f"For {_claims(risk.confirmed)} records only one row is compatible with the masking. "
            "Such a person, if known to be in the release, is found with certainty."
        )
    elif risk.confirmed is not None and risk.control is not None and summary.forecast is None:
        yield (
            f"The intruder would claim {_claims(risk.confirmed)} links with a clear margin; "
            f"{tenths(risk.confirmed.right)} are correct. Control "
            f"({'outsiders' if summary.outsiders else 'true rows removed'}): "
            f"{_claims(risk.control)} claimed, all wrong."
        )
    if summary.households is not None:
        yield from _households_lines(summary.households)
    yield from _forecast_lines(summary)
    if summary.formal is not None:
        formal = summary.formal
        yield (
            f"Formal re-identification: {formal['compatible']:.1%} of {formal['n']:,} results are "
            "compatible with the true probability; a result gives the true record "
            f"{formal['hit']:.1%} on average."
        )
    if summary.row_order is not None:
        order = summary.row_order
        yield (
            f"Rank correlation of the rows of both files: {order['correlation']:.3f} "
            f"(by chance: probability {order['p_value']:.2g})."
        )


def _households_lines(homes: LinkedHouseholds) -> Iterator[Line]:
    """Say how many households are linked, and what shows who lives together."""
    risk = homes.risk
    grouping = {
        "shown": "given by a household number",
        "read-off": "derived from columns that members share",
        "none": "linked by one member each, because no rows are grouped",
    }[homes.grouping]
    interval = (
        ""
        if risk.interval is None
        else f"; at most {percent(risk.interval.high)} of all households"
    )
    yield (
        f"Households ({grouping}): {tenths(risk.expected)} of {risk.n:,} are linked correctly "
        f"({percent(risk.share)}{interval}); a guess links {tenths(risk.baseline)}."
    )


def _forecast_lines(summary: AttackSummary) -> Iterator[Line]:
    """Say what the intruder expects of the attack, and how it was made."""
    expected = summary.forecast
    if expected is not None:
        forecast = f"The intruder expects {percent(expected.share)} of the links to be correct"
        if expected.found is not None:
            forecast += f"; {percent(expected.found)} are"
        claims = (
            f"{expected.claimed:,} of {expected.n:,} links have a probability above "
            f"{level(expected.above)}"
        )
        right = "" if expected.right is None else f"; {tenths(expected.right)} of them are correct"
        yield f"{forecast}. {claims}{right}."
    if summary.union is not None:
        yield (
            "Choosing the best attack for each record with hindsight would link "
            f"{tenths(summary.union)}."
        )
    details = summary.details
    if "dependence" in details:
        from unveil.reports.sections.attacks import dependence_phrase  # which needs the glossary

        yield f"Dependence: {plain(dependence_phrase(details))}"
    if details.get("matching") == "one-to-one":
        optimal = "no cheaper matching exists"
        if not details["proven"]:
            optimal = f"a cheaper matching would save at most {details['gap']:.3g}"
        yield (
            f"{details['matched']:,} are matched one to one, at a total cost of "
            f"{details['cost']:.6g}: {optimal}."
        )
    if details.get("matching") == "posterior" and details["cut_off"]:
        yield f"Omitted pairs carry {details['cut_off']:.2g} of the probability."
    if details.get("learnt"):
        import msgspec

        from unveil.values.results.supervised_bound import SupervisedBound

        yield from _learnt_lines(msgspec.convert(details["learnt"], SupervisedBound))
    for row in summary.several or ():
        alone = (
            ""
            if row["alone"] is None
            else f" in any of them, {tenths(row['alone'])} in this one alone"
        )
        releases = count(row["releases"], "release")
        yield f"{releases}: {tenths(row['expected'])} linked correctly{alone}."


def _learnt_lines(bound: SupervisedBound) -> Iterator[Line]:
    """Say what was learnt from the truth, and what remains of it on other people."""
    yield ""
    yield "LEARNT"
    what = LEARNT.get(bound.model, bound.model)
    sample = f" (learnt on {bound.learnt_on:,} of them)" if bound.learnt_on < bound.n else ""
    proof = "optimal" if bound.proven else f"gap {tenths(bound.gap)}, because {bound.why}"
    yield (
        f"Links with the best {what} found: {tenths(bound.linked)} of "
        f"{count(bound.n, 'record')}{sample}; proven bound {tenths(bound.bound)} ({proof})."
    )
    if bound.impossible:
        yield f"No {what} can link {count(bound.impossible, 'record')}."
    start, end = bound.direction.split("-to-")
    yield (
        f"With the same {what}, ties shared: {tenths(bound.expected)} from {start} to {end}, "
        f"{tenths(bound.back_expected)} from {end} to {start}."
    )
    yield (
        f"Without the truth: {tenths(bound.moments)} with weights by moments, "
        f"{tenths(bound.plain)} with equal weights."
    )
    yield from _held_out_lines(bound.held_out)
    ranked = sorted(bound.importance.items(), key=lambda one: -one[1])
    rows = [[name, plain(percent(share))] for name, share in ranked]
    yield TextTable(["attribute", "counts"], rows, numbers=["counts"])
    if bound.together:
        pairs = (f"{one.first} and {one.second} ({one.strength:+.2f})" for one in bound.together)
        yield f"Interactions (-1 to 1; 0 = additive): {', '.join(pairs)}."


def _held_out_lines(held: HeldOut | None) -> Iterator[Line]:
    if held is None:
        yield "No record was held out, so overfitting is not known."
        return
    text = (
        f"Learnt on one half of the people: links {percent(held.learnt_on)} of that half and "
        f"{percent(held.linked)} of the other (mean of {count(held.splits, 'split')}). On the "
        f"other half {percent(held.moments)} with weights by moments, {percent(held.plain)} with "
        "equal weights."
    )
    gone = held.linked <= max(held.moments, held.plain)
    yield text + (" The gain vanishes on held-out people." if gone else "")


def _uncounted_lines(summary: AttackSummary, links: UncountedLinks) -> Iterator[Line]:
    clear = links.clear
    yield (
        f"{count(links.records, 'record')} linked. Of {links.looked_at:,} examined, "
        f"{links.tied:,} have several best candidates, {links.unlinked:,} "
        f"none{'' if clear is None else f'; {clear:,} have a clear margin over the second best'}."
    )
    yield from _forecast_lines(summary)
    yield (
        "The true links are not known, so correct links cannot be counted: give --truth, an "
        "identifier of both files or the row map of the release."
    )


def _claims(claims: Claims) -> str:
    return f"{claims.claimed:,} of {claims.n:,}"
