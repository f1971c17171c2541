"""What estimates cost, before pairs are counted."""

import pytest

import unveil
from unveil import Intruder, attacks
from unveil.attacks.probabilistic.error_intervals import n_simulations
from unveil.attacks.probabilistic.estimation_work import expected_patterns

LIMITS = {"p_link_unmatched": 1e-4, "p_nonlink_matched": 0.01}
KNOWS = ["region", "sex", "education", "occupation", "age", "hours"]


def price(candidates=300, width=6, *, numeric=False, **parameters):
    spec = attacks.Probabilistic(**parameters)
    return spec.work(candidates, candidates, width, numeric=numeric)


@pytest.mark.parametrize("dependence", ["none", "log-linear", "latent", "chosen"])
@pytest.mark.parametrize("numeric", [True, False])
def test_error_rates_cost_an_estimate_for_each_simulation(dependence, numeric):
    plain = price(dependence=dependence, numeric=numeric)
    decided = price(dependence=dependence, numeric=numeric, **LIMITS)
    assert decided > plain + 199 * 1e-3  # an estimate takes a millisecond or more


def test_the_price_of_a_chosen_model_is_that_measured():
    """300 people with six columns took 29 seconds of processor time, of which two to choose."""
    assert 15 < price(dependence="chosen", **LIMITS) < 60
    assert 0.5 < price(dependence="chosen") < 4


def test_patterns_are_expected_before_they_are_counted():
    people = unveil.households(300, seed=3)
    knows = Intruder(knows=KNOWS)
    links = unveil.attack(
        people, people, attacks.Probabilistic(dependence="latent"), intruder=knows
    )
    found = links.finder.details["dependence"]["patterns"]
    assert found / 2 < expected_patterns(300, len(KNOWS), numeric=False) < 2 * found
    assert expected_patterns(3, 40, numeric=True) == 3  # not more than pairs allow


def test_simulations_are_fewer_where_patterns_are_many():
    assert [n_simulations(n) for n in (0, 1000, 400_000, 10**7)] == [199, 199, 100, 49]
