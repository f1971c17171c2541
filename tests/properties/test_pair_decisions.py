"""Decisions on pairs equal their slow twins: the rule, EM with answers, and the lists."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from naive import linkage as naive
from properties.test_probabilistic import masked_a_little, people, rules, seeds
from strategies.examples import examples
from unveil import Intruder, attacks, measures
from unveil.attacks.probabilistic.decision_rule import ErrorLimits, WeighedPatterns, decision_rule
from unveil.attacks.probabilistic.error_intervals import class_sums, error_rates
from unveil.attacks.probabilistic.fellegi_sunter import LabelledPairs, estimate, initial_model
from unveil.attacks.probabilistic.level_counts import count_pairs, pair_patterns
from unveil.attacks.probabilistic.pair_counts import level_shares
from unveil.errors import SpecError
from unveil.values.results.pair_classes import PAIR_CLASSES

limits = st.builds(
    ErrorLimits, st.sampled_from([1e-6, 0.01, 0.1, 0.5]), st.sampled_from([1e-6, 0.01, 0.1, 0.5])
)


@pytest.fixture(autouse=True)
def _few_simulations(monkeypatch):
    """Intervals of error rates have tests of their own: here they would take minutes."""
    for name in ("FEW_SIMULATIONS", "SIMULATIONS"):
        monkeypatch.setattr(f"unveil.attacks.probabilistic.error_intervals.{name}", 9)


def some_patterns(rng):
    """Weights full of ties, and numbers of pairs."""
    n = rng.integers(1, 9)
    weights = rng.integers(-4, 5, n) * 1.5
    return WeighedPatterns.of(weights, rng.integers(1, 50, n) * 1.0, rng.normal())


@examples(2)
@given(seeds, limits)
def test_the_rule_links_and_excludes_as_many_as_the_limits_allow(seed, allowed):
    patterns = some_patterns(np.random.default_rng(seed))
    others = patterns.pairs - patterns.matches
    expected = naive.decide(
        patterns.weights.tolist(), patterns.matches.tolist(), others.tolist(), *allowed
    )
    if expected is not None:
        rule = decision_rule(patterns, allowed)
        assert rule.classes(patterns.weights).tolist() == expected
        rates = error_rates(*class_sums(rule, patterns))
        for rate, limit in zip(rates, allowed, strict=True):
            assert rate.share <= limit * (1 + 1e-6)
        return
    with pytest.raises(SpecError, match="cross") as error:
        decision_rule(patterns, allowed)
    # What the message offers can be met.
    for parameter, least in re.findall(r"is ([\d.e-]+): give (\w+)", str(error.value)):
        decision_rule(patterns, allowed._replace(**{least: float(parameter)}))
    decision_rule(patterns, allowed, strict=False)


@examples(1)
@given(seeds, rules)
def test_em_with_answers_is_that_of_every_pair(seed, rules):
    rng = np.random.default_rng(seed)
    a, b, ends, patterns = masked_a_little(rng)
    rows = np.argwhere(np.ones((len(a), len(b))))
    known = np.where(rng.random(len(rows)) < 0.1, rng.integers(0, 2, len(rows)), np.nan)
    yes, no = (
        count_pairs(a, b, ends, rows[known == one], np.ones((known == one).sum())) for one in (1, 0)
    )
    spread = level_shares(patterns.totals(), patterns.first)
    start = initial_model(spread, patterns.first, 1 / len(a), constrained=rules.constrained)
    model = estimate(patterns, spread, 1 / len(a), rules, labelled=LabelledPairs(yes, no))
    m, u, prior, path = naive.em(
        naive.levels(a, b, ends),
        start.by_attribute(start.m),
        start.by_attribute(spread),
        1 / len(a),
        len(model.path) - 1,
        smoothing=rules.smoothing,
        constrained=rules.constrained,
        estimate_u=rules.estimate_u,
        estimate_prior=rules.estimate_prior,
        known=known,
    )
    assume(all(np.isfinite(np.concatenate(part)).all() for part in (m, u)))
    assert model.m == pytest.approx(np.concatenate(m), abs=1e-9)
    assert model.u == pytest.approx(np.concatenate(u), abs=1e-9)
    assert model.prior == pytest.approx(prior, abs=1e-9)
    if np.isfinite(path).all():
        assert model.path == pytest.approx(path, rel=1e-9, abs=1e-9)


@examples(1)
@given(seeds, st.sampled_from([10**6, 0]))
def test_each_pair_has_its_pattern(seed, dense):
    a, b, ends, _ = masked_a_little(np.random.default_rng(seed))
    rows = np.argwhere(np.ones((len(a), len(b))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("unveil.attacks.probabilistic.level_counts.DENSE_PATTERNS", dense)
        patterns, places = pair_patterns(a, b, ends, rows)
    found = np.array([patterns.levels(place) for place in places.tolist()])
    assert (found == naive.levels(a, b, ends)).all()
    assert (np.bincount(places) == patterns.counts).all()


def _decisions(mine, released, truth, *, blocks, back):
    spec = attacks.Probabilistic(p_link_unmatched=0.01, p_nonlink_matched=0.01)
    direction = "release-to-original" if back else "original-to-release"
    intruder = Intruder(blocks=blocks, direction=direction)
    return measures.decisions(unveil.attack(mine, released, spec, intruder=intruder, truth=truth))


@examples(0.2)
@given(seeds, st.booleans(), st.booleans(), st.booleans())
def test_lists_hold_every_pair_once_whatever_the_order_of_the_rows(seed, blocked, gappy, back):
    rng = np.random.default_rng(seed)
    mine, released = people(rng, 14, 0.1 if gappy else 0.0)
    blocks = ["c"] if blocked else []
    one, two = rng.permutation(14), rng.permutation(14)
    try:
        found = _decisions(mine, released, np.arange(14), blocks=blocks, back=back)
    except SpecError:  # so few pairs are easily decided on
        assume(False)
    again = _decisions(
        mine.take(one), released.take(two), np.argsort(one)[two], blocks=blocks, back=back
    )
    assert found.classes == again.classes
    pairs, moved = found.pairs(PAIR_CLASSES), again.pairs(PAIR_CLASSES)
    moved = moved.with_columns(
        unique_id_l=pl.Series(one[moved["unique_id_l"] - 1] + 1),
        unique_id_r=pl.Series(two[moved["unique_id_r"] - 1] + 1),
    )
    ids = ["unique_id_l", "unique_id_r"]
    assert pairs.sort(ids).equals(moved.sort(ids))
    assert pairs.select(ids).is_unique().all()
    counted = {row.name: row.pairs for row in found.classes.classes}
    assert {name: int((pairs["class"] == name).sum()) for name in PAIR_CLASSES} == counted
    right = pairs.filter(pl.col(ids[0]) == pl.col(ids[1]))
    assert len(right) + found.classes.separated == 14
    for row in found.classes.classes:
        assert row.right == (right["class"] == row.name).sum()
    assert pairs["match_weight"].is_sorted(descending=True)
    for original, release, weight in pairs.select(*ids, "match_weight").head(3).rows():
        steps = found.of_pair(original, release).classes.example
        assert sum(step.weight for step in steps[1:]) == pytest.approx(weight)
