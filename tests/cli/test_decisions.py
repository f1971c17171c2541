"""Decisions on pairs as a user of the command line meets them."""

import json

import polars as pl
import pytest

import unveil

KNOWS = "region,sex,education,occupation,age"
RATES = ("--p-link-unmatched", "0.005", "--p-nonlink-matched", "0.1")

LITTLE = ("--effort", "quick", "--no-sweep", "--no-remedies", "--no-worst-case")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A survey and its release, with the row map."""
    made = tmp_path_factory.mktemp("decisions")
    people = unveil.households(150, seed=7)
    masks = [unveil.masks.Pram(theta=0.2, columns=["region", "education", "occupation"])]
    release = unveil.mask(people, masks, seed=7)
    unveil.write(people, made / "a.csv")
    unveil.write(people.schema, made / "s.toml")
    unveil.write(release, made / "b.csv", row_map=made / "m.csv")
    return made


@pytest.fixture
def attack(unveil_command, folder, monkeypatch):
    monkeypatch.chdir(folder)

    def run(*more, truth=True):
        known = ("--truth", "m.csv") if truth else ()
        files = ("a.csv", "b.csv", "--schema", "s.toml", "--knows", KNOWS, *known)
        return unveil_command("attack", "probabilistic", *files, *RATES, *more)

    return run


def answered(review, folder):
    """The same file with the answers of somebody who knows."""
    true = pl.read_csv(folder / "m.csv").select(unique_id_r="released", own="original")
    joined = pl.read_csv(review).join(true, on="unique_id_r", how="left")
    answer = (
        pl.when(pl.col("own") == pl.col("unique_id_l")).then(pl.lit("yes")).otherwise(pl.lit("no"))
    )
    joined.with_columns(answer=answer).drop("own").write_csv(folder / "answers.csv")


def test_text_and_json_count_the_classes(attack):
    done, plain = attack(), attack("--json")
    assert (done.code, plain.code) == (0, 0)
    found = json.loads(plain.out)["pair_classes"]
    assert "Decisions on 22,500 pairs:" in done.out
    for one in found["classes"]:
        assert f"{one['pairs']:,}" in done.out
        assert f"{one['expected']:,.1f}" in done.out
        assert 0 <= one["right"] <= 150
    for error in found["errors"]:
        assert f"{error['low']:.3g} to {error['high']:.3g}" in done.out
        assert f"{error['found']:.3g}" in done.out
    assert "P(NP|M): matches that are not linked." in done.out


def test_without_the_truth_there_is_no_true_rate(attack):
    done = attack(truth=False)
    assert "Decisions on 22,500 pairs:" in done.out
    rate = next(line for line in done.out.splitlines() if line.startswith("P(LP|U) "))
    assert rate.endswith(" -")


def test_a_model_that_has_not_converged_has_no_interval(attack):
    done = attack("--iterations", "2")
    assert done.code == 0
    assert "The model has not converged: the error rates have no interval" in done.out
    assert "The intervals hold" not in done.out
    rate = next(line for line in done.out.splitlines() if line.startswith("P(NP|M) "))
    assert rate.split()[3] == "-"
    assert "The model has not converged" not in attack().out


def test_links_have_class_weight_and_probability(attack, folder):
    done = attack("--links", "l.csv", "--force", "--json")
    listed, found = pl.read_csv(folder / "l.csv"), json.loads(done.out)["pair_classes"]
    sizes = dict(listed["class"].value_counts().rows())
    wanted = {one["name"]: one["pairs"] for one in found["classes"] if one["pairs"]}
    assert sizes == {name: n for name, n in wanted.items() if name != "non-linked"}
    assert attack("--links", "n.csv", "--link-classes", "non-linked").code == 0
    assert len(pl.read_csv(folder / "n.csv")) == wanted["non-linked"]


def test_a_review_is_written_answered_and_read_back(attack, folder):
    done = attack("--review", "r.csv", "--review-pairs", "50")
    assert "fill in `answer` with yes or no" in done.out
    assert pl.read_csv(folder / "r.csv").columns[-1] == "answer"
    assert "region_l" not in pl.read_csv(folder / "r.csv").columns
    answered(folder / "r.csv", folder)
    again = attack("--answers", "answers.csv", "--p-link-unmatched", "0.002")
    assert again.code == 0
    assert "Answers of a review decide 50 pairs: " in again.out
    shown = attack("--review", "v.csv", "--show-values")
    assert "It has cells of both files." in shown.out
    assert {"region_l", "region_r"} <= {*pl.read_csv(folder / "v.csv").columns}


def test_one_pair_is_explained_and_drawn(attack, folder):
    done = attack("--pair", "3,5", "--figures", "charts")
    assert done.code == 0
    assert "The pair is a match with probability " in done.out
    assert {one.name for one in (folder / "charts").iterdir()} == {
        *(f"{name}.{kind}" for name in ("match-weights", "waterfall") for kind in ("svg", "png"))
    }


def test_figures_are_written_beside_json(attack, folder):
    json.loads(attack("--json", "--figures", "beside").out)
    assert (folder / "beside" / "match-weights.svg").exists()


def test_link_decides_as_attack_does(unveil_command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    files = ("a.csv", "b.csv", "--schema", "s.toml", "--knows", KNOWS)
    rates = ("--p-link-unmatched", "0.0001", "--p-nonlink-matched", "0.05")
    done = unveil_command("link", *files, *rates, "--links", "k.csv")
    assert done.code == 0, done.err
    assert "Decisions on 22,500 pairs:" in done.out
    assert "class" in pl.read_csv(folder / "k.csv").columns


@pytest.mark.slow
def test_an_audit_shows_decisions_on_its_page(unveil_command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    table = '{"method": "probabilistic", "p_link_unmatched": 0.005, "p_nonlink_matched": 0.1}'
    files = ("a.csv", "b.csv", "--schema", "s.toml", "--truth", "m.csv", "--knows", KNOWS)
    done = unveil_command("audit", *files, *LITTLE, "--attack", table, "--report", "audit.html")
    assert done.code == 0, done.err
    page = (folder / "audit.html").read_text()
    assert "Decisions on pairs" in page
    assert "Error rates of the decisions" in page


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('{"method": "probabilistic", "secret"', "--attack: this is not valid JSON; give an"),
        ('{"method": "probabilstic"}', "'probabilstic' is not an attack; did you mean"),
        ('{"p_link_unmatched": 0.1}', "method: not given"),
        ('{"method": "probabilistic", "p_link_unmatched": 2}', "p_link_unmatched"),
    ],
)
def test_a_wrong_table_of_an_attack_is_refused(unveil_command, folder, monkeypatch, table, said):
    monkeypatch.chdir(folder)
    done = unveil_command("audit", "a.csv", "b.csv", "--schema", "s.toml", "--attack", table)
    assert done.code == 2
    assert said in done.err
    assert "secret" not in done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--p-link-unmatched", "0.6", "--p-nonlink-matched", "0.6"), "and no review, P(NP|M) is"),
        (("--pair", "1"), "--pair: the row of the first file and that of the second: 17,23"),
        (("--pair", "1,999"), "row 999 of the release is out of range: it has 150 rows"),
        (("--link-classes", "likely", "--links", "x.csv"), "a list of some of linked, clerical"),
        (("--show-values",), "--show-values and --review-pairs are of a review"),
        (("--answers", "a.csv"), "a.csv: answers: the table has columns unique_id_l"),
        (("--answers", "a.csv", "--review", "a.csv", "--force"), "a.csv is an input and cannot be"),
    ],
)
def test_wrong_use_is_refused(attack, more, said):
    done = attack(*more)
    assert done.code in (2, 3)
    assert said in done.err


def test_other_attacks_offer_no_review(unveil_command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    files = ("a.csv", "b.csv", "--schema", "s.toml", "--knows", KNOWS)
    assert "No such option" in unveil_command("attack", "distance", *files, "--review", "x.csv").err
    done = unveil_command("attack", "probabilistic", *files, "--review", "x.csv")
    assert "give --p-link-unmatched and --p-nonlink-matched" in done.err
    done = unveil_command("attack", "probabilistic", *files, "--link-classes", "linked")
    assert "give --p-link-unmatched and --p-nonlink-matched" in done.err
