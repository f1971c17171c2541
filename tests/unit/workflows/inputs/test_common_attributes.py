"""The common attributes of two files: which are compared, and why others are left out."""

import polars as pl
import pytest

import unveil
from unveil import measures
from unveil.attacks import Distance
from unveil.errors import SpecError
from unveil.workflows.inputs.common_attributes import common
from unveil.workflows.inputs.scenario import prepare
from unveil.workflows.link import default_attack, link_scenario, linkage


@pytest.fixture(scope="module")
def people():
    """Without a schema: nobody declared anything."""
    return unveil.households(60, seed=3).to_frame()


def meeting(first, second, truth=None):
    return prepare(first, second, intruder=unveil.Intruder(), truth=truth, seed=0)


def test_categories_and_numbers_are_compared_by_distance_alone(people):
    """Each file's schema says what its column holds."""
    classes = pl.when(pl.col("income") < 20_000).then(pl.lit("low")).otherwise(pl.lit("high"))
    declared = unveil.Schema(ordinal={"income": ["low", "high"]})
    both = ["age", "hours", "tax", "income"]
    first = unveil.Microdata(people.select(both).with_columns(income=classes), declared)
    second = unveil.Microdata(people.select(both), unveil.Schema(numeric="income"))
    scene = meeting(first, second)
    reason = "has categories in the first file and numbers in the second, which only distance"
    assert common(scene).columns == tuple(both[:3])
    assert reason in common(scene).left_out["income"]
    assert link_scenario(scene).finder.columns == tuple(both[:3])  # by Fellegi and Sunter
    found = linkage(link_scenario(scene, "distance"), scene)
    assert (found.mine, found.left_out) == (tuple(both), {})
    assert default_attack(scene, ("age", "hours", "income")).name == "distance"
    scene = meeting(first.select(["income"]), second.select(["income"]))
    assert default_attack(scene).name == "distance"
    nominal = first.select(["income", "age"]).to_frame()
    one = unveil.Microdata(nominal, unveil.Schema(nominal="income"))
    assert common(meeting(one, second), attack=Distance()).columns == ("income", "age")
    alone = meeting(one.select(["income"]), second)
    assert (
        "no number that both files have shows their order"
        in (common(alone, attack=Distance()).left_out["income"])
    )
    undeclared = meeting(nominal.select("income"), people)
    assert common(undeclared, attack=Distance()).left_out == {
        "income": "has different types in the two files"
    }


@pytest.mark.parametrize("spec", ["distance", "probabilistic"])
def test_columns_compared_as_they_are_written_may_have_any_type(spec):
    """A typing error makes text of the dates or the codes of one file."""
    first, second = (one.to_frame() for one in unveil.registers(60, seed=3))
    first = first.with_columns(postcode=pl.col("postcode").cast(pl.Int64))
    second = second.with_columns(born=pl.col("born").cast(pl.String).str.replace("-0", "-9"))
    comparisons = {"postcode": {"by": "prefix"}, "born": {"by": "parts"}}
    scene = meeting(first, second, truth="person")
    assert {*common(scene).left_out} == {*comparisons}
    links = link_scenario(scene, {"method": spec, "comparisons": comparisons})
    assert {*comparisons} <= {*links.finder.columns}
    assert linkage(links, scene).left_out == {}
    assert measures.risk(links).expected == 60


@pytest.mark.parametrize("spec", ["distance", "probabilistic"])
def test_a_compared_column_that_says_nothing_is_refused_with_the_reason(spec):
    first, second = (one.to_frame() for one in unveil.registers(60, seed=3))
    second = second.with_columns(town=pl.lit("x"))
    settings = {"method": spec, "comparisons": {"town": {"by": "soundex"}}}
    with pytest.raises(SpecError, match="comparisons: column 'town' does not vary in the second"):
        link_scenario(meeting(first, second), settings)
    settings = {"method": spec, "comparisons": {"surname": {"by": "soundex"}}}
    with pytest.raises(SpecError, match="'surname' is not compared, but a block"):
        link_scenario(meeting(first, second), settings, blocks=("surname",))
