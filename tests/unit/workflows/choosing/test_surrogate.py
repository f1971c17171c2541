import numpy as np
import pytest

from naive import frontier as naive
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.surrogate import (
    Evaluated,
    Kernel,
    Points,
    Process,
    Surrogate,
    expected_gain,
)

SPACE = SearchSpace(
    combination=[
        {"name": name, "mask": [{"method": name, "p": {"from": 0.0, "to": 1.0}}]} for name in "ab"
    ]
)


def some_points(n, seed=1):
    rng = np.random.default_rng(seed)
    places = rng.random((n, 2))
    return Points(rng.integers(0, 2, n), places, places.mean(1))


def test_expected_gain_is_the_mean_gain_in_hypervolume():
    tried, reference = (np.array([0.2, 0.5, 0.8]), np.array([0.7, 0.4, 0.6])), (1.0, 0.9)
    means = np.array([[0.3, 0.5], [0.1, 0.8], [0.9, 0.95], [0.5, 0.1]])
    deviations = np.array([[0.1, 0.1], [0.3, 0.05], [0.01, 0.01], [0.2, 0.2]])
    gain = expected_gain(
        (means[:, 0], deviations[:, 0]), (means[:, 1], deviations[:, 1]), tried, reference
    )
    before = naive.hypervolume(*tried, reference)
    drawn = np.random.default_rng(1).standard_normal((4000, 2))
    for mean, deviation, expected in zip(means, deviations, gain, strict=True):
        gains = [
            naive.hypervolume([*tried[0], risk], [*tried[1], loss], reference) - before
            for risk, loss in mean + deviation * drawn
        ]
        error = np.std(gains) / len(gains) ** 0.5
        assert np.mean(gains) == pytest.approx(expected, abs=4 * error + 1e-12)


def test_a_process_is_the_conditional_normal_law():
    kernel, seen, others = Kernel(0.5, 1e-2, 0.3), some_points(8), some_points(5, seed=2)
    values = np.sin(6 * seen.strength)
    process = Process.given(kernel, seen, values)
    inverse = np.linalg.inv(kernel(seen, seen) + kernel.noise * np.eye(8))
    level = (inverse @ values).sum() / inverse.sum()
    across = kernel(seen, others)
    mean, deviation = process.at(others)
    assert mean == pytest.approx(level + across.T @ inverse @ (values - level))
    variance = np.diag(kernel(others, others) - across.T @ inverse @ across)
    assert deviation == pytest.approx(process.deviation * np.sqrt(variance))


def test_what_is_expected_is_surer_and_no_other():
    process, others = Process.fitted(some_points(9), np.arange(9.0)), some_points(4, seed=3)
    mean, deviation = process.at(others)
    expecting = process.expecting(others)
    assert expecting.at(others)[0] == pytest.approx(mean, abs=0.2)
    assert (expecting.at(others)[1] < deviation).all()


def test_combinations_learn_strength_from_each_other():
    tried = [Candidate("a", (place,)) for place in (0.1, 0.3, 0.5, 0.7, 0.9)]
    pool = [Candidate("b", (place,)) for place in (0.1, 0.9)]
    surrogate = Surrogate.of(SPACE, [Evaluated(one, 1.0, one.point[0]) for one in tried], pool)
    weak, strong = surrogate.loss.at(surrogate.pool)[0]
    assert weak < 0.4
    assert strong > 0.6


def test_refused_plans_and_infinite_risks_promise_nothing():
    tried = [Candidate("a", (place,)) for place in (0.1, 0.5, 0.6, 0.9)]
    risks, losses = [4.0, 0.5, float("inf"), None], [0.1, 0.4, 0.5, None]
    surrogate = Surrogate.of(SPACE, list(map(Evaluated, tried, risks, losses)), tried)
    assert surrogate.risk.values == pytest.approx([4 / 7, 1 / 7, 1, 1])
    assert surrogate.loss.values == pytest.approx([0.1, 0.4, 0.5, 0.5])
    promise = surrogate.promise()
    assert np.isfinite(promise).all()
    assert promise[3] < promise[:2].max()


def linear(strength):
    """More strength costs loss and lowers the risk."""
    return 2 - 2 * strength, strength


def test_a_plan_that_breaks_a_limit_on_loss_is_no_plan_of_the_frontier():
    tried = [Evaluated(Candidate("a", (x,)), *linear(x)) for x in (0.1, 0.3, 0.5)]
    broken = Evaluated(Candidate("b", (0.1,)), None, 0.12, complete=False, loss_share=1.2)
    pool = [Candidate("a", (x,)) for x in np.linspace(0.5, 1, 11)]
    surrogate = Surrogate.of(SPACE, [*tried, broken], pool)
    assert surrogate.risk.values == pytest.approx([1.8 / 4.8, 1.4 / 4.4, 0.25])
    assert surrogate.loss.values == pytest.approx([0.1, 0.3, 0.5, 0.12])
    assert min(surrogate.best[0]) == 0.25
    alone = Surrogate.of(SPACE, tried, pool).promise()
    assert (
        surrogate.promise().max() > alone.max() / 3
    )  # risk 0 at a loss of .12 would leave nothing


def test_plans_that_are_expected_to_break_a_limit_on_loss_promise_little():
    pool = [Candidate("a", (x,)) for x in (0.2, 0.7, 0.9)]
    tried = [
        Evaluated(Candidate("a", (x,)), risk if x < 0.5 else None, loss, x < 0.5, 2 * x)
        for x in (0.05, 0.15, 0.25, 0.35, 0.6, 0.75, 0.95)
        for risk, loss in [linear(x)]
    ]
    within, _, beyond = Surrogate.of(SPACE, tried, pool).promise()
    assert beyond < within / 100
    nothing_attacked = [one for one in tried if one.risk is None]
    first, *_, last = Surrogate.of(SPACE, nothing_attacked, pool).promise()
    assert first > last


def test_a_risk_that_is_only_known_to_be_larger_is_not_on_the_frontier():
    tried = [
        Evaluated(Candidate("a", (x,)), *linear(x), complete=x != 0.9) for x in (0.1, 0.5, 0.9)
    ]
    surrogate = Surrogate.of(SPACE, tried, [Candidate("a", (0.7,))])
    assert len(surrogate.best[0]) == 2
    assert len(surrogate.risk.values) == 3
    assert len(surrogate.expecting([Candidate("a", (0.7,))]).best[0]) == 3
