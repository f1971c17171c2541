"""Odd evidence: whatever is missing, very large or very small, the page says what there is."""

import msgspec
import polars as pl
import pytest

import unveil
from fixtures import audits
from fixtures.evidence import evidence as bare
from fixtures.evidence import finding, made, verdict
from fixtures.pages import Page
from unveil.reports.charts.build import specification
from unveil.reports.content import Exhibit
from unveil.reports.page import entries, page
from unveil.reports.sections.people import LISTED
from unveil.reports.summary import summary
from unveil.reports.tables import Table, figures, text
from unveil.support.phrases import counted, name, percent, plain
from unveil.values.results.disclosure import Above, UnchangedColumn
from unveil.values.results.evidence import KnownMask, LeftOut
from unveil.values.results.loss import Bar, LossMeasure, Shape
from unveil.values.results.policy import Limit, Verdict
from unveil.values.results.risk import Interval
from unveil.values.results.subgroups import GroupRisk, RecordRisks, RiskBin, Subgroups

INTERVAL = Interval(0.05, 0.2, 0.95)
changed = msgspec.structs.replace


def read(evidence):
    """Both pages of the evidence, which are in order."""
    return [Page(page(summary(evidence, external=external))) for external in (False, True)]


def words(evidence, *, external=False):
    said = summary(evidence, external=external)
    assert entries(said)
    whole = [said.verdict, *(one.value for one in said.answers), *said.limits]
    whole += [one for section in said.sections for one in (*section.paragraphs, *section.points)]
    whole += [one for exhibit in said.exhibits() for one in (*exhibit.lead, *exhibit.notes)]
    return "\n".join(map(plain, whole))


def test_nobody_was_attacked():
    """Synthetic rows are nobody's."""
    synthetic = bare(risk=None, pairs=None)
    assert "nobody can be linked" in words(synthetic)
    for one in read(synthetic):
        assert not {"attacks", "claims", "rank-of-truth"} & {*one.charts()}


def test_nothing_is_known_but_one_attack():
    one = bare(loss=None)
    assert "No plan was given" in words(one)
    assert "No policy was given" in words(one)
    assert "The overall loss is not known" in words(one)
    read(one)


def test_a_sample_was_attacked(evidence):
    worst = evidence.attacks[0]
    risk = changed(worst.risk, interval=INTERVAL, population=1000)
    sampled = changed(evidence, attacks=(changed(worst, risk=risk), *evidence.attacks[1:]))
    said = words(sampled)
    assert "drawn from 1,000" in said
    assert "of all 5.0 % to 20.0 %" in said
    assert "with a confidence of 95 %" in said
    table = summary(sampled)["attacks"].exhibits[0].table
    assert table.records()[0]["low"] == 0.05
    assert table.records()[1]["low"] is None
    assert "low" not in summary(evidence)["attacks"].exhibits[0].table.records()[0]


OPTIONAL = (
    "plan", "policy", "verdict", "knowledge", "noisy_knowledge", "remasking", "attribute_risks",
    "remedies", "record_risks", "subgroups", "households", "intervals", "uniqueness",
    "sampling_fraction", "population", "score", "truth",
)  # fmt: skip
LISTS = (
    "attacks", "left_out", "inference", "shapes", "diversity", "notes", "identifiers", "known",
    "worst_cases", "scenarios",
)  # fmt: skip


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("missing", [*OPTIONAL, *LISTS])
def test_one_part_is_missing(evidence, missing, external):
    without = changed(evidence, **{missing: None if missing in OPTIONAL else ()})
    assert words(without, external=external)


def test_all_parts_are_missing(evidence):
    nothing = dict.fromkeys(OPTIONAL) | dict.fromkeys(LISTS, ())
    for one in read(changed(evidence, **nothing)):
        assert {*one.charts()} <= {"loss", "predictions", "unchanged"}


@pytest.mark.parametrize("passed", [True, False])
def test_a_verdict(passed):
    said = summary(bare(verdict=verdict(passed=passed)))
    assert said.passed is passed
    assert ("✓ The policy is kept" in page(said)) is passed
    assert ("keeps the policy" in plain(said.answers[2].value)) is passed


def test_a_policy_of_no_limit():
    for passed in (True, False):
        assert words(bare(verdict=Verdict(passed=passed, limits=())))


