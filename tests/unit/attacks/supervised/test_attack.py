"""The learnt worst case: what it says, where it ends, and what it refuses."""

import logging
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, masks, measures
from unveil.attacks import Distance, Supervised
from unveil.attacks.supervised import attack as supervised
from unveil.attacks.supervised import bound, competitors, training
from unveil.attacks.supervised.big_m import BigMProgram
from unveil.attacks.supervised.bilinear import BilinearForm
from unveil.attacks.supervised.competitors import Competitors, LinkageTargets
from unveil.attacks.supervised.families import nonnegative_range
from unveil.attacks.supervised.feasibility import MarginProgram
from unveil.attacks.supervised.solver import Budget, Solver
from unveil.attacks.supervised.weighted_mean import WeightedMean, moment_weights
from unveil.errors import SpecError
from unveil.support.work import seconds_of
from unveil.workflows.inputs.scenario import prepare

KNOWN = ("age", "income", "rent", "region", "education")


@pytest.fixture(scope="module")
def people():
    return unveil.households(120, seed=3)


@pytest.fixture(scope="module")
def release(people):
    noise = masks.AdditiveNoise(scale=0.3, columns=["income", "rent"])
    pram = masks.Pram(theta=0.2, columns=["region"])
    return unveil.mask(people, [noise, pram, masks.Shuffle()], seed=3)


def learn(people, release, *, knows=KNOWN, direction="original-to-release", seed=0, **options):
    attack = Supervised(**{"budget": None, "steps": 30, "splits": 0, **options})
    intruder = Intruder(knows=knows, direction=direction)
    links = unveil.attack(people, release, attack, intruder=intruder, seed=seed)
    return links, links.finder.details["learnt"]


@pytest.fixture(scope="module")
def weights(people, release):
    return learn(people, release, splits=2)


@pytest.mark.parametrize("direction", ["original-to-release", "release-to-original"])
@pytest.mark.parametrize("model", ["weights", "choquet", "bilinear"])
def test_counts_are_those_of_the_exact_search(people, release, model, direction):
    links, found = learn(people, release, model=model, direction=direction)
    assert found["direction"] == direction
    assert found["expected"] == pytest.approx(measures.hits(links).sum())
    assert found["strict"] == measures.hits(links, ties="unique").sum()
    assert found["strict"] <= found["expected"]
    assert found["linked"] <= found["expected"] + 1e-9
    assert found["plain"] <= found["linked"] <= found["bound"] <= found["n"] == 120
    assert found["gap"] == pytest.approx(found["bound"] - found["linked"])
    back = Intruder(knows=KNOWN, direction=direction)
    plain = measures.risk(unveil.attack(people, release, Distance(), intruder=back))
    assert found["plain"] == pytest.approx(plain.expected)
    assert sum(found["importance"].values()) == pytest.approx(1)
    assert set(found["importance"]) == set(KNOWN)
    assert measures.risk(links).supervised


def test_the_other_direction_has_the_same_parameters(people, release, weights):
    _, found = weights
    back = Intruder(knows=KNOWN, direction="release-to-original")
    attack = Distance(weights=found["importance"])
    links = unveil.attack(people, release, attack, intruder=back)
    assert found["back_expected"] == pytest.approx(measures.hits(links).sum())
    assert found["back_strict"] == measures.hits(links, ties="unique").sum()


def test_weights_are_those_of_the_distance(people, release, weights):
    links, found = weights
    attack = Distance(weights=found["importance"])
    same = unveil.attack(people, release, attack, intruder=Intruder(knows=KNOWN))
    assert (measures.hits(same) == measures.hits(links)).all()


def test_what_is_learnt_is_held_against_people_not_learnt_on(weights):
    held_out = weights[1]["held_out"]
    assert held_out["splits"] == len(held_out["each"]) == 2
    assert held_out["linked"] == pytest.approx(np.mean(held_out["each"]))
    assert 0 < held_out["linked"] <= 1
    assert 0 < held_out["moments"] <= 1
    assert held_out["learnt_on"] > held_out["plain"]


