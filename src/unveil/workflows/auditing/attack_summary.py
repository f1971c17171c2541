"""The summary of an attack: every measure of its links, in plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, isnan
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from unveil import measures
from unveil.errors import UsageError
from unveil.measures.identity.claims import clear_margin
from unveil.measures.identity.decisions import optional_decisions
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.table.households import households_of, shared_columns
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.links import Links
from unveil.values.pair_decisions import Decisions
from unveil.values.results.households import HouseholdGroup, LinkedHouseholds
from unveil.values.results.pair_classes import PairClasses
from unveil.values.results.risk import Forecast, Reliability, Risk

if TYPE_CHECKING:
    from unveil.values.household_links import HouseholdLinks
    from unveil.workflows.auditing.decision_outputs import DecisionOutputs, Target

MEMBERS, MANY = "members", 6  # a subgroup for each number of members, and one for so many or more


class UncountedLinks(msgspec.Struct, frozen=True, kw_only=True):
    """Links whose truth is not known: how many there are, and how clear they are."""

    records: int
    looked_at: int
    unlinked: int
    tied: int
    clear: int | None  # with a clear margin; None where scores have no margin


class AttackSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Every measure of an attack. Without the truth there is no risk, but a count of the links."""

    links: Links
    risk: Risk | None
    forecast: Forecast | None
    reliability: Reliability | None = None
    uncounted: UncountedLinks | None = None
    outsiders: bool = False  # whether they are the control
    top: dict[str, Any] = {}
    at_risk: dict[str, Any] = {}
    precision: dict[str, Any] | None = None
    union: float | None = None  # found by any of the combined attacks
    row_order: dict[str, Any] | None = None
    several: list[dict[str, Any]] | None = None  # the risk against the number of releases
    households: LinkedHouseholds | None = None  # linked before the persons in them
    decisions: Decisions | None = None  # on all pairs, where error rates were asked for
    formal: dict[str, Any] | None = None  # whether it is record linkage by definition, if asked for

    @property
    def pair_classes(self) -> PairClasses | None:
        """The classes of all pairs; None where no error rates were asked for."""
        return None if self.decisions is None else self.decisions.classes

    @property
    def details(self) -> dict[str, Any]:
        """The details of the attack."""
        return self.links.finder.details

    def of_several(self, links: Sequence[Links], *, keyed: bool) -> AttackSummary:
        """The same summary with the risk against the number of releases."""
        return msgspec.structs.replace(self, several=risk_by_releases(links, keyed=keyed))

    def with_formal(self) -> AttackSummary:
        """The same summary with the share of the results that are compatible with the truth.

        Of links that another program made, equal rows are those with the same quasi-identifiers.
        """
        links = self.links
        if links.truth is None:
            raise UsageError("--formal compares with the true links: give --truth")
        columns = None
        if not links.finder.columns:
            release = links.pair.release
            columns = [name for name in release.columns if "quasi" in release.schema[name].role]
        formal = measures.formal(links, columns=columns or None)
        return msgspec.structs.replace(self, formal=_plain(formal))

    def writing(self, outputs: DecisionOutputs, links: Target, *, force: bool) -> AttackSummary:
        """The same summary once its links and decisions are written."""
        decisions = outputs.write(self.links, self.decisions, links, force=force)
        return msgspec.structs.replace(self, decisions=decisions)

    def to_dict(self) -> dict[str, Any]:
        """The summary in plain values, as `unveil attack --json` prints it."""
        known: dict[str, Any] = {
            "attack": self.links.name,
            "engine": self.links.finder.engine,
            "risk": self.risk,
            "forecast": self.forecast,
            "details": self.details,
        }
        if self.decisions is not None:
            known["pair_classes"] = self.pair_classes
        if self.uncounted is not None:
            return known | msgspec.structs.asdict(self.uncounted)
        measured = ("outsiders", "top", "at_risk", "precision", "reliability", "union")
        known |= {name: getattr(self, name) for name in measured}
        found = ("row_order", "several", "households", "formal")
        return known | {n: value for n in found if (value := getattr(self, n)) is not None}


