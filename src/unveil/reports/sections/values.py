"""Values: what is disclosed by what the rows say, whether or not anybody is linked."""

from collections.abc import Sequence

from unveil.reports.content import Cell, Exhibit, Section, Table, figures, text
from unveil.reports.sections.attacks import attack
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
from unveil.values.results.disclosure import (
    CompatibleRows,
    Diversity,
    Inference,
    Inside,
    IntervalDisclosure,
    ReleaseUniqueness,
    Uniqueness,
)
from unveil.values.results.evidence import Evidence


def intervals(evidence: Evidence, *, external: bool = False) -> Section | None:
    """How near released values are to the originals, against chance."""
    found = evidence.intervals
    if found is None or not found.attributes:
        return None
    inside, all_of = found.average.by_rank[0], found.together.by_rank[0]
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
        exhibits=(_by_width(found), *([] if external else [_by_attribute(found)])),
    )


def _by_width(found: IntervalDisclosure) -> Exhibit:
    columns = (
        text("of", "attributes"),
        figures("width", "width, in % of the ranks"),
        figures("share", "[inside](interval-disclosure)"),
        figures("chance", "by chance"),
    )
    rows = [
        *_curve("on average", found.average.by_rank),
        *_curve("all at once", found.together.by_rank),
    ]
    return Exhibit(
        name="intervals",
        title="Originals inside the interval around their released value, by its width",
        chart="intervals",
        table=Table(columns, tuple(rows)),
        says=phrase(
            "Lines of the share inside against the width, on average over the attributes and in "
            "all at once, and dashed lines of what chance would give."
        ),
        notes=(phrase("Dashed: what chance would give."),),
    )


def _curve(of: str, inside: Sequence[Inside]) -> list[tuple[Cell, ...]]:
    ordered = sorted(inside, key=lambda one: one.width)
    return [(of, as_given(o.width), percent(o.share), percent(o.chance)) for o in ordered]


def _by_attribute(found: IntervalDisclosure) -> Exhibit:
    columns = (
        text("attribute", "attribute"),
        figures("n", "people"),
        figures("share", "[inside](interval-disclosure)"),
        figures("chance", "by chance"),
    )
    ranked = sorted(found.attributes, key=lambda curve: -curve.by_rank[0].beyond_chance)
    rows = tuple(
        (
            name(one.column or ""),
            counted(one.n),
            percent(one.by_rank[0].share),
            percent(one.by_rank[0].chance),
        )
        for one in ranked
    )
    return Exhibit(
        name="interval-attributes",
        title="Each attribute: originals inside, and by chance",
        chart="inside",
        table=Table(columns, rows),
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
    said = _alone(evidence, external=external)
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


def _inference(found: tuple[Inference, ...]) -> Exhibit:
    columns = (
        text("column", "[confidential](confidential) attribute"),
        figures("linked", "by the link"),
        figures("control", "with the own row [not there](control)"),
        figures("guess", "one guess for all"),
        figures("inferred", "from the others' rows"),
        figures("homogeneous", "[all that tie agree](homogeneous)"),
        figures("n", "people"),
    )
    rows = tuple(
        (
            name(one.column),
            percent(one.linked),
            percent(one.control),
            percent(one.guess),
            None if one.inferred is None else percent(one.inferred),
            percent(one.homogeneous),
            counted(one.n),
        )
        for one in found
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
                attack(found[0].attack),
            ),
        ),
        table=Table(columns, rows),
        says=phrase(
            "For each confidential attribute dots at the share told rightly by the link, with the "
            "person's own row not there, by one guess for all, and by a model of the others."
        ),
    )


