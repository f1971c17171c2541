"""Values in a notebook: a section in HTML, without scripts, addresses or cells."""

from collections.abc import Iterator
from functools import singledispatch

import msgspec

from unveil.reports.content import Exhibit, Fact, Section, Summary
from unveil.reports.headline import risk_sentence
from unveil.reports.rendering import environment
from unveil.reports.sections import loss
from unveil.reports.sections.attacks import attack, direction, risk_table
from unveil.reports.sections.linkage import pair_classes
from unveil.reports.sections.provenance import steps
from unveil.reports.tables import Table, counts, figures, labels, tabulate, text
from unveil.reports.write import summary_of
from unveil.support.phrases import Phrase, counted, name, names, phrase
from unveil.table.attribute import FLAGS, Attribute
from unveil.table.columns import stored_as
from unveil.table.microdata import Microdata
from unveil.table.roles import ROLES
from unveil.table.schema import Schema
from unveil.values.links import Links
from unveil.values.pair_decisions import Decisions
from unveil.values.release.release import Release
from unveil.values.results.choice import Choice
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit
from unveil.values.results.loss import Loss
from unveil.values.results.risk import Risk

COLUMNS = 100  # of a table that are listed
# The sections of the page, beside the table of scenarios, whose tables a notebook shows.
TABLES = {Audit: ("limits", "attacks"), Comparison: ("releases",), Choice: ("costs", "reach")}


def html(value: object) -> str:
    """The section of a value as HTML in the colours of the notebook."""
    return environment().get_template("notebook.html").render(section=section(value))


@singledispatch
def section(value: object) -> Section:
    """The section of a value in a notebook."""
    raise TypeError(f"a notebook shows no {type(value).__name__} of its own")


@section.register
def _microdata(data: Microdata) -> Section:
    return Section(key="microdata", title=repr(data), exhibits=(_columns(data),))


def _columns(data: Microdata) -> Exhibit:
    """The columns with their roles and levels; no cell."""
    listed = data.columns[:COLUMNS]
    table = tabulate(
        listed,
        labels("column", "column", lambda one: one),
        (text("role", "role"), lambda one: _roles(data.schema[one])),
        (text("level", "level"), data.level),
        (text("stored", "stored as"), lambda one: _stored(data, one)),
        counts("missing", "missing", lambda one: data.column(one).null_count()),
    )
    return Exhibit(name="columns", title="", table=table, notes=_not_listed(len(data.columns)))


def _roles(attribute: Attribute) -> str:
    return ", ".join(role for role in ROLES if role in attribute.role) or "-"


def _stored(data: Microdata, column: str) -> str:
    generalised = data.schema[column].generalised
    return "generalised cells" if generalised else stored_as(data.column(column))


def _not_listed(columns: int) -> tuple[Phrase, ...]:
    if columns <= COLUMNS:
        return ()
    return (phrase("And {} more columns.", counted(columns - COLUMNS)),)


@section.register
def _schema(schema: Schema) -> Section:
    """Roles, levels and flags; orders, labels and missing codes are counted."""
    table = tabulate(
        list(schema)[:COLUMNS],
        labels("attribute", "attribute", lambda one: one),
        (text("role", "role"), lambda one: _roles(schema[one])),
        (text("level", "level"), lambda one: schema[one].level or "-"),
        (text("flags", "declared"), lambda one: _flags(schema[one])),
        counts("order", "ordered categories", lambda one: len(schema[one].order) or None),
        counts("missing", "missing codes", lambda one: len(schema[one].missing) or None),
        (text("question", "question"), lambda one: name(schema[one].question)),
    ).filled()
    exhibit = Exhibit(name="schema", title="", table=table, notes=_not_listed(len(schema)))
    return Section(key="schema", title=repr(schema), exhibits=(exhibit,))


def _flags(attribute: Attribute) -> str:
    return ", ".join(flag.replace("_", " ") for flag in FLAGS if getattr(attribute, flag))


@section.register
def _release(release: Release) -> Section:
    """The steps without their parameters, which may name categories, and the released columns."""
    plan = steps(release.plan.to_dict().get("mask", []))
    shown = Exhibit(name="plan", title=plan.title, table=plan.table.without("parameters"))
    masked = (shown,) if shown.table.rows else ()
    return Section(key="release", title=repr(release), exhibits=(*masked, _columns(release.data)))


@section.register
def _links(links: Links) -> Section:
    """The attack, its direction and its inputs, without running it."""
    known = "not known" if links.truth is None else "known"
    facts = (
        Fact(phrase("attack"), (attack(links.name),)),
        Fact(phrase("direction"), (direction(links.intruder.direction),)),
        Fact(phrase("records"), (counted(len(links)),)),
        Fact(phrase("candidates for each record"), (counted(links.candidates),)),
        Fact(phrase("compared attributes"), names(links.finder.columns)),
        Fact(phrase("true links"), phrase(known)),
    )
    return Section(key="links", title=repr(links), exhibits=(_facts(facts),))


def _facts(facts: tuple[Fact, ...]) -> Exhibit:
    rows = tuple((fact.label, fact.value) for fact in facts)
    return Exhibit(name="facts", title="", table=Table((text("of", ""), figures("is", "")), rows))


@section.register
def _decisions(decisions: Decisions) -> Section:
    """The classes and the error rates; charts are drawn by name."""
    lead = phrase("{}.", name(repr(decisions)))
    shown = pair_classes.section(decisions.classes, lead)
    return msgspec.structs.replace(
        shown, exhibits=tuple(one for one in shown.exhibits if one.chart is None)
    )


@section.register
def _risk(risk: Risk) -> Section:
    exhibit = Exhibit(name="risk", title="", table=risk_table([(risk.attack, risk)]))
    said = phrase("{}.", name(risk_sentence(risk, risk.attack)))
    return Section(key="risk", title="Risk", paragraphs=(said,), exhibits=(exhibit,))


@section.register
def _loss(lost: Loss) -> Section:
    exhibits = (*([loss.uses(lost)] if lost.uses else []), loss.measures(lost))
    return Section(key="loss", title="Loss", paragraphs=(loss.overall(lost),), exhibits=exhibits)


@section.register
def _result(result: Audit | Comparison | Choice) -> Section:
    """The top of the page: cautions, verdict, figures and the first tables."""
    page = summary_of(result)
    said = (*page.cautions, page.verdict, *page.points, *_charts(page))
    exhibits = [_facts(page.facts)] if page.facts else []
    exhibits += [] if page.first is None else [page.first]
    for one in page.sections:
        exhibits += one.exhibits if one.key in TABLES[type(result)] else ()
    return Section(
        key="result", title=f"{type(result).__name__}: {page.title}", paragraphs=said,
        exhibits=tuple(exhibits),
    )  # fmt: skip


def _charts(page: Summary) -> Iterator[Phrase]:
    drawn = [one.name for one in page.exhibits() if one.chart is not None and one.about is None]
    if drawn:
        yield phrase("Draw a chart with `chart(name)`; the names are {}.", names(drawn))