@pytest.mark.parametrize("model", ["weights", "choquet", "bilinear"])
def test_the_order_of_the_columns_means_nothing(people, release, model):
    columns = release.data.columns[::-1]
    turned = replace(release, data=release.data.select(columns))
    one, other = (
        learn(*files, knows=knows, model=model, splits=1)
        for *files, knows in (
            (people, release, KNOWN),
            (people.select(people.columns[::-1]), turned, KNOWN[::-1]),
        )
    )
    assert measures.hits(one[0]).tolist() == measures.hits(other[0]).tolist()
    assert one[1] == other[1]


def test_the_order_of_the_rows_means_nothing(people, release, weights):
    rows = np.random.default_rng(0).permutation(len(people))
    moved = people.take(rows)
    attack = Supervised(budget=None, steps=30, splits=2)
    _, before = weights
    places = np.argsort(rows)[release.row_map]
    known = Intruder(knows=KNOWN)
    links = unveil.attack(moved, release.data, attack, intruder=known, truth=places)
    found = links.finder.details["learnt"]
    same = ("linked", "bound", "strict", "impossible", "back_strict")
    assert [found[name] for name in same] == [before[name] for name in same]
    assert found["importance"] == pytest.approx(before["importance"], rel=1e-9)
    assert found["held_out"]["linked"] == pytest.approx(before["held_out"]["linked"])


def test_the_same_seed_learns_the_same(people, release, weights):
    assert learn(people, release, splits=2)[1] == weights[1]


def plain(columns, values):
    schema = Schema(quasi=columns)
    return Microdata(pl.DataFrame(values, schema=columns, orient="row"), schema)


def two_files(n=40, twins=False, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 3))
    released = values + rng.normal(size=(n, 3)) * np.array([0.05, 0.4, 1.0]) * noise
    if twins:  # everybody's row is that of somebody else, too
        released[1::2] = released[::2]
    return plain(["a", "b", "c"], values), plain(["a", "b", "c"], released)


def attack_plainly(files, spec, **options):
    links = unveil.attack(*files, spec, truth="row-order", **options)
    return links, links.finder.details["learnt"]


def test_the_attribute_that_was_masked_least_weighs_most():
    _, found = attack_plainly(two_files(), Supervised(splits=0))
    assert found["ended"] == "proven"
    assert found["linked"] > found["plain"]
    assert max(found["importance"], key=found["importance"].get) == "a"


def test_a_row_with_a_twin_counts_its_share_or_nothing():
    files = two_files(twins=True)
    _, shared = attack_plainly(files, Supervised(splits=0))
    _, strict = attack_plainly(files, Supervised(splits=0, counting="strict"))
    assert shared["linked"] == pytest.approx(shared["expected"])
    assert shared["bound"] <= 20
    assert strict["linked"] == strict["bound"] == strict["strict"] == 0
    assert strict["impossible"] == 40
    assert strict["ended"] == "proven"


@pytest.mark.parametrize("model", ["weights", "choquet", "bilinear"])
def test_competitors_found_one_by_one_come_to_the_same(monkeypatch, model):
    files = two_files()
    _, whole = attack_plainly(files, Supervised(model=model, splits=0))
    monkeypatch.setattr(competitors, "MAX_PAIRS", 0)
    monkeypatch.setattr(competitors, "NEAREST_COMPETITORS", 2)
    _, lazy = attack_plainly(files, Supervised(model=model, splits=0))
    assert whole["ended"] == lazy["ended"] == "proven"
    assert lazy["linked"] == whole["linked"] == lazy["bound"]


def test_many_records_are_learnt_on_by_a_sample(monkeypatch):
    monkeypatch.setattr(supervised, "MAX_TRAINING_RECORDS", 25)
    links, found = attack_plainly(two_files(), Supervised(splits=1))
    assert (found["n"], found["learnt_on"]) == (40, 25)
    assert found["linked"] == measures.hits(links).sum() <= found["bound"] <= 40
    # Of those that were not learnt on nothing is known but that they count one each.
    assert found["bound"] == links.finder.learnt.args[0].bound + 15
    assert found["ended"] != "proven"


@pytest.mark.parametrize("matching", ["one-to-one", "posterior"])
def test_a_learnt_distance_can_be_matched(matching):
    links, _ = attack_plainly(two_files(), Supervised(splits=0, matching=matching))
    assert measures.risk(links).expected > 0


