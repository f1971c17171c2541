"""Categorical records: ours beside theirs, and what the averages hide."""

from collections.abc import Callable

import numpy as np

from unveil_papers.categorical.results import (
    AND_EXPECTED,
    EMS,
    PRAM,
    TABLES,
    WINDOWS,
    CategoricalResults,
    by_group,
    by_mask,
    correlation,
    in_groups,
)
from unveil_papers.categorical.stand_in import ATTACKS, EM, GROUPS, MASKS, TIES
from unveil_papers.framework.experiment import TrialLog
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable
from unveil_papers.framework.tools import Floats
from unveil_papers.framework.yardstick import compare_table, own_table

POLICIES = {"any": "ties are hits", "expected": "expected", "unique": "unique"}
LINKAGES = {"DBRL": "DBRL", "PRL": "PRL-free"}  # those of the paper, and what we run for them
STANDS_IN = {
    "BUILT": "age in bands of three years",
    "DEGREE": "hours in eight bands",
    "GRADE1": "years of education",
    "METRO": "class of work",
    "SCH": "relationship",
    "SHP": "race",
    "TRAN1": "occupation",
    "WHYMOVE": "country",
    "WHYTOH": "marital status and sex",
    "WHYTON": "capital gain and loss in bands",
}
NOT_TO_BE_HAD = (
    "the survey's extract is not to be had: other people, other attributes; ours is of the "
    "stand-in, with ties counted as hits"
)


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """All tables: the printed ones first."""
    results = CategoricalResults(log, published)
    return [
        categories(results, published),
        *(printed_table(results, published, group, name) for group, name in TABLES.items()),
        averages(results, published),
        by_attack(results),
        by_part(results, "By mask", "Average hits by mask", by_mask),
        by_part(results, "By group", "Average hits by group of attributes", by_group),
        likeness(results),
        estimation(results),
        overlap(results),
        lost(results),
    ]


def categories(results: CategoricalResults, published: Published) -> ComparedTable:
    """Table 1."""
    ours = results.categories
    return compare_table(
        published,
        "Table 1",
        lambda row, _: ours[row],
        digits=0,
        impossible=lambda row, _: f"another attribute stands in: {STANDS_IN[row]}, of Adult",
    )


def printed_table(
    results: CategoricalResults, published: Published, group: str, name: str
) -> ComparedTable:
    """One of Tables 2 to 6."""

    def ours(row: str, column: str) -> float | None:
        linkage, _, method = column.partition(" ")
        hits = results.hits(LINKAGES[linkage])
        figure = hits[list(MASKS).index(method), int(row) - 1, list(GROUPS).index(group)]
        return None if np.isnan(figure) else float(figure)

    return compare_table(published, name, ours, digits=0, impossible=NOT_TO_BE_HAD)


def averages(results: CategoricalResults, published: Published) -> ComparedTable:
    """The averages in the text, held against the paper's own tables, and the stand-in's."""
    attacks = {**LINKAGES, "DBRL, method-aware": "aware"}

    def ours(row: str, column: str) -> float | None:
        if column == "stand-in":
            return float(results.hits(attacks[row]).mean())
        return float(results.printed[row].mean()) if row in results.printed else None

    def why(row: str, column: str) -> str:
        del column
        total = int(results.printed[row].sum())
        many = results.printed[row].size
        printed = results.averages_in_the_text[row]
        least, most = np.ceil((printed - 0.005) * many), np.ceil((printed + 0.01) * many) - 1
        return (
            f"the printed figures add up to {total:,}, so that their mean is {total / many:.4f}; "
            f"{printed}, rounded or cut off, would need {least - total:.0f} to "
            f"{most - total:.0f} hits more: a figure of the tables, or the average, is misprinted"
        )

    return compare_table(
        published,
        "Averages",
        ours,
        digits=2,
        why=why,
        impossible=lambda _, column: NOT_TO_BE_HAD if column == "stand-in" else "",
    )


def by_attack(results: CategoricalResults) -> ComparedTable:
    """The average of every attack by every policy for ties."""
    rows: dict[str, dict[str, float | None]] = {}
    for attack, words in ATTACKS.items():
        for window in WINDOWS:
            if attack in results.complete(ATTACKS, window):
                rows.setdefault(words, {}).update(
                    {
                        f"{POLICIES[ties]}{_beyond(window)}": float(
                            results.hits(attack, ties, window).mean()
                        )
                        for ties in TIES
                    }
                )
    title = "Average over the 180 experiments on the stand-in, by what a tie counts"
    return own_table("Attacks", title, "records of 1000", rows, digits=1)


def _beyond(window: int) -> str:
    return f" (from record {window:,})" if window else ""


