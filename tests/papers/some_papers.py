"""Papers that nobody wrote, reproduced: every kind of cell, claim and curve."""

from unveil_papers.framework.reproduction import (
    Cell,
    Claim,
    ComparedTable,
    LineChart,
    Reproduction,
    Reproductions,
)

HOSTILE = "</script><b>&"


def some_cells():
    yield Cell(row="0.10", column="DBRL", theirs="98.4", ours=98.43, error=0.21, mark="same")
    why = f"the file is not to be had {HOSTILE}"
    for column, mark in (("RBRL-Sum", "different"), ("RBRL-Max", "not reproducible")):
        yield Cell(row="0.10", column=column, theirs="57.4", ours=51, mark=mark, why=why)
    yield Cell(row="0.25", column="DBRL", ours=69.125, error=0.5)
    yield Cell(row="0.25", column="RBRL-Sum", theirs="53.7", mark="not reproducible", why="lost")


def some_papers():
    table = ComparedTable(
        name="Table 1", title=f"noise {HOSTILE}", unit="% linked", yardstick="same: equal",
        digits=1, cells=tuple(some_cells()),
    )  # fmt: skip
    beside = ComparedTable(
        name="Beside", title="ours", unit="links of 100", yardstick="", digits=2,
        cells=(Cell(row="wdbc", column="auto", ours=99.75), Cell(row="iris", column="auto")),
    )  # fmt: skip
    verdicts = ("holds", "holds in part", "does not hold", "cannot be tested")
    claims = tuple(
        Claim(number=n, where="Section 4", says=f"Claim {n} {HOSTILE}.", verdict=verdict,
              because=f"In {n} of 9 rows.")
        for n, verdict in enumerate(verdicts, 1)
    )  # fmt: skip
    curves = tuple(
        LineChart(name=name, title=name, x="right links", y="probability", says="It falls.",
              points=(("exactly", 0.0, 0.5), ("exactly", 1.0, 0.25), ("exactly", 2.0, 0.0)),
              logarithmic=name == "law")
        for name in ("curve", "law")
    )  # fmt: skip
    paper = Reproduction(
        name="rank-based", title="Ranks", source="Somebody (2016)", setting=("Ties: the first.",),
        tables=(table, beside), claims=claims, curves=curves,
    )  # fmt: skip
    bare = Reproduction(name="grid", title="All", source="unveil", setting=(), tables=(beside,))
    return Reproductions(papers=(paper, bare), seed=3, quick=True, version="0.0")