def test_strangers_meet_what_was_learnt():
    files = two_files()
    for model in ("weights", "choquet", "bilinear"):
        links, _ = attack_plainly(files, Supervised(model=model, splits=0))
        others = links.on(files[0].take(np.arange(10)))  # some of the people, as strangers
        assert (others.best == links.best[:10]).all()
        assert others.score == pytest.approx(links.score[:10])


def test_blocks_part_competitors():
    schema = Schema(quasi=["a", "b"], nominal=["b"])
    first = pl.DataFrame({"a": [1.0, 2, 3, 4], "b": ["x", "y", "x", "y"]})
    second = pl.DataFrame({"a": [1.9, 1.1, 3, 4], "b": ["x", "y", "x", "y"]})
    files = (Microdata(first, schema), Microdata(second, schema))
    whole = attack_plainly(files, Supervised(splits=0), intruder=Intruder(knows=["a"]))[1]
    apart = Intruder(knows=["a"], blocks=["b"])
    parted = attack_plainly(files, Supervised(splits=0), intruder=apart)[1]
    assert (whole["linked"], parted["linked"]) == (2, 4)


def test_generalised_cells_are_learnt_too():
    schema = Schema(
        quasi=["age", "x"], attributes={"age": {"level": "numeric"}, "x": {"level": "numeric"}}
    )
    rng = np.random.default_rng(0)
    ages, other = rng.integers(20, 80, 30), rng.normal(size=30)
    first = Microdata(pl.DataFrame({"age": ages, "x": other}), schema)
    recoding = masks.GlobalRecoding(columns=["age"], intervals=[20, 30, 40, 50, 60, 70, 80])
    release = unveil.mask(first, [recoding, masks.AdditiveNoise(scale=0.3, columns=["x"])], seed=1)
    for model in ("weights", "choquet", "bilinear"):
        links = unveil.attack(first, release, Supervised(model=model, splits=1))
        found = links.finder.details["learnt"]
        assert found["linked"] >= found["plain"] - 1e-9
        assert found["expected"] == pytest.approx(measures.hits(links).sum())


def test_weights_without_the_truth_see_the_variance():
    files = two_files(400)
    scene = prepare(*files, intruder=Intruder(), truth="row-order", seed=0)
    links = scene.links(Supervised(splits=0, steps=0, budget=None), Intruder())
    training = links.finder.learnt.args[0].family.training
    found = moment_weights(training)
    assert found.argmax() == 0
    assert found.argmin() == 2
    assert found.sum() == pytest.approx(1)


def test_ctrl_c_leaves_the_best_so_far(monkeypatch):
    files = two_files(60, seed=1)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bound.Proof, "run", stop)
    monkeypatch.setattr(bound.Proof, "extend", lambda *_: None)
    links, found = attack_plainly(files, Supervised(splits=0))
    assert found["ended"] == "stopped"
    assert 0 < found["linked"] == measures.hits(links).sum() <= found["bound"] <= 60


def test_progress_says_count_and_bound():
    files, told = two_files(60, seed=1), []
    scene = prepare(*files, intruder=Intruder(), truth="row-order", seed=0)
    object.__setattr__(scene, "on_bound", lambda linked, bound: told.append((linked, bound)))
    scene.links(Supervised(splits=0), Intruder())
    linked, bounds = zip(*told, strict=True)
    assert list(linked) == sorted(linked)
    assert list(bounds) == sorted(bounds, reverse=True)
    assert linked[-1] == bounds[-1]


def test_a_solver_that_fails_leaves_the_best_so_far(monkeypatch, caplog):
    monkeypatch.setattr(Solver, "is_solved", lambda _: False)
    monkeypatch.setattr(BigMProgram, "run", lambda *_: 0.0)
    with caplog.at_level(logging.WARNING, "unveil"):
        _, found = attack_plainly(two_files(60, seed=1), Supervised(splits=0))
    assert found["ended"] == "unclear"
    assert found["undecided"] > 0
    assert found["linked"] < found["bound"] == 60 - found["impossible"]
    assert "undecided" in caplog.text


