"""What fresh seeds say of a plan."""

from math import inf

import pytest
from scipy.stats import norm

from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.values.search_space import Candidate
from unveil.workflows.choosing.confirmation import (
    COVERAGE,
    confirmation,
    expected_share,
    is_undecided,
    tolerance_factor,
)


def limit(found, allowed=0.05, *, name="max_linked", use=""):
    kept = found is not None and (found >= allowed if name == "k_anonymity" else found <= allowed)
    return Limit(
        limit=name, allowed=allowed, found=found, kept=kept, reason="", people=100,
        scenario="" if use else "register", use=use,
    )  # fmt: skip


def tried(*limits, loss=0.3, stage="attacked"):
    return TriedPlan(
        number=1, candidate=Candidate("a", ()), masks=(), stage=stage, risk=0.5, loss=loss,
        limits=limits,
    )  # fmt: skip


def test_the_factor_is_that_of_the_tables():
    # One-sided tolerance factors of the normal distribution, as tables have them.
    assert tolerance_factor(10) == pytest.approx(4.629, abs=2e-3)
    assert tolerance_factor(25) == pytest.approx(3.882, abs=2e-3)
    assert norm.ppf(COVERAGE) < tolerance_factor(1000) < 3.3


def test_limits_on_loss_have_bounds_too():
    seeds = [tried(limit(0.02), limit(0.2 + n / 100, 0.228, name="max_loss", use="pay"))
             for n in (0, 1) * 4]  # fmt: skip
    found = confirmation(tried(limit(0.02), limit(0.2, 0.228, name="max_loss", use="pay")), seeds)
    risk, loss = found.figures
    assert (risk.limit, loss.limit, loss.use) == ("max_linked", "max_loss", "pay")
    assert loss.mean == pytest.approx(0.205)
    assert loss.bound == pytest.approx(0.205 + tolerance_factor(8) * 0.005 * (8 / 7) ** 0.5)
    assert found.kept == 8
    assert not found.accepted  # the bound of the loss is beyond its limit
    assert is_undecided(found)  # with 24 repetitions it might be within


def test_a_seed_without_a_figure_refuses_the_plan():
    known, unknown = tried(limit(0.02)), tried(limit(None), stage="dropped")
    found = confirmation(known, [known] * 7 + [unknown])
    assert (found.kept, found.accepted, found.figures[0].bound) == (7, False, inf)
    classes = tried(limit(9, 5, name="k_anonymity"))
    found = confirmation(classes, [classes] * 7 + [tried(stage="refused", loss=None)])
    assert (found.accepted, found.loss) == (False, inf)
    assert found.figures[0].bound <= found.figures[0].mean < 9


def test_the_bound_of_at_least_is_below():
    seeds = [tried(limit(n, 5, name="k_anonymity")) for n in (9, 9, 10, 9, 9, 10, 9, 9)]
    found = confirmation(seeds[0], seeds)
    assert found.figures[0].bound < 9
    assert found.accepted


def test_few_people_need_a_margin():
    assert expected_share(limit(0.04)) > 1.5
    assert expected_share(limit(0.4, 0.5, name="max_loss")) == pytest.approx(0.8)
    assert expected_share(limit(None)) == inf
