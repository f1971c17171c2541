"""Dependence between attributes: what is found where it is known, what is refused, what is said."""

import json
import logging

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.attacks.probabilistic import dependence as choice_of
from unveil.attacks.probabilistic import estimation, pair_classes
from unveil.attacks.probabilistic.pair_classes import forest, margins
from unveil.errors import SchemaError

NAMES = ["job", "trade", "town", "sex", "band"]
DEPENDENT = ("--dependence", "chosen")


def people(n=400, *, dependent=True, seed=1):
    """People whose trade follows their job, and the same people masked cell by cell."""
    rng = np.random.default_rng(seed)
    job = rng.integers(0, 8, n)
    follows = rng.random(n) < (0.9 if dependent else 0.0)
    before = {
        "job": job,
        "trade": np.where(follows, job, rng.integers(0, 8, n)),
        "town": rng.integers(0, 12, n),
        "sex": rng.integers(0, 2, n),
        "band": rng.integers(0, 6, n),
    }
    after = {
        name: np.where(rng.random(n) < 0.8, cells, rng.integers(0, cells.max() + 1, n))
        for name, cells in before.items()
    }
    schema = Schema(quasi=NAMES, nominal=NAMES)
    return [Microdata(pl.DataFrame(table), schema) for table in (before, after)]


def linked(files, dependence, **options):
    spec = attacks.Probabilistic(dependence=dependence, **options)
    return unveil.attack(*files, spec, truth="row-order")


def test_interactions_are_found_where_they_are():
    found = linked(people(), "log-linear").finder.details["dependence"]
    assert found["chosen"] == "log-linear"
    assert ["job", "trade"] in found["interactions"]["others"]
    assert found["converged"]
    assert found["differing_pairs"] > 0
    assert json.loads(json.dumps(found)) == found


def test_without_dependence_nothing_changes():
    files = people(dependent=False)
    plain, other = (linked(files, dependence) for dependence in ("none", "log-linear"))
    found = other.finder.details["dependence"]
    assert found["chosen"] == "none"
    assert "dependence" not in plain.finder.details
    assert np.array_equal(measures.hits(plain), measures.hits(other))
    assert other.finder.details["comparisons"] == plain.finder.details["comparisons"]


def test_dependence_links_more_and_claims_what_it_keeps():
    files = people(800)
    before, after = (linked(files, dependence) for dependence in ("none", "chosen"))
    assert measures.risk(after).expected >= measures.risk(before).expected
    scores = [measures.reliability(links).log_score for links in (before, after)]
    assert scores[1] < scores[0]
    found = after.finder.details["dependence"]
    assert found["chosen"] == min(found["criterion"], key=found["criterion"].get)


@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_every_matching_is_possible(matching):
    links = linked(people(120), "latent", matching=matching)
    assert measures.risk(links).expected > 20
    assert links.on(people(3, seed=2)[0].to_frame("polars")).best.shape == (3,)


def test_thresholds_divide_pairs_by_their_patterns():
    found = linked(people(), "latent", p_link_unmatched=1e-3, p_nonlink_matched=0.1).finder.details[
        "thresholds"
    ]
    kinds = ("linked_pairs", "clerical_pairs", "nonlinked_pairs")
    assert sum(found[kind] for kind in kinds) == 400 * 400


def test_as_many_parameters_as_patterns_are_refused():
    files = people()
    for dependence in ("log-linear", "latent", "chosen"):
        words = r"has \d+ free parameters for 4 patterns.*leave out dependence"
        with pytest.raises(SchemaError, match=words):
            unveil.attack(
                *files,
                attacks.Probabilistic(dependence=dependence),
                intruder=Intruder(knows=["job", "trade"]),
                truth="row-order",
            )


def test_too_many_patterns_are_refused(monkeypatch):
    monkeypatch.setattr(choice_of, "MOST_PATTERNS", 10)
    with pytest.raises(SchemaError, match="at most 10 are weighed; give numbers fewer tolerances"):
        linked(people(), "latent")


def test_starts_in_which_matches_do_not_agree_are_refused(monkeypatch):
    monkeypatch.setattr(choice_of, "_is_right", lambda _: False)
    with pytest.raises(SchemaError, match="in no start matches agree more often"):
        linked(people(), "latent")
    assert linked(people(), "chosen").finder.details["dependence"]["chosen"] == "none"


