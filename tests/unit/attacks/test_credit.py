"""How far links are believed: as far as controls do not have the like."""

from types import SimpleNamespace

import numpy as np
import pytest

from unveil.attacks import credit as module
from unveil.attacks.correlation import sharpened
from unveil.attacks.credit import Credit, Trial, credited
from unveil.attacks.matching import Outcome
from unveil.engines.records import Records

LOW = np.linspace(0.1, 0.6, 20)
HIGH = np.linspace(0.8, 1.0, 20)


def credit(likelihood=100.0, best=HIGH, controls=(LOW, LOW), found=(20.0, 22.0), **more):
    made = tuple(Trial(one, other) for one, other in zip(found, controls, strict=True))
    return Credit(Trial(likelihood, best), {"redrawn": made} | more if made else {})


def test_it_is_the_surer_the_likelier():
    every = [credit(likelihood).sure for likelihood in np.linspace(-100, 1000, 30)]
    assert every == sorted(every)
    assert every[0] < 0.001
    assert every[-1] > 0.999
    assert all(0 <= one <= 1 for one in every)
    assert credit(1e9).sure <= 1
    assert credit(-1e9).sure >= 0


def test_the_strictest_controls_count():
    more = (Trial(90.0, LOW), Trial(95.0, LOW))
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


def test_the_order_of_candidates_stays(monkeypatch):
    rows, columns = np.divmod(np.arange(12), 4)
    chance = np.array([0.7, 0.1, 0.1, 0.1, 0.05, 0.9, 0.03, 0.02, 0.25, 0.2, 0.3, 0.25])
    outcome = Outcome(rows, columns, chance, {"rounds": 1})
    monkeypatch.setattr(module, "posterior", lambda _: outcome)
    for one in (credit(), credit(best=LOW), credit(likelihood=0.0)):
        # Pairs that cost nothing, and are as likely as anything can be.
        sides = SimpleNamespace(asked=lambda mine, _: (mine, None))
        mine = Records(np.zeros((3, 1)), offset=np.full(3, -40.0))
        between = SimpleNamespace(files=sides, mine=mine, released=None, costs=lambda r, _: 0.0 * r)
        pairing = SimpleNamespace(shape=(3, 4), capacity=np.ones(4, int), between=between)
        found = credited(pairing, one)
        assert (found.rows == rows).all()
        assert (found.columns == columns).all()
        assert found.details == outcome.details
        assert (found.chance <= sharpened(chance)).all()
        assert (found.chance > 0).all()
        assert (np.bincount(rows, found.chance) <= 1 + 1e-12).all()
        for row in range(3):
            own = rows == row
            assert (np.argsort(found.chance[own]) == np.argsort(chance[own])).all()


def test_a_trial_is_of_all_pairs():
    found = Trial.of(np.log(np.eye(5) * 1e6 + 1))
    assert found.likelihood == pytest.approx(5 * np.log(1e6) - np.log(120), abs=2)
    assert found.best == pytest.approx(np.ones(5), abs=1e-3)
    assert Trial.of(np.zeros((5, 8))).likelihood == pytest.approx(0, abs=1e-9)