def _alone(evidence: Evidence, *, external: bool) -> list[Phrase]:
    """Uniques, what the sampling weights say of them, and how many rows fit each person."""
    found, said = evidence.uniqueness, list[Phrase]()
    if evidence.compatible is not None:
        said.append(_fitting(evidence.compatible, external=external))
    if found is not None and not found.meaningful:
        said.append(
            phrase(
                "That released rows are [alone](uniqueness) in the [quasi-identifiers]"
                "(quasi-identifier) does not mean much here{}.",
                () if external else phrase(" ({})", name(found.reason)),  # it names what was masked
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


def _fitting(found: CompatibleRows, *, external: bool) -> Phrase:
    """How many rows may be each person's, by all that is known."""
    knows = several(len(found.columns), "attribute") if external else names(found.columns)
    of_whom: Phrase = several(found.n, "person")
    if found.n < found.population:
        of_whom = phrase("{}, drawn from {}", of_whom, counted(found.population))
    if found.none:
        return phrase(
            "An intruder who knows {} finds no row that [fits](compatible-rows) for {} of {}, and "
            "fewer than 5 for {}.",
            *(knows, counted(found.none), of_whom, counted(found.below_5)),
        )
    return phrase(
        "An intruder who knows {} finds at least {} that {} for each of {}{}.",
        *(knows, several(found.fewest, "row")),
        *(Term("fits" if found.fewest == 1 else "fit", "compatible-rows"), of_whom),
        phrase("; for {} fewer than 5", counted(found.below_5)) if found.below_5 else "",
    )


def _uniqueness(evidence: Evidence, lead: list[Phrase]) -> Exhibit:
    found = evidence.uniqueness
    columns = (
        text("file", "file"),
        text("columns", "attributes"),
        figures("n", "records"),
        figures("classes", "combinations"),
        figures("smallest", "[smallest class](k-anonymity)"),
        figures("uniques", "[alone](uniqueness)"),
        figures("below_3", "fewer than 3"),
        figures("below_5", "fewer than 5"),
    )
    rows = []
    if found is not None:
        rows = [_class("original", found.original), _class("release", found.release)]
        if found.unperturbed is not None and found.unperturbed_original is not None:
            rows += [
                _class("original, not perturbed", found.unperturbed_original),
                _class("release, not perturbed", found.unperturbed),
            ]
    return Exhibit(
        name="uniqueness",
        title="Records alone in their combination of values",
        lead=tuple(lead),
        table=Table(columns, tuple(rows)),
        notes=(*_wildcards(found), *map(_diversity, evidence.diversity)),
    )


def _wildcards(found: ReleaseUniqueness | None) -> tuple[Phrase, ...]:
    """How many rows fit each, were stars to fit anything; said only where there are stars."""
    fitting = None if found is None else found.release.fitting
    if fitting is None:
        return ()
    said = "Were a star to fit anything, at least {} would fit each row; that bounds no attack."
    return (phrase(said, several(fitting, "row")),)


def _diversity(one: Diversity) -> Phrase:
    """How different those are who are alike, by several models."""
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


def _class(file: str, found: Uniqueness) -> tuple[Cell, ...]:
    return (
        file,
        names(found.columns),
        *map(counted, (found.n, found.classes, found.smallest)),
        *map(counted, (found.uniques, found.below_3, found.below_5)),
    )


def unchanged(evidence: Evidence) -> Section:
    """What was released as it is, and whether the order of the rows tells."""
    same = evidence.unchanged
    said = [phrase("No column was released [unchanged](unchanged).")]
    if same.unchanged:
        said = [
            phrase(
                "Released [unchanged](unchanged): {}. Together they [single out](singled-out) {} "
                "of {} records, the quasi-identifiers among them {}.",
                names(same.unchanged),
                counted(same.singled_out),
                counted(same.records),
                counted(same.singled_out_quasi),
            )
        ]
    if not same.known:
        said.append(phrase("Whose row is whose is not known: the columns are perhaps unchanged."))
    columns = (text("column", "column"), figures("share", "cells [as they were](unchanged)"))
    rows = tuple(
        (
            name(one.column),
            ("yes" if one.unchanged else "no") if one.share is None else percent(one.share),
        )
        for one in same.columns
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
                table=Table(columns, rows),
                says=phrase("Bars of the share of the cells of each column that did not change."),
            ),
        ),
    )


def _row_order(evidence: Evidence) -> list[Phrase]:
    found = evidence.by_position
    if found is None or found.row_order is None:
        return []
    return [
        phrase(
            "Whoever goes by [where rows stand](row-order) links {} of {}; where the rows of both "
            "files stand has a correlation of {}.",
            expected(found.risk.expected),
            counted(found.risk.n),
            decimal(found.row_order["correlation"]),
        )
    ]
