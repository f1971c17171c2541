"""The attack on files that share no attribute: every method, and what auto makes of them."""

import os
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures.no_common_attribute import files_of, frame, halves, planted
from naive import matching as twin
from unveil import Intruder, Microdata, Schema, measures
from unveil.attacks import Probabilistic, Structural
from unveil.attacks.matched.finder import matched
from unveil.attacks.structural import search as apart
from unveil.attacks.structural.null_files import NULL_FILES
from unveil.attacks.structural.representatives import representatives
from unveil.attacks.structural.soft_matching import partial_match_probabilities
from unveil.errors import DataError, SpecError

pytestmark = pytest.mark.usefixtures("one_kind_of_control")

N = 40
QUICK = {"starts": 2, "controls": 2}
METHODS = ("representatives", "ranking", "alignment")  # that take no time


def link(mine, release, rows=None, seed=0, **how):
    return unveil.link(mine, release, Structural(**QUICK | how), truth=rows, seed=seed)


def strong(method="auto", matching="posterior"):
    """Two files that are strongly related."""
    return _strong(method, matching)


@cache
def _strong(method, matching):
    return link(*planted(N), method=method, matching=matching)


def with_copies(n=N, share=0.8, seed=3):
    """Weakly related files in which the wage of most is found again."""
    mine, released = halves(n, noise=1.0)
    rng = np.random.default_rng(seed)
    wage, other = np.exp(rng.normal(10, 1, (2, n))).round(2)
    again = np.where(rng.random(n) < share, wage, other)
    rows = rng.permutation(n)
    return (
        Microdata(frame(mine, "a").with_columns(wage=wage)),
        Microdata(frame(released[rows], "b").with_columns(taxed=again[rows])),
        rows,
    )


def hits(links):
    """How many links are right; ties are shared."""
    return float(measures.hits(links).sum().round(9))


def numbers_in(told):
    """All numbers in plain values, in order."""
    if isinstance(told, dict):
        return [n for key in sorted(told) for n in numbers_in(told[key])]
    if isinstance(told, list | tuple):
        return [n for one in told for n in numbers_in(one)]
    return [told] if isinstance(told, int | float) else []


# What is found.


@pytest.mark.parametrize("method", ["auto", "correlation"])
def test_files_that_are_strongly_related_are_linked(method):
    links = strong(method)
    details = links.finder.details
    assert hits(links) >= 0.8 * N
    assert details["method"] == "correlation"
    assert details["sure"] > 0.9
    assert [one["method"] for one in details["evidence"]] == ["correlation"]
    assert details["evidence"][0]["likelihood"] > details["evidence"][0]["most"] + 50
    pairs = links.pairs(1)
    right = pairs["unique_id_r"].to_numpy() - 1 == links.truth
    sure = pairs["match_probability"].to_numpy() > 0.9
    assert sure.sum() > N / 2
    assert right[sure].mean() > 0.9


def test_which_attributes_go_together_is_told():
    found = strong().finder.details["correspondence"]
    partners = {(one["mine"], one["release"]) for one in found}
    assert {(f"a{k}", f"b{k}") for k in range(8)} <= partners
    for one in found:
        if one["mine"][1:] == one["release"][1:]:
            assert one["correlation"] > 0.9
    sizes = [abs(one["correlation"]) for one in found]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_simpler_methods_beat_chance_however_records_are_matched(method, matching):
    links = strong(method, matching)
    assert hits(links) >= 5
    assert links.finder.details["method"] == method
    assert links.finder.details["sure"] is None
    assert links.finder.details["guess"]
    probability = links.pairs(1)["match_probability"]
    assert probability.null_count() == N  # nothing speaks for a guess, so nothing is claimed


@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_a_structure_serves_every_matching(matching):
    links = strong()
    base = links.finder.base
    other = replace(links, finder=matched(base, matching, links.order, 0))
    assert hits(other) >= 0.8 * N


def test_what_is_linked_is_what_the_structure_says():
    links = strong()
    costs = twin.every_pair(links.finder.base)
    starts, rows, chance = links.finder.distribution(links.records)
    found = np.zeros(costs.shape)
    found[np.repeat(np.arange(N), np.diff(starts)), rows] = chance
    credit = links.finder.base.posterior_model
    weights = credit.weight_at_zero - costs - links.finder.base.intruder_records.offset[:, None]
    chance = partial_match_probabilities(weights, credit.overlap * N)  # the others have nobody
    assert found == pytest.approx(chance * credit.sure, abs=2e-3)


