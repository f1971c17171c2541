"""Armengol and Torra, Generalization-based k-anonymization (2015).

Records of Adult that differ in at most two attributes become patterns with stars, by either order
of two conditions and for four K. C4.5 trees learn from the patterns, and are tested on the original
records (Table 1); patterns, and records that satisfy none, are counted (Table 2). Beside them: what
such a file promises, tells and loses, groups made disjoint, and Mondrian.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil, floor

from msgspec.structs import replace

from unveil_papers.framework.experiment import PaperTrial, TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable
from unveil_papers.framework.yardstick import compare_table, half_a_digit, own_table
from unveil_papers.generalization import sets, work
from unveil_papers.generalization.results import ORDERS, ORIGINAL, WITHIN, GeneralizationResults
from unveil_papers.generalization.work import GROUPS, RELEASES, SIZES

Rows = dict[str, dict[str, float]]

DATA = work.DATA
results = GeneralizationResults  # what the judges of claims are given
WORK = {
    "original": work.of_original,
    "patterns": work.of_patterns,
    "learnt": work.of_learnt,
    "records": work.of_records,
    "ways": work.of_ways,
    "release": work.of_release,
    "some": work.of_some,
    "splits": sets.of_splits,
    "united": sets.of_united,
    "linked": sets.of_linked,
}
TREES = {  # how each is trained
    "uci": "each pattern once, as in Table 1",
    "unpruned": "the same, not pruned",
    "by support": "each weighted by its records",
    "by record": "a row for each record, its first pattern",
    "kept": "the original rows of those records",
}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """All; in a hurry, releases of the least and the largest K only, and attacks on them."""
    yield PaperTrial("original", cost=2)
    yield PaperTrial("some", cost=2)
    for k in SIZES:
        for order in ORDERS.values():
            yield PaperTrial("patterns", (order, k), cost=0.5)
            yield PaperTrial("learnt", (order, k), cost=2.5)
            yield PaperTrial("records", (order, k), cost=0.5)
            yield PaperTrial("ways", (order, k), cost=0.4)
            yield PaperTrial("splits", (order, k), cost=0.4)
            yield PaperTrial("united", (order, k), cost=0.4)
        if not quick or k in (SIZES[0], SIZES[-1]):
            yield PaperTrial("linked", (k,), cost=1)
            for name in RELEASES:
                yield PaperTrial("release", (name, k), cost=1.6)


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """Both tables, and what files of such patterns promise, tell, lose and teach."""
    results = GeneralizationResults(log, published)
    return [
        *printed_tables(log, published),
        _trained(results),
        _counted(results),
        _promised(results),
        *_beside(results),
        _discarded(results),
    ]


def printed_tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """Both tables of the paper, by test file, and by what is counted."""
    results = GeneralizationResults(log, published)
    return [
        *(_trees(results, test) for test in ("S1", "uci", "DB")),
        _patterns(results),
        _rest(results),
    ]


def _size(column: str) -> int:
    return int(column.removeprefix("K = "))


def _trees(results: GeneralizationResults, test: str) -> ComparedTable:
    """Table 1, on one of the files."""
    name = f"Table 1, {test}"

    def ours(row: str, column: str) -> float | list[float]:
        if row == ORIGINAL:
            return results.originals(test) if test == "S1" else results.original(test)
        of = results.series if test == "S1" else results.of
        return of(row, _size(column), test)

    def why(row: str, column: str) -> str:
        if row == ORIGINAL:
            printed = results.printed(name, row, column)
            return _records(results.original(test), printed, int(results.original("test")))
        k = _size(column)
        if results.of(row, k, "leaves") == 1:
            return (
                "ours is pruned to one leaf, which says the commoner salary; theirs is right less "
                "often than that, so it was another tree"
            )
        return (
            f"ours learnt from {results.of(row, k, 'patterns'):,.0f} distinct patterns, theirs "
            "from others (Table 2)"
        )

    return compare_table(results.published, name, ours, digits=2, why=why)


def _records(ours: float, printed: str, n: int) -> str:
    """How many records make the difference."""
    low, high = (float(printed) + side * half_a_digit(printed) for side in (-1, 1))
    return (
        f"ours is right for {ours * n / 100:,.0f} of {n:,} records, theirs for "
        f"{ceil(low * n / 100):,} or {floor(high * n / 100):,}; on DB they do not differ"
    )


def _patterns(results: GeneralizationResults) -> ComparedTable:
    name = "Table 2, patterns"

    def why(row: str, column: str) -> str:
        listed = results.listed(row, _size(column))
        times = float(results.printed(name, row, column)) / listed
        return (
            "ours are distinct; listed once for each way on which Figure 4 finds them they are "
            f"{listed:,.0f}, and theirs are {times:.2f} times as many: no reading tried gives them"
        )

    def ours(row: str, column: str) -> float:
        return results.of(row, _size(column), "patterns")

    return compare_table(results.published, name, ours, digits=0, why=why)


def _rest(results: GeneralizationResults) -> ComparedTable:
    def why(row: str, column: str) -> str:
        first, last = results.left(row, _size(column))
        return (
            f"the first condition leaves {first:,.0f}, the second {last:,.0f}; no reading tried "
            "leaves fewer here and as many as printed at the other K"
        )

    def ours(row: str, column: str) -> float:
        return results.of(row, _size(column), "rest")

    table = compare_table(
        results.published, "Table 2, rest", ours, digits=0, why=why, within=WITHIN
    )
    words = f"{table.yardstick}, chosen with the figures in sight as the largest gap of the reading"
    return replace(table, yardstick=words)


def _by_size(of: Callable[[int], float]) -> dict[str, float]:
    return {f"K = {k}": of(k) for k in SIZES}


def _lines(results: GeneralizationResults, figures: dict[str, str]) -> Rows:
    """A row for each combination and figure."""
    return {
        f"{row}, {name}": _by_size(partial(results.of, row, figure=figure))
        for row in ORDERS
        for figure, name in figures.items()
    }


def _releases(results: GeneralizationResults, figure: str, name: str = "") -> Rows:
    """A row for each release."""
    return {
        release + name: {
            f"K = {k}": results.release(release, k, figure) for k in results.released()
        }
        for release in RELEASES
    }


def _trained(results: GeneralizationResults) -> ComparedTable:
    """What trees learn from patterns, and from what lies behind them."""
    rows = {
        "original": _by_size(lambda _: results.original("uci")),
        "the commoner salary": _by_size(lambda _: results.original("commoner")),
        **_lines(results, TREES),
    }
    title = "by what they are trained on, tested on uci"
    return own_table("Trees", title, "% right", rows, digits=2)


def _counted(results: GeneralizationResults) -> ComparedTable:
    """Patterns and records, however they are counted."""
    rows = _lines(results, {"patterns": "distinct patterns", "leaves": "leaves of their tree"})
    for row in ORDERS:
        left = {k: results.left(row, k) for k in SIZES}
        rows[f"{row}, once for each way"] = _by_size(partial(results.listed, row))
        for place, name in enumerate(("by the first condition", "by both")):
            rows[f"{row}, records left {name}"] = {f"K = {k}": left[k][place] for k in SIZES}
    return own_table("Counts", "however they are made", "patterns, leaves, records", rows, digits=0)


def _promised(results: GeneralizationResults) -> ComparedTable:
    """Whether K records are alike."""
    figures = {
        "least support": "fewest records of a pattern",
        "below": "a row for each record: rows in groups below K",
        "smallest": "a row for each record: the smallest group",
    }
    rows = _lines(results, figures)
    rows |= _releases(results, "below", ": rows in groups below K")
    rows |= _releases(results, "discarded", ": discarded")
    return own_table("The promise", "counted on the file", "records", rows, digits=0)


def _beside(results: GeneralizationResults) -> list[ComparedTable]:
    """The paper's patterns with a row for each record, our releases, and Mondrian's."""
    first = "a row for each record"
    return [
        own_table(
            name, title, unit,
            _lines(results, {own: first}) | _releases(results, figure), digits=1,
        )
        for name, title, unit, own, figure in (
            ("One salary", "rows of groups with one", "% of rows", "one salary", "one salary"),
            ("Cells lost", "starred, changed or discarded", "% of all cells", "lost", "lost"),
            ("Releases", "trees of them, tested on uci", "% right", "by record", "uci"),
        )
    ]  # fmt: skip


def _discarded(results: GeneralizationResults) -> ComparedTable:
    """Whom discards fall on."""
    groups = (*GROUPS, "born elsewhere, or unknown")
    rows = {f"{row}, K = {k}": results.series(row, k, "groups") for row in ORDERS for k in SIZES}
    for name in (one for one in RELEASES if one.startswith("disjoint")):
        rows |= {f"{name}, K = {k}": results.groups(name, k) for k in results.released()}
    cells = {row: dict(zip(groups, figures, strict=True)) for row, figures in rows.items()}
    return own_table("Discarded", "whom it falls on", "% of the group", cells, digits=1)
