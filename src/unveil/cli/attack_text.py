"""What an attack found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil.cli.console import print_table, say
from unveil.wording import count, listing

if TYPE_CHECKING:
    from unveil.values.links import Links
    from unveil.values.results.risk import Claims, Forecast, Risk
    from unveil.values.results.supervised_bound import HeldOut, SupervisedBound


LEARNT = {"weights": "weights", "choquet": "weights of sets of attributes", "bilinear": "matrix"}


def print_attack(links: Links, found: dict[str, Any]) -> None:
    """Print what an attack found, for people."""
    knows = listing([*links.finder.columns, *links.intruder.blocks])
    of_whom = links.intruder.to_dict()["records"]
    say(f"{links.name}: {f'the intruder knows {knows}, of {of_whom}' if knows else of_whom}")
    inside = listing(links.intruder.blocks)
    say(
        f"{links.intruder.direction}, {count(links.candidates, 'candidate')}"
        f"{f', compared only where equal in {inside}' if inside else ''}"
    )
    say()
    if found["risk"] is None:
        _print_uncounted(found)
        return
    risk: Risk = found["risk"]
    rows = {
        "linked rightly, expected": risk.expected,
        "  of these without a tie": risk.unique,
        "a guess links": risk.baseline,
    }
    if risk.attributes:
        rows["no attack on these attributes links more than"] = risk.ceiling
    print_table(
        ["", f"of {risk.n:,}", "share"],
        [[name, _number(value), _percent(value, risk.n)] for name, value in rows.items()],
        numbers=[f"of {risk.n:,}", "share"],
    )
    say()
    _print_more(risk, found)


def _print_more(risk: Risk, found: dict[str, Any]) -> None:
    if risk.interval is not None:
        found_in = risk.interval
        say(
            f"{risk.n:,} of {risk.population:,} were attacked: of all, {found_in.low:.1%} to "
            f"{found_in.high:.1%} ({found_in.confidence:.0%} confidence)."
        )
    if risk.absent:
        say(f"{count(risk.absent, 'record')} attacked had no row to be found, and are not counted.")
    if risk.supervised:
        say("This attack was made with the truth in hand: no intruder has it.")
    else:  # what was fitted to the truth has hits that are not by chance
        chance = f"{risk.p_value:.2g}" if risk.p_value else "below 1e-300"
        say(f"So many hits or more by chance: probability {chance}.")
    at_risk = found["at_risk"]
    say(
        f"Records with a risk above {at_risk['threshold']:.0%}: {at_risk['above']:.1%}; highest "
        f"risk {at_risk['highest']:.0%}, mean {at_risk['mean']:.1%}."
    )
    curve = found["top"]
    places = ", ".join(f"{k}: {share:.1%}" for k, share in enumerate(curve["share"], start=1))
    say(f"The true row among the k best{_of(curve['n'], curve['population'])}: {places}.")
    if found["details"].get("level") and risk.confirmed is not None:
        say(
            f"For {_claims(risk.confirmed)} what the masking can have done leaves one row only: "
            "whoever is known to be in the release is found with certainty."
        )
    elif risk.confirmed is not None and risk.control is not None and found["forecast"] is None:
        say(
            f"With a clear margin the intruder would claim {_claims(risk.confirmed)}; "
            f"{risk.confirmed.right:,.1f} of these links are right. "
            f"{'Of the outsiders' if found['outsiders'] else 'With the true ones not there'}, "
            f"{_claims(risk.control)}, all wrong."
        )
    _print_knowing(found)
    if "row_order" in found:
        order = found["row_order"]
        say(
            f"Rank correlation of the rows of both files: {order['correlation']:.3f} "
            f"(by chance: probability {order['p_value']:.2g})."
        )


def _print_knowing(found: dict[str, Any]) -> None:
    """What the intruder expects of the attack, and how it was made."""
    expected: Forecast | None = found["forecast"]
    if expected is not None:
        told = f"Without the truth the intruder expects {expected.share:.1%} to be right"
        if expected.found is not None:
            told += f"; {expected.found:.1%} are"
        claims = f"{expected.claimed:,} of {expected.n:,} with more than {expected.above:.0%}"
        right = "" if expected.right is None else f", of which {expected.right:,.1f} are right"
        say(f"{told}. Held to be right: {claims}{right}.")
    if found.get("union") is not None:
        say(
            f"An oracle that knew for each record which attack to believe would link "
            f"{found['union']:,.1f}."
        )
    details = found["details"]
    if details.get("matching") == "one-to-one":
        many, cost = f"{details['matched']:,}", f"{details['cost']:.6g}"
        how = "no cheaper one exists"
        if not details["proven"]:
            how = f"a cheaper one would save {details['gap']:.3g} at most"
        say(f"{many} are matched one to one, at a total cost of {cost}: {how}.")
    if details.get("matching") == "posterior" and details["cut_off"]:
        say(f"Pairs left out would have {details['cut_off']:.2g} of the probability.")
    if details.get("learnt"):
        import msgspec

        from unveil.values.results.supervised_bound import SupervisedBound

        _print_learnt(msgspec.convert(details["learnt"], SupervisedBound))
    for row in found.get("several", ()):
        alone = "" if row["alone"] is None else f" in any of them, {row['alone']:,.1f} in this one"
        say(f"{count(row['releases'], 'release')}: {row['expected']:,.1f} linked rightly{alone}.")


def _print_learnt(found: SupervisedBound) -> None:
    """What was learnt with the truth in hand, and what is left of it without."""
    say()
    say("LEARNT")
    what = LEARNT.get(found.model, found.model)
    some = f", learnt on {found.learnt_on:,} of them" if found.learnt_on < found.n else ""
    how = "that is proven" if found.proven else f"{found.gap:,.1f} are open, as {found.why}"
    say(
        f"By the best {what} that we found {found.linked:,.1f} of {count(found.n, 'record')} are "
        f"linked{some}, by no {what} more than {found.bound:,.1f}: {how}."
    )
    if found.impossible:
        say(f"By no {what} can {count(found.impossible, 'record')} be linked.")
    say(
        f"By the same {what} {found.expected:,.1f} are linked {_way(found, back=False)}, and "
        f"{found.back_expected:,.1f} {_way(found, back=True)}, ties by their share."
    )
    say(
        f"Without the truth, weights by moments link {found.moments:,.1f}, and all attributes "
        f"alike {found.plain:,.1f}."
    )
    _print_held_out(found.held_out)
    ranked = sorted(found.importance.items(), key=lambda one: -one[1])
    rows = [[name, f"{share:.1%}"] for name, share in ranked]
    print_table(["attribute", "counts"], rows, numbers=["counts"])
    if found.together:
        pairs = (f"{one.first} and {one.second} ({one.strength:+.2f})" for one in found.together)
        say(f"Together, from -1 to 1, and 0 where they just add up: {', '.join(pairs)}.")


def _way(found: SupervisedBound, *, back: bool) -> str:
    """Who looks for whom; back: the other way round."""
    mine, theirs = found.direction.split("-to-")
    return f"from {theirs} to {mine}" if back else f"from {mine} to {theirs}"


def _print_held_out(held: HeldOut | None) -> None:
    if held is None:
        say("Nobody was held out, so that it is not known how much of this is luck.")
        return
    said = (
        f"Learnt on one half of the people, it links {held.learnt_on:.1%} of that half and "
        f"{held.linked:.1%} of the other (mean of {count(held.splits, 'split')}), where "
        f"{held.moments:.1%} are linked without the truth and {held.plain:.1%} by all attributes "
        "alike."
    )
    gone = held.linked <= max(held.moments, held.plain)
    say(said + (" So the gain vanishes on people not learnt on." if gone else ""))


def _print_uncounted(found: dict[str, Any]) -> None:
    clear = found["clear"]
    say(
        f"{count(found['records'], 'record')} linked. Of {found['looked_at']:,} looked at, "
        f"{found['tied']:,} have several best candidates, {found['unlinked']:,} none"
        f"{'' if clear is None else f'; {clear:,} have a clear margin over the second best'}."
    )
    _print_knowing(found)
    say(
        "It is not known which released row is whose, so right links cannot be counted: give "
        "--truth, an identifier that both files have or the row map of the release."
    )


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if value >= 1 or value == 0 else f"{value:.2g}"


def _percent(value: float, n: int) -> str:
    return f"{value / n:.1%}" if n else "-"


def _claims(claims: Claims) -> str:
    return f"{claims.claimed:,} of {claims.n:,}"


def _of(n: int, population: int) -> str:
    return f" ({n:,} of {population:,} looked at)" if n < population else ""