def test_limits_of_every_kind(evidence):
    kinds = {one.limit for one in evidence.verdict.limits}
    named = {*unveil.Policy.__struct_fields__} - {"intruder", "use"}
    assert kinds == {*named, "columns_without_a_role"}
    unmeasured = tuple(changed(one, found=None, kept=False) for one in evidence.verdict.limits)
    none = Limit(limit="may_stay_unchanged", allowed=(), found=(), kept=True, reason="")
    said = summary(changed(evidence, verdict=Verdict(passed=False, limits=(*unmeasured, none))))
    cells = [plain(row[4]) for row in said["limits"].exhibits[0].table.rows]
    assert cells == ["not measured"] * 15 + ["none"]
    kept = summary(evidence)["limits"].exhibits[0].table.records()
    assert (
        next(row["found"] for row in kept if row["limit"] == "max loss")
        == evidence.loss.overall.value
    )


def test_one_record():
    table = pl.DataFrame({"who": ["x"], "a": [1.0], "b": [2.0]})
    people = unveil.Microdata(table, unveil.Schema(identifier="who", quasi=["a", "b"]))
    found = audits.audit(people, people, truth="who", attacks=["position"])
    assert "the row number of every person" in words(found.evidence)
    read(found.evidence)


def test_attacks_that_were_not_made(evidence):
    """In one sentence; how to have them made is said once, and to nobody else."""

    def left(name, reason, direction="original-to-release"):
        return LeftOut(name=name, direction=direction, reason=reason)

    effort = "--effort thorough or --attack distance makes it"
    found = changed(
        evidence,
        left_out=(
            left("somebody-elses", "no time for it"),
            left("distance", f"it takes about 33 seconds; {effort}"),
            left("distance", f"it takes about 33 seconds; {effort}", "release-to-original"),
        ),
    )
    assert (
        "Left out: somebody-elses (original to release) (no time for it), distance (about 33 "
        "seconds); `--effort thorough` includes the slow ones."
    ) in words(found)
    assert "Left out: somebody-elses (original to release), distance." in words(
        found, external=True
    )


@pytest.mark.parametrize(
    ("plan", "attacks", "internal", "external"),
    [
        (None, (), "no attack knew the masking method", None),
        ({}, (), "No attack knows the mask swap (age, sex), so the risk may be",
         "attacks know 0 of 1 masks."),
        ({}, ("tailored", "mine"), "The attacks tailored, mine know the mask swap (age, sex). ",
         "attacks know 1 of 1 masks."),
    ],
)  # fmt: skip
def test_what_attacks_know_of_masks(evidence, plan, attacks, internal, external):
    masks = (
        () if plan is None else (KnownMask(mask="swap", columns=("age", "sex"), attacks=attacks),)
    )
    found = changed(evidence, plan=plan, mask_knowledge=masks)
    assert internal in words(found)
    assert (external or internal) in words(found, external=True)
    assert "swap" not in words(found, external=True)


def test_curves_with_holes(evidence):
    """Where nothing is claimed there is no precision."""
    worst = evidence.attacks[0]
    assert worst.precision is not None
    holes = worst.precision | {"precision": [None] * len(worst.precision["margin"])}
    said = summary(changed(evidence, attacks=(changed(worst, precision=holes),)))
    curve = next(one for one in said.exhibits() if one.name == "margin")
    assert {row["precision"] for row in curve.table.records()} == {None}
    assert specification(curve)


def _many_groups(many, records):
    groups = tuple(
        GroupRisk(
            column=f"column {i % 40}", group=f"category {i // 40}", attack="distance", n=records,
            share=1 - i / many, interval=INTERVAL, small=i % 3 == 0,
        )
        for i in range(many)
    )  # fmt: skip
    return Subgroups(groups=groups, highest=groups[1])


def _shapes(many, records):
    bars = tuple(
        Bar(label=f"{i} to under {i + 1}", original=records // 12, release=records // 12,
            original_share=1 / 12, release_share=1 / 12)
        for i in range(12)
    )  # fmt: skip
    return tuple(
        Shape(column=f"column {i}", level="numeric", bars=bars, original_missing=0,
              release_missing=0, shift=0.0, spread=1.0)
        for i in range(many)
    )  # fmt: skip


