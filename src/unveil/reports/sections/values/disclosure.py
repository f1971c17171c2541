"""What the released values disclose, whether or not anybody is linked."""

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack
from unveil.reports.tables import counts, figures, labels, shares, tabulate, text
from unveil.support.phrases import (
    Phrase,
    Term,
    as_given,
    counted,
    decimal,
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
    IntervalDisclosure,
    ReleaseUniqueness,
    Uniqueness,
)
from unveil.values.results.evidence import Evidence


def intervals(evidence: Evidence, *, external: bool = False) -> Section | None:
    """How close released values are to the true ones, compared with chance."""
    disclosure = evidence.intervals
    if disclosure is None or not disclosure.attributes:
        return None
    inside, all_of = disclosure.average.by_rank[0], disclosure.together.by_rank[0]
    return Section(
        key="intervals",
        title="How close released values are to the true ones",
        paragraphs=(
            phrase(
                "On average {} of the true values lie within {} % of the ranks of the released "
                "value ([interval disclosure](interval-disclosure); chance: {}). In all attributes "
                "at once: {} of the people (chance: {}).",
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
        (figures("width", "width (% of the ranks)"), lambda row: as_given(row[1].width)),
        shares("share", "[inside](interval-disclosure)", lambda row: row[1].share),
        shares("chance", "expected by chance", lambda row: row[1].chance),
    )
    return Exhibit(
        name="intervals",
        title=phrase(
            "True values near the released value: {} on average, chance {}",
            percent(disclosure.average.by_rank[0].share),
            percent(disclosure.average.by_rank[0].chance),
        ),
        chart="intervals",
        table=table,
        says=phrase(
            "Lines: the share inside by width, on average over the attributes and in all at once. "
            "Dashed lines: expected by chance."
        ),
        notes=(phrase("Dashed lines: expected by chance."),),
    )


def _by_attribute(disclosure: IntervalDisclosure) -> Exhibit:
    ranked = sorted(disclosure.attributes, key=lambda curve: -curve.by_rank[0].beyond_chance)
    table = tabulate(
        ranked,
        labels("attribute", "attribute", lambda one: one.column or ""),
        counts("n", "people", lambda one: one.n),
        shares("share", "[inside](interval-disclosure)", lambda one: one.by_rank[0].share),
        shares("chance", "expected by chance", lambda one: one.by_rank[0].chance),
    )
    inside = ranked[0].by_rank[0]
    return Exhibit(
        name="interval-attributes",
        title=phrase(
            "Attribute disclosed most beyond chance: {} ({}, chance {})",
            name(ranked[0].column or ""),
            percent(inside.share),
            percent(inside.chance),
        ),
        chart="inside",
        table=table,
        says=phrase(
            "For each attribute a dot at the share inside and one at the share expected by chance."
        ),
        notes=(phrase("Inside: within {} % of the ranks.", as_given(inside.width)),),
    )


def inference(evidence: Evidence, *, external: bool = False) -> Section | None:
    """What a link discloses about confidential attributes, and who is unique in the keys."""
    exhibits = [_inference(evidence.inference, external=external)] if evidence.inference else []
    said = _uniques(evidence, external=external)
    if evidence.uniqueness is not None and not external:
        exhibits.append(_uniqueness(evidence, said))
        said = []
    if not said and not exhibits:
        return None
    return Section(
        key="values", title="Other disclosure", paragraphs=tuple(said), exhibits=tuple(exhibits)
    )


def _inference(attributes: tuple[Inference, ...], *, external: bool) -> Exhibit:
    table = tabulate(
        attributes,
        labels("column", "[confidential](confidential) attribute", lambda one: one.column),
        shares("linked", "correct from the linked row", lambda one: one.linked),
        shares("control", "with the own row [removed](control)", lambda one: one.control),
        shares("guess", "one guess for all", lambda one: one.guess),
        shares("inferred", "from a model of other rows", lambda one: one.inferred),
        shares("homogeneous", "[all tied rows agree](homogeneous)", lambda one: one.homogeneous),
        counts("n", "people", lambda one: one.n),
    )
    return Exhibit(
        name="inference",
        title=_disclosed(attributes, external=external),
        chart="inference",
        lead=(
            phrase(
                "An intruder [reads](inference) the [confidential](confidential) value from the "
                "row that {} links. The table shows how often it is correct. It is a disclosure "
                "only where it is correct more often than a guess and than a model of other "
                "people's rows.",
                attack(attributes[0].attack),
            ),
        ),
        table=table,
        says=phrase(
            "For each confidential attribute, dots at the share of correct values: from the linked "
            "row, with the person's own row removed, by one guess for all, and by a model of other "
            "people's rows."
        ),
    )


def _disclosed(attributes: tuple[Inference, ...], *, external: bool) -> Phrase:
    """The finding of the chart: the attribute that a link discloses beyond the other rows."""

    def without(one: Inference) -> float:
        return max(one.control, one.guess, one.inferred or 0.0)

    most = max(attributes, key=lambda one: one.linked - without(one))
    if most.linked <= without(most):
        return phrase(
            "Other rows tell each confidential attribute at least as well as links (at most {})",
            percent(max(one.linked for one in attributes)),
        )
    return phrase(
        "Confidential attribute that links reveal most{}: {} correct, {} from the other rows",
        () if external else phrase(" ({})", name(most.column)),
        percent(most.linked),
        percent(without(most)),
    )


def _uniques(evidence: Evidence, *, external: bool) -> list[Phrase]:
    """Unique records, and the rows that fit each person."""
    found, said = evidence.uniqueness, list[Phrase]()
    if evidence.compatible is not None:
        said.append(_compatible_rows(evidence.compatible, external=external))
    if found is not None and not found.meaningful:
        said.append(
            phrase(
                "The masking changed [quasi-identifiers](quasi-identifier){}: a combination "
                "that is [unique](uniqueness) in the release may belong to several people.",
                () if external else phrase(" ({})", names(found.perturbed)),
            )
        )
    return said


def _compatible_rows(rows: CompatibleRows, *, external: bool) -> Phrase:
    knows = several(len(rows.columns), "attribute") if external else names(rows.columns)
    of_whom: Phrase = several(rows.n, "person")
    if rows.n < rows.population:
        of_whom = phrase("{} sampled from {}", of_whom, counted(rows.population))
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
            files.append(("original, unperturbed keys", uniqueness.unperturbed_original))
            files.append(("release, unperturbed keys", uniqueness.unperturbed))
    by_keys = {one.keys: one for one in evidence.policy_classes if one.release is not None}
    for keys, one in by_keys.items():
        if keys not in (columns.columns for _, columns in files):
            pair = (
                ("original, keys of a limit", one.original),
                ("release, keys of a limit", one.release),
            )
            files += [(file, counted) for file, counted in pair if counted is not None]
    table = tabulate(
        files,
        (text("file", "file"), lambda row: row[0]),
        (text("columns", "attributes"), lambda row: names(row[1].columns)),
        counts("n", "records", lambda row: row[1].n),
        counts("classes", "combinations", lambda row: row[1].classes),
        counts("smallest", "[smallest class](k-anonymity), records", lambda row: row[1].smallest),
        counts("uniques", "[unique](uniqueness)", lambda row: row[1].uniques),
        counts("below_3", "in classes below 3", lambda row: row[1].below_3),
        counts("below_5", "in classes below 5", lambda row: row[1].below_5),
    )
    return Exhibit(
        name="uniqueness",
        title="Records that are unique in a combination of attributes",
        lead=tuple(lead),
        table=table,
        notes=(*_wildcards(uniqueness), *map(_diversity, evidence.diversity)),
    )


def _wildcards(uniqueness: ReleaseUniqueness | None) -> tuple[Phrase, ...]:
    """How many rows are compatible with each if a star matches every value."""
    fitting = None if uniqueness is None else uniqueness.release.fitting
    if fitting is None:
        return ()
    said = "If a star matches every value, at least {} fit each row; this bounds no attack."
    return (phrase(said, several(fitting, "row")),)


def _diversity(one: Diversity) -> Phrase:
    more: Phrase = ()
    if one.entropy is not None and one.commonest is not None and one.distance is not None:
        more = phrase(
            " ({} by entropy). The most frequent value of a class has at most {} of its records. "
            "The distribution in a class differs from that of all records by at most {} "
            "([t-closeness](t-closeness))",
            decimal(one.entropy),
            percent(one.commonest),
            decimal(one.distance),
        )
    return phrase(
        "[Diversity](l-diversity) of {}: each class of equal records has at least {}{}. {} {} in "
        "classes with a single value.",
        name(one.column),
        several(one.fewest, "value"),
        more,
        several(one.homogeneous, "record"),
        "is" if one.homogeneous == 1 else "are",
    )
