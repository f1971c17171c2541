"""Which plan is confirmed next, which is chosen, and what limits cost."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.values.results.policy import Limit
from unveil.values.results.study import TriedPlan
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.confirmation import REPETITIONS, confirmation
from unveil.workflows.choosing.decision import (
    chosen_plan,
    frontier,
    limit_costs,
    missed_limits,
    nearest_plan,
    next_to_confirm,
    reach,
)

ALLOWED, PEOPLE = 0.05, 100_000


def plan(number, found, loss, *, stage="attacked", combination="a", **more):
    limits = tuple(
        Limit(limit=name, allowed=ALLOWED, found=value, kept=value <= ALLOWED, reason="",
              scenario="register", people=PEOPLE)
        for name, value in {"max_linked": found, **more}.items()
    )  # fmt: skip
    shares = [one.found / ALLOWED for one in limits]
    return TriedPlan(
        number=number, candidate=Candidate(combination, (number / 100,)), masks=(), stage=stage,
        risk=max(shares), loss=loss, limits=limits,
    )  # fmt: skip


def confirmed(one, *, spread=0.0, shift=0.0):
    """The confirmation of a plan whose figures on fresh seeds are like these."""
    rng = np.random.default_rng(one.number)
    found = one.limits[0].found + shift
    seeds = [plan(one.number, found + spread * rng.normal(), one.loss) for _ in range(REPETITIONS)]
    return confirmation(one, seeds)


def naive_frontier(tried):
    def dominates(a, b):
        return a.risk <= b.risk and a.loss <= b.loss and (a.risk, a.loss) != (b.risk, b.loss)

    complete = [one for one in tried if one.complete]
    return {
        (one.risk, one.loss)
        for one in complete
        if not any(dominates(other, one) for other in complete)
    }


@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from(["attacked", "dropped"])),
        max_size=12,
    )
)
def test_the_frontier_is_what_nothing_dominates(points):
    tried = [
        plan(n, risk / 100, loss / 6, stage=stage) for n, (risk, loss, stage) in enumerate(points)
    ]
    found = frontier(tried)
    assert {(one.risk, one.loss) for one in found} == naive_frontier(tried)
    assert [one.loss for one in found] == sorted({one.loss for one in found})


def test_the_first_is_expected_to_keep_its_limits():
    tried = [plan(1, 0.0499, 0.1), plan(2, 0.04, 0.2), plan(3, 0.01, 0.4), plan(4, 0.2, 0.05)]
    assert next_to_confirm(tried, []).number == 2
    assert next_to_confirm([plan(1, 0.2, 0.1)], []) is None


def test_after_one_is_accepted_the_next_with_less_loss_is_tried():
    tried = [plan(1, 0.0499, 0.1), plan(2, 0.04, 0.2)]
    first = confirmed(tried[1])
    assert first.accepted
    assert next_to_confirm(tried, [first]).number == 1
    second = confirmed(tried[0], shift=0.01)
    assert not second.accepted
    assert next_to_confirm(tried, [first, second]) is None
    assert chosen_plan([first, second]) == 2


def test_after_one_is_refused_a_safer_one_is_tried():
    tried = [plan(1, 0.045, 0.1), plan(2, 0.044, 0.2), plan(3, 0.02, 0.4)]
    refused = confirmed(tried[0], shift=0.02)
    assert next_to_confirm(tried, [refused]).number == 3  # not 2, which lacks nearly as much
    accepted = confirmed(tried[2])
    assert chosen_plan([refused, accepted]) == 3


def test_nearly_every_seed_must_keep_the_limit():
    one = plan(1, 0.04, 0.1)
    assert confirmed(one, spread=0.0005).accepted
    assert not confirmed(one, spread=0.005).accepted
    broken = confirmed(one, spread=0.02)
    assert broken.kept < broken.repetitions


def test_the_nearest_misses_the_fewest_limits():
    tried = [plan(1, 0.06, 0.1, max_learned=0.06), plan(2, 0.5, 0.2), plan(3, 0.4, 0.3)]
    assert nearest_plan(tried) == 3
    assert nearest_plan([plan(1, 0.1, 0.1, stage="refused")]) is None


def test_of_plans_that_keep_all_limits_the_nearest_loses_least():
    tried = [plan(1, 0.03, 0.2), plan(2, 0.01, 0.4), plan(3, 0.0499, 0.1)]
    assert nearest_plan(tried) == 1  # 3 needs a margin that it has not
    refused = confirmed(tried[0], shift=0.03)
    assert nearest_plan(tried, [refused]) == 2


def test_of_plans_that_miss_as_many_limits_the_smallest_miss_counts():
    tried = [plan(1, 0.06, 0.9), plan(2, 0.07, 0.1), plan(3, 0.06, 0.8)]
    assert nearest_plan(tried) == 3


def fewer_people(one, people=200):
    """The plan where a further seed may well differ."""
    limits = tuple(msgspec.structs.replace(limit, people=people) for limit in one.limits)
    return msgspec.structs.replace(one, limits=limits)


def test_a_search_that_was_stopped_hopes_for_what_keeps_its_limits():
    # With the margin 1 misses two limits, and 2 only one, but by its figure in the search.
    kept = fewer_people(plan(1, 0.049, 0.9, max_learned=0.049))
    missed = fewer_people(plan(2, 0.0501, 0.1, max_learned=0.0))
    assert nearest_plan([kept, missed]) == 2
    assert nearest_plan([kept, missed], stopped=True) == 1
    refused = confirmed(kept, shift=0.03)
    assert nearest_plan([kept, missed], [refused], stopped=True) == 2
    undecided = confirmed(plan(1, 0.04, 0.9), spread=0.0028)
    assert not undecided.accepted
    assert undecided.kept == undecided.repetitions
    assert nearest_plan([plan(1, 0.04, 0.9), missed], [undecided], stopped=True) == 1
    assert nearest_plan([missed], stopped=True) == 2


def test_the_limits_that_the_nearest_plan_misses():
    one, two = plan(1, 0.04, 0.1), plan(2, 0.2, 0.1, max_learned=0.3)
    refused = confirmed(one, shift=0.03)
    (linked,) = missed_limits([one, two], [refused], 1)
    assert (linked.limit, linked.scenario, linked.allowed, linked.searched, linked.never) == (
        "max_linked", "register", ALLOWED, 0.04, True
    )  # fmt: skip
    assert linked.bound == refused.figures[0].bound > ALLOWED
    assert missed_limits([one, two], [], 1) == ()
    learned, linked = missed_limits([one, two], [], 2)  # the worst first
    assert (learned.limit, learned.bound, learned.never) == ("max_learned", None, False)
    assert not linked.never
    assert missed_limits([one, two], [], None) == ()


def test_where_every_plan_loses_too_much_the_nearest_loses_least():
    def dear(number, loss):
        limit = Limit(limit="max_loss", allowed=0.3, found=loss, kept=False, reason="")
        return TriedPlan(
            number=number, candidate=Candidate("a"), masks=(), stage="dropped", loss=loss,
            limits=(limit,),
        )  # fmt: skip

    tried = [dear(1, 0.6), dear(2, 0.45), plan(3, 0.1, None, stage="refused")]
    assert nearest_plan(tried) == 2
    (missed,) = missed_limits(tried, [], 2)
    assert (missed.limit, missed.allowed, missed.searched, missed.never) == (
        "max_loss", 0.3, 0.45, True
    )  # fmt: skip
    assert nearest_plan([*tried, plan(4, 0.9, 0.2)]) == 4  # of those that met every attack


def test_what_a_limit_costs():
    tried = [plan(1, 0.04, 0.3, max_learned=0.01), plan(2, 0.07, 0.2, max_learned=0.01),
             plan(3, 0.04, 0.25, max_learned=0.2)]  # fmt: skip
    linked, learned = limit_costs(tried, [confirmed(tried[0])], 1)
    assert (linked.limit, linked.plan, linked.binds, linked.estimated) == (
        "max_linked", 2, True, True
    )  # fmt: skip
    assert linked.saves == pytest.approx(0.1)
    assert linked.loosened == pytest.approx(0.075)
    assert (learned.plan, learned.binds, learned.saves) == (None, False, None)


def test_a_plan_that_confirmation_refused_counts_by_its_bounds():
    chosen, refused, other = (
        plan(1, 0.02, 0.3, max_learned=0.001), plan(2, 0.04, 0.2, max_learned=0.001),
        plan(3, 0.06, 0.1, max_learned=0.001),
    )  # fmt: skip
    seeds = [msgspec.structs.replace(refused, limits=found.limits)
             for found in (plan(2, 0.055, 0.2, max_learned=0.001) for _ in range(8))]  # fmt: skip
    found = [confirmed(chosen), confirmation(refused, seeds)]
    linked, learned = limit_costs([chosen, refused, other], found, 1)
    # It kept both limits in the search; on fresh seeds it breaks only the first.
    assert (learned.limit, learned.binds) == ("max_learned", False)
    assert (linked.plan, linked.estimated) == (3, True)
    linked, _ = limit_costs([chosen, refused], found, 1)
    assert (linked.plan, linked.estimated) == (2, False)


def test_a_plan_that_needs_a_looser_limit_by_its_margin_only_is_counted():
    few = [
        msgspec.structs.replace(
            one, limits=tuple(msgspec.structs.replace(x, people=150) for x in one.limits)
        )
        for one in (plan(1, 0.0, 0.3), plan(2, 0.045, 0.2), plan(3, 0.2, 0.1))
    ]
    (linked,) = limit_costs(few, [confirmed(few[0])], 1)
    # With the margin that 150 people need, 2 uses over twice its limit.
    assert not linked.binds
    assert limit_costs([plan(1, 0.0, 0.3), plan(2, 0.045, 0.2)], [], 1)[0].binds is False


def test_without_a_choice_a_limit_binds_if_it_alone_is_in_the_way():
    (linked,) = limit_costs([plan(1, 0.06, 0.3), plan(2, 0.2, 0.1)], [], None)
    assert (linked.binds, linked.plan, linked.saves) == (True, 1, None)


def test_what_each_combination_reaches():
    swap = [{"method": "rank-swapping", "p": {"from": 1, "to": 40}}]
    space = SearchSpace(combination=[{"name": n, "mask": swap} for n in ("a", "b", "c")])
    tried = [plan(1, 0.04, 0.3), plan(2, 0.01, 0.4), plan(3, 0.2, 0.1, combination="b")]
    a, b, c = reach(tried, space)
    assert (a.kept, a.loss, a.safest, a.tried) == (1, 0.3, 2, 2)
    assert (b.kept, b.safest) == (None, 3)
    assert (c.tried, c.safest, c.risk) == (0, None, None)