def _large(evidence, columns, groups, records=1_000_000):
    names = [f"column {i}" for i in range(columns)]
    attacks = tuple(
        changed(one, name=f"{one.name}-knowing-{i}",
                risk=changed(one.risk, n=records, population=records))
        for i in range(5) for one in evidence.attacks
    )  # fmt: skip
    curve = evidence.intervals.attributes[0]
    parts = evidence.attribute_risks
    return changed(
        evidence,
        records=records,
        known=tuple(names),
        attacks=attacks,
        subgroups=_many_groups(groups, records // 100),
        shapes=_shapes(columns, records),
        intervals=changed(
            evidence.intervals, attributes=tuple(changed(curve, column=n) for n in names)
        ),
        attribute_risks=changed(
            parts, without=tuple(changed(parts.without[0], attribute=n) for n in names)
        ),
        unchanged=changed(
            evidence.unchanged,
            columns=tuple(UnchangedColumn(column=n, unchanged=True, share=1.0) for n in names),
            unchanged=tuple(names),
        ),
    )


def test_a_million_records_in_three_megabytes(evidence):
    said = summary(_large(evidence, columns=40, groups=50_000))
    text = page(said)
    assert len(text.encode()) < 3_000_000
    shown = next(one for one in said.exhibits() if one.name == "subgroups")
    assert len(shown.table.rows) == LISTED
    assert "the table lists the first of 50,000, the evidence all" in plain(shown.notes[0])
    assert sum(one.name.startswith("shape-") for one in said.exhibits()) == 30


def test_three_hundred_columns(evidence):
    said = summary(_large(evidence, columns=300, groups=200))
    assert len(page(said).encode()) < 3_000_000
    assert "and 270 more" in words(_large(evidence, columns=300, groups=200))


def test_records_of_no_risk():
    bins = tuple(RiskBin(low=low, high=low + 0.5, by_worst=0, by_mean=0) for low in (0.0, 0.5))
    safe = made(
        RecordRisks, attack="distance", direction="original-to-release", bins=bins,
        above=(Above(0.5, 0),),
    )  # fmt: skip
    nobody = bare(risk=0.0, record_risks=safe)
    assert "riskiest" not in [one.name for one in summary(nobody).exhibits()]
    assert "0 of 0 records have a risk above 50 %." in words(nobody)


def test_a_measure_that_is_none():
    evidence = bare()
    none = made(LossMeasure, name="PIL", family="numbers", note="there are no numbers")
    lost = changed(evidence.loss, measures=(none,), predictions=())
    said = summary(changed(evidence, loss=lost))
    assert plain(said["loss"].exhibits[0].table.rows[0][2]) == "none: there are no numbers"
    read(changed(evidence, loss=lost))


def test_words_of_another_version():
    """They are said, and not explained."""
    other = made(LossMeasure, name="a measure to come", value=0.5, worst=1.0)
    later = bare(attacks=(finding(direction="both-ways"),))
    later = changed(later, loss=changed(later.loss, measures=(other,)))
    for one in read(later):
        assert "both ways" in one.prose
        assert "a measure to come" in one.prose


def test_an_attack_of_somebody_else():
    assert "own-attack" in words(bare(attacks=(finding("own-attack", 0.3),)))


def test_exact_numbers_survive_a_file(evidence, tmp_path):
    """The page of the evidence and that of its file are the same."""
    from unveil.files.documents.evidence import read_evidence, write_evidence

    write_evidence(evidence, tmp_path / "e.json")
    assert summary(read_evidence(tmp_path / "e.json")) == summary(evidence)


def test_two_groups_of_one_name_are_told_apart(evidence):
    groups = evidence.subgroups.groups[:3]
    twice = tuple(changed(one, column="region", group="other", small=False) for one in groups)
    found = changed(evidence, subgroups=Subgroups(groups=twice, highest=twice[0]))
    stress_test = summary(found)["people"].choices[0]
    exhibit = next(one for one in stress_test.exhibits if one.name == "subgroups")
    drawn = specification(exhibit)
    labels = {row["label"] for rows in drawn["datasets"].values() for row in rows}
    assert labels == {"region: other", "region: other (2)", "region: other (3)"}


def test_a_chart_has_no_more_names_than_can_be_read():
    def known(many):
        rows = tuple(
            (counted(place), name(f"column {place}"), percent(0.1), None, None, percent(0.1))
            for place in range(1, many + 1)
        )
        columns = (
            figures("known", "known"), text("added", "added"), figures("share", "share"),
            figures("low", "low"), figures("high", "high"), figures("highest", "highest"),
        )  # fmt: skip
        shown = Exhibit(name="k", title="k", chart="knowledge", table=Table(columns, rows))
        return specification(shown)["layer"][0]["encoding"]["x"]["field"]

    assert (known(9), known(40)) == ("added", "known")
