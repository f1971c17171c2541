"""The result of an attack, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unveil.cli.console import print_table, say
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.results.households import LinkedHouseholds
    from unveil.values.results.risk import Claims, Risk
    from unveil.values.results.supervised_bound import HeldOut, SupervisedBound
    from unveil.workflows.auditing.attack_summary import AttackSummary, UncountedLinks

LEARNT = {"weights": "weights", "choquet": "weights of sets of attributes", "bilinear": "matrix"}


def print_attack(summary: AttackSummary) -> None:
    """Print the summary of an attack."""
    links, risk = summary.links, summary.risk
    knows = listing([*links.finder.columns, *links.intruder.blocks])
    of_whom = links.intruder.to_dict()["records"]
    say(f"{links.name}: {f'the intruder knows {knows}, of {of_whom}' if knows else of_whom}")
    inside = listing(links.intruder.blocks)
    say(
        f"{links.intruder.direction}, {count(links.candidates, 'candidate')}"
        f"{f', compared only where equal in {inside}' if inside else ''}"
    )
    say()
    if summary.uncounted is not None:
        _print_uncounted(summary, summary.uncounted)
    if risk is None:
        return
    rows = {
        "linked rightly, expected": risk.expected,
        "  of these without a tie": risk.unique,
        "a guess links": risk.baseline,
    }
    if risk.attributes and risk.ceiling is not None:
        rows["no attack on these attributes links more than"] = risk.ceiling
    print_table(
        ["", f"of {risk.n:,}", "share"],
        [
            [name, _number(value), f"{value / risk.n:.1%}" if risk.n else "-"]
            for name, value in rows.items()
        ],
        numbers=[f"of {risk.n:,}", "share"],
    )
    say()
    _print_risk(risk, summary)


def _print_risk(risk: Risk, summary: AttackSummary) -> None:
    if risk.interval is not None:
        interval = risk.interval
        say(
            f"{risk.n:,} of {risk.population:,} were attacked: of all, {interval.low:.1%} to "
            f"{interval.high:.1%} ({interval.confidence:.0%} confidence)."
        )
    if risk.absent:
        say(f"{count(risk.absent, 'record')} attacked had no row to be found, and are not counted.")
    if risk.supervised:
        say("This attack was made with the truth in hand: no intruder has it.")
    else:  # the hits of a supervised attack are not by chance
        chance = f"{risk.p_value:.2g}" if risk.p_value else "below 1e-300"
        say(f"So many hits or more by chance: probability {chance}.")
    at_risk = summary.at_risk
    say(
        f"Records with a risk above {at_risk['threshold']:.0%}: {at_risk['above']:.1%}; highest "
        f"risk {at_risk['highest']:.0%}, mean {at_risk['mean']:.1%}."
    )
    curve = summary.top
    n, population = curve["n"], curve["population"]
    sample = f" ({n:,} of {population:,} looked at)" if n < population else ""
    places = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(curve["share"], start=1))
    say(f"The true row among the k best{sample}: {places}.")
    if summary.details.get("level") and risk.confirmed is not None:
        say(
            f"For {_claims(risk.confirmed)} what the masking can have done leaves one row only: "
            "whoever is known to be in the release is found with certainty."
        )
    elif risk.confirmed is not None and risk.control is not None and summary.forecast is None:
        say(
            f"With a clear margin the intruder would claim {_claims(risk.confirmed)}; "
            f"{risk.confirmed.right:,.1f} of these links are right. "
            f"{'Of the outsiders' if summary.outsiders else 'With the true ones not there'}, "
            f"{_claims(risk.control)}, all wrong."
        )
    if summary.households is not None:
        _print_households(summary.households)
    _print_forecast(summary)
    if summary.row_order is not None:
        order = summary.row_order
        say(
            f"Rank correlation of the rows of both files: {order['correlation']:.3f} "
            f"(by chance: probability {order['p_value']:.2g})."
        )


def _print_households(homes: LinkedHouseholds) -> None:
    """Print how many households are linked, and what shows who lives together."""
    risk = homes.risk
    told = {
        "shown": "shown by a number",
        "read-off": "read off what members share",
        "none": "by one member each, as no rows are grouped",
    }[homes.grouping]
    interval = "" if risk.interval is None else f"; of all, at most {risk.interval.high:.1%}"
    say(
        f"Households, {told}: {_number(risk.expected)} of {risk.n:,} are linked rightly "
        f"({risk.share:.1%}{interval}); a guess links {_number(risk.baseline)}."
    )


def _print_forecast(summary: AttackSummary) -> None:
    """Print what the intruder expects of the attack, and how it was made."""
    expected = summary.forecast
    if expected is not None:
        forecast = f"Without the truth the intruder expects {expected.share:.1%} to be right"
        if expected.found is not None:
            forecast += f"; {expected.found:.1%} are"
        claims = f"{expected.claimed:,} of {expected.n:,} with more than {expected.above:.0%}"
        right = "" if expected.right is None else f", of which {expected.right:,.1f} are right"
        say(f"{forecast}. Held to be right: {claims}{right}.")
    if summary.union is not None:
        say(
            f"An oracle that knew for each record which attack to believe would link "
            f"{summary.union:,.1f}."
        )
    details = summary.details
    if details.get("matching") == "one-to-one":
        optimal = "no cheaper one exists"
        if not details["proven"]:
            optimal = f"a cheaper one would save {details['gap']:.3g} at most"
        say(
            f"{details['matched']:,} are matched one to one, at a total cost of "
            f"{details['cost']:.6g}: {optimal}."
        )
    if details.get("matching") == "posterior" and details["cut_off"]:
        say(f"Pairs left out would have {details['cut_off']:.2g} of the probability.")
    if details.get("learnt"):
        import msgspec

        from unveil.values.results.supervised_bound import SupervisedBound

        _print_learnt(msgspec.convert(details["learnt"], SupervisedBound))
    for row in summary.several or ():
        alone = "" if row["alone"] is None else f" in any of them, {row['alone']:,.1f} in this one"
        say(f"{count(row['releases'], 'release')}: {row['expected']:,.1f} linked rightly{alone}.")


def _print_learnt(bound: SupervisedBound) -> None:
    """Print what was learnt from the truth, and what remains of it on other people."""
    say()
    say("LEARNT")
    what = LEARNT.get(bound.model, bound.model)
    sample = f", learnt on {bound.learnt_on:,} of them" if bound.learnt_on < bound.n else ""
    proof = "that is proven" if bound.proven else f"{bound.gap:,.1f} are open, as {bound.why}"
    say(
        f"By the best {what} that we found {bound.linked:,.1f} of {count(bound.n, 'record')} are "
        f"linked{sample}, by no {what} more than {bound.bound:,.1f}: {proof}."
    )
    if bound.impossible:
        say(f"By no {what} can {count(bound.impossible, 'record')} be linked.")
    start, end = bound.direction.split("-to-")
    say(
        f"By the same {what} {bound.expected:,.1f} are linked from {start} to {end}, and "
        f"{bound.back_expected:,.1f} from {end} to {start}, ties by their share."
    )
    say(
        f"Without the truth, weights by moments link {bound.moments:,.1f}, and all attributes "
        f"alike {bound.plain:,.1f}."
    )
    _print_held_out(bound.held_out)
    ranked = sorted(bound.importance.items(), key=lambda one: -one[1])
    rows = [[name, f"{share:.1%}"] for name, share in ranked]
    print_table(["attribute", "counts"], rows, numbers=["counts"])
    if bound.together:
        pairs = (f"{one.first} and {one.second} ({one.strength:+.2f})" for one in bound.together)
        say(f"Together, from -1 to 1, and 0 where they just add up: {', '.join(pairs)}.")


def _print_held_out(held: HeldOut | None) -> None:
    if held is None:
        say("Nobody was held out, so that it is not known how much of this is luck.")
        return
    text = (
        f"Learnt on one half of the people, it links {held.learnt_on:.1%} of that half and "
        f"{held.linked:.1%} of the other (mean of {count(held.splits, 'split')}), where "
        f"{held.moments:.1%} are linked without the truth and {held.plain:.1%} by all attributes "
        "alike."
    )
    gone = held.linked <= max(held.moments, held.plain)
    say(text + (" So the gain vanishes on people not learnt on." if gone else ""))


def _print_uncounted(summary: AttackSummary, links: UncountedLinks) -> None:
    clear = links.clear
    say(
        f"{count(links.records, 'record')} linked. Of {links.looked_at:,} looked at, "
        f"{links.tied:,} have several best candidates, {links.unlinked:,} none"
        f"{'' if clear is None else f'; {clear:,} have a clear margin over the second best'}."
    )
    _print_forecast(summary)
    say(
        "It is not known which released row is whose, so right links cannot be counted: give "
        "--truth, an identifier that both files have or the row map of the release."
    )


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if value >= 1 or value == 0 else f"{value:.2g}"


def _claims(claims: Claims) -> str:
    return f"{claims.claimed:,} of {claims.n:,}"
