"""The estimators side by side: each says what its own function says, and why where it does not."""

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, measures
from unveil.measures.population.prepared_keys import prepare_keys
from unveil.measures.population.side_by_side import in_population
from unveil.values.file_pair import FilePair

KEYS = ("region", "sex", "education", "marital_status")


def found(people, keys=KEYS, **settings):
    pair = FilePair.of(people, people, list(range(len(people))))
    return in_population(prepare_keys(pair, keys), "register", **settings)


@pytest.fixture(scope="module")
def people():
    return unveil.households(600, seed=7)


def test_each_row_is_what_its_function_says(people):
    result, individual = found(people)
    model = measures.population_model(people, KEYS).estimates
    sizes = measures.super_population(people, KEYS)
    special = measures.suda(people, KEYS).summary
    own = measures.population_risk(people, KEYS)
    assert result.uniques == model.uniques == special.uniques == own.uniques
    log_linear = result.of("log-linear")
    assert log_linear.matches.value == pytest.approx(model.expected_matches.value)
    assert result.share == pytest.approx(model.expected_matches.value / 600)
    assert log_linear.unique_matches.high == pytest.approx(model.tau2.high)
    assert log_linear.population_uniques.low == model.tau1.low
    for one in sizes.estimates[:3]:
        figure = result.of(one.estimator).population_uniques
        assert (None if figure is None else figure.value) == one.sample_uniques
        assert result.of(one.estimator).valid is (one.sample_uniques is not None)
    assert result.chosen == sizes.chosen
    intrusion = result.of("dis").unique_matches.value
    assert intrusion == pytest.approx(special.dis * special.uniques)
    last = result.of("benedetti-franconi")
    assert last.matches.value == individual.expected == pytest.approx(own.expected)
    assert last.population_uniques.value == pytest.approx(own.population_uniques)
    risks = measures.individual_risk(people, KEYS, "weight")
    alone = measures.suda(people, KEYS).minimal > 0
    assert last.unique_matches.value == pytest.approx(risks[alone].sum())
    assert individual.households.n == own.households.n
    assert result.special.sets == special.sets
    assert result.special.categories == ()
    assert result.attackers.marketer.mean == pytest.approx(own.share)


def test_the_model_may_be_left_out(people):
    result, _ = found(people, model=False)
    assert result.model is None
    assert result.of("log-linear") is None
    assert result.of("pitman") is not None


def test_without_weights_only_bounds_are_known(people):
    result, individual = found(people.select([*KEYS, "person"]))
    assert (result.weight, result.estimates, individual) == (None, (), None)
    assert "no column has the role weight" in result.missing
    assert result.attackers.basis == "release"
    assert result.special.uniques == result.uniques > 0


def test_weights_below_one_are_no_figure(people):
    schema = Schema({name: people.schema[name] for name in KEYS} | {"w": {"role": "weight"}})
    frame = people.select(KEYS).to_frame().with_columns(w=pl.lit(0.5))
    result, individual = found(Microdata(frame, schema))
    assert "below 1" in result.missing
    assert (result.estimates, individual, result.population) == ((), None, None)
    assert result.attackers.basis == "release"


def test_keys_that_do_not_vary_single_nobody_out(people):
    constant = {f"k{place}": pl.lit("x") for place in range(25)}
    schema = Schema(
        {name: people.schema[name] for name in ("sex", "weight")}
        | {name: {"role": "quasi", "level": "nominal"} for name in constant}
    )
    many = Microdata(people.select(["sex", "weight"]).to_frame().with_columns(**constant), schema)
    result, _ = found(many, ("sex", *constant))
    assert result.special.columns == ("sex",)
    assert found(many, tuple(constant))[0].special is None


def test_equal_weights_make_benedetti_and_franconi_invalid(people):
    schema = Schema({name: people.schema[name] for name in KEYS} | {"w": {"role": "weight"}})
    frame = people.select(KEYS).to_frame().with_columns(w=pl.lit(20.0))
    last = found(Microdata(frame, schema))[0].of("benedetti-franconi")
    assert not last.valid
    assert "equal" in last.reason
    assert found(people)[0].of("benedetti-franconi").valid