def test_the_integer_program_helps_out(monkeypatch):
    files = two_files(30, seed=1)
    monkeypatch.setattr(Solver, "is_solved", lambda _: False)
    monkeypatch.setattr(logging.getLogger("unveil"), "disabled", True)
    for model in ("weights", "choquet"):
        _, found = attack_plainly(files, Supervised(model=model, splits=0))
        with monkeypatch.context() as solved:
            solved.setattr(Solver, "is_solved", lambda _: True)
            _, proven = attack_plainly(files, Supervised(model=model, splits=0))
        assert proven["ended"] == "proven"
        assert found["linked"] <= proven["linked"] <= found["bound"] < 30


def test_time_that_is_over_leaves_a_bound():
    files = two_files(60, seed=1)
    _, found = attack_plainly(files, Supervised(splits=0, budget=1e-9))
    assert found["ended"] == "time"
    assert found["linked"] <= found["bound"] <= 60


def test_a_budget_in_seconds_learns_the_same_each_time():
    """It ends in the middle of the search or the proof, at the same place."""
    files = two_files(80, seed=1, noise=2.0)
    for budget in (2e-3, 0.05, 0.5):
        attack = Supervised(splits=1, budget=budget)
        first, second = (attack_plainly(files, attack)[1] for _ in range(2))
        assert first == second


def targets_of(files, strict, **options):
    """The records of two files and their true candidates."""
    intruder = Intruder(**options)
    scene = prepare(*files, intruder=intruder, truth="row-order", seed=0)
    links = scene.links(Supervised(splits=0, steps=0, budget=None), intruder)
    files_of = links.finder.learnt.args[0].family.training
    return LinkageTargets.between(files_of, np.arange(len(files[0])), strict=strict)


def test_of_identical_records_those_with_one_truth_are_linked_at_most():
    files = plain(["a"], [[1.0], [2.0], [1.0]]), plain(["a"], [[5.0], [5.0], [9.0]])
    found = targets_of(files, False, direction="release-to-original")
    hit_value = found.hit_value(np.zeros(3, np.int64))
    assert sorted(hit_value) == [0.5, 0.5, 1.0]  # the first and the last original are the same
    assert found.max_hits(hit_value) == 1.5
    pairs = list(found.conflicting_pairs())
    assert len(pairs) == 1
    assert len({*found.truth[list(pairs[0])]}) == 2


def test_identical_records_with_identical_truths_are_linked_together():
    files = plain(["a"], [[1.0], [1.0], [3.0]]), plain(["a"], [[1.1], [1.1], [3.0]])
    found = targets_of(files, False)
    assert found.max_hits(found.hit_value(np.zeros(3, np.int64))) == 2
    assert list(found.conflicting_pairs()) == []


def test_a_matrix_tells_gaps_of_one_size_apart_by_their_sign():
    first, second = [[1.0, 1], [2, 2], [4, 3]], [[2.0, 3], [4, 4], [4, 2]]
    files = plain(["a", "b"], first), plain(["a", "b"], second)
    _, found = attack_plainly(files, Supervised(model="bilinear", splits=0, counting="strict"))
    assert found["linked"] == found["strict"] == 3


@pytest.mark.parametrize("model", ["weights", "choquet", "bilinear"])
@pytest.mark.parametrize("huge", [1e6, 1e10])
def test_one_huge_value_hides_no_attribute(model, huge):
    rng = np.random.default_rng(1)
    unmasked = rng.permutation(60).astype(float)
    unmasked[0] = huge
    files = (plain(["a", "b"], np.column_stack([unmasked, rng.normal(size=60)])) for _ in "xy")
    _, found = attack_plainly(tuple(files), Supervised(model=model, splits=0))
    assert found["linked"] == found["bound"] == 60


@pytest.mark.parametrize(
    ("first", "second", "linked"),
    [
        ([0, 0, 8], [1, -1, 8], 2),  # two who are the same, each between the rows of both
        ([0, 8, 8, 16], [1, -1, -1, 16], 4 / 3),  # one of three rows that are as far; one
    ],
)
def test_twins_are_counted_by_rows(monkeypatch, first, second, linked):
    files = [plain(["a"], [[float(value)] for value in side]) for side in (first, second)]
    for pairs in (competitors.MAX_PAIRS, 0):  # all competitors at once, and one by one
        monkeypatch.setattr(competitors, "MAX_PAIRS", pairs)
        _, found = attack_plainly(files, Supervised(splits=0, scale="original"))
        assert found["linked"] == pytest.approx(linked) == pytest.approx(found["bound"])


