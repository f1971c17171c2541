"""Households of made-up surveys: whoever knows who lives together links no fewer persons."""

import numpy as np
import pytest

import unveil
from benchmarks.household_survey import DWELLING, EIGHT, WEIGHTS, by_household, by_person, survey
from unveil import Intruder, attacks, measures
from unveil.table.households import households_of, shared_columns

SEEDS = range(20)
SINGLE = {"distance": attacks.Distance(), "tailored": attacks.Tailored()}


def files(name, seed):
    """A survey of 60 to 100 households, its release with numbers, and what an intruder knows."""
    data = survey(int(np.random.default_rng(seed).integers(60, 101)), seed)
    plan, *known = by_person()[name]
    release = unveil.mask(data, plan, seed=seed, household="renumber")
    return data, release, known[seed % 2 if name != "light" else 0]  # all values, or categories


def linked(data, release, attack, knows):
    """The expected number of persons that an attack links."""
    intruder = Intruder(knows=list(knows), channel=attack.knows is not None)
    return measures.hits(unveil.attack(data, release, attack, intruder=intruder)).sum()


def mean_links(made, score):
    """Persons through households, one by one, and by what describes their households alone."""
    found = [
        (
            linked(*one, attacks.Households(score=score), knows),
            linked(*one, SINGLE[score], knows),
            linked(*one, attacks.Households(), DWELLING),
        )
        for *one, knows in made
    ]
    return np.mean(found, axis=0)


def test_over_20_files_households_link_no_fewer_persons():
    names = list(by_person())
    made = (files(names[seed % 4], seed) for seed in SEEDS)
    through, alone, by_dwelling = mean_links(made, "distance")
    assert through >= max(alone, by_dwelling)


@pytest.mark.slow
@pytest.mark.parametrize("score", SINGLE)
@pytest.mark.parametrize("name", by_person())
def test_over_20_files_of_each_mask_households_link_no_fewer_persons(name, score):
    made = (files(name, seed) for seed in SEEDS)
    through, alone, by_dwelling = mean_links(made, score)
    assert through >= max(alone, by_dwelling)


def test_a_survey_has_households_of_1_to_10_and_what_they_share():
    data = survey(400, 3, declared=True)
    homes = households_of(data)
    assert (len(homes), homes.sizes.min(), homes.sizes.max()) == (400, 1, 10)
    assert 4.3 < homes.sizes.mean() < 4.9
    assert len(data.columns) == 15
    assert shared_columns(data, homes) == (*DWELLING, *WEIGHTS)
    assert data == survey(400, 3, declared=True)


def test_households_alike_are_linked_less_by_what_is_alike():
    """By the eight keys: 3-anonymous persons beside 3-anonymous households."""
    by_unit = []
    plans = by_person()["final"].plan, by_household()["final, ranges"].plan
    for plan, declared in zip(plans, (False, True), strict=True):
        data = survey(60, 5, declared=declared)
        release = unveil.mask(data, plan, seed=5, household="renumber")
        by_unit.append(linked(data, release, attacks.Households(), EIGHT) / len(data))
    assert by_unit[1] < by_unit[0] / 2
