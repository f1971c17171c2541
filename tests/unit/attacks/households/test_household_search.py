"""The work of household linkage where many rows are alike."""

import numpy as np
import pytest

import unveil
from unveil import Intruder, masks, measures
from unveil.attacks import Households
from unveil.attacks.households.household_search import HouseholdSearch
from unveil.attacks.probabilistic import pair_counts

FEW_VALUES = ["sex", "marital_status", "education"]


def linked(n):
    people = unveil.households(n, seed=3)
    pram = masks.Pram(theta=0.1, columns=FEW_VALUES)
    release = unveil.mask(people, [pram], seed=1, household="renumber")
    return unveil.attack(people, release, Households(), intruder=Intruder(knows=FEW_VALUES))


def test_a_p_value_compares_few_more_households_than_the_risk(monkeypatch):
    links = linked(600)
    compared, costs = [], HouseholdSearch.costs

    def counted(search, records, candidates):
        compared.append(len(records))
        return costs(search, records, candidates)

    monkeypatch.setattr(HouseholdSearch, "costs", counted)
    pairs = len(links.households) * links.households.candidates
    for one in (links, links.households):
        compared.clear()
        measures.hits(one)
        assert sum(compared) < pairs
        compared.clear()
        assert measures.p_value(one) < 0.01  # by 199 drawn truths of each
        assert sum(compared) < 199 * len(one) + 2 * pairs


def test_repeated_records_have_the_ranks_that_each_has_alone():
    homes, several = linked(120).households, 3
    search = homes.finder
    truths = [(homes.records + step) % homes.candidates for step in range(several)]
    alone = [search.rank_of_truth(homes.records, truth, 1, None) for truth in truths]
    records = np.tile(homes.records, several)
    found = search.rank_of_truth(records, np.concatenate(truths), 1, None)
    assert found.n_closer.tolist() == [n for one in alone for n in one.n_closer.tolist()]
    assert found.n_tied.tolist() == [n for one in alone for n in one.n_tied.tolist()]


@pytest.mark.parametrize("score", ["distance", "probabilistic", "tailored"])
@pytest.mark.parametrize("grouping", ["shown", "read-off"])
def test_strangers_are_compared_as_the_attacked_are(score, grouping):
    people = unveil.households(200, seed=3)
    noise = masks.AdditiveNoise(scale=0.1, columns=["age", "income", "weight"])
    release = unveil.mask(people, [noise], seed=1, household="renumber")
    intruder = Intruder(knows=["age", "income", "region"], channel=score == "tailored")
    attack = Households(score=score, grouping=grouping)
    links = unveil.attack(people, release, attack, intruder=intruder)
    numbers = people.column("household")
    for some in (numbers == numbers[0], numbers != -1):  # one household, and all of them
        rows = np.flatnonzero(some.to_numpy())
        strangers = links.on(people.take(rows))
        assert (strangers.true_rows < 0).all()
        assert (strangers.households.true_rows < 0).all()
        assert strangers.best.tolist() == links.best[rows].tolist()
        if grouping == "shown" or len(rows) == len(people):  # the cost of an absence is estimated
            assert strangers.score == pytest.approx(links.score[rows])


def test_weights_are_estimated_from_a_sample_of_many_pairs(monkeypatch):
    monkeypatch.setattr(pair_counts, "MOST_PAIRS", 1000)
    monkeypatch.setattr(pair_counts, "MOST_WIDE_PAIRS", 1000)
    people = unveil.households(200, seed=1)
    noise = masks.AdditiveNoise(scale=0.1, columns=["age", "income"])
    release = unveil.mask(people, [noise], seed=1, household="renumber")
    links = unveil.attack(people, release, Households(score="probabilistic"))
    assert measures.risk(links).share > 0.9


def test_households_alike_are_compared_once(monkeypatch):
    compared, costs = [], HouseholdSearch.costs

    def counted(search, records, candidates):
        compared.append(len(records))
        return costs(search, records, candidates)

    links = linked(3000).households
    search = links.finder.base
    distinct = [len(groups.starts) - 1 for groups in search.equal_rows()]
    sizes = np.unique(search.queries.sizes, return_counts=True)[1]
    assert max(distinct) < 0.6 * len(links)
    monkeypatch.setattr(HouseholdSearch, "costs", counted)
    links.nearest(3)
    assert sum(compared) < 2 * distinct[0] * distinct[1] / len(sizes)


@pytest.mark.parametrize("score", ["distance", "probabilistic"])
def test_households_alike_are_ranked_as_one_by_one(score):
    people = unveil.households(300, seed=3)
    pram = masks.Pram(theta=0.1, columns=FEW_VALUES)
    release = unveil.mask(people, [pram], seed=1, household="renumber")
    intruder = Intruder(knows=FEW_VALUES)
    links = unveil.attack(people, release, Households(score=score), intruder=intruder).households
    classes, single = links.finder, links.finder.base
    records, truth = links.records, links.true_rows.copy()
    truth[::7] = -1
    for stop_at in (1, 4, None):
        one = classes.rank_of_truth(records, truth, stop_at, None)
        other = single.rank_of_truth(records, truth, stop_at, None)
        assert one.n_closer.tolist() == other.n_closer.tolist()
        assert one.n_tied.tolist() == other.n_tied.tolist()
    for k in (1, 3, 50):
        one, other = (finder.nearest(records, k, None) for finder in (classes, single))
        assert one.scores == pytest.approx(other.scores)
        assert one.n_best.tolist() == other.n_best.tolist()
        assert one.rows[:, 0].tolist() == other.rows[:, 0].tolist()
    if score == "probabilistic":
        assert classes.log_totals(records) == pytest.approx(single.log_totals(records))
