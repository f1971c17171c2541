"""How far links are believed: as far as controls do not have the like."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from unveil.attacks import credit as module
from unveil.attacks.correlation import log_odds, partly_matched
from unveil.attacks.credit import Credit, Trial, credited
from unveil.attacks.matching import Outcome
from unveil.engines.records import Records

LOW = np.linspace(0.1, 0.6, 20)
HIGH = np.linspace(0.8, 1.0, 20)


def credit(likelihood=100.0, best=HIGH, controls=(LOW, LOW), found=(20.0, 22.0), **more):
    made = tuple(Trial(one, other, 18.0) for one, other in zip(found, controls, strict=True))
    return Credit(Trial(likelihood, best, 18.0), {"redrawn": made} | more if made else {})


def test_it_is_the_surer_the_likelier():
    every = [credit(likelihood).sure for likelihood in np.linspace(-100, 1000, 30)]
    assert every == sorted(every)
    assert every[0] < 0.001
    assert every[-1] > 0.999
    assert all(0 <= one <= 1 for one in every)
    assert credit(1e9).sure <= 1
    assert credit(-1e9).sure >= 0


def test_the_strictest_controls_count():
    more = (Trial(90.0, LOW, 18.0), Trial(95.0, LOW, 18.0))
    one = credit(**{"stand-ins": more})
    assert one.strictest == "stand-ins"
    assert one.found == [90.0, 95.0]
    assert one.sure < credit().sure
    assert one.told("correlation") == {
        "method": "correlation", "likelihood": 100.0, "control": 92.5, "most": 95.0,
        "spread": pytest.approx(np.std([90, 95], ddof=1)), "controls": 2, "kind": "stand-ins",
        "deviations": one.deviations,
    }  # fmt: skip


def test_controls_that_differ_much_make_less_sure():
    assert credit(found=(0.0, 42.0)).deviations < credit(found=(20.0, 22.0)).deviations
    assert credit(likelihood=21.0).deviations == 0
    assert not credit(likelihood=21.0).better
    assert credit(likelihood=60.0).better


def test_without_controls_the_likelihood_alone_counts():
    alone = credit(found=(), controls=())
    assert alone.strictest is None
    assert alone.deviations == pytest.approx(100 / 5)
    assert alone.sure > 0.999
    assert alone.believed(HIGH) == pytest.approx(np.full(20, alone.sure))
    told = alone.told("values")
    assert (told["control"], told["spread"], told["most"], told["controls"]) == (None,) * 3 + (0,)


def test_probabilities_that_controls_have_too_are_not_believed():
    same = credit(best=LOW)
    assert same.believed(LOW).max() < 0.01
    far = credit()
    assert far.believed(HIGH) == pytest.approx(np.full(20, far.sure), abs=0.02)
    assert credit(likelihood=0.0).believed(HIGH).max() < 0.001  # sure of nothing


def between(costs, offset, *, reverse=False):
    """What a pairing compares: all pairs at these costs, and what each record costs by itself."""
    mine = Records(np.zeros((len(costs), 1)), offset=offset)
    sides = SimpleNamespace(asked=lambda mine, _: (mine, None), reverse=reverse)
    return SimpleNamespace(
        files=sides, mine=mine, released=None, degrees=None, costs=lambda r, c: costs[r, c]
    )


def pairing(costs, offset, **how):
    shape = costs.shape
    return SimpleNamespace(
        shape=shape,
        supply=np.ones(shape[0], int),
        capacity=np.ones(shape[1], int),
        between=between(costs, offset, **how),
        dense=lambda: costs,
    )


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4)])
@pytest.mark.parametrize("reverse", [False, True])
def test_links_are_those_of_a_matching_in_which_some_have_nobody(shape, reverse):
    rng = np.random.default_rng(3)
    weights, offset = 3 * rng.standard_normal(shape), rng.standard_normal(shape[0])
    one = replace(credit(found=(), controls=()), level=2.0, shared=0.4)
    found = credited(pairing(2.0 - offset[:, None] - weights, offset, reverse=reverse), one)
    pairs = min(0.4 * shape[1 if reverse else 0], 0.99 * min(shape))
    expected = partly_matched(weights, pairs)
    chance = np.zeros(shape)
    chance[found.rows, found.columns] = found.chance
    assert chance == pytest.approx(expected * one.sure, abs=2e-3)


def test_the_odds_of_a_pair_are_those_of_so_many_pairs():
    found = partly_matched(np.zeros((8, 5)), 2.0)  # where nothing is known
    assert found == pytest.approx(np.full((8, 5), 2 / 40), abs=1e-3)
    assert log_odds(2.0, 8, 5) == pytest.approx(np.log(2 / (6 * 3)))


def test_the_order_of_candidates_stays(monkeypatch):
    rows, columns = np.divmod(np.arange(12), 4)
    chance = np.array([0.7, 0.1, 0.1, 0.1, 0.05, 0.9, 0.03, 0.02, 0.25, 0.2, 0.3, 0.25])
    outcome = Outcome(rows, columns, chance, {"rounds": 1})
    monkeypatch.setattr(module, "posterior", lambda *_: outcome)
    for one in (credit(), credit(best=LOW), credit(likelihood=0.0)):
        found = credited(pairing(np.zeros((3, 4)), np.zeros(3)), one)
        assert (found.rows == rows).all()
        assert (found.columns == columns).all()
        assert found.details == outcome.details
        assert (found.chance <= chance).all()
        assert (found.chance > 0).all()
        for row in range(3):
            own = rows == row
            assert (np.argsort(found.chance[own]) == np.argsort(chance[own])).all()


class Given:
    """A part that is told what it weighs."""

    def __init__(self, weights):
        self.given = weights

    def learn(self, posterior):
        """There is nothing to learn."""

    def weights(self):
        """What it was told."""
        return self.given


def test_a_trial_is_of_all_pairs():
    found = Trial.of([Given(np.log(np.eye(5) * 1e6 + 1))])
    assert found.likelihood == pytest.approx(5 * np.log(1e6) - np.log(120), abs=2)
    assert found.best == pytest.approx(np.ones(5), abs=2e-3)
    assert found.pairs == pytest.approx(5 * 0.99)
    assert Trial.of([Given(np.zeros((5, 8)))]).likelihood == pytest.approx(0, abs=1e-9)
