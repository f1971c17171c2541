"""What the paper on rank-based record linkage says of microaggregation."""

from unveil_papers.framework.verdicts import Judged, listed, span, verdict_of
from unveil_papers.rank_based.judging import (
    DISTANCE,
    GUESSES,
    MARGIN,
    MAX,
    SUM,
    THREE,
    Paper,
    counts,
    if_so,
    levels,
)
from unveil_papers.rank_based.work import FILES, GROUPS

TINY = 1e-9  # of which nothing is many times as much


def _three(paper: Paper, file: str, k: int) -> list[float]:
    return [paper.log.one("grouped", file, k, figure=name) for name in THREE]


def small(paper: Paper) -> Judged:
    ks = GROUPS["census"]
    gaps = [min(_three(paper, "census", k)[1:]) - _three(paper, "census", k)[0] for k in ks]
    gaps_of = list(zip(ks, gaps, strict=True))
    few = sum(gap < MARGIN for gap in gaps)
    return if_so(
        0 < few < len(ks) and min(gaps[few:]) >= MARGIN and min(gaps) >= 0,
        f"Ranks less distance at k = {levels(ks)}: {listed(gaps)} points. Far is {MARGIN:g} or "
        f"more, but at k = {levels(k for k, gap in gaps_of if gap < MARGIN)}.",
        "holds in part" if few < len(ks) else "does not hold",
    )


def in_text(paper: Paper) -> Judged:
    ours = _three(paper, "census", 216)
    same = [paper.same("Table 5, Census", "216", [name]) for name in THREE]
    hits = paper.log.one("grouped", "census", 216, figure="hits")
    return verdict_of(*same), (
        f"Ours: {listed(ours, 2)} %; by distance {hits:g} records, where "
        f"{span(counts(paper, 'census', 216, DISTANCE), 0)} would print as theirs."
    )


def extreme(paper: Paper) -> Judged:
    ours = _three(paper, "census", 360)[1:]
    return if_so(paper.same("Table 5, Census", "360", (SUM, MAX)), f"Ours: {listed(ours)} %.")


def susceptible(paper: Paper) -> Judged:
    times = [_three(paper, file, k)[1] * k / 100 for file in FILES for k in GROUPS[file]]
    shares = [
        100 * _three(paper, file, k)[1] / paper.log.one("grouped", file, k, figure="ceiling")
        for file in FILES
        for k in GROUPS[file]
    ]
    return if_so(
        min(times) >= GUESSES,
        f"Ranks link {min(times):.0f} to {max(times):.0f} times as many as one in k; that is "
        f"{min(shares):.1f} to {max(shares):.1f} % of what no attack can exceed, the number of "
        "different released rows.",
    )


def together(paper: Paper) -> Judged:
    done = {
        k: [
            paper.log.one("together", "census", k, figure=name)
            for name in (DISTANCE, SUM, "done again")
        ]
        for k in (5, 10, 54)
    }
    return if_so(
        all(max(shares) <= 100 / k + 1e-9 for k, shares in done.items()),
        "Census by MDAV: "
        + "; ".join(f"k = {k}: {listed(shares[:2])} % by distance and rank sum, "
                    f"{shares[2]:.1f} % by who does it again" for k, shares in done.items())
        + ". That is 1/k and no more.",
    )  # fmt: skip


def dramatic(paper: Paper) -> Judged:
    census, eia = (
        [(by_sum - by_distance, by_sum / max(by_distance, TINY)) for by_distance, by_sum, _ in rows]
        for rows in ([_three(paper, file, k) for k in GROUPS[file]] for file in FILES)
    )
    gaps = [max(gap for gap, _ in rows) for rows in (census, eia)]
    first, most = eia[0][1], max(ratio for _, ratio in census)
    return verdict_of(gaps[1] > gaps[0], first > most), (
        f"Ranks are {gaps[0]:.1f} points ahead at most on Census and {gaps[1]:.1f} on EIA; "
        f"they link {most:.1f} times as many at most on Census, and on EIA {first:.1f} "
        "times at the smallest k already."
    )


def tenfold(paper: Paper) -> Judged:
    ours = _three(paper, "eia", 341)
    same = paper.same("Table 5, EIA", "341", THREE)
    hits = paper.log.one("grouped", "eia", 341, figure="hits")
    return verdict_of(same, 9 < ours[1] / ours[0] < 10), (
        f"Ours: {listed(ours, 2)} %, {ours[1] / ours[0]:.1f} times as many; by distance "
        f"{hits:g} records, where {span(counts(paper, 'eia', 341, DISTANCE), 0)} would print as "
        "theirs."
    )


def alike(paper: Paper) -> Judged:
    apart = [paper.log.one("grouped", f, k, figure="apart") for f in FILES for k in GROUPS[f]]
    return if_so(max(apart) == 0, f"No record is linked by one only, in all {len(apart)} releases.")


def reason(paper: Paper) -> Judged:
    tried = [(f, k) for f in FILES for k in GROUPS[f] if paper.log.has("regrouped", f, k)]
    own = [paper.log.one("grouped", f, k, figure="own group") for f, k in tried]
    other = [
        max(paper.log.one("regrouped", f, k, figure=name) for name in ("medians", "numbers"))
        for f, k in tried
    ]
    return if_so(
        min(other) > 0,
        "Where a group's median or its mere number is released in place of its mean, both "
        f"criteria link the same records as before in {other.count(0)} of {len(other)} "
        "releases: averaging plays no part. A group's average rank is its centre, so the own "
        f"group is nearest by both criteria, for {min(own):.1f} to {max(own):.0f} % of the "
        "records, and its first row is taken.",
        "holds in part" if max(other) > 0 else "does not hold",
    )
