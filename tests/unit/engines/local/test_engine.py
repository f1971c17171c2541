"""The three questions: bad input, the ends of their ranges, progress, Ctrl-C."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from fixtures.search import blocks_of, density, nearest, prepared, rank_of_truth
from unveil.aggregation.measure import FuzzyMeasure
from unveil.engines import metric as metrics
from unveil.engines.blocks import Blocks
from unveil.engines.local import engine as local
from unveil.engines.records import Records
from unveil.errors import DataError, SpecError, UsageError
from unveil.values.links import ComparisonBlock

EUCLID = metrics.euclid()
TWO = np.array([[1.0, 2.0], [3.0, 4.0]])
SECRET = 271828.125


@pytest.fixture
def idle(monkeypatch):
    """Fails when any work starts."""
    for work in ("prepare", "build_problem", "build"):
        monkeypatch.setattr(local, work, lambda *_: pytest.fail("work has started"))


@pytest.mark.parametrize(
    ("queries", "base", "truth", "metric", "said"),
    [
        (TWO * np.nan, TWO, [0, 1], EUCLID, "4 cells not usable, the first in row 1, attribute 1"),
        (TWO, TWO * np.inf, [0, 1], EUCLID, "finite number"),
        (np.full((1, 1), 2**60), TWO, [0], EUCLID, r"2\^53"),
        (TWO[:, :1], TWO, [0, 1], EUCLID, "same attributes"),
        (TWO[0], TWO, [0], EUCLID, "records x attributes"),
        (TWO.astype(str), TWO, [0, 1], EUCLID, "array of numbers"),
        (TWO[:, :0], TWO[:, :0], [0, 1], EUCLID, "without an attribute"),
        (TWO, TWO[:0], [0, 1], EUCLID, "no records"),
        (TWO, TWO, [0], EUCLID, "for each query"),
        (TWO, TWO, [0.0, 1.0], EUCLID, "row number"),
        (TWO, TWO, [0, 2], EUCLID, "1 row that the base does not have"),
        (TWO, TWO, [-2, 0], EUCLID, "-1 means not in the base"),
        (TWO, TWO, [0, 1], metrics.euclid([1, 1, 1]), "3 attributes"),
        (TWO, TWO, [0, 1], metrics.bilinear([[1.0]]), "1 attribute"),
        (TWO, TWO, [0, 1], metrics.Metric(metrics.squared(0)), "all weights are zero"),
        (TWO, TWO, [0, 1], metrics.Metric(metrics.table(np.zeros((3, 3)))), "codes go from 0 to 2"),
        (TWO / 4, TWO, [0, 1], metrics.Metric(metrics.table(np.zeros((9, 9)))), "of the queries"),
    ],
)
@pytest.mark.usefixtures("idle")
def test_bad_input_is_refused_before_any_work(queries, base, truth, metric, said):
    with pytest.raises((DataError, SpecError), match=said) as caught:
        rank_of_truth(queries, base, truth, metric)
    assert "271828" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Records(TWO, present=np.ones((2, 1), bool)), "shaped like"),
        (lambda: Records(TWO, present=np.ones((2, 2))), "true and false"),
        (lambda: Records(TWO, offset=np.ones(3)), "for each record"),
        (lambda: Records(TWO, offset=np.array([1, np.nan])), "a number"),
        (lambda: Records(TWO, offset=["1", "2"]), "a number"),
        (lambda: Records([[1.0], [1.0, 2.0]]), "rows of equal length"),
        (lambda: Records(np.array([[SECRET], [np.nan]])), "row 2, attribute 1"),
    ],
)
def test_records_that_are_none(make, said):
    with pytest.raises(DataError, match=said) as caught:
        make()
    assert "271828" not in str(caught.value)


@pytest.mark.usefixtures("idle")
def test_options_out_of_range():
    with pytest.raises(UsageError, match="stop_at"):
        rank_of_truth(TWO, TWO, [0, 1], EUCLID, stop_at=0)
    for k in (0, 1.5, "3", None, True, 10**9):
        with pytest.raises(UsageError, match="k: a whole number from 1 to 1,000"):
            nearest(TWO, TWO, EUCLID, k=k)
    for metric in (None, "euclid", metrics.euclid, metrics.squared()):
        with pytest.raises(UsageError, match="such as"):
            nearest(TWO, TWO, metric)
    with pytest.raises(UsageError, match="error"):
        density(TWO, TWO, EUCLID, error=1.0)
    with pytest.raises(UsageError, match="threads"):
        nearest(TWO, TWO, EUCLID, threads=0)


def test_a_cell_outside_the_mask_may_hold_anything():
    present = np.array([[True, False], [True, True]])
    wild = Records(np.array([[1.0, np.nan], [3.0, 4.0]]), present)
    tame = Records(np.array([[1.0, 0.0], [3.0, 4.0]]), present)
    truth = [0, 1]
    for queries, base in ((wild, TWO), (TWO, wild), (wild, wild)):
        plain = [tame if file is wild else file for file in (queries, base)]
        got, same = (
            rank_of_truth(queries, base, truth, EUCLID),
            rank_of_truth(*plain, truth, EUCLID),
        )
        assert got.n_closer.tolist() == same.n_closer.tolist()
        assert got.n_tied.tolist() == same.n_tied.tolist()


def test_no_queries_at_all():
    none = TWO[:0]
    assert len(rank_of_truth(none, TWO, [], EUCLID).n_closer) == 0
    assert nearest(none, TWO, EUCLID, k=3).rows.shape == (0, 3)
    assert len(density(none, TWO, EUCLID).log_sum) == 0


def test_more_neighbours_than_candidates():
    found = nearest(TWO[:1], TWO, EUCLID, k=4)
    assert found.rows.tolist() == [[0, 1, -1, -1]]
    assert found.scores[0, 2:].tolist() == [np.inf, np.inf]


def test_nobody_is_possible():
    far = metrics.Metric(metrics.window(0.5))
    found = nearest(TWO + 100, TWO, far)
    assert (found.rows == -1).all()
    assert found.n_best.tolist() == [0, 0]
    assert density(TWO + 100, TWO, far).log_sum.tolist() == [-np.inf, -np.inf]
    ranks = rank_of_truth(TWO + 100, TWO, [0, 1], far)
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == ([-1, -1], [-1, -1])


def test_whole_numbers_are_compared_as_whole_numbers():
    queries = np.zeros((2, 2), int)
    for metric, base in (
        (metrics.manhattan(), [[10**12, 0], [10**12, 1]]),
        (metrics.chebyshev(), [[10**12, 0], [10**12 + 1, 0]]),
        (metrics.euclid(), [[94_000_000, 0], [94_000_000, 1]]),
    ):
        base = np.array(base)  # noqa: PLW2901
        exact = rank_of_truth(queries, base, [0, 1], metric)
        assert (exact.n_closer.tolist(), exact.n_tied.tolist()) == ([0, 1], [0, 0])
        found = nearest(queries[:1], base[::-1], metric, k=2)
        assert (found.rows.tolist(), found.n_best.tolist()) == ([[1, 0]], [1])
        assert found.scores[0, 0] == pytest.approx(base[0, 0])
        loose = rank_of_truth(queries.astype(float), base.astype(float), [0, 1], metric)
        assert (loose.n_closer.tolist(), loose.n_tied.tolist()) == ([0, 0], [1, 1])


def test_what_64_bits_cannot_compare_is_refused():
    base = np.array([[10**12], [10**12 + 1]])
    with pytest.raises(DataError, match=r"exceed 2\^53"):
        rank_of_truth(np.zeros((2, 1), int), base, [0, 1], EUCLID)
    with pytest.raises(DataError, match="too large for 64 bits"):
        rank_of_truth(TWO * 1e5, TWO, [0, 1], metrics.euclid([1e300, 1]))
    with pytest.raises(DataError, match="too large for 64 bits"):
        nearest(TWO, TWO, metrics.whitened(np.diag([1e-320, 1e-320])))


def test_masked_arrays_keep_their_mask():
    masked = np.ma.array(TWO, mask=[[True, False], [False, False]])
    plain = Records(TWO, present=~masked.mask)
    assert (
        nearest(masked, TWO, EUCLID).scores.tolist() == nearest(plain, TWO, EUCLID).scores.tolist()
    )
    with pytest.raises(DataError, match="lose its mask"):
        Records(masked)
    with pytest.raises(DataError, match="lose its mask"):
        rank_of_truth(TWO, TWO, np.ma.array([0, 1], mask=[True, False]), EUCLID)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_large_mean_does_not_blind_the_boxes(order):
    rng = np.random.default_rng(9)
    people = 1e9 + rng.standard_normal((400, 3)).round(2)
    people = np.array(people, order=order)
    present = np.ones(people.shape, bool, order=order)
    present[0, 0] = False
    ranks = rank_of_truth(people, Records(people + 0.25, present), np.arange(400), EUCLID)
    other = rank_of_truth(people[1:], people[1:] + 0.25, np.arange(399), EUCLID)
    assert (abs(ranks.n_closer[1:] - other.n_closer) <= 1).all()


def test_the_cost_of_a_missing_cell_does_not_cancel():
    values = np.array([[0.1], [0.2], [0.3], [1e12], [0.0]])
    base = Records(values, present=np.array([[True]] * 4 + [[False]]))
    below = metrics.Metric((metrics.squared(side="below"),))
    found = nearest([[0.4]], base, below, k=5)
    missing = (0.3**2 + 0.2**2 + 0.1**2) / 4
    assert found.scores[0, found.rows[0] == 4] == pytest.approx(missing, rel=1e-12)
    incomes = np.random.default_rng(0).lognormal(10, 1, (1000, 1)).round(2)
    present = np.ones((1000, 1), bool)
    present[0] = False
    above = metrics.Metric((metrics.squared(side="above"),))
    ranks = rank_of_truth([[incomes[1:].max()]], Records(incomes, present), [0], above)
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == ([0], [999])


def test_an_attribute_that_nobody_in_the_base_has_decides_nothing():
    base = Records(np.array([[1.0, 0], [-2.0, 0]]), np.array([[True, False], [True, False]]))
    for metric in (EUCLID, metrics.bilinear([[1, 0.9], [0.9, 1]])):
        for value in (5.0, -5.0):
            assert nearest([[0.0, value]], base, metric).rows.tolist() == [[0]]


def test_neighbours_with_the_same_score_come_by_row():
    base = np.array([[0.3, 0.5, 0.3], [0.5, 0.7, 0.4], [0.4, 0.7, 0.5]])
    assert nearest(np.zeros((1, 3)), base, EUCLID, k=3).rows.tolist() == [[0, 1, 2]]


def test_ties_are_judged_on_distances_not_on_their_squares():
    near = np.array([[1.0], [1.0 + 0.8e-9], [1.0 + 3e-9]])
    ranks = rank_of_truth(np.zeros((3, 1)), near, [0, 1, 2], EUCLID)
    assert ranks.n_closer.tolist() == [0, 0, 2]
    assert ranks.n_tied.tolist() == [1, 1, 0]


def test_an_offset_adds_to_the_sum_of_squares():
    base = Records(np.array([[0.0], [3.0]]), offset=np.array([10.0, 0.5]))
    found = nearest(np.zeros((1, 1)), base, EUCLID, k=2)
    assert found.rows.tolist() == [[1, 0]]
    assert found.scores.tolist() == [[9.5, 10.0]]


def test_numbers_of_any_size():
    rng = np.random.default_rng(3)
    for size in (1e-300, 1e-150, 1e-8, 1.0, 1e8, 1e140):
        people = rng.standard_normal((300, 4))
        people[:, 0] += 7  # away from zero, as years are
        masked = people + 0.3 * rng.standard_normal(people.shape)
        truth = np.arange(300)
        expected = rank_of_truth(people, masked, truth, metrics.manhattan())
        ranks = rank_of_truth(people * size, masked * size, truth, metrics.manhattan())
        if size > 1e-12:  # below, distances tie by the absolute tolerance
            assert ranks.n_closer.tolist() == expected.n_closer.tolist()
        else:
            assert ranks.n_tied.tolist() == [299] * 300


@pytest.mark.parametrize("metric", [EUCLID, metrics.manhattan(), metrics.chebyshev()])
@pytest.mark.parametrize("size", [1e6, 1e15, 1e20, 1e25, 1e38, 1e60])
def test_a_query_far_from_everybody(metric, size):
    base = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])
    ranks = rank_of_truth(np.array([[size, 0.0]]), base, [1], metric, stop_at=None)
    beyond_ties = size < 1e9
    assert ranks.n_closer.tolist() == [2 if beyond_ties else 0]
    assert ranks.n_tied.tolist() == [0 if beyond_ties else 2]
    assert nearest(np.array([[size, 0.0]]), base, metric).rows.tolist() == [[0]]


def test_one_wild_value_does_not_spoil_the_rest():
    rng = np.random.default_rng(4)
    people = rng.standard_normal((500, 3))
    people[0] = 1e12
    masked = people + 0.1 * rng.standard_normal(people.shape)
    distances = np.sqrt(((people[:, None] - masked[None]) ** 2).sum(-1))
    closer = (distances < np.diag(distances)[:, None] * (1 - 1e-9)).sum(1)
    ranks = rank_of_truth(people, masked, np.arange(500), EUCLID)
    assert ranks.n_closer.tolist() == closer.tolist()


def test_choquet_over_ten_attributes():
    rng = np.random.default_rng(5)
    queries, base = rng.random((20, 10)), rng.random((50, 10))
    euclid = rank_of_truth(queries, base, np.arange(20), EUCLID)
    mean = rank_of_truth(
        queries, base, np.arange(20), metrics.choquet(FuzzyMeasure.additive(np.ones(10)))
    )
    assert mean.n_closer.tolist() == euclid.n_closer.tolist()


@pytest.mark.parametrize("far", [0.0, 30.0])
@pytest.mark.parametrize("spread", [0.0, 30.0])
@pytest.mark.parametrize(
    ("metric", "norm"), [(EUCLID, 2), (metrics.manhattan(), 1), (metrics.chebyshev(), np.inf)]
)
def test_distances_that_32_bits_cannot_tell_apart(metric, norm, spread, far):
    """Candidates on a sphere, within rounding: away from the centre, or some of them far out."""
    rng = np.random.default_rng(10)
    queries = rng.standard_normal((30, 6)) + far
    directions = rng.standard_normal((30, 60, 6))
    directions /= np.linalg.norm(directions, norm, axis=2, keepdims=True)
    radius = 1 + rng.uniform(-1e-6, 1e-6, (30, 60, 1)) * rng.choice([0.01, 0.1, 1], (30, 60, 1))
    base = (queries[:, None] + radius * directions).reshape(-1, 6)
    base[0] += spread
    truth = np.arange(30) * 60 + 7
    distances = np.linalg.norm(queries[:, None] - base[None], norm, axis=2)
    true = distances[np.arange(30), truth, None]
    tied = abs(distances - true) <= 1e-9 * np.maximum(distances, true) + 1e-12
    ranks = rank_of_truth(queries, base, truth, metric)
    assert ranks.n_closer.tolist() == ((distances < true) & ~tied).sum(1).tolist()
    first = rank_of_truth(queries, base, truth, metric, stop_at=1)
    assert first.n_closer.tolist() == np.minimum(ranks.n_closer, 1).tolist()


def test_whole_numbers_with_broken_costs_tie_by_the_rule():
    base = np.array([[3, 0], [0, 1]])
    weights = [0.1, 0.3]  # 0.1 * 3 is not 0.3
    mixed = FuzzyMeasure.additive(weights)
    costs = (metrics.absolute(), metrics.absolute())
    for metric in (metrics.manhattan(weights), metrics.choquet(mixed, costs)):
        ranks = rank_of_truth(np.zeros((1, 2), int), base, [1], metric)
        assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == ([0], [1])
    same = Records(np.zeros((2, 1), int), offset=np.array([0.1 * 3, 0.3]))
    ranks = rank_of_truth(np.zeros((1, 1), int), same, [1], metrics.manhattan())
    assert (ranks.n_closer.tolist(), ranks.n_tied.tolist()) == ([0], [1])


@pytest.mark.parametrize("width", [3, 30])
def test_larger_files_equal_all_pairs(width):
    """Several levels of the tree, and tiles where boxes are of no use."""
    rng = np.random.default_rng(6)
    people = rng.standard_normal((3000, width)).round(1)
    masked = people + 0.5 * rng.standard_normal(people.shape).round(1)
    truth = rng.permutation(3000)
    ranks = rank_of_truth(people[:200], masked, truth[:200], EUCLID)
    distances = np.sqrt(((people[:200, None] - masked[None]) ** 2).sum(-1))
    true = distances[np.arange(200), truth[:200], None]
    tied = abs(distances - true) <= 1e-9 * np.maximum(distances, true) + 1e-12
    assert ranks.n_closer.tolist() == ((distances < true) & ~tied).sum(1).tolist()
    assert ranks.n_tied.tolist() == (tied.sum(1) - 1).tolist()
    least = distances.min(1, keepdims=True)
    best = (distances - least <= 1e-9 * distances + 1e-12).argmax(1)  # the lowest row
    assert nearest(people[:200], masked, EUCLID).rows[:, 0].tolist() == best.tolist()


def test_inputs_are_left_as_they_were():
    values = np.array([[1.0, np.nan], [-0.0, 2.0]])
    present = ~np.isnan(values)
    values.setflags(write=False)
    before = values.tobytes()
    rank_of_truth(Records(values, present), Records(values, present), [0, 1], EUCLID)
    assert values.tobytes() == before


def test_progress_ends_at_all_and_never_goes_back():
    people = np.random.default_rng(7).standard_normal((3000, 2))
    for question in (
        lambda **told: rank_of_truth(people, people, np.arange(3000), EUCLID, **told),
        lambda **told: nearest(people, people, EUCLID, **told),
        lambda **told: density(people, people, EUCLID, **told),
    ):
        seen = []
        question(progress=lambda *counts, seen=seen: seen.append(counts))
        assert seen[0] == (0, 3000)
        assert seen[-1] == (3000, 3000)
        assert sorted(seen) == seen
        assert len(seen) > 3


def test_stopping_leaves_nothing_behind():
    people = np.random.default_rng(8).standard_normal((20000, 6))
    threads_before = threading.active_count()
    asked = []

    def stop(done, _total):
        asked.append(done)
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nearest(people, people + 1, EUCLID, progress=stop, threads=2)
    assert threading.active_count() <= threads_before
    assert asked[-1] < 20000


def test_answers_hold_no_cell_in_words():
    answer = rank_of_truth([[SECRET]], [[SECRET]], [0], EUCLID)
    for thing in (answer, Records(np.array([[SECRET]])), nearest([[SECRET]], [[SECRET]], EUCLID)):
        assert "271828" not in repr(thing)


def test_rounding_adds_up_over_many_attributes():
    """Two records tie at 300 gaps that 32 bits round the same way."""
    rng = np.random.default_rng(3)
    for gap in rng.random(20) + 0.1:
        base = np.vstack([np.full(300, gap), np.full(300, -gap), rng.normal(size=(40, 300)) * 9])
        ranks = rank_of_truth(np.zeros((1, 300)), base, [0], metrics.manhattan())
        assert (ranks.n_closer[0], ranks.n_tied[0]) == (0, 1)


@pytest.mark.parametrize("side", ["above", "below"])
def test_a_side_that_is_impossible_costs_a_missing_cell_nothing(side):
    """Every value on the free side is excluded by a first level at infinity."""
    metric = metrics.Metric(metrics.levels([1.0], [np.inf, np.inf], side=side))
    some = Records(np.array([[0.0], [2.0], [0.0]]), present=np.array([[True], [True], [False]]))
    assert np.isfinite(nearest(some, some, metric).scores[2, 0])


def test_boxes_about_numbers_that_32_bits_round_hold_them(monkeypatch):
    monkeypatch.setattr("unveil.engines.local.index.LEAF", 1)
    tenths = np.array([[-0.3], [-0.1], [0.1], [0.3]])
    metric = metrics.Metric(metrics.levels([0.2, 0.4], [0.0, 1.0, 2.0]))
    found = nearest(tenths, tenths, metric, k=4)
    gaps = np.abs(tenths - tenths.T)
    assert (found.n_best == (gaps <= 0.2).sum(1)).all()


def test_offsets_that_32_bits_round(monkeypatch):
    monkeypatch.setattr("unveil.engines.local.index.LEAF", 1)
    values, offset = np.arange(-9.0, 2.0)[:, None], np.arange(11) / 10
    metric = metrics.Metric(metrics.absolute(side="above"))
    for truth in range(11):
        ranks = rank_of_truth([[0.0]], Records(values, offset=offset), [truth], metric)
        scores = np.maximum(values[:, 0], 0) + offset
        ties = np.abs(scores - scores[truth]) <= 1e-9 * scores + 1e-12
        assert ranks.n_tied[0] == ties.sum() - 1
        assert ranks.n_closer[0] == ((scores < scores[truth]) & ~ties).sum()


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize(
    "metric", [metrics.euclid(), metrics.manhattan([1, 2]), metrics.chebyshev()]
)
def test_parts_and_blocks_are_the_searches_of_their_own(monkeypatch, few, metric):
    """With offsets too: each part as if it were the whole base."""
    monkeypatch.setattr("unveil.engines.local.block_problems.FEW_BLOCKS", few)
    rng = np.random.default_rng(few)
    queries, values = rng.integers(0, 5, (60, 2)), rng.integers(0, 5, (80, 2))
    base = Records(values.astype(float), offset=rng.integers(0, 3, 80).astype(float))
    asking, asked = rng.integers(0, 12, 60), rng.integers(0, 12, 80)
    truth = rng.integers(-1, 80, 60)
    parts = [
        ComparisonBlock(np.flatnonzero(asking == block), np.flatnonzero(asked == block))
        for block in range(12)
    ]
    blocks, answers = blocks_of(asking[:, None], asked[:, None]), []
    for coded in (False, True):  # as if a cell were missing: then blocks are an attribute
        monkeypatch.setattr("unveil.engines.blocks.Blocks.has_missing", coded)
        ranks = rank_of_truth(queries, base, truth, metric, blocks=blocks)
        answers.append((ranks, nearest(queries, base, metric, blocks=blocks, k=3)))
    for part in parts:
        if not len(part.candidates):
            assert all((near.rows[part.records] == -1).all() for _, near in answers)
            continue
        alone = base.take(part.candidates)
        place = {row: at for at, row in enumerate(part.candidates.tolist())}
        there = [place.get(row, -1) for row in truth[part.records].tolist()]
        ranks = rank_of_truth(queries[part.records], alone, there, metric)
        near = nearest(queries[part.records], alone, metric, k=3)
        rows = np.where(near.rows < 0, -1, part.candidates[near.rows])
        for found, best in answers:
            assert np.array_equal(found.n_closer[part.records], ranks.n_closer)
            assert np.array_equal(found.n_tied[part.records], ranks.n_tied)
            assert np.array_equal(best.rows[part.records], rows)
            assert np.array_equal(best.scores[part.records], near.scores)
            assert np.array_equal(best.n_best[part.records], near.n_best)


@pytest.mark.parametrize("priced", [False, True])
def test_sums_over_many_are_as_exact_as_they_say(priced):
    random = np.random.default_rng(5)
    base = random.standard_normal((51_000, 6)) * [1, 2, 3, 4, 5, 6] + 100
    offset = random.exponential(3, len(base)) if priced else np.zeros(len(base))
    asked = base[:40] + random.standard_normal((40, 6)) * 0.7
    squares = ((asked[:, None] - base) ** 2).sum(2) + offset
    true = np.logaddexp.reduce(-squares, axis=1)
    candidates = Records(base, offset=offset) if priced else base
    for error in (0.0, 1e-6, 1e-2, 0.3):
        found = density(asked, candidates, replace(EUCLID, root=False), error=error)
        assert (found.log_sum <= true + 1e-9).all()
        assert (true <= found.log_sum + found.error + 1e-9).all()
        assert found.error.max() <= np.log1p(error) + 1e-12


def test_several_questions_need_one_index(monkeypatch):
    made = []

    def watched(problem, threads):
        made.append(len(problem.base))
        return build(problem, threads)

    build = local.build
    monkeypatch.setattr(local, "build", watched)
    rng = np.random.default_rng(5)
    people, truth = rng.standard_normal((300, 3)), rng.permutation(300)
    seen = rng.random(people.shape) > 0.2
    metric = metrics.whitened(np.cov(people.T))
    ready = prepared(Records(people, seen), people[np.argsort(truth)], metric)
    complete = np.flatnonzero(seen.all(1))  # alone they would have no missing cell to reckon with
    for rows in (complete, np.arange(300), complete[:5]):
        ranks = ready.rank_of_truth(rows, truth[rows])
        assert not ranks.n_closer[seen[rows].all(1)].any()
        assert ready.nearest(rows).rows.shape == (len(rows), 1)
        assert np.isfinite(ready.density(rows).log_sum).all()
    assert made == [300]


def test_blocks_with_fewer_candidates_than_asked_for_are_searched_alone():
    def work_each(n):
        values, block = np.arange(n)[:, None] % 7.0, np.arange(n) // 2
        blocks = Blocks(block, block, np.arange(n // 2)[:, None])
        search = local.LocalEngine().prepare(values, values, metrics.manhattan(), blocks=blocks)
        found = search.nearest(None, k=5)
        assert ((found.rows >= 0).sum(axis=1) == 2).all()
        return found.work / n

    assert work_each(16_000) < 1.5 * work_each(2000)
