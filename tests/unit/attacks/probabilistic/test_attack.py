"""Probabilistic linkage: its thresholds, what it leaves out, and what it says of itself."""

import json
import logging
import math

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures.search import rank_of_truth
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.attacks.probabilistic.comparisons import AttributeComparison
from unveil.attacks.probabilistic.match_weights import weight_metric

PRL = attacks.Probabilistic


def masked(n=300, seed=1):
    """People, and the same people a little changed."""
    rng = np.random.default_rng(seed)
    size, job = rng.normal(50, 10, n), rng.integers(0, 12, n)
    before = {"size": size, "job": job, "town": rng.integers(0, 30, n)}
    kept = rng.random((2, n)) < 0.8
    after = {
        "size": size + rng.normal(0, 1, n),
        "job": np.where(kept[0], job, rng.integers(0, 12, n)),
        "town": np.where(kept[1], before["town"], rng.integers(0, 30, n)),
    }
    schema = Schema(quasi=list(before), nominal=["job", "town"])
    return [Microdata(pl.DataFrame(table), schema) for table in (before, after)]


def details(*files, truth="row-order", intruder=None, **options):
    links = unveil.attack(*files, PRL(**options), truth=truth, intruder=intruder or Intruder())
    return links.finder.details


def levels_of(found, column):
    (one,) = [one for one in found["comparisons"] if one["output_column_name"] == column]
    return one["comparison_levels"]


def test_estimates_are_near_the_truth_where_attributes_are_independent():
    found = details(*masked(1000))
    job, town = levels_of(found, "job")[0], levels_of(found, "town")[0]
    assert job["m_probability"] == pytest.approx(0.8 + 0.2 / 12, abs=0.06)
    assert job["u_probability"] == pytest.approx(1 / 12, abs=0.01)
    assert town["m_probability"] == pytest.approx(0.8 + 0.2 / 30, abs=0.06)
    for level in (job, town):
        factor = level["m_probability"] / level["u_probability"]
        assert level["bayes_factor"] == pytest.approx(factor)
        assert level["match_weight"] == pytest.approx(math.log2(factor))
    assert found["converged"]
    assert found["prior"] == 1 / 1000
    assert len(found["log_likelihood"]) == found["iterations"] + 1
    assert found["counted"] == "all 1,000,000 pairs"
    assert measures.risk(unveil.attack(*masked(1000), PRL(), truth="row-order")).share > 0.5


def test_what_it_says_of_itself_is_plain():
    found = details(*masked(), p_link_unmatched=1e-4, p_nonlink_matched=0.05)
    assert json.loads(json.dumps(found)) == found
    sizes = [level["label_for_charts"] for level in levels_of(found, "size")]
    assert sizes[-1] == "All other comparisons"
    assert all(label.startswith("Within ") for label in sizes[:-1])
    best = sum(one["comparison_levels"][0]["match_weight"] for one in found["comparisons"])
    assert found["greatest_match_weight"] == pytest.approx(best)
    jobs = [level["label_for_charts"] for level in levels_of(found, "job")]
    assert jobs == ["Exact match", "All other comparisons"]


def test_the_prior_is_fixed_given_or_estimated():
    files = masked()
    assert details(*files)["prior"] == 1 / 300
    assert details(*files, prior=0.01)["prior"] == 0.01
    assert details(*files, prior="estimated")["prior"] == pytest.approx(1 / 300, rel=0.3)
    few = details(*files, intruder=Intruder(records=30))
    assert few["prior"] == 1 / 300
    assert few["counted"] == "all 9,000 pairs"
    # In blocks there are fewer pairs, and as many matches; but never more matches than others.
    blocked = details(*files, intruder=Intruder(blocks=["town"]))
    assert blocked["prior"] > 5 / 300
    assert details(*masked(2), tolerances={"size": [1]})["prior"] == 0.5


def test_u_may_be_estimated_too():
    files = masked()
    counted, estimated = (
        levels_of(details(*files, u=u), "job")[0]["u_probability"] for u in ("counted", "estimated")
    )
    assert counted == pytest.approx(estimated, abs=0.01)
    assert counted != estimated


def test_em_that_does_not_converge_says_so(caplog):
    with caplog.at_level(logging.WARNING, "unveil"):
        found = details(*masked(), iterations=2)
    assert not found["converged"]
    assert found["iterations"] == 2
    assert "EM has not converged in 2 steps" in caplog.text


