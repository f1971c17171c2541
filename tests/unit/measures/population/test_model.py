"""The public model of the population: bad input, strata, fallbacks, and a known population."""

from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, measures
from unveil.errors import DataError, UsageError
from unveil.measures.population import log_linear
from unveil.values.results.population.model import PopulationEstimates

KEYS = ["a", "b", "c"]


def frame(n, seed=1):
    """People whose three keys depend on each other."""
    rng = np.random.default_rng(seed)
    a = rng.choice(12, n, p=np.arange(12, 0, -1) / 78)
    b = (a // 3 + rng.choice(5, n, p=[0.5, 0.2, 0.1, 0.1, 0.1])) % 6
    c = (b + rng.choice(9, n, p=np.arange(9, 0, -1) / 45)) % 9
    return pl.DataFrame({"a": a, "b": b, "c": c, "w": np.full(n, 20.0)})


def data(n=400, **columns):
    schema = Schema(nominal=[*KEYS, "s"][: 4 if "s" in columns else 3], quasi=KEYS, weight="w")
    return Microdata(frame(n).with_columns(**columns), schema)


def test_a_known_population():
    people = frame(20_000)
    counts = people.group_by(KEYS).len()
    chosen = people.sample(1000, seed=3)
    sample = Microdata(chosen, Schema(nominal=KEYS, quasi=KEYS))
    found = measures.population_model(sample, fraction=0.05)
    alone = chosen.join(chosen.group_by(KEYS).len().filter(len=1), on=KEYS, how="semi")
    truth = (1 / alone.join(counts, on=KEYS)["len"]).sum()
    assert found.estimates.uniques == len(alone)
    assert found.estimates.tau2.low < truth < found.estimates.tau2.high
    assert found.estimates.tau2.value == pytest.approx(truth, rel=0.25)
    assert found.estimates.terms != (("a",), ("b",), ("c",))
    assert found.estimates.path[0].term == ()
    assert repr(found).startswith("PopulationModel(1,000 records; ")


def test_a_truth_of_no_population_unique_is_in_the_interval():
    """Everybody has a double, so that no sample unique is unique in the population."""
    half = frame(20_000)
    people = pl.concat([half, half])
    truths, values = [], []
    for seed in range(20):
        chosen = people.sample(1000, seed=seed)
        sample = Microdata(chosen, Schema(nominal=KEYS, quasi=KEYS))
        tau1 = measures.population_model(sample, fraction=0.025).estimates.tau1
        truths.append(tau1.low == 0)
        values.append(tau1)
        assert tau1.low <= tau1.value <= tau1.high
        assert tau1.low == int(tau1.low)
        assert tau1.high <= 1000
    assert np.mean(truths) >= 0.9


def test_an_error_beyond_the_estimate_makes_no_absurd_interval():
    """An estimate far below one person has an upper end of about one person."""
    found = measures.population_model(data(4000), fraction=0.001).estimates
    assert found.tau1.value < 0.01
    assert (found.tau1.low, found.tau1.high) == (0.0, 1.0)
    common = measures.population_model(data(4000), ["a"], fraction=0.05).estimates
    assert common.uniques == 0  # then the error of tau2 says nothing of all matches
    assert common.expected_matches.high < 2 * common.expected_matches.value


def test_the_repr_says_what_is_doubtful():
    found = measures.population_model(data())
    bad = msgspec.structs.replace(
        found.estimates, acceptable=False, not_converged=(("a", "b"), ("a", "c"))
    )
    assert "does not fit; 2 terms left out, not converged)" in repr(replace(found, estimates=bad))
    good = msgspec.structs.replace(found.estimates, acceptable=True, not_converged=())
    assert repr(replace(found, estimates=good)).endswith("expected)")


def test_identifiers_and_absurd_weights_are_refused_by_all_measures():
    schema = Schema(nominal=[*KEYS, "id"], quasi=KEYS, weight="w", identifier="id")
    people = frame(50).with_columns(id=pl.Series([f"p{i}" for i in range(50)]))
    named = Microdata(people, schema)
    calls = (
        measures.population_model, measures.super_population, measures.suda,
        measures.population_risk, lambda file, keys: measures.attackers(file, columns=keys),
    )  # fmt: skip
    heavy = Microdata(people.with_columns(w=pl.lit(1e15)), schema)
    many = Microdata(frame(300).with_columns(pay=pl.Series(np.arange(300))), Schema(weight="w"))
    for call in calls:
        with pytest.raises(UsageError, match="id identifies people"):
            call(named, ["a", "id"])
        with pytest.raises(DataError, match="more than 1,000,000,000,000 people"):
            call(heavy, ["a"])
        with pytest.raises(UsageError, match="numeric with 300 values"):
            call(many, ["pay"])


def test_a_fraction_of_a_stratum_that_is_not_there_is_refused():
    strata = data(s=pl.Series(["x", "y"] * 200))
    with pytest.raises(UsageError, match="1 of the strata given have no record in column 's'"):
        measures.population_model(strata, fraction={"x": 0.05, "y": 0.05, "zz": 0.1}, strata="s")


def test_evidence_can_hold_the_estimates():
    found = measures.population_model(data()).estimates
    text = msgspec.json.encode(found)
    assert msgspec.json.decode(text, type=PopulationEstimates) == found


def test_weights_fractions_and_strata_say_the_same_where_they_are_the_same():
    by_weight = measures.population_model(data()).estimates
    by_fraction = measures.population_model(data(), fraction=0.05).estimates
    assert by_weight.weights == "w"
    assert by_fraction.weights == "fraction"
    assert by_weight.tau2 == by_fraction.tau2
    strata = data(s=pl.Series(["x", "y"] * 200))
    one = measures.population_model(strata, fraction={"x": 0.05, "y": 0.05}, strata="s").estimates
    assert (one.weights, one.tau2) == ("strata", by_weight.tau2)


def test_weights_are_averaged_in_strata():
    w = pl.Series([10.0, 40.0, 30.0, 40.0] * 100)
    strata = data(w=w, s=pl.Series(["x", "y"] * 200))
    averaged = measures.population_model(strata, strata="s").estimates
    given = measures.population_model(
        strata, fraction={"x": 1 / 20, "y": 1 / 40}, strata="s"
    ).estimates
    assert averaged.tau2.value == pytest.approx(given.tau2.value)
    assert averaged.population == pytest.approx(400 * 30)
    assert measures.population_model(strata).estimates.tau2 != averaged.tau2


def test_terms_are_given():
    pair = measures.population_model(data(), terms=[["b", "a"]]).estimates
    assert pair.terms == (("c",), ("a", "b"))
    assert len(measures.population_model(data(), terms="two-way").estimates.terms) == 3
    alone = measures.population_model(data(), terms="independence").estimates
    assert alone.terms == (("a",), ("b",), ("c",))
    triple = measures.population_model(data(), terms=[["a", "b", "c"]]).estimates
    assert triple.terms == (("a", "b", "c"),)


def test_a_fit_that_does_not_converge_is_left_out_and_named(monkeypatch):
    monkeypatch.setattr(log_linear, "CONVERGED", -1.0)
    found = measures.population_model(data(), terms="two-way").estimates
    assert found.terms == (("a",), ("b",), ("c",))
    assert found.not_converged == (("a", "b"), ("a", "c"), ("b", "c"))


def refused(sample=None, error=UsageError, **options):
    with pytest.raises(error) as caught:
        measures.population_model(data() if sample is None else sample, **options)
    return str(caught.value)


def test_bad_input_is_refused_with_the_remedy():
    unweighted = Microdata(frame(50).drop("w"), Schema(nominal=KEYS, quasi=KEYS))
    assert "`uniqueness` counts the records" in refused(unweighted)
    assert "below 1 in 1 record" in refused(data(3, w=pl.Series([20.0, 0.5, 1.0])), DataError)
    assert "below 1 in 1 record" in refused(data(3, w=pl.Series([20.0, None, 1.0])), DataError)
    for fraction in (1.2, 0, -1, True):
        assert "at most 1" in refused(fraction=fraction)
    assert "give one of them" in refused(fraction=0.1, weight="w")
    assert "needs strata" in refused(fraction={"x": 0.1})
    assert "as a mapping" in refused(fraction=0.1, strata="a")
    assert "without a fraction in 400 records" in refused(fraction={"x": 0.1}, strata="a")
    assert "at least one" in refused(columns=[])
    assert "at least one" in refused(columns=["a", "a"])
    assert "at least one" in refused(columns="a")
    two = Microdata(frame(50), Schema(nominal=KEYS[1:], quasi=["b"], weight=["a", "w"]))
    assert "several columns have the role weight" in refused(two)
    assert "not among the columns" in refused(terms=[["a", "w"]])
    assert "two or three" in refused(terms=[["a"]])
    assert '"two-way"' in refused(terms="all")
    many = Microdata(pl.DataFrame({"x": np.arange(300)}), Schema(numeric=["x"], quasi=["x"]))
    assert "recode it" in refused(many, fraction=0.1)
    wide = {f"k{j}": [str(i) for i in range(90)] for j in range(5)}
    assert "recode 'k0'" in refused(Microdata(pl.DataFrame(wide)), columns=[*wide], fraction=0.1)


def released(mask, n=400, level=None):
    sample = data(n)
    if level:
        sample = Microdata(
            frame(n), Schema(numeric=["a"], nominal=["b", "c"], quasi=KEYS, weight="w")
        )
    return sample, unveil.mask(sample, [mask], seed=5)


@pytest.mark.parametrize(
    ("mask", "level"),
    [
        (masks.Pram(theta=0.6, invariant=False, columns=["a"]), None),
        (masks.RankSwapping(p=20, columns=["a"]), "numeric"),
        (masks.RecordSwapping(geography=["a"], keys=["b"], k=1, share=0.4), None),
    ],
)
def test_a_perturbed_release_has_less_risk(mask, level):
    sample, release = released(mask, level=level)
    before = measures.population_model(sample).estimates
    after = measures.population_model(sample, release=release).estimates
    assert before.perturbed == ()
    assert after.perturbed == ("a",)
    assert 0 < after.expected_matches.value < before.expected_matches.value


def test_a_mask_that_changes_nothing_changes_no_risk():
    sample, release = released(masks.Pram(theta=0.0, invariant=False, columns=["a"]))
    before = measures.population_model(sample)
    after = measures.population_model(sample, release=release)
    assert after.estimates.tau2.value == pytest.approx(before.estimates.tau2.value)
    assert after.risks == pytest.approx(before.risks)


def test_what_is_only_coarser_is_no_error():
    groups = {"low": [str(one) for one in range(6)]}
    sample, release = released(masks.GlobalRecoding(groups=groups, columns=["a"]))
    found = measures.population_model(sample, release=release).estimates
    again = measures.population_model(release.data, columns=KEYS, fraction=0.05).estimates
    assert found.perturbed == ()
    assert found.tau2.value == pytest.approx(again.tau2.value)


def test_a_mask_without_probabilities_is_refused():
    sample, release = released(masks.AdditiveNoise(scale=0.5, columns=["a"]), level="numeric")
    assert "gives no probability that a released value is true" in refused(sample, release=release)
    assert measures.population_model(sample, ["b", "c"], release=release).estimates.perturbed == ()


def test_ranges_of_numbers_are_categories():
    values = [float(one) for one in range(400)]
    sample = Microdata(pl.DataFrame({"x": values}), Schema(numeric=["x"], quasi=["x"]))
    release = unveil.mask(sample, [masks.GlobalRecoding(intervals=2)], seed=1)
    for found in (
        measures.population_model(sample, fraction=0.1, release=release),
        measures.population_model(release.data, fraction=0.1),
    ):
        assert found.estimates.cells == 200


def test_strata_may_be_numbers():
    strata = data(s=pl.Series([1, 2] * 200))
    found = measures.population_model(strata, fraction={1: 0.05, 2: 0.05}, strata="s").estimates
    assert found.tau2 == measures.population_model(data(), fraction=0.05).estimates.tau2


def test_extreme_samples():
    assert "more than 1,000,000,000,000 people" in refused(fraction=1e-300, error=DataError)
    single = Microdata(pl.DataFrame({"x": ["one"] * 50}), Schema(quasi=["x"]))
    found = measures.population_model(single, fraction=0.1).estimates
    assert found.acceptable
    assert (found.uniques, found.tau2.value) == (0, 0)
