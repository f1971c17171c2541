"""Candidates by rank: a matrix answers as the list of all its pairs does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strategies.examples import examples
from unveil.attacks.matched import matches
from unveil.attacks.matched.comparer import RecordClasses
from unveil.attacks.matched.matches import DenseProbabilities, MatchProbabilities

seeds = st.integers(0, 2**32)


def classes(rng, n):
    """Classes of one to three candidates, in no order."""
    of = rng.permutation(np.repeat(np.arange(n), rng.integers(1, 4, n)))
    size = np.bincount(of)
    starts, members = np.append(0, np.cumsum(size)), np.argsort(of, kind="stable")
    return RecordClasses(of, members[starts[:-1]], size, members, starts)


@examples(1 / 2)
@given(seeds, st.sampled_from([np.float32, np.float64]), st.integers(1, 6))
def test_a_matrix_ranks_as_the_list_does(seed, bits, k):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 12, 2)
    chance = rng.integers(0, 4, (rows, columns)) / 8  # ties and impossible pairs
    candidates = classes(rng, columns)
    dense = DenseProbabilities(chance.astype(bits), {}).ranked(rows, candidates)
    row, column = np.nonzero(chance)
    listed = MatchProbabilities(row, column, chance[row, column], {}).ranked(rows, candidates)
    asked, to = rng.integers(0, rows, 20), rng.integers(0, columns, 20)
    for one, other in zip(dense.ranks(asked, to), listed.ranks(asked, to), strict=True):
        assert (one == other).all()
    table, at = dense.best(asked, k)
    every, dense_at = dense.listed(asked)
    for i in range(len(asked)):
        whole = slice(*listed.starts[asked[i] : asked[i] + 2])
        assert every.columns[slice(*every.starts[dense_at[i] : dense_at[i] + 2])].tolist() == (
            listed.columns[whole].tolist()
        )
        best = table.columns[slice(*table.starts[at[i] : at[i] + 2])]
        assert len(best) >= min(k, whole.stop - whole.start)
        assert best.tolist() == listed.columns[whole][: len(best)].tolist()
    first = listed.starts[asked]
    there = np.diff(listed.starts)[asked] > 0
    n_best = table.n_tied[table.starts[at]]
    assert (n_best[there] == listed.n_tied[first][there]).all()


def test_of_32_bits_the_negligible_are_not_listed():
    chance = np.array([[0.6, 0.4 - 1e-7, 1e-7]])
    candidates = classes(np.random.default_rng(0), 3)
    lengths = {
        bits: len(DenseProbabilities(chance.astype(bits), {}).ranked(1, candidates)
                  .listed(np.zeros(1, np.int64))[0].columns) - 1
        for bits in (np.float32, np.float64)
    }  # fmt: skip
    assert lengths == {np.float32: 2, np.float64: 3}
    ranks = DenseProbabilities(chance.astype(np.float32), {}).ranked(1, candidates)
    assert ranks.ranks(np.zeros(1, np.int64), np.array([2])).n_closer == candidates.size[:2].sum()


def test_nearly_equal_probabilities_tie():
    candidates = classes(np.random.default_rng(0), 2)
    zero = np.zeros(1, np.int64)
    for bits, tie in ((np.float64, matches.TIE), (np.float32, matches.TIE_32)):
        for apart, tied in ((tie / 3, True), (3 * tie, False)):
            chance = np.array([[0.5, 0.5 * (1 + apart)]], bits)
            ranks = DenseProbabilities(chance, {}).ranked(1, candidates).ranks(zero, zero)
            assert bool(ranks.n_closer[0] == 0) is tied
    assert np.finfo(np.float32).eps < matches.TIE_32