def test_what_is_said_twice_counts_once(caplog):
    before, after = (file.to_frame("polars") for file in masked())
    more = {
        "inches": pl.col("size") / 2.54,
        "room": 100 - pl.col("size"),
        "code": (pl.col("job") * 7 + 1) % 13,
        "other": (pl.col("job") + 1) % 12,
    }
    schema = Schema(quasi=["size", "job", "town", *more], nominal=["job", "town", "code", "other"])
    files = [Microdata(table.with_columns(**more), schema) for table in (before, after)]
    with caplog.at_level(logging.WARNING, "unveil"):
        links = unveil.attack(*files, PRL(), truth="row-order")
    doubles = {"inches": "size", "room": "size", "code": "job", "other": "job"}
    assert links.finder.details["dropped"] == doubles
    assert links.finder.columns == ("size", "job", "town")
    assert "column 'inches' duplicates column 'size' and is left out" in caplog.text
    alone = unveil.attack(*masked(), PRL(), truth="row-order")
    assert np.array_equal(measures.hits(links), measures.hits(alone))


def test_a_missing_cell_adds_nothing():
    before, after = (file.to_frame("polars") for file in masked())
    gone = pl.int_range(pl.len()) % 3 == 0
    schema = Schema(quasi=["size", "job", "town"], nominal=["job", "town"])
    holey = Microdata(after.with_columns(job=pl.when(~gone).then("job")), schema)
    links = unveil.attack(Microdata(before, schema), holey, PRL(tolerances={"size": [1, 3]}),
                          truth="row-order")  # fmt: skip
    found = links.finder.details
    weights = {
        one["output_column_name"]: [
            level["match_weight"] * math.log(2) for level in one["comparison_levels"]
        ]
        for one in found["comparisons"]
    }
    # Row 0 lacks its job: the pair costs the most that a job could weigh.
    row = before.row(0, named=True)
    costs = []
    for candidate in holey.to_frame("polars").iter_rows(named=True):
        gap = abs(row["size"] - candidate["size"])
        cost = -np.interp(gap, [0, 3, 6], weights["size"])
        if candidate["job"] is not None:
            cost -= weights["job"][int(row["job"] != candidate["job"])]
        costs.append(cost - weights["town"][int(row["town"] != candidate["town"])])
    most = sum(own[0] for own in weights.values())
    assert links.score[0] == pytest.approx(min(costs) + most, abs=1e-4)
    assert links.best[0] == int(np.argmin(costs))


def test_an_attribute_that_is_always_missing_says_nothing():
    schema = Schema(quasi=["a", "b"], nominal=["a"], ordinal={"b": ["x", "y", "z"]})
    table = pl.DataFrame({"a": list("pqrp"), "b": pl.Series([None] * 4, dtype=pl.String)})
    file = Microdata(table, schema)
    links = unveil.attack(file, file, PRL(), truth="row-order")
    assert links.n_closer.tolist() == [0] * 4
    weights = [level["match_weight"] for level in levels_of(links.finder.details, "b")]
    assert set(weights) == {0}


def test_thresholds_part_the_pairs():
    found = details(*masked(), p_link_unmatched=1e-4, p_nonlink_matched=0.05)["thresholds"]
    kinds = ("linked_pairs", "clerical_pairs", "nonlinked_pairs")
    assert sum(found[kind] for kind in kinds) == 300 * 300
    assert 30 < found["linked_pairs"] < 320
    assert found["link_threshold"] > found["nonlink_threshold"]


def test_strangers_are_weighed_as_the_people_are():
    files = masked()
    links = unveil.attack(*files, PRL(), truth="row-order", intruder=Intruder(blocks=["job"]))
    odd = pl.DataFrame({"size": [1e6, 50.0], "job": [3, 99], "town": [5, 99]})
    strangers = links.on(odd)
    told = strangers.finder.details["comparisons"]
    assert told == links.finder.details["comparisons"]
    assert strangers.best[1] == -1  # nobody of that job
    assert np.isfinite(strangers.score[0])