def by_part(
    results: CategoricalResults, name: str, title: str, split: Callable[[Floats], dict[str, float]]
) -> ComparedTable:
    """The averages of the masks, or of the groups: theirs and the stand-in's."""
    columns = {f"printed {linkage}": results.printed[linkage] for linkage in ("PRL", "DBRL")}
    shown = ("PRL-free", "PRL-order", "PRL-safe", "DBRL", "aware")
    for ties in AND_EXPECTED:
        for attack in results.complete(shown):
            columns[f"{ATTACKS[attack]}; {POLICIES[ties]}"] = results.hits(attack, ties)
    columns["different masked records"] = results.of_mask("different")
    parts = {column: split(figures) for column, figures in columns.items()}
    rows = {
        part: {column: figures[part] for column, figures in parts.items()}
        for part in next(iter(parts.values()))
    }
    return own_table(name, title, "records of 1000", rows, digits=0)


def likeness(results: CategoricalResults) -> ComparedTable:
    """How alike DBRL and PRL are, experiment by experiment, where averages cancel."""
    pairs = {"printed": (results.printed["PRL"], results.printed["DBRL"])}
    for attack in EMS:
        for ties in AND_EXPECTED:
            pairs[f"{ATTACKS[attack]}; {POLICIES[ties]}"] = (
                results.hits(attack, ties),
                results.hits("DBRL", ties),
            )
    kinds: dict[str, Callable[[Floats, Floats], float]] = {
        "correlation": correlation,
        "DBRL better, % of experiments": lambda prl, dbrl: 100 * float((dbrl > prl).mean()),
        "mean absolute difference": lambda prl, dbrl: float(np.abs(dbrl - prl).mean()),
        "PRL without m and u": lambda prl, _: float(in_groups(prl, "sol").mean()),
        "DBRL without m and u": lambda _, dbrl: float(in_groups(dbrl, "sol").mean()),
        "PRL on PRAM, m and u": lambda prl, _: _pram(prl, "mu"),
        "DBRL on PRAM, m and u": lambda _, dbrl: _pram(dbrl, "mu"),
        "PRL on PRAM, s, o and l": lambda prl, _: _pram(prl, "sol"),
        "DBRL on PRAM, s, o and l": lambda _, dbrl: _pram(dbrl, "sol"),
    }
    rows = {
        kind: {column: of(*pair) for column, pair in pairs.items()} for kind, of in kinds.items()
    }
    title = "DBRL and PRL beside each other, in the printed tables and on the stand-in"
    return own_table("Likeness", title, "as said", rows, digits=2)


def _pram(figures: Floats, groups: str) -> float:
    return float(in_groups(figures, groups)[PRAM].mean())


def estimation(results: CategoricalResults) -> ComparedTable:
    """How free EM fails, and what repairs it."""
    rows: dict[str, dict[str, float | None]] = {}
    for attack in results.complete(f"PRL-{kind}" for kind in EM):
        prior, agreement = (results.single(attack, one) for one in ("prior", "agreement"))
        against = results.against_a_match(attack)
        hits = results.hits(attack)
        first = PRAM, 0, list(GROUPS).index("m")
        rows[ATTACKS[attack]] = {
            "mean prior (truth: 0.001)": float(prior.mean()),
            "experiments where agreement speaks against a match": float(against.sum()),
            "of these in m": float(in_groups(against, "m").sum()),
            "m, PRAM p = 1: prior": float(prior[first]),
            "m, PRAM p = 1: least agreement weight": float(agreement[first]),
            "m, PRAM p = 1: hits": float(hits[first]),
            "hits in m": by_group(hits)["m"],
            "hits in s": by_group(hits)["s"],
            "hits on PRAM": by_mask(hits)["PRAM"],
            "hits": float(hits.mean()),
        }
    title = "What EM estimates (weights in bits), and its hits with ties counted as hits"
    return own_table("EM", title, "as said", rows, digits=3)


def overlap(results: CategoricalResults) -> ComparedTable:
    """The records that both linkages find, and those that either does."""
    rows: dict[str, dict[str, float | None]] = {}
    for attack in results.complete(f"PRL-{kind}" for kind in EM):
        rows[f"DBRL and {ATTACKS[attack]}"] = {
            f"{figure}; {POLICIES[ties]}": float(results.hits(attack, ties, figure=figure).mean())
            for ties in TIES
            for figure in ("both", "either")
        }
    title = "Records that both linkages re-identify, and that either does, on the stand-in"
    return own_table("Overlap", title, "records of 1000", rows, digits=0)


def lost(results: CategoricalResults) -> ComparedTable:
    """How hits go with what the masks lost, over the experiments."""
    rows: dict[str, dict[str, float | None]] = {}
    for attack in results.complete(("DBRL", "PRL-free", "PRL-safe", "aware")):
        rows[ATTACKS[attack]] = {
            f"{figure}; {POLICIES[ties]}": correlation(
                results.hits(attack, ties), results.of_mask(figure)
            )
            for figure in ("change", "entropy")
            for ties in AND_EXPECTED
        }
    title = "Correlation of the hits with the information lost, over the 180 experiments"
    return own_table("Loss", title, "Pearson's r", rows, digits=2)
