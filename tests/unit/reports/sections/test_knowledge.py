"""What the page says of what an intruder knows."""

import msgspec
import pytest

from fixtures.numbered_evidence import numbered
from unveil.cli.verdict_text import _print_exhibits
from unveil.reports.sections.knowledge import _noise_lead, knowledge
from unveil.support.phrases import plain
from unveil.values.results.knowledge import ErrorRisk, KnowledgePoint, NoisyKnowledge

EXACT = [("one", 1, 0.0), ("one", 3, 0.0), ("one", 8, 0.0)]
WRONG = [("one", 3, 0.1), ("one", 8, 0.1), ("one", 3, 0.5)]
TOGETHER = [("all", 3, 0.0), ("all", 8, 0.0), ("all", 8, 0.1)]
ALONE, ALL = (
    "with all 8 and one person at a time, 8.0 %",
    "with all 8 and everybody at once, 58.0 %",
)
STALE = "With 10 % of the values out of date:"
LINKS = "With 3 attributes known exactly, an intruder who searches one person at a time links "
LINKS += "3.0 % of the people"


def lead_of(*places):
    """The first sentence; a share is a hundredth of what is known, and more of all people."""
    points = tuple(
        KnowledgePoint(
            people=people,
            known=known,
            error=error,
            attack="rank",
            share=0.5,
            interval=None,
            n=9,
            highest=known / 100 + (people == "all") / 2 - error / 100,
        )
        for people, known, error in places
    )
    evidence = numbered()
    curve = msgspec.structs.replace(evidence.knowledge, surface=points)
    section = knowledge(msgspec.structs.replace(evidence, knowledge=curve))
    return plain(section.exhibits[0].lead[0])


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (EXACT[:2], f"{LINKS}."),
        (EXACT, f"{LINKS}; {ALONE}."),
        (EXACT + TOGETHER[:2], f"{LINKS}; {ALL}."),
        (EXACT + WRONG, f"{LINKS}; {ALONE}. {STALE} 2.9 % and 7.9 %."),
        (EXACT + WRONG + TOGETHER, f"{LINKS}; {ALL}. {STALE} 2.9 % and 57.9 %."),
        (EXACT + WRONG[:1] + TOGETHER[:2], f"{LINKS}; {ALL}."),
    ],
)
def test_the_lead_names_the_corners_that_were_measured(places, said):
    assert lead_of(*places) == said


@pytest.mark.parametrize(("linked", "there"), [(0.928, True), (0.76, False), (0.7, False)])
def test_a_surface_below_the_attacks_on_households_says_so(linked, there):
    """It ended at 76.0 %, and the stress test linked 92.8 %."""
    evidence = numbered({"attacks.*.risk.share": linked})
    assert evidence.household_attacks
    points = [msgspec.structs.replace(one, highest=0.76) for one in evidence.knowledge.surface]
    curve = msgspec.structs.replace(evidence.knowledge, surface=tuple(points))
    section = knowledge(msgspec.structs.replace(evidence, knowledge=curve))
    notes = " ".join(plain(one) for one in section.exhibits[0].notes)
    assert ("attacks on households, which link up to 92.8 % of the people" in notes) is there
    assert "end below the stress test" in notes or not there


@pytest.mark.parametrize(("missing", "there"), [(1, True), (0, False)])
def test_only_a_part_of_the_rows_gives_a_higher_share(missing, there):
    """The page warned of it where all 300 of 300 rows were used."""
    evidence = numbered()
    risks = msgspec.structs.replace(evidence.attribute_risks, among=evidence.released - missing)
    section = knowledge(msgspec.structs.replace(evidence, attribute_risks=risks))
    notes = next(one.notes for one in section.exhibits if one.name == "attributes")
    assert ("Fewer rows give a higher share." in plain(notes[0])) is there


def test_older_evidence_has_its_two_curves():
    section = knowledge(numbered({"knowledge.surface": ()}))
    assert [one.chart for one in section.exhibits][:3] == ["knowledge", "without", "noise"]
    section = knowledge(numbered({"noisy_knowledge": None}))
    assert [one.chart for one in section.exhibits][:2] == ["knowledge_surface", "without"]


@pytest.mark.parametrize(
    ("errors", "said"), [((0.0,), "at an error of 0. An"), ((0.0, 0.5), "of 0 and 0.3 % at 0.5.")]
)
def test_one_error_is_told_once(errors, said):
    """It was: links 0.3 % at an error of 0, and 0.3 % at 0."""
    points = tuple(ErrorRisk(error=error, share=0.003, interval=None) for error in errors)
    noisy = NoisyKnowledge(attack="rank", direction="original-to-release", n=1000, points=points)
    assert said in plain(_noise_lead(noisy))


def test_a_terminal_shows_the_first_rows_of_the_surface(capsys):
    places = [("one", known, 0.0) for known in range(1, 21)]
    evidence = numbered()
    points = tuple(
        KnowledgePoint(
            people=one, known=n, error=e, attack="rank", share=0.5, interval=None, n=9, highest=0.5
        )
        for one, n, e in places
    )
    curve = msgspec.structs.replace(evidence.knowledge, surface=points)
    section = knowledge(msgspec.structs.replace(evidence, knowledge=curve))
    _print_exhibits([one for one in section.exhibits if one.name == "knowledge-surface"])
    assert "And 8 more rows." in capsys.readouterr().out