def test_em_that_does_not_converge_says_so(caplog):
    with caplog.at_level(logging.WARNING, "unveil"):
        found = linked(people(), "latent", iterations=2).finder.details
    assert not found["dependence"]["converged"]
    assert "EM has not converged in 2 steps" in caplog.text


def test_starts_are_the_same_every_time():
    one, other = (linked(people(), "chosen").finder.details for _ in range(2))
    assert one == other


def test_a_forest_without_effects_has_its_margins():
    own = [np.array([0.2, 0.8]), np.array([0.5, 0.3, 0.2]), np.array([1.0, 0.0])]
    one = forest(np.array([2, 3, 2]), ((1, 2), (0, 1)), own)
    assert one.parent.tolist() == [-1, 0, 1]
    for found, expected in zip(margins(one), own, strict=True):
        assert found == pytest.approx(expected)


def test_the_command_says_how_far_independence_misstates(unveil_command, tmp_path):
    for name, file in zip(("original.csv", "release.csv"), people(), strict=True):
        unveil.write(file, tmp_path / name)
    (tmp_path / "schema.toml").write_text(f"quasi = {NAMES}\nnominal = {NAMES}\n")
    files = tmp_path / "original.csv", tmp_path / "release.csv"
    options = ("--schema", tmp_path / "schema.toml", "--truth", "row-order")
    found = unveil_command("attack", "probabilistic", *files, *options, *DEPENDENT)
    assert found.code == 0, found.err
    assert "Assuming independence changes the match probability of" in found.out
    found = unveil_command("link", *files, *options, *["--attack", "probabilistic"], *DEPENDENT)
    assert "Assuming independence changes the match probability of" in found.out


def test_dependence_is_not_of_text():
    people = unveil.households(60, seed=7)
    spec = attacks.Probabilistic(
        dependence="chosen", comparisons={"occupation": {"by": "jaro-winkler"}}
    )
    intruder = unveil.Intruder(knows=["region", "sex", "occupation"])
    with pytest.raises(unveil.UnveilError, match="leave out comparisons of occupation"):
        measures.risk(unveil.attack(people, people, spec, intruder=intruder, truth="person"))


def test_answers_are_of_the_model_without_dependence():
    with pytest.raises(unveil.UnveilError, match="leave out answers or dependence"):
        attacks.Probabilistic(dependence="latent", answers="answers.csv")


def test_decisions_weigh_patterns_by_their_dependence():
    """The classes are those of the pairs' own weights, and the waterfall ends at them."""
    people = unveil.households(300, seed=7)
    release = unveil.mask(people, [unveil.masks.Pram(theta=0.2)], seed=7)
    spec = attacks.Probabilistic(
        dependence="log-linear", p_link_unmatched=1e-4, p_nonlink_matched=0.2
    )
    intruder = unveil.Intruder(knows=["region", "sex", "education", "occupation", "age"])
    links = unveil.attack(people, release, spec, intruder=intruder)
    assert links.finder.details["dependence"]["chosen"] == "log-linear"
    decided = measures.decisions(links)
    found = decided.decider.classes()
    assert sum(one.pairs for one in found.classes) == 300 * 300
    listed = next(iter(decided.decider.listed([0, 1, 2])))
    steps = decided.decider.steps(int(listed.records[0]), int(listed.rows[0]))
    assert sum(one.weight for one in steps[1:]) == pytest.approx(float(listed.weights[0]))


def test_the_bootstrap_of_a_slow_model_takes_few_steps(monkeypatch):
    """199 refits of a thousand steps each took minutes for 200 people."""
    steps = []

    def counted(*parts):
        found = pair_classes.fit(*parts)
        steps.append(len(found.path) - 1)
        return found

    people = unveil.households(100, seed=7)
    release = unveil.mask(people, [unveil.masks.Pram(theta=0.2)], seed=7)
    spec = attacks.Probabilistic(dependence="latent", p_link_unmatched=1e-4, p_nonlink_matched=0.1)
    intruder = unveil.Intruder(knows=["region", "sex", "education", "occupation", "age"])
    links = unveil.attack(people, release, spec, intruder=intruder)
    decider = measures.decisions(links).decider
    monkeypatch.setattr(estimation, "fit", counted)
    monkeypatch.setattr(estimation, "REFIT_STEPS", 3)
    assert decider.classes().simulations == len(steps) > 0
    assert max(steps) == 3