def test_a_matrix_of_categories_is_weights():
    rng = np.random.default_rng(1)
    columns = ["a", "b", "c"]
    values = rng.choice(list("xyz"), size=(40, 3))
    released = np.where(rng.random((40, 3)) < [0, 0.3, 0], "y", values)
    schema = Schema(quasi=columns, nominal=columns)
    files = [Microdata(pl.DataFrame(side, schema=columns), schema) for side in (values, released)]
    _, weights = attack_plainly(files, Supervised(splits=0))
    _, matrix = attack_plainly(files, Supervised(model="bilinear", splits=0))
    assert weights["ended"] == matrix["ended"] == "proven"
    assert matrix["linked"] == pytest.approx(weights["linked"])
    assert matrix["impossible"] is None
    assert weights["impossible"] > 0


def test_strangers_with_a_missing_cell_are_compared_by_the_others():
    files = two_files()
    links, _ = attack_plainly(files, Supervised(model="bilinear", splits=0))
    others = links.on(plain(["a", "b", "c"], [[None, 0.5, 0.5], [0.1, 0.5, 0.5]]))
    assert others.n_best.tolist() == [1, 1]


def test_a_measure_weighs_no_star():
    schema = Schema(quasi=["a", "b"], numeric=["a", "b"])
    starred = Schema(quasi=["a", "b"], numeric=["a", "b"], generalised=["a"])
    first = Microdata(pl.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 4]}), schema)
    second = Microdata(pl.DataFrame({"a": ["0..2", "*", "2..4"], "b": [1.0, 2, 4]}), starred)
    with pytest.raises(SpecError, match="may be anything, as in a"):
        attack_plainly((first, second), Supervised(model="choquet", splits=0))
    assert attack_plainly((first, second), Supervised(splits=0))[1]["linked"] > 0


def test_competitors_are_found_one_by_one_where_all_take_too_long():
    found = targets_of(two_files(), True)
    assert found.skyline is not None
    assert replace(found, skyline_seconds=0.0).skyline is None


def test_the_tightest_rows_of_few_records_are_those_of_all():
    found, rng = targets_of(two_files(), True), np.random.default_rng(1)
    family = WeightedMean(found.training, found.records, found.truth)
    point, rows = next(iter(family.starting_points(rng))), Competitors(found, family).constraints
    every, slack = rows.tightest(point)
    for records in (np.array([1]), np.arange(len(found))):
        some, own = rows.tightest_of(records, point)
        assert np.array_equal(some, every[records, 0])
        assert np.array_equal(own, slack[records, 0])


def test_a_matrix_looks_for_its_competitors():
    """Undominated ones, of which there are hundreds a record, were copied with every new one."""
    found = targets_of(two_files(), True)
    family = BilinearForm(
        found.training, np.ones(len(found.training.names)), found.records, found.truth
    )
    competitors = Competitors(found, family)
    assert len(competitors.constraints.index) == 0
    competitors.count_hits(next(iter(family.starting_points(np.random.default_rng(1)))))
    assert len(competitors.constraints.index) > 0


def margin_program():
    """Whether any of twelve records can be linked all together."""
    found = targets_of(two_files(12, seed=2, noise=2.0), True)
    family = WeightedMean(found.training, found.records, found.truth)
    rows = Competitors(found, family).constraints
    return MarginProgram(rows, family, np.ones(3) / 3), rows


def test_records_together_or_apart():
    program, rows = margin_program()
    everybody = program.test(range(12))
    assert everybody.point is None
    assert 0 < len(everybody.conflict) <= 4
    assert program.test(everybody.conflict).conflict
    one = next(i for i in range(12) if rows.linkable[i])
    together = program.test([one])
    assert together.decided
    assert together.conflict is None
    assert rows.linked(together.point)[one]


def test_multipliers_that_prove_nothing_blame_nobody():
    program, rows = margin_program()
    everybody = program.test(range(12))
    _, margin, proof = program._solve()
    assert margin <= 0
    assert program._conflict(proof) == everybody.conflict
    program.test([next(i for i in range(12) if rows.linkable[i])])
    wrong = np.random.default_rng(0).random((20, program._solver.highs.getNumRow()))
    for multipliers in wrong:
        multipliers[0] = 0.5  # as if there were no margin, when there is
        assert program._conflict(multipliers) == ()


