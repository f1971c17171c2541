"""Text, dates and codes equal their slow twins: scores, levels, costs, blocks."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import linkage
from naive import text as naive
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks
from unveil.attacks.comparators.comparison import COMPARATORS, TextComparison
from unveil.attacks.comparators.scores import listed_scores
from unveil.attacks.comparators.text_keys import soundex
from unveil.attacks.probabilistic.level_counts import count_levels, count_pairs, level_totals
from unveil.engines.code_pairs import CodePairs
from unveil.values.links import ComparisonBlock

BY_SCORE = [name for name in COMPARATORS if name != "days"]
words = st.text("abhwré ", min_size=1, max_size=7).filter(str.strip) | st.sampled_from(
    ["Robert", "Rupert", "Ashcraft", "Pfister", "李明", "Öland", "12 high st", "St high 12"]
)
dates = st.builds("{}{:02}{:02}".format, st.integers(1980, 1981), st.integers(1, 3),
                  st.integers(1, 3))  # fmt: skip
seeds = st.integers(0, 2**32)


def texts(by):
    return st.lists(dates if by == "parts" else words, min_size=1, max_size=6, unique=True)


@examples(40)
@given(st.sampled_from(BY_SCORE), st.data())
def test_scores_equal_the_definitions(by, data):
    comparison = TextComparison(by)
    a, b = data.draw(texts(by)), data.draw(texts(by))
    found = listed_scores(comparison, a, b)
    pairs = {(i, j): s for i, j, s in zip(*(part.tolist() for part in found), strict=True)}
    for i, one in enumerate(a):
        for j, other in enumerate(b):
            ends = comparison.ends
            level = naive.level(by, one, other, ends)
            assert ((i, j) in pairs) == (level < len(ends))
            if (i, j) in pairs:
                assert pairs[i, j] == pytest.approx(naive.score(by, one, other, ends))
                assert comparison.levels_of(np.array([pairs[i, j]])).tolist() == [level]


@examples(60)
@given(words)
def test_soundex_equals_its_rules(text):
    assert soundex(text) == naive.soundex(text)


def coded(rng, n, other, k):
    """Two files of codes and numbers, and the gaps of the codes."""
    gaps = np.where(rng.random((k, k)) < 0.4, rng.integers(0, 3, (k, k)), 9)
    first, second = np.nonzero(gaps < 9)
    pairs = CodePairs.of(first, second, gaps[first, second].astype(float), k)
    files = [np.column_stack([rng.integers(0, k, rows), rng.integers(0, 4, rows)]).astype(float)
             for rows in (n, other)]  # fmt: skip
    for file in files:
        file[rng.random(file.shape) < 0.15] = np.nan
    return *files, gaps, pairs


@examples(30)
@given(seeds)
def test_counted_levels_are_those_of_the_listed_pairs(seed):
    rng = np.random.default_rng(seed)
    n, other, k = rng.integers(1, 9, 3)
    a, b, gaps, pairs = coded(rng, n, other, k)
    ends = [(0.0, 1.0, 2.0), (0.0, 1.0)]
    codes = [np.nan_to_num(file[:, 0]).astype(int) for file in (a, b)]
    missing = np.isnan(a[:, None, 0] + b[None, :, 0]).ravel()
    plain = linkage.levels(a, b, ends)
    gap = gaps[np.ix_(*codes)].ravel()
    plain[:, 0] = np.where(missing, -1, np.where(gap < 9, gap, 3))
    blocks = [ComparisonBlock(np.arange(n), np.arange(other))]
    expected = np.concatenate(
        [
            np.bincount(own[own >= 0], minlength=many)
            for own, many in zip(plain.T, (4, 3), strict=True)
        ]
    )
    listed = [pairs, None]
    rows = np.indices((n, other)).reshape(2, -1).T.copy()
    for counted in (
        count_levels(a, b, ends, blocks, listed),
        count_pairs(a, b, ends, rows, np.ones(len(rows)), listed),
    ):
        assert counted.totals().tolist() == expected.tolist()
    assert level_totals(a, b, ends, blocks, listed).tolist() == expected.tolist()


def two_registers(rng, n):
    """Files with names, dates and codes full of ties and errors, some missing."""
    names = np.array(["anna", "ana", "hanna", "bert", "berta", "brett", "", "ann "])
    days = np.array(["1980-01-02", "1980-02-01", "1981-01-02", "19800102"])
    files = []
    for _ in range(2):
        frame = pl.DataFrame(
            {
                "name": rng.choice(names, n).tolist(),
                "born": rng.choice(days, n).tolist(),
                "code": rng.choice(["12345", "12399", "1239", "99999"], n).tolist(),
                "size": rng.integers(0, 5, n),
            }
        )
        schema = Schema(quasi=frame.columns, nominal=["name", "born", "code"], numeric=["size"])
        files.append(Microdata(frame, schema))
    return files


COMPARISONS = {
    "name": {"by": "jaro-winkler", "levels": [1, 0.9, 0.7]},
    "born": {"by": "parts"},
    "code": {"by": "prefix", "levels": [5, 3]},
}
INTRUDERS = {
    "to the release": Intruder(),
    "to the original": Intruder(direction="release-to-original"),
    "in blocks": Intruder(blocks=("code:2",)),
}


def level_of(column, one, other):
    one, other = (None if text is None else text.strip() for text in (one, other))
    spec = COMPARISONS[column]
    ends = spec.get("levels", COMPARATORS[spec["by"]].levels)
    return (naive.level(spec["by"], one, other, ends) if one and other else -1), ends


@examples(4)
@given(seeds, st.sampled_from(list(INTRUDERS)))
def test_the_cost_of_a_pair_is_that_of_its_levels(seed, kind):
    rng = np.random.default_rng(seed)
    a, b = two_registers(rng, 12)
    intruder = INTRUDERS[kind]
    spec = attacks.Probabilistic(comparisons=COMPARISONS, prorated=False)
    links = unveil.attack(a, b, spec, intruder=intruder, truth="row-order")
    queries, base = (b, a) if intruder.reverse else (a, b)
    left, right = np.indices((12, 12)).reshape(2, -1)
    costs = links.finder.costs(left, right).reshape(12, 12)
    shown = {one["output_column_name"]: [level["match_weight"] * np.log(2)
             for level in one["comparison_levels"]]
             for one in links.finder.details["comparisons"]}  # fmt: skip
    cells = [
        {name: data.column(name).to_list() for name in COMPARISONS} for data in (queries, base)
    ]
    for i in range(12):
        for j in range(12):
            if intruder.blocks and cells[0]["code"][i][:2] != cells[1]["code"][j][:2]:
                assert np.isinf(costs[i, j])
                continue
            best = sum(max(own) for own in shown.values())
            weight = 0.0
            for name in COMPARISONS:
                if name in shown:
                    pair = cells[0][name][i], cells[1][name][j]
                    level, _ = level_of(name, *(pair[::-1] if intruder.reverse else pair))
                    weight += shown[name][level] if level >= 0 else 0.0
            size = links.finder.metric.cost_tuple[-1] if "size" in shown else None
            gap = abs(float(queries.column("size")[i]) - float(base.column("size")[j]))
            if size is not None:
                piece = int(np.searchsorted(size.end, gap))
                weight += max(shown["size"]) - size.value[piece]
            assert best - weight == pytest.approx(costs[i, j], abs=1e-4)


@examples(4)
@given(seeds)
def test_the_order_of_the_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    a, b = two_registers(rng, 15)
    comparisons = COMPARISONS | {"born": {"by": "days"}}
    for spec in (attacks.Probabilistic(comparisons=comparisons),
                 attacks.Distance(comparisons=comparisons)):  # fmt: skip
        for blocks in ((), ("name:soundex",)):
            intruder = Intruder(blocks=blocks)
            before = unveil.attack(a, b, spec, intruder=intruder, truth="row-order")
            order, back = (rng.permutation(15) for _ in range(2))
            truth = [int(np.flatnonzero(back == i)[0]) for i in order]
            moved = unveil.attack(
                a.take(order), b.take(back), spec, intruder=intruder, truth=np.argsort(truth)
            )
            ranks = [links.finder.nearest(np.arange(15), 1, None) for links in (before, moved)]
            assert ranks[0].n_best[order].tolist() == ranks[1].n_best.tolist()
            assert ranks[1].scores == pytest.approx(ranks[0].scores[order])


@examples(3)
@given(seeds)
def test_the_distance_of_texts_is_one_less_their_similarity(seed):
    rng = np.random.default_rng(seed)
    a, b = two_registers(rng, 10)
    for by in BY_SCORE:
        column = {"parts": "born"}.get(by, "name")
        spec = attacks.Distance(comparisons={column: {"by": by}}, metric="manhattan")
        links = unveil.attack(a, b, spec, intruder=Intruder(knows=[column]), truth="row-order")
        left, right = np.indices((10, 10)).reshape(2, -1)
        costs = links.finder.costs(left, right).reshape(10, 10)
        cells = [[text.strip() for text in data.column(column).fill_null("")] for data in (a, b)]
        ends = COMPARATORS[by].levels
        for i, one in enumerate(cells[0]):
            for j, other in enumerate(cells[1]):
                if not one or not other:
                    continue
                score = naive.score(by, one, other, ends)
                expected = 1.0
                if naive.level(by, one, other, ends) < len(ends):
                    longer = max(len(one), len(other))
                    expected = {
                        "damerau-levenshtein": score / longer,
                        "prefix": 1 - min(score / longer, 1),
                        "parts": 1 - score / 3,
                    }.get(by, 1 - score)
                assert costs[i, j] == pytest.approx(expected)
