"""Values: what is disclosed by what the rows say, whether or not anybody is linked."""

from collections.abc import Iterator

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack
from unveil.reports.tables import counts, figures, labels, shares, tabulate, text
from unveil.support.phrases import (
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
    expected,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.table.schema import Schema
from unveil.values.results.disclosure import (
    CompatibleRows,
    Diversity,
    Inference,
    IntervalDisclosure,
    ReleaseUniqueness,
    Uniqueness,
)
from unveil.values.results.evidence import Evidence


def intervals(evidence: Evidence, *, external: bool = False) -> Section | None:
    """How near released values are to the originals, against chance."""
    disclosure = evidence.intervals
    if disclosure is None or not disclosure.attributes:
        return None
    inside, all_of = disclosure.average.by_rank[0], disclosure.together.by_rank[0]
    return Section(
        key="intervals",
        title="How near the released values are",
        paragraphs=(
            phrase(
                "On average {} of the originals lie within {} % of the ranks around their released "
                "value ([interval disclosure](interval-disclosure)), where {} would by chance; in "
                "all attributes at once {}, and {} by chance.",
                percent(inside.share),
                as_given(inside.width),
                percent(inside.chance),
                percent(all_of.share),
                percent(all_of.chance),
            ),
        ),
        exhibits=(_by_width(disclosure), *([] if external else [_by_attribute(disclosure)])),
    )


def _by_width(disclosure: IntervalDisclosure) -> Exhibit:
    curves = {"on average": disclosure.average, "all at once": disclosure.together}
    table = tabulate(
        [
            (attributes, inside)
            for attributes, curve in curves.items()
            for inside in sorted(curve.by_rank, key=lambda inside: inside.width)
        ],
        (text("of", "attributes"), lambda row: row[0]),
        (figures("width", "width, in % of the ranks"), lambda row: as_given(row[1].width)),
        shares("share", "[inside](interval-disclosure)", lambda row: row[1].share),
        shares("chance", "by chance", lambda row: row[1].chance),
    )
    return Exhibit(
        name="intervals",
        title="Originals inside the interval around their released value, by its width",
        chart="intervals",
        table=table,
        says=phrase(
            "Lines of the share inside against the width, on average over the attributes and in "
            "all at once, and dashed lines of what chance would give."
        ),
        notes=(phrase("Dashed: what chance would give."),),
    )


def _by_attribute(disclosure: IntervalDisclosure) -> Exhibit:
    ranked = sorted(disclosure.attributes, key=lambda curve: -curve.by_rank[0].beyond_chance)
    table = tabulate(
        ranked,
        labels("attribute", "attribute", lambda one: one.column or ""),
        counts("n", "people", lambda one: one.n),
        shares("share", "[inside](interval-disclosure)", lambda one: one.by_rank[0].share),
        shares("chance", "by chance", lambda one: one.by_rank[0].chance),
    )
    return Exhibit(
        name="interval-attributes",
        title="Each attribute: originals inside, and by chance",
        chart="inside",
        table=table,
        says=phrase(
            "For each attribute a dot at the share inside, and one at what chance would give; {} "
            "is disclosed most beyond chance.",
            name(ranked[0].column or ""),
        ),
        notes=(phrase("Within {} % of the ranks.", as_given(ranked[0].by_rank[0].width)),),
    )


def inference(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What a link tells of confidential attributes, and who is alone in the quasi-identifiers."""
    exhibits = [_inference(evidence.inference)] if evidence.inference else []
    said = _uniques(evidence, external=external)
    if evidence.uniqueness is not None and not external:
        exhibits.append(_uniqueness(evidence, said))
        said = []
    if not said and not exhibits:
        return None
    return Section(
        key="values",
        title="What else the release tells",
        paragraphs=tuple(said),
        exhibits=tuple(exhibits),
    )


def _inference(attributes: tuple[Inference, ...]) -> Exhibit:
    table = tabulate(
        attributes,
        labels("column", "[confidential](confidential) attribute", lambda one: one.column),
        shares("linked", "by the link", lambda one: one.linked),
        shares("control", "with the own row [not there](control)", lambda one: one.control),
        shares("guess", "one guess for all", lambda one: one.guess),
        shares("inferred", "from the others' rows", lambda one: one.inferred),
        shares("homogeneous", "[all that tie agree](homogeneous)", lambda one: one.homogeneous),
        counts("n", "people", lambda one: one.n),
    )
    return Exhibit(
        name="inference",
        title="People whose confidential value is told rightly",
        chart="inference",
        lead=(
            phrase(
                "A link is a way to a [confidential](confidential) value. [Whoever follows the "
                "links](inference) of {} has it right as often as this says; that is a disclosure "
                "as far as it is more than a guess, and more than the others' rows tell.",
                attack(attributes[0].attack),
            ),
        ),
        table=table,
        says=phrase(
            "For each confidential attribute dots at the share told rightly by the link, with the "
            "person's own row not there, by one guess for all, and by a model of the others."
        ),
    )


def _uniques(evidence: Evidence, *, external: bool) -> list[Phrase]:
    """Uniques, what the sampling weights say of them, and how many rows fit each person."""
    found, said = evidence.uniqueness, list[Phrase]()
    if evidence.compatible is not None:
        said.append(_compatible_rows(evidence.compatible, external=external))
    if found is not None and not found.meaningful:
        said.append(
            phrase(
                "After perturbation, the released rows [alone](uniqueness) in all "
                "[quasi-identifiers](quasi-identifier) do not show how many people are{}.",
                () if external else phrase(" (perturbed: {})", names(found.perturbed)),
            )
        )
    people = evidence.population
    if people is not None:
        said.append(
            phrase(
                "By the [sampling weights](weight) {} of {} would be [re-identified in the "
                "population](population-risk); of {} alone in the file, {} are expected to be "
                "alone there.",
                expected(people.expected),
                counted(people.n),
                counted(people.uniques),
                expected(people.population_uniques),
            )
        )
    return said


def _compatible_rows(rows: CompatibleRows, *, external: bool) -> Phrase:
    knows = several(len(rows.columns), "attribute") if external else names(rows.columns)
    of_whom: Phrase = several(rows.n, "person")
    if rows.n < rows.population:
        of_whom = phrase("{}, drawn from {}", of_whom, counted(rows.population))
    if rows.none:
        return phrase(
            "An intruder who knows {} finds no row that [fits](compatible-rows) for {} of {}, and "
            "fewer than 5 for {}.",
            *(knows, counted(rows.none), of_whom, counted(rows.below_5)),
        )
    return phrase(
        "An intruder who knows {} finds at least {} that {} for each of {}{}.",
        *(knows, several(rows.fewest, "row")),
        *(Term("fits" if rows.fewest == 1 else "fit", "compatible-rows"), of_whom),
        phrase("; for {} fewer than 5", counted(rows.below_5)) if rows.below_5 else "",
    )


def _uniqueness(evidence: Evidence, lead: list[Phrase]) -> Exhibit:
    uniqueness = evidence.uniqueness
    files: list[tuple[str, Uniqueness]] = []
    if uniqueness is not None:
        files = [("original", uniqueness.original), ("release", uniqueness.release)]
        if uniqueness.unperturbed is not None and uniqueness.unperturbed_original is not None:
            files.append(("original, not perturbed", uniqueness.unperturbed_original))
            files.append(("release, not perturbed", uniqueness.unperturbed))
    by_keys = {one.keys: one for one in evidence.policy_classes if one.release is not None}
    for keys, one in by_keys.items():
        if keys not in (columns.columns for _, columns in files):
            pair = (
                ("original, keys of the policy", one.original),
                ("release, keys of the policy", one.release),
            )
            files += [(file, counted) for file, counted in pair if counted is not None]
    table = tabulate(
        files,
        (text("file", "file"), lambda row: row[0]),
        (text("columns", "attributes"), lambda row: names(row[1].columns)),
        counts("n", "records", lambda row: row[1].n),
        counts("classes", "combinations", lambda row: row[1].classes),
        counts("smallest", "[smallest class](k-anonymity)", lambda row: row[1].smallest),
        counts("uniques", "[alone](uniqueness)", lambda row: row[1].uniques),
        counts("below_3", "fewer than 3", lambda row: row[1].below_3),
        counts("below_5", "fewer than 5", lambda row: row[1].below_5),
    )
    return Exhibit(
        name="uniqueness",
        title="Records alone in their combination of values",
        lead=tuple(lead),
        table=table,
        notes=(*_wildcards(uniqueness), *map(_diversity, evidence.diversity)),
    )


def _wildcards(uniqueness: ReleaseUniqueness | None) -> tuple[Phrase, ...]:
    """How many rows fit each, were stars to fit anything; said only where there are stars."""
    fitting = None if uniqueness is None else uniqueness.release.fitting
    if fitting is None:
        return ()
    said = "Were a star to fit anything, at least {} would fit each row; that bounds no attack."
    return (phrase(said, several(fitting, "row")),)


def _diversity(one: Diversity) -> Phrase:
    more: Phrase = ()
    if one.entropy is not None and one.commonest is not None and one.distance is not None:
        more = phrase(
            " ({} by entropy), one of them at most {} of it, and is at most {} from all records "
            "by [closeness](t-closeness)",
            decimal(one.entropy),
            percent(one.commonest),
            decimal(one.distance),
        )
    return phrase(
        "[Diversity](l-diversity) of {}: each class of like records has at least {}{}; {} are in "
        "classes with one value.",
        name(one.column),
        several(one.fewest, "value"),
        more,
        several(one.homogeneous, "record"),
    )


def read_off(evidence: Evidence) -> Section | None:
    """The suppressed and generalised cells that other cells give away."""
    found = evidence.read_off
    if found is None:
        return None
    said = phrase(
        "Of {} that were suppressed, {} [come back](read-off) from other cells of the release; of "
        "{} that are ranges or sets, {}. A further {} are narrowed to fewer values. The attacks "
        "use the file with these cells filled in, all other figures the file as it is released.",
        several(found.suppressed, "cell"),
        *map(counted, (found.returned, found.generalised, found.resolved, found.narrowed)),
    )
    table = tabulate(
        found.columns,
        labels("column", "column", lambda one: one.column),
        counts("suppressed", "suppressed", lambda one: one.suppressed),
        counts("returned", "come [back](read-off)", lambda one: one.returned),
        counts("generalised", "ranges and sets", lambda one: one.generalised),
        counts("resolved", "come back", lambda one: one.resolved),
        counts("narrowed", "fewer values", lambda one: one.narrowed),
        counts("wrong", "read off wrongly", lambda one: one.wrong),
        (text("relations", "by"), lambda one: _relations(one.relations)),
    )
    title = "Cells that other cells of the release give away"
    return Section(
        key="read-off",
        title="What can be read off",
        paragraphs=(said,),
        exhibits=(Exhibit(name="read-off", title=title, table=table),),
    )


def _relations(cells: dict[str, int]) -> Phrase:
    said = phrase("")
    for kind, n in cells.items():
        said += phrase("{}{} {}", "; " if said else "", name(kind), counted(n))
    return said


def unchanged(evidence: Evidence) -> Section:
    """What was released as it is, and whether the order of the rows tells."""
    same = evidence.unchanged
    said = list[Phrase]()
    if evidence.grouping:
        said.append(
            phrase(
                "Who lives together stayed as it was: the release has the [household number]"
                "(household-number) {}. Renumbering does not hide who lives together.",
                names(evidence.grouping),
            )
        )
    if not same.unchanged:
        said.append(phrase("No column was released [unchanged](unchanged)."))
    else:
        said.append(
            phrase(
                "Released [unchanged](unchanged): {}. Together they [single out](singled-out) {} "
                "of {} records, the quasi-identifiers among them {}.",
                names(same.unchanged),
                counted(same.singled_out),
                counted(same.records),
                counted(same.singled_out_quasi),
            )
        )
    released, declared = [one.column for one in same.columns], Schema.from_dict(evidence.schema)
    if decided := [column for column in declared.with_role("other") if column in released]:
        said.append(
            phrase(
                "Declared as [other](other), so no intruder is taken to know them: {}.",
                names(decided),
            )
        )
    if not same.known:
        said.append(phrase("Whose row is whose is not known: the columns are perhaps unchanged."))
    table = tabulate(
        same.columns,
        labels("column", "column", lambda one: one.column),
        (
            figures("share", "cells [as they were](unchanged)"),
            lambda one: (
                ("yes" if one.unchanged else "no") if one.share is None else percent(one.share)
            ),
        ),
    )
    return Section(
        key="unchanged",
        title="What stayed as it was",
        paragraphs=(*said, *_row_order(evidence)),
        exhibits=(
            Exhibit(
                name="unchanged",
                title="Cells that were released as they were",
                chart="unchanged" if same.known and same.columns else None,
                table=table,
                says=phrase("Bars of the share of the cells of each column that did not change."),
            ),
        ),
    )


def _row_order(evidence: Evidence) -> Iterator[Phrase]:
    position = evidence.by_position
    if position is None or position.row_order is None:
        return
    yield phrase(
        "Whoever goes by [where rows stand](row-order) links {} of {}; where the rows of both "
        "files stand has a correlation of {}.",
        expected(position.risk.expected),
        counted(position.risk.n),
        decimal(position.row_order["correlation"]),
    )