def test_values_that_are_found_again_are_joined():
    mine, release, rows = with_copies()
    links = link(mine, release, rows)
    details = links.finder.details
    assert details["method"] == "correlation+values"
    assert details["sure"] > 0.9
    assert {one["method"] for one in details["evidence"]} == {
        "correlation", "values", "correlation+values",
    }  # fmt: skip
    by_values = link(mine, release, rows, method="values")
    same = (mine.column("wage").to_numpy()[rows] == release.column("taxed").to_numpy()).sum()
    for found in (links, by_values):
        assert hits(found) >= 0.9 * same
    with pytest.raises(DataError, match="choose another method"):
        link(*planted(N), method="values")


def test_of_strangers_auto_makes_a_guess_and_says_so():
    mine, _, _ = planted(N)
    _, release, _ = planted(N, people=1)
    links = link(mine, release)
    details = links.finder.details
    assert details["method"] == "representatives"
    assert details["sure"] < 0.5
    assert details["evidence"][0]["method"] == "correlation"
    assert links.pairs()["match_probability"].null_count() == 2 * N
    assert links.finder.log_totals(links.records) is None


# What must not matter.


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_the_order_of_the_rows_means_nothing(method, monkeypatch):
    monkeypatch.setattr(apart, "NULL_FILES", NULL_FILES)  # to none of them
    mine, release, rows = planted(20)
    rng = np.random.default_rng(9)
    one, two = rng.permutation(20), rng.permutation(20)
    found = link(mine, release, rows, method=method)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})  # nor do threads
    again = link(mine.take(one), release.take(two), np.argsort(one)[rows[two]], method=method)
    assert hits(again) == hits(found)
    told, said = numbers_in(found.finder.details), numbers_in(again.finder.details)
    assert said == pytest.approx(told, rel=1e-9, abs=1e-9)
    assert again.score == pytest.approx(found.score[one], rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_and_another_finds_the_same_people():
    found, again, other = (link(*planted(20), starts=1, seed=seed) for seed in (1, 1, 2))
    assert found.finder.details == again.finder.details
    assert (found.score == again.score).all()
    assert (found.best == again.best).all()
    assert numbers_in(other.finder.details) != numbers_in(found.finder.details)
    assert hits(other) >= 14


def test_the_order_of_the_columns_means_little():
    mine, release, rows = planted(N)
    turned = mine.select(mine.columns[::-1]), release.select(release.columns[::-1])
    assert hits(link(*turned, rows)) == hits(strong())


# Who asks whom.


@pytest.mark.parametrize("method", ["auto", "alignment"])
def test_released_rows_look_for_their_originals(method):
    mine, release, rows = planted(N)
    links = unveil.attack(
        mine, release, Structural(method=method, **QUICK), truth=rows,
        intruder=Intruder(knows=mine.columns, direction="release-to-original"),
    )  # fmt: skip
    assert (links.truth == rows).all()
    assert hits(links) >= 32


@pytest.mark.parametrize(("n", "m"), [(N, 32), (32, N)])
def test_files_of_unequal_size(n, m):
    mine, released = halves(N)
    rows = np.random.default_rng(4).permutation(N)[:m]
    truth = np.where(rows < n, rows, -1)
    links = link(Microdata(frame(mine[:n], "a")), Microdata(frame(released[rows], "b")), truth)
    assert links.finder.details["method"] == "correlation"
    assert hits(links) >= 0.7 * 32


def test_missing_cells():
    rng = np.random.default_rng(4)
    both = halves(N)
    for values in both:
        values[rng.random(values.shape) < 0.1] = np.nan
    links = link(Microdata(frame(both[0], "a")), Microdata(frame(both[1], "b")), "row-order")
    assert links.finder.details["method"] == "correlation"
    assert links.finder.details["sure"] > 0.9
    assert hits(links) >= 0.8 * N


@pytest.mark.slow
def test_how_many_have_a_partner_is_found():
    mine, released = halves(96)
    both = frame(mine[:80], "a"), frame(released[16:], "b")  # sixteen of each are nobody there
    links = link(*map(Microdata, both), np.r_[16:80, [-1] * 16])
    assert links.finder.details["shared"] == pytest.approx(64 / 80, abs=0.05)
    assert hits(links) >= 0.9 * 64


def test_two_records_that_say_nothing_are_not_one_person():
    both = halves(N)
    both[0][7], both[1][8] = np.nan, np.nan
    links = link(Microdata(frame(both[0], "a")), Microdata(frame(both[1], "b")), "row-order")
    assert hits(links) >= 0.8 * N
    chance = links.pairs(1)["match_probability"].to_numpy()
    assert chance[links.pairs(1)["unique_id_l"].to_numpy() == 8].max() < 0.01


@pytest.mark.slow
def test_a_column_that_is_there_twice_changes_nothing():
    mine, released = halves(N)
    found = [
        link(Microdata(frame(one, "a")), Microdata(frame(other, "b")), starts=0).finder.details
        for one, other in ((mine, released), (np.hstack([mine] * 2), np.hstack([released] * 2)))
    ]
    alone, twice = (details["evidence"][0] for details in found)
    assert twice["likelihood"] == pytest.approx(alone["likelihood"], rel=0.1)
    assert twice["control"] < alone["control"] + 3 * (alone["spread"] + 5)


def test_where_records_are_sampled_their_order_means_nothing(monkeypatch):
    monkeypatch.setattr(apart, "MOST_PAIRS", 1000)
    monkeypatch.setattr(apart, "LEAST_RECORDS", 10)
    rng = np.random.default_rng(6)
    numbers = [f"+34 {k}" for k in rng.choice(10**6, 90, replace=False)]
    found = []
    for _ in range(3):
        drawn = {"a": rng.permutation(numbers[:60]), "b": rng.permutation(numbers[20:80])}
        both = [Microdata(pl.DataFrame({name: own.tolist()})) for name, own in drawn.items()]
        details = link(*both).finder.details
        found.append((details["method"], details["shared"], details["evidence"]))
    assert found[0][0] == "values"
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("method", METHODS)
def test_strangers_are_compared_as_the_people_were(method):
    mine, release, rows = planted(30)
    links = link(mine, release, rows, method=method, matching="nearest")
    some = np.array([3, 17, 29])
    again = links.on(mine.take(some))
    assert (again.best == links.best[some]).all()
    assert again.score - links.score[some] == pytest.approx(np.zeros(3), abs=1e-6)
    assert (again.truth == -1).all()
    empty = frame(halves(5, people=2)[0], "a").with_columns(a3=pl.lit(None, dtype=pl.Float64))
    assert (links.on(Microdata(empty)).best >= 0).all()


def test_one_table_against_itself():
    mine, released = halves(N)
    both = Microdata(frame(mine, "a").hstack(frame(released, "b")))
    names = tuple(f"a{k}" for k in range(8))
    links = unveil.attack(
        both, both, Structural(**QUICK), intruder=Intruder(knows=names), truth="row-order"
    )
    assert links.finder.columns == names + tuple(f"b{k}" for k in range(8))
    assert hits(links) >= 32


def test_blocks_part_those_who_cannot_be_the_same():
    mine, release, rows = planted(N)
    part = np.arange(N) % 4
    schema = Schema(nominal=["part"])
    both = [
        Microdata(pl.DataFrame({c: data.column(c) for c in data.columns} | {"part": own}), schema)
        for data, own in ((mine, part), (release, part[rows]))
    ]
    intruder = Intruder(knows=mine.columns, blocks=["part"])
    for matching in ("nearest", "posterior"):
        spec = Structural(method="alignment", matching=matching)
        links = unveil.attack(*both, spec, intruder=intruder, truth=rows)
        assert (part[rows][links.best] == part).all()
        assert "part" not in links.finder.columns
        assert hits(links) > N / 2


# Representatives, ranking, and what they are told.


def test_representatives_are_compared_as_the_paper_does():
    mine, released = halves(N)
    files = files_of(Microdata(frame(mine, "a")), Microdata(frame(released, "b")))
    how = {"operator": "sugeno", "family": "sigmoid", "normalisation": "ranging", "missing": "zero"}
    finder = Structural(method="representatives", turn=False, **how).finder(files)
    one, two = (representatives(own, **how) for own in (mine, released))
    gaps = ((one[:, None] - two) ** 2).sum(2)
    assert twin.every_pair(finder) == pytest.approx(gaps, abs=1e-9)
    assert finder.details["normalisation"] == "ranging"


def test_attributes_that_fall_are_turned_and_named():
    rng = np.random.default_rng(5)
    size = rng.standard_normal((50, 1))
    own, others = (size + 0.3 * rng.standard_normal((2, 50, 4))) * [1, 1, -1, 1]
    data = Microdata(frame(own, "a")), Microdata(frame(others, "b"))
    for method in ("representatives", "ranking"):
        straight, turned = (
            link(*data, "row-order", method=method, score="sum", turn=turn, matching="nearest")
            for turn in (False, True)
        )
        assert turned.finder.details["turned"] == {"mine": ["a2"], "release": ["b2"]}
        assert straight.finder.details["turned"] == {"mine": [], "release": []}


def test_cells_at_the_ends_of_their_ranges_are_ranged():
    rng = np.random.default_rng(6)
    piled = np.clip(rng.standard_normal((N, 3)), -0.5, 0.5)
    for values, how in ((piled, "ranging"), (rng.standard_normal((N, 3)), "normal-scores")):
        both = Microdata(frame(values, "a")), Microdata(frame(values, "b"))
        assert link(*both, method="representatives").finder.details["normalisation"] == how


def test_probabilistic_linkage_of_representatives():
    links = link(*planted(N), method="representatives", linkage="probabilistic")
    assert hits(links) >= 5
    assert links.pairs(1)["match_probability"].null_count() == N
    assert links.finder.details["method"] == "representatives"
    assert not any("representative" in name for name in links.finder.columns)


@pytest.mark.parametrize("given", [Probabilistic(agreement=0.1), {"agreement": 0.1}])
def test_probabilistic_linkage_of_representatives_has_its_own_parameters(given):
    """As the slow twin: agreement up to a share of the range, weights prorated over all of it."""
    mine, released, rows = planted(N)
    links = link(
        mine, released, rows, method="representatives", linkage=given, matching="nearest",
        normalisation="ranging", turn=False,
    )  # fmt: skip
    a, b = (representatives(numbers(d), normalisation="ranging") for d in (mine, released))
    cost = np.zeros((N, N))
    for one in links.finder.details["comparisons"]:
        k = int(one["output_column_name"].split()[1]) - 1
        agree, differ = (level["match_weight"] for level in one["comparison_levels"])
        both = np.concatenate([a[:, k], b[:, k]])
        assert (
            f"Within {0.1 * np.ptp(both):,.10g}" == one["comparison_levels"][0]["label_for_charts"]
        )
        cost += np.abs(a[:, k][:, None] - b[:, k]) / np.ptp(both) * (agree - differ) * np.log(2)
    assert links.score == pytest.approx(cost.min(1), abs=1e-4)


def numbers(data):
    return data.to_frame("polars").to_numpy()


def test_columns_whose_values_are_shared_are_used_only_where_values_are_compared():
    mine, released, rows = with_copies()
    rng = np.random.default_rng(4)
    rare = ["".join(rng.choice(list("abcdefgh"), 9)) for _ in range(N)]  # each once: no feature
    orders = (mine, "tag", np.arange(N)), (released, "label", rows)
    named = [
        Microdata(data.to_frame("polars").with_columns(pl.Series(name, rare)[order]))
        for data, name, order in orders
    ]
    by_values, by_ranks = (link(*named, rows, method=how) for how in ("values", "ranking"))
    assert {"tag", "label"} <= set(by_values.finder.columns)
    assert by_values.finder.details["left_out"] == {"mine": {}, "release": {}}
    assert not {"tag", "label"} & set(by_ranks.finder.columns)
    assert by_ranks.finder.details["left_out"]["mine"].keys() == {"tag"}
    assert by_ranks.finder.details["left_out"]["release"].keys() == {"label"}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"linkage": "probabilistik"}, "did you mean 'probabilistic'"),
        ({"linkage": {"agreement": 2}}, "linkage"),
        ({"controls": 1}, "controls"),
        ({"starts": -1}, "starts"),
        ({"method": "corelation"}, "did you mean 'correlation'"),
        ({"matching": "closest"}, "matching"),
        ({"normalisation": "rangin"}, "did you mean 'ranging'"),
        ({"start": 3}, "starts"),
    ],
)
def test_what_it_cannot_be_told(option, said):
    with pytest.raises(SpecError, match=said):
        Structural(**option)


def test_what_cannot_be_linked_is_said():
    mine, release, _ = planted(N)
    with pytest.raises(DataError, match="intruder's file has 9 records"):
        link(mine.take(np.arange(9)), release)
    flat = Microdata(pl.DataFrame({"b": [1.0] * N}))
    with pytest.raises(DataError, match="release has no attribute for linkage: 'b' is const"):
        link(mine, flat)
    found = link(mine, Microdata(release.column("b0").to_frame().with_columns(flat=pl.lit(1))))
    assert list(found.finder.details["left_out"]["release"]) == ["flat"]
    assert found.finder.details["sure"] < 0.5  # one attribute tells too little
