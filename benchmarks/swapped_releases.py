"""What a swapped release gives away: `python benchmarks/swapped_releases.py [name ...]`.

The figures of docs/swapped-releases.md, and one of docs/structure-in-masks.md: Census and the
embedded survey, three seeds.
"""

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestRegressor

import unveil
from exchange import people, shuffled
from structure import SEEDS, linked, matrix, mean, run, show, table
from unveil import attacks, masks, measures


def implementations():
    """Swapping as sdcMicro does it: the top and bottom 5 % become means, the others swap."""
    data = people("census")
    for p in (5, 25, 50):
        shares = []
        for seed in SEEDS:
            values, rng = matrix(data).copy(), np.random.default_rng(seed)
            for column in values.T:
                order = np.argsort(column, kind="stable")
                tail = len(order) // 20
                for ends in (order[:tail], order[-tail:]):
                    column[ends] = column[ends].mean()
                swap_in_place(column, order[tail:-tail], p, rng)
            rows = rng.permutation(len(values))
            links = unveil.attack(
                data, table(values[rows], data.columns), attacks.Exchange(), truth=rows
            )
            shares.append(100 * measures.risk(links).share)
        show(f"tails averaged, swapping {p} %: exchange without the plan links {mean(shares)} %")


def swap_in_place(column, order, p, rng):
    """Each value not yet swapped exchanges with one of the next p % of the ranks."""
    free = np.ones(len(order), bool)
    for place in range(len(order)):
        ahead = np.arange(place + 1, min(len(order), place + 1 + len(order) * p // 100))
        ahead = ahead[free[ahead]]
        if free[place] and len(ahead):
            other = rng.choice(ahead)
            one, two = order[place], order[other]
            column[one], column[two] = column[two], column[one]
            free[[place, other]] = False


def categories():
    """Categories and numbers of the embedded survey, exchanged over any distance."""
    for known in (5, 12):
        shares = []
        for seed in SEEDS:
            data = coded(unveil.households(1000, seed=seed))
            release = shuffled(unveil.mask(data, [masks.RankSwapping(p=100)], seed=seed), seed)
            links = linked(data, release, attacks.Exchange(), knows=list(data.columns[:known]))
            shares.append(100 * measures.risk(links).share)
        show(f"{known} columns: exchange without the plan links {mean(shares)} %")


def coded(data):
    """Categories as numbers, five of them first, then the numbers."""
    frame = data.to_frame("polars").drop("person", "household", "weight").drop_nulls()
    text = [name for name in frame.columns if frame[name].dtype == pl.String]
    frame = frame.with_columns(pl.col(text).rank("dense"))
    frame = frame.select(*text, *(name for name in frame.columns if name not in text))
    return table(frame.to_numpy().astype(float), frame.columns)


def learning():
    """After a right link: how often a swapped value is within 5 % of the ranks."""
    data = people("census")
    ranks = rankdata(matrix(data), axis=0)
    near = 0.05 * len(data)
    for mask in [masks.RankSwapping(p=p) for p in (15, 25, 50, 100)]:
        shares = []
        for seed in SEEDS:
            shown = matrix(unveil.mask(data, [mask], seed=seed).data)
            place = [
                np.interp(*cells) for cells in zip(shown.T, *sorted_ranks(data, ranks), strict=True)
            ]
            shares.append(100 * np.mean(np.abs(np.array(place).T - ranks) <= near))
        show(f"p = {mask.p:g}: within 5 % of the ranks {mean(shares)} %")
    rng = np.random.default_rng(1)
    other = [
        100 * np.mean(np.abs(ranks[rng.permutation(len(ranks))] - ranks) <= near) for _ in SEEDS
    ]
    show(f"a random row: {mean(other)} %")


def prediction():
    """A swapped column that is unknown, guessed from the others; within 5 % of the ranks.

    By the linked row; by regression in the release alone; by regression of the released column on
    the true values of all linked people; and by pairs of rows that fit that regression if they
    exchange their values, in four rounds.
    """
    show("p", "row", "release alone", "links and regression", "and pairs")
    truth = rankdata(matrix(people("census")), axis=0)
    for p in (15, 25, 50, 100):
        release = unveil.mask(people("census"), [masks.RankSwapping(p=p)], seed=1)
        shown = rankdata(matrix(release.data), axis=0)
        found = [guesses(truth, shown, column, p) for column in range(truth.shape[1])]
        near = np.abs(np.array(found) - truth.T[:, None]) <= 0.05 * len(truth)
        show(p, *(f"{100 * one:.1f} %" for one in near.mean((0, 2))))


def guesses(truth, shown, column, p):
    """Ranks guessed in four ways."""
    others, cells = np.arange(truth.shape[1]) != column, shown[:, column]
    forest = RandomForestRegressor(60, min_samples_leaf=10, oob_score=True, random_state=0)
    alone = rankdata(forest.fit(shown[:, others], cells).predict(truth[:, others]))
    expected = rankdata(forest.fit(truth[:, others], cells).oob_prediction_)
    first, too_far = expected, np.abs(cells[:, None] - cells) > len(truth) * p / 100
    for _ in range(4):
        cost = (expected[:, None] - cells) ** 2
        partner = linear_sum_assignment(cost + cost.T + 1e12 * too_far)[1]
        expected = rankdata(forest.fit(truth[:, others], cells[partner]).oob_prediction_)
    return cells, alone, first, expected


def sorted_ranks(data, ranks):
    """The values of each column in ascending order, and their ranks."""
    values = matrix(data)
    return np.sort(values, 0).T, np.sort(ranks, 0).T


def membership():
    """Values of members and of others that occur in a swapped release of the members."""
    show("file", "columns", "members with all values", "others", "fewest", "most of others")
    for name, columns in [("census", 13), ("census", 3), ("households", 7), ("households", 3)]:
        data, found = people(name), []
        half = len(data) // 2
        for seed in SEEDS:
            rows = np.random.default_rng(seed).permutation(len(data))
            release = unveil.mask(data.take(rows[:half]), [masks.RankSwapping(p=50)], seed=seed)
            values, shown = (np.nan_to_num(matrix(one), nan=-1) for one in (data, release.data))
            present = sum(np.isin(values[:, j], shown[:, j]) for j in range(columns))
            members, others = present[rows[:half]], present[rows[half:]]
            shares = 100 * np.mean(members == columns), 100 * np.mean(others == columns)
            found.append([*shares, members.min(), others.max()])
        most = np.array(found)
        shares = (f"{mean(one)} %" for one in most[:, :2].T)
        show(name, columns, *shares, int(most[:, 2].min()), int(most[:, 3].max()))


if __name__ == "__main__":
    run((implementations, categories, learning, prediction, membership))