def describe_attack(links: Links, *, top: int = 5, outsiders: Links | None = None) -> AttackSummary:
    """The risk, the curves and the forecast of an attack, and the correlation of row orders."""
    decisions = optional_decisions(links)
    if links.truth is None:
        sample, clear = links.sample(SAMPLE_SIZE), None
        if sample.finder.margins:  # the links that an intruder would claim
            clear = int((measures.margins(sample) >= clear_margin(sample) - 1e-9).sum())
        uncounted = UncountedLinks(
            records=len(links),
            looked_at=len(sample),
            unlinked=int((sample.best < 0).sum()),
            tied=int((sample.n_best > 1).sum()),
            clear=clear,
        )
        forecast = measures.forecast(links)
        return AttackSummary(
            links=links, risk=None, forecast=forecast, uncounted=uncounted, decisions=decisions
        )
    union = None
    if parts := links.attack.parts_of(links.finder):  # an oracle knows which of them to believe
        combined = [replace(links, finder=part) for part in parts]
        union = float(np.sort(measures.in_any(combined)).sum())
    in_order = links.attack.uses_row_order
    return AttackSummary(
        links=links,
        risk=measures.risk(links, outsiders=outsiders),
        outsiders=outsiders is not None,
        top=_plain(measures.top_k(links, top)),
        at_risk=_plain(measures.at_risk(links)),
        precision=_plain(measures.precision(links)) if links.finder.margins else None,
        forecast=measures.forecast(links),
        reliability=measures.reliability(links),
        union=union,
        row_order=_plain(measures.row_order(links)) if in_order else None,
        households=describe_households(links) if links.attack.links_households else None,
        decisions=decisions,
    )


def describe_households(links: Links) -> LinkedHouseholds:
    """The households that an attack links; of a sample of persons, as large a part of them."""
    every = replace(links, records=np.arange(len(links.order.records)))
    homes = every.households.sample(ceil(len(every.households) * len(links) / len(every)))
    return LinkedHouseholds(
        grouping=str(links.finder.details["grouping"]),
        risk=measures.risk(homes),
        forecast=measures.forecast(homes),
        subgroups=tuple(_household_groups(homes, links.pair.original)),
    )


def _household_groups(homes: HouseholdLinks, people: Microdata) -> Iterator[HouseholdGroup]:
    """The share linked by number of members, and by each column that members share."""
    units = households_of(people)
    if units is None:
        return
    sizes = pl.Series(MEMBERS, [str(n) if n < MANY else f"{MANY} or more" for n in units.sizes])
    order = [*(str(n) for n in range(1, MANY)), f"{MANY} or more"]
    by_size = Microdata(pl.DataFrame(sizes), Schema(ordinal={MEMBERS: order}))
    shared = [
        name
        for name in shared_columns(people, units)
        if people.schema[name].role & {"quasi", "confidential", "stratum"}
    ]
    table = people.take(units.firsts).select(shared) if shared else None
    linked = homes.hits_of_households()
    for data in (by_size, table):
        for groups in () if data is None else measures.subgroups(data, data.columns):
            for one in measures.by_subgroup(linked, groups):
                yield HouseholdGroup(
                    column=groups.column, group=one.name, n=one.n, share=one.mean, small=one.small
                )


def risk_by_releases(links: Sequence[Links], *, keyed: bool) -> list[dict[str, Any]]:
    """The risk against the number of releases: of the first one, two, ... of them.

    Keyed, each of the links is of so many releases together. Otherwise each is of one release,
    and the risk is that of being found in any of them, independently.
    """
    rows = []
    missed: dict[int, float] = {}
    for number, one in enumerate(links, start=1):
        per_record = measures.hits(one)
        people = one.true_rows if one.intruder.reverse else one.records
        for person, hit in zip(people.tolist(), per_record.tolist(), strict=True):
            missed[person] = missed.get(person, 1.0) * (1 - hit)
        alone = float(np.sort(per_record).sum())
        linked = alone if keyed else sum(1 - miss for _, miss in sorted(missed.items()))
        rows.append({"releases": number, "expected": linked, "alone": None if keyed else alone})
    return rows


def _plain(result: Any) -> dict[str, Any]:
    """The fields of a result, arrays as lists and NaN as None."""
    return {name: _number(value) for name, value in result._asdict().items()}


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_number(one) for one in value.tolist()]
    return None if isinstance(value, float) and isnan(value) else value
