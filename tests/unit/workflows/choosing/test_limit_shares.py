"""Limits of different kinds on one scale."""

from math import inf

import pytest

from unveil import Policy
from unveil.values.results.policy import Limit
from unveil.workflows.choosing.limit_shares import (
    file_limits,
    largest_share,
    limits_risk,
    share_of_limit,
    worst_of,
)


def limit(name="max_linked", allowed=0.05, found=0.1, *, scenario="register", **rest):
    kept = rest.pop("kept", False)
    return Limit(
        limit=name, allowed=allowed, found=found, kept=kept, reason="", scenario=scenario, **rest
    )


@pytest.mark.parametrize(
    ("one", "share"),
    [
        (limit(), 2.0),
        (limit(found=0.05), 1.0),
        (limit("k_anonymity", 10, 5), 2.0),
        (limit("k_anonymity", 10, 0), inf),
        (limit(found=None), inf),
        (limit("forbid_row_order", allowed=True, found=True), inf),
        (limit("forbid_row_order", allowed=True, found=False, kept=True), 0.0),
        (limit("may_stay_unchanged", ("a",), ("b",)), inf),
        (limit(allowed=0.0, found=0.02, people=100), 3.0),
        (limit(allowed=0.0, found=0.0), 0.0),
    ],
)
def test_share_of_a_limit(one, share):
    assert share_of_limit(one) == pytest.approx(share)


def test_the_largest_share_is_of_risk():
    assert largest_share([limit("max_loss", 0.1, 0.9, scenario=""), limit(found=0.025)]) == 0.5
    assert largest_share([]) == 0.0


def test_of_each_limit_the_worst_counts():
    low, high = limit(found=0.01), limit(found=0.04)
    other = limit("max_learned", found=0.2)
    assert worst_of([low], [high, other]) == (other, high)
    assert worst_of([high], [low]) == (high,)


def test_what_limits_risk():
    rows = {"intruder": [{"name": "register", "max_linked": 0.05}]}
    assert limits_risk(Policy(max_risk=0.1))
    assert limits_risk(Policy(**rows))
    assert not limits_risk(Policy(max_loss=0.3))
    assert file_limits(Policy(max_risk=0.1, max_loss=0.2, **rows)) == ("max_risk",)
    assert file_limits(Policy(**rows)) == ()