@pytest.mark.parametrize(
    ("given", "seconds"), [("60s", 60), ("2m", 120), ("1h", 3600), (0.5, 0.5), (" 1.5 min ", 90)]
)
def test_a_time(given, seconds):
    assert seconds_of(given) == Supervised(budget=given).budget == seconds


@pytest.mark.parametrize("given", [0, "0s", -1, "soon", "1d", "nan", "inf"])
def test_no_time(given):
    with pytest.raises(SpecError, match="supervised: budget: a time above 0"):
        Supervised(budget=given)


def test_a_budget_of_steps():
    budget = Budget(None, 2)
    assert not budget.exhausted
    assert budget.seconds_left > 1e6
    for _ in range(2):
        budget.spend(1.0, programs=1)
    assert budget.exhausted
    assert not budget.out_of_seconds
    assert Budget(2.0, None, used_seconds=2.0).out_of_seconds


def test_how_far_values_stay_nonnegative():
    assert nonnegative_range(np.array([1.0, 2.0]), np.array([-1.0, 4.0])) == (-0.5, 1.0)
    assert nonnegative_range(np.array([1.0]), np.array([0.0]))[1] > 1


def test_too_many_attributes_for_a_measure():
    columns = [f"x{place}" for place in range(11)]
    values = np.random.default_rng(0).normal(size=(5, 11))
    files = plain(columns, values), plain(columns, values + 0.1)
    with pytest.raises(SpecError, match=r"11 attributes has 2,047 numbers .* fewer"):
        attack_plainly(files, Supervised(model="choquet", splits=0))
    assert attack_plainly(files, Supervised(splits=0))[1]["linked"] == 5


def test_without_the_truth_nothing_is_learnt():
    with pytest.raises(SpecError, match="learnt from the truth"):
        unveil.attack(*two_files(), Supervised())


def test_one_record():
    schema = Schema(quasi=["a"])
    first = Microdata(pl.DataFrame({"a": [1.0]}), schema)
    second = Microdata(pl.DataFrame({"a": [1.5, 3.0]}), schema)
    links = unveil.attack(first, second, Supervised(), truth=[0, -1])
    found = links.finder.details["learnt"]
    assert found["linked"] == found["bound"] == 1
    assert found["held_out"] is None


def test_records_that_nothing_can_link_are_counted():
    first = plain(["a", "b"], [[0.0, 0.0], [1.0, 1.0], [5.0, 4.0]])
    second = plain(["a", "b"], [[1.0, 1.0], [0.0, 0.0], [5.0, 4.0]])  # two are exchanged
    _, found = attack_plainly((first, second), Supervised(splits=0))
    assert found["impossible"] == 2
    assert found["linked"] == found["bound"] == 1


def test_lines_end_in_vain(monkeypatch):
    monkeypatch.setattr(training, "LINES_WITHOUT_GAIN", 0)
    _, found = attack_plainly(two_files(), Supervised(splits=0))
    assert found["linked"] == found["bound"]  # the proof finds what lines have not


@pytest.mark.parametrize("seed", range(4))
def test_the_proof_finds_what_no_line_was_looked_along_for(monkeypatch, seed):
    files = two_files(30, seed=seed, noise=2.0)
    best = attack_plainly(files, Supervised(splits=0))[1]
    monkeypatch.setattr(training, "LINES", 0)
    monkeypatch.setattr(bound.Proof, "extend", lambda *_: None)
    monkeypatch.setattr(
        WeightedMean, "starting_points", lambda *_: iter([np.array([1e-6, 1e-6, 1.0])])
    )
    found = attack_plainly(files, Supervised(splits=0))[1]
    assert found["ended"] == best["ended"] == "proven"
    assert found["linked"] == best["linked"]


def test_more_are_linked_of_those_who_were_learnt_on():
    _, found = attack_plainly(two_files(60, noise=2.0), Supervised(splits=4))
    assert found["held_out"]["learnt_on"] > found["held_out"]["linked"]
