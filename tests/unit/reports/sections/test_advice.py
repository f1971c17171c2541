"""When advice is given, and when it is not: each condition both ways."""

import msgspec
import pytest

from fixtures.numbered_evidence import numbered
from unveil.reports.sections.advice import advice
from unveil.support.phrases import plain

NAMES, ROWS, ATTRIBUTES = "Identifiers: remove ", "Row order: ", "Attributes: "
HOMES = "Households: the release shows who lives together"
KNOWN, SAME, RECORDS = "Knowledge: ", "Unchanged attributes: ", "Records: "
GROUP, HELPS, NO_HELP = "Subgroup: ", "Remedies: remedies.", "Remedies: no further mask"
EVERY = (NAMES, HOMES, ROWS, ATTRIBUTES, KNOWN, SAME, RECORDS, GROUP, HELPS)


def points(given=None):
    return [plain(one) for one in advice(numbered(given)).points]


def order(correlation, p_value, neighbours_p_value, of_links):
    """By how much, and how surely, the order of the rows tells."""
    found = {"correlation": correlation, "p_value": p_value, "neighbours": int}
    found["neighbours_p_value"] = neighbours_p_value
    return {"attacks.3.row_order": found, "attacks.3.risk.p_value": of_links}


@pytest.mark.parametrize(("missing", "there"), [(1, True), (0, False)])
def test_remedies_on_all_rows_give_no_higher_share(missing, there):
    evidence = numbered()
    remedies = msgspec.structs.replace(evidence.remedies, among=evidence.released - missing)
    section = advice(msgspec.structs.replace(evidence, remedies=remedies))
    (said,) = map(plain, section.exhibits[0].notes)
    assert ("Fewer rows give a higher share." in said) is there


def test_all_of_it_is_said_in_this_order():
    said = points()
    assert len(said) == len(EVERY)
    assert [start for start, one in zip(EVERY, said, strict=True) if one.startswith(start)] == [
        *EVERY
    ]


@pytest.mark.parametrize(
    ("given", "start", "there"),
    [
        ({"identifiers": ()}, NAMES, False),
        ({"attacks.*.households.grouping": "none"}, HOMES, False),
        ({"attacks.*.households": None}, HOMES, False),
        (order(0.5, 0.00011, 0.51, 0.52), ROWS, True),
        (order(-0.5, 0.00011, 0.51, 0.52), ROWS, True),
        (order(0.04, 0.00011, 0.51, 0.52), ROWS, False),  # sure, but not noticeable
        (order(0.5, 0.0011, 0.51, 0.52), ROWS, False),  # noticeable, but by chance
        (order(0.04, 0.511, 0.00011, 0.52), ROWS, True),
        (order(0.04, 0.511, 0.51, 0.00011), ROWS, True),
        ({"attacks.3.row_order": None}, ROWS, False),
        ({"attribute_risks.share": 0.0301}, ATTRIBUTES, False),  # no less without any of them
        ({"attribute_risks.without.*.interval.high": 0.9995}, ATTRIBUTES, False),  # perhaps less
        ({"attribute_risks.without.*.interval": None}, ATTRIBUTES, True),
        ({"attribute_risks": None}, ATTRIBUTES, False),
        ({"knowledge.steps": [None], "knowledge.surface": ()}, KNOWN, False),
        ({"knowledge.steps": [None] * 2, "knowledge.surface": ()}, KNOWN, True),
        ({"knowledge": None}, KNOWN, False),
        ({"unchanged.singled_out_quasi": 0}, SAME, False),
        ({"unchanged.quasi": ()}, SAME, False),
        ({"record_risks.riskiest": ()}, RECORDS, False),
        ({"record_risks": None}, RECORDS, False),
        ({"subgroups.highest.share": 0.9005, "attacks.0.risk.share": 0.9004}, GROUP, True),
        ({"subgroups.highest.share": 0.9004, "attacks.0.risk.share": 0.9005}, GROUP, False),
        ({"subgroups.highest": None}, GROUP, False),
        ({"subgroups": None}, GROUP, False),
        ({"remedies.tried.*.share": 0.4005, "remedies.share": 0.4004}, HELPS, False),
        ({"remedies.tried.*.share": 0.4005, "remedies.share": 0.4004}, NO_HELP, True),
        ({"remedies.tried.*.share": 0.4005, "remedies.share": 0.4005}, NO_HELP, True),
        ({"remedies.tried.*.share": 0.4004, "remedies.share": 0.4005}, HELPS, True),
        ({"remedies.tried.*.share": 0.4004, "remedies.share": 0.4005}, NO_HELP, False),
        ({"remedies": None}, HELPS, False),
        ({"remedies": None}, NO_HELP, False),
    ],
)
def test_a_point_is_made_or_not(given, start, there):
    said = points(given)
    assert any(one.startswith(start) for one in said) is there
    for other in {*EVERY} - {start, HELPS}:  # the others stay
        assert any(one.startswith(other) for one in said), other


