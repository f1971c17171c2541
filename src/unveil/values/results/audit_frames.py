"""The results of an audit as tables: one row for each attack, or for each record."""

import msgspec
import numpy as np
import polars as pl

from unveil.values.results.evidence import Audit, Finding

ROW = "row"  # the column of row numbers
SCHEMA = {
    "attack": pl.String, "direction": pl.String, "n": pl.Int64, "absent": pl.Int64,
    "population": pl.Int64, "candidates": pl.Int64, "expected": pl.Float64, "unique": pl.Int64,
    "share": pl.Float64, "low": pl.Float64, "high": pl.Float64, "baseline": pl.Float64,
    "ceiling": pl.Float64, "p_value": pl.Float64,
}  # fmt: skip


def attack_risks(audit: Audit) -> pl.DataFrame:
    """One row for each attack in each direction, the worst first."""
    return pl.DataFrame([_row(one) for one in audit.evidence.attacks], schema=SCHEMA, orient="row")


def _row(finding: Finding) -> tuple[object, ...]:
    ends = {end: getattr(finding.risk.interval, end, None) for end in ("low", "high")}
    fields = msgspec.structs.asdict(finding.risk) | ends | {"attack": finding.name}
    return tuple(fields[name] for name in SCHEMA)


def record_risks(audit: Audit) -> pl.DataFrame:
    """The risk of each original by each attack: rows from 1, null where it was not attacked."""
    columns = [pl.Series(ROW, np.arange(1, audit.evidence.records + 1))]
    columns += [pl.Series(name, risks).fill_nan(None) for name, risks in audit.risks.items()]
    return pl.DataFrame(columns)
