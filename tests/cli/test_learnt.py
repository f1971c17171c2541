"""What was learnt with the truth in hand, in words: never without what is left of it."""

import pytest

import unveil
from fixtures import evidence as some_evidence
from unveil import masks
from unveil.cli.console import print_lines
from unveil.cli.verdict_text import print_audit
from unveil.reports.lines.attack import _learnt_lines
from unveil.values.results.evidence import Audit
from unveil.values.results.supervised_bound import AttributeInteraction, HeldOut, SupervisedBound


def learnt(**given):
    own = {
        "model": "bilinear", "direction": "release-to-original", "n": 100, "learnt_on": 100,
        "linked": 30.0, "expected": 31.5, "back_expected": 12.5, "bound": 40.0, "gap": 10.0,
        "ended": "steps", "moments": 22.5, "plain": 21.5, "importance": {"age": 0.25, "pay": 0.75},
    }  # fmt: skip
    return some_evidence.made(SupervisedBound, **own | given)


def held(linked, moments=0.2, plain=0.1):
    return some_evidence.made(
        HeldOut, splits=3, learnt_on=0.44, linked=linked, moments=moments, plain=plain
    )


def printed(capsys, **given):
    print_lines(_learnt_lines(learnt(**given)))
    return capsys.readouterr().out


def test_both_directions_the_bound_and_what_needs_no_truth(capsys):
    said = printed(capsys)
    assert "best matrix found: 30 of 100 records; proven bound 40 (gap 10," in said
    assert "31.5 from release to original, 12.5 from original to release" in said
    assert "22.5 with weights by moments, 21.5 with equal weights" in said
    assert said.index("pay") < said.index("age ")  # what counts the most comes first


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ended": "proven", "gap": 0.0}, "optimal"),
        ({"ended": "time"}, "gap 10, because its budget was spent"),
        ({"ended": "stopped"}, "gap 10, because it was stopped"),
    ],
)
def test_how_far_it_is_proven(capsys, given, words):
    assert f"({words})." in printed(capsys, **given)


@pytest.mark.parametrize(("linked", "gone"), [(0.2, True), (0.21, False)])
def test_where_the_gain_vanishes_it_is_said(capsys, linked, gone):
    said = printed(capsys, held_out=held(linked))
    assert "44.0 % of that half" in said
    assert f"{100 * linked:.1f} % of the other (mean of 3 splits)" in said
    assert ("The gain vanishes" in said) is gone


def test_what_was_not_done_is_said(capsys):
    said = printed(capsys, held_out=None, learnt_on=60, impossible=7)
    assert "No record was held out" in said
    assert "learnt on 60 of them" in said
    assert "No matrix can link 7 records." in said
    assert "No matrix can" not in printed(capsys)


def test_pairs_that_act_together(capsys):
    said = printed(
        capsys,
        together=(
            AttributeInteraction("age", "pay", -0.5),
            AttributeInteraction("pay", "sex", 0.25),
        ),
    )
    assert "age and pay (-0.50), pay and sex (+0.25)." in said
    assert "Interactions" not in printed(capsys)


@pytest.mark.usefixtures("quick_learning")
def test_the_command_says_what_it_learnt(unveil_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = unveil.households(40, seed=4)
    noise = masks.AdditiveNoise(scale=0.5, columns=["age", "rent"])
    release = unveil.mask(people, [noise], seed=2)
    unveil.write(people, "o.csv")
    unveil.write(people.schema, "s.toml")
    unveil.write(release, "r.csv", row_map="map.csv")
    given = ("o.csv", "r.csv", "--schema", "s.toml", "--truth", "map.csv", "--knows", "age,rent")
    done = unveil_command("attack", "supervised", *given, "--splits", "2")
    assert (done.code, done.err) == (0, "")
    assert "LEARNT\nLinks with the best weights found" in done.out
    assert "(mean of 2 splits)" in done.out
    plain = unveil_command("attack", "distance", *given)
    assert "LEARNT" not in plain.out


def test_an_audit_says_it_in_one_line(capsys):
    case = learnt(held_out=held(0.17), together=(AttributeInteraction("age", "pay", -0.5),))
    print_audit(Audit(some_evidence.evidence(worst_cases=(case,)), {}), whole=True)
    said = capsys.readouterr().out.split("WORST CASE WITH PARAMETERS LEARNT FROM THE TRUTH\n")[1]
    assert said.split("\n\n")[0].count("\n") == 0
    assert "17.0 %" in said.split("\n")[0]