def test_to_differ_may_speak_for_a_match_where_nothing_forbids_it():
    """Every match differs in the one, and agrees in the other."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, 200), rng.integers(0, 60, 200)
    schema = Schema(quasi=["a", "b"], nominal=["a", "b"])
    files = [Microdata(pl.DataFrame({"a": turned, "b": b}), schema) for turned in (a, (a + 1) % 4)]
    free = unveil.attack(*files, PRL(constrained=False, smoothing=0), truth="row-order")
    held = unveil.attack(*files, PRL(), truth="row-order")
    assert levels_of(free.finder.details, "a")[0]["match_weight"] < -1
    assert levels_of(held.finder.details, "a")[0]["match_weight"] >= 0
    assert measures.hits(free).sum() > measures.hits(held).sum()


def test_where_levels_weigh_the_same_the_nearer_goes_first():
    """Of an attribute of which EM makes nothing, agreement still parts those that tie."""
    schema = Schema(quasi=["a", "b"], nominal=["a", "b"])
    file = Microdata(pl.DataFrame({"a": list("ppqq"), "b": list("xyxy")}), schema)
    links = unveil.attack(file, file, PRL(prior=1e-9), truth="row-order")
    assert links.n_tied.tolist() == [0, 0, 0, 0]


def test_pooled_levels_that_rounding_has_turned_round():
    values = np.array([0.5, 2.5])
    one = AttributeComparison("x", (0.0,), "numbers", values, values, values)
    metric = weight_metric([one], [np.array([0.0, 1e-16])], prorate=True)
    found = rank_of_truth(values[:, None], values[:, None], [0, 1], metric)
    assert found.n_closer.tolist() == found.n_tied.tolist() == [0, 0]


def test_nobody_in_the_same_block():
    schema = Schema(quasi=["a", "b"], nominal=["a", "b"])
    files = [
        Microdata(pl.DataFrame({"a": list("pqp"), "b": [block] * 3}), schema) for block in "xy"
    ]
    for options in ({}, {"prior": "estimated", "tolerances": {"a": [0]}}):
        intruder = Intruder(blocks=["b"])
        links = unveil.attack(*files, PRL(**options), intruder=intruder, truth="row-order")
        assert links.best.tolist() == [-1, -1, -1]
        assert links.finder.details["counted"] == "all 0 pairs"


def test_many_attributes_and_many_records():
    """Patterns too long for one number; and, as if pairs were too many, a sample of them."""
    rng = np.random.default_rng(5)
    names = [f"v{j}" for j in range(34)]
    before = rng.normal(size=(80, 34))
    after = before + rng.normal(0, 0.5, before.shape)
    files = [
        Microdata(pl.DataFrame(dict(zip(names, values.T, strict=True))), Schema(quasi=names))
        for values in (before, after)
    ]
    assert unveil.measures.risk(unveil.attack(*files, PRL(), truth="row-order")).expected > 70
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.attacks.probabilistic.pair_counts.MOST_WIDE_PAIRS", 1000)
        patch.setattr("unveil.attacks.probabilistic.pair_counts.SAMPLED_OTHERS", 50)
        links = unveil.attack(*files, PRL(), truth="row-order")
        assert links.finder.details["counted"].startswith("a sample of ")
        assert measures.risk(links).expected > 70


@pytest.mark.parametrize("smaller", [0, 1])
def test_a_sample_finds_nearly_the_same(monkeypatch, smaller):
    files = masked(800)
    files[smaller] = files[smaller].take(np.arange(400))
    exact = details(*files, truth=None)
    for name, value in {"MOST_PAIRS": 1000, "SAMPLED_NEAREST": 16, "SAMPLED_OTHERS": 100}.items():
        monkeypatch.setattr(f"unveil.attacks.probabilistic.pair_counts.{name}", value)
    sampled = details(*files, truth=None, sampled=300)
    assert exact["counted"] == "all 320,000 pairs"
    assert sampled["counted"].endswith(" of 320,000 pairs")
    for column in ("size", "job", "town"):
        for one, other in zip(levels_of(exact, column), levels_of(sampled, column), strict=True):
            assert one["u_probability"] == pytest.approx(other["u_probability"], abs=1e-12)
            assert one["m_probability"] == pytest.approx(other["m_probability"], abs=0.1)


def test_numbers_agree_up_to_a_share_of_their_range():
    found = details(*masked(50), agreement=0.25)
    labels = {
        one["output_column_name"]: [level["label_for_charts"] for level in one["comparison_levels"]]
        for one in found["comparisons"]
    }
    size = np.concatenate([data.column("size").to_numpy() for data in masked(50)])
    near = f"Within {0.25 * (size.max() - size.min()):,.10g}"
    assert labels["size"] == [near, "All other comparisons"]
    assert labels["job"] == ["Exact match", "All other comparisons"]  # which has no range
    own = details(*masked(50), agreement=0.25, tolerances={"size": [1]})
    assert own["comparisons"][0]["comparison_levels"][0]["label_for_charts"] == "Within 1"


def test_a_range_that_is_next_to_nothing_is_one():
    tiny = [
        Microdata(data.to_frame("polars").with_columns(size=pl.col("size") * 1e-310), data.schema)
        for data in masked(30)
    ]
    assert details(*tiny, agreement=0.05)["converged"]


def test_from_the_command_line(unveil_command, tmp_path):
    for name, file in zip(("original.csv", "release.csv"), masked(100), strict=True):
        unveil.write(file, tmp_path / name)
    (tmp_path / "schema.toml").write_text("quasi = ['size', 'job', 'town']\n")
    files = tmp_path / "original.csv", tmp_path / "release.csv"
    options = ("--schema", tmp_path / "schema.toml", "--truth", "row-order", "--json")
    given = ("--no-prorated", "--tolerances", '{"size": [1, 2]}')
    found = unveil_command("attack", "probabilistic", *files, *options, *given, "--prior", "0.01")
    assert found.code == 0, found.err
    risk = json.loads(found.out)["risk"]
    assert risk["parameters"]["prorated"] is False
    assert risk["parameters"]["prior"] == 0.01
    assert risk["confirmed"]["claimed"] == 0  # there is always another that may be
    assert json.loads(found.out)["details"]["prior"] == 0.01