def test_only_those_attributes_are_named_that_surely_tell():
    known = {"attribute_risks.share": 0.9005, "attribute_risks.without.*.interval": None}
    some = {f"attribute_risks.without.{place}.share": 0.9006 for place in (1, 3)}
    said = next(one for one in points(known | some) if one.startswith(ATTRIBUTES))
    listed = "attribute_risks.without.0.attribute, attribute_risks.without.2.attribute"
    start = f"{ATTRIBUTES}the most revealing are {listed}. Without attribute_risks.without.0"
    assert said.startswith(start)


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.3, "2 attributes {} link 40.0 %"), (0.36, "1 attribute {} links 36.0 %"),
     (0.35, "1 attribute {} links 35.0 %")],
)  # fmt: skip
def test_so_much_knowledge_is_named_that_links_half_of_the_most(share, said):
    """By the surface, of one person; without one by the sweep, whose direction is said."""
    steps = {"knowledge.steps.0.share": share, "knowledge.steps.2.highest": 0.7}
    swept = {"knowledge.surface": (), "knowledge.direction": "release-to-original"}
    words = said.format("known exactly (release to original)")
    assert [one for one in points(steps | swept) if one.startswith(f"{KNOWN}{words} (")]
    surface = {f"knowledge.surface.{place}.people": "one" for place in (0, 1)}
    surface |= {"knowledge.surface.0.share": share, "knowledge.surface.1.highest": 0.7}
    surface |= {"knowledge.surface.1.share": 0.4, "knowledge.surface.1.known": 2}
    words = said.format("of one person, known exactly,")
    assert [one for one in points(steps | surface) if one.startswith(f"{KNOWN}{words} (")]


@pytest.mark.parametrize(("released", "said"), [(5000, False), (5001, True), (4999, False)])
def test_among_fewer_rows_is_said_where_it_is_so(released, said):
    among = {"remedies.among": 5000, "attribute_risks.among": 5000, "released": released}
    words = f" (among 5,000 of the {released:,} rows)"
    for start in (ATTRIBUTES, HELPS):
        assert (words in next(one for one in points(among) if one.startswith(start))) is said


@pytest.mark.parametrize("missing", ["remedies.loss", "remedies.tried.0.loss"])
def test_a_loss_that_is_not_known_is_not_told(missing):
    said = [next(one for one in points(given) if one.startswith(HELPS)) for given in (
        {}, {missing: None})]  # fmt: skip
    assert ["The loss changes from 0.311 to 0.322." in one for one in said] == [True, False]


MISSED = {"remedies.tried.0.holds": False}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"remedies.target": 0.05}, " This keeps the limit of 5 %."),
        ({"remedies.limit": False}, " This halves the risk."),
        (MISSED | {"remedies.target": 0.05},
         " Even the strongest setting does not keep the limit of 5 %."),
        (MISSED | {"remedies.limit": False},
         " Even the strongest setting does not halve the risk."),
        ({"remedies.tried.0.holds": None}, " rows). The loss changes"),  # older evidence
        ({}, " The intruder of this attack knows the remedy."),
        ({"remedies.tried.0.knows_remedy": False},
         " The intruder of this attack does not know the remedy."),
    ],
)  # fmt: skip
def test_what_a_remedy_reaches_and_who_is_assumed(given, words):
    assert words in next(one for one in points(given) if one.startswith("Remedies: "))


def test_remedies_in_a_table():
    """What does not lower the risk has no effect, whatever it was to reach."""
    given = {"remedies.share": 0.5, "remedies.tried.0.share": 0.4, "remedies.tried.1.share": 0.5}

    def shown(**further):
        exhibit = advice(numbered(given | further)).exhibits[0]
        rows = exhibit.table.records()
        return [row.get("outcome") for row in rows], plain(exhibit.notes[0])

    outcomes, note = shown(**{"remedies.tried.*.plan": ({"method": "pram"},)})
    assert outcomes == [None, "kept", "no effect"]
    assert "The intruder does not know every mask; one who does may link more." in note
    told = {"remedies.tried.*.plan": ({"method": "pram"},), "remedies.tried.1.knows_remedy": True}
    assert "The intruder knows the plan and the remedy." in shown(**told)[1]
    assert shown(**{"remedies.tried.0.holds": False})[0] == [None, "not kept", "no effect"]


FIRST = {
    "broken": "Broken limits: max loss; may stay unchanged; forbid row order. The following",
    "kept": "Every limit holds: this policy requires nothing more.",
    "none": "Set limits (`--policy`) to get a verdict",
    "nobody": "All rows are synthetic, so no attack was made.",
}


@pytest.mark.parametrize(
    ("case", "given"),
    [
        ("broken", {}),
        ("kept", {"verdict.passed": True}),
        ("none", {"verdict": None}),
        ("nobody", {"attacks": ()}),
        ("nobody", {"attacks": (), "verdict": None}),
    ],
)
def test_what_comes_first(case, given):
    assert plain(advice(numbered(given)).paragraphs[0]).startswith(FIRST[case])


def test_a_broken_limit_names_its_intruder():
    limits = {
        "verdict.limits.[123456].scenario": "register",
        "verdict.limits.1.limit": "max_linked",
    }
    said = plain(advice(numbered(limits)).paragraphs[0])
    assert said.startswith("Broken limits: register (linked, may stay unchanged, ")


def test_one_attribute_is_one():
    one = {"attribute_risks.without": [None], "attribute_risks.share": 0.9005}
    said = next(line for line in points(one) if line.startswith(ATTRIBUTES))
    assert "the most revealing is attribute_risks.without.0.attribute. Without" in said
    assert said.endswith(" Mask it more strongly, or leave it out.")


def test_where_nobody_was_attacked_no_group_is_above_all():
    found = msgspec.structs.replace(numbered(), attacks=())
    assert not [one for one in advice(found).points if plain(one).startswith((GROUP, ROWS))]


@pytest.mark.parametrize(("given", "shown"), [({}, ["remedies"]), ({"remedies": None}, [])])
def test_remedies_are_shown_where_some_were_tried(given, shown):
    assert [one.name for one in advice(numbered(given)).exhibits] == shown
