"""What an attack found, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unveil.cli.console import print_table, say
from unveil.errors import count, listing

if TYPE_CHECKING:
    from unveil.data.links import Links
    from unveil.data.risk import Claims, Forecast, Risk


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
    for row in found.get("several", ()):
        alone = "" if row["alone"] is None else f" in any of them, {row['alone']:,.1f} in this one"
        say(f"{count(row['releases'], 'release')}: {row['expected']:,.1f} linked rightly{alone}.")


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
