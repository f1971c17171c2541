"""Blocks of a linkage: records are compared only where equal in some columns."""

import polars as pl
import pytest

import unveil
from unveil.attacks import Combined, Distance, Pairs, Probabilistic, Rank, Structural
from unveil.errors import DataError, SpecError, UsageError
from unveil.workflows.inputs.scenario import prepare
from unveil.workflows.link import link_scenario, linkage

pytestmark = pytest.mark.usefixtures("quick_search")


@pytest.fixture(scope="module")
def people():
    """Without a schema: nobody declared anything."""
    return unveil.households(60, seed=3).to_frame()


def meeting(first, second, truth=None):
    return prepare(first, second, intruder=unveil.Intruder(), truth=truth, seed=0)


def test_blocks_compare_only_equal_records(people):
    both = ["person", "age", "hours", "region", "sex"]
    first, second = (
        people.select(both),
        people.select([*both, "tax"]).sample(fraction=1, shuffle=True, seed=1),
    )
    found = unveil.link(first, second, blocks=["sex", "region"], truth="person")
    assert found.attack == Distance(scale="release", matching="posterior")  # two are left
    assert (found.finder.columns, found.compared) == (
        ("age", "hours"),
        ("age", "hours", "sex", "region"),
    )
    where = found.best >= 0
    for name in ("sex", "region"):
        assert (first[name].to_numpy() == second[name].to_numpy()[found.best])[where].all()
    scene = meeting(first, second, "person")
    result = linkage(link_scenario(scene, blocks=("sex", "region")), scene)
    assert (result.blocks, result.mine) == (("sex", "region"), ("age", "hours"))
    assert result.risk.law_of_chance is not None
    inside = unveil.measures.baseline(found)
    assert inside == pytest.approx(first.select("sex", "region").n_unique())
    one = unveil.link(first, second, blocks="region", truth="person")
    assert one.intruder.blocks == ("region",)


@pytest.mark.parametrize(
    "spec",
    [
        Distance(matching="one-to-one"),
        Rank(),
        Probabilistic(matching="posterior"),
        Combined(attacks=["distance", "rank"]),
        Structural(),
    ],
    ids=lambda spec: spec.name,
)
def test_every_attack_of_records_takes_blocks(people, spec):
    kept = ["age", "hours"] if spec.needs_common_attributes else ["education", "savings"]
    second = people.select(["person", "sex", *kept])
    first = people.select(["person", "sex", "age", "hours", "income"])
    found = unveil.link(first, second, spec, blocks=["sex"], truth="person")
    where = found.best >= 0
    assert where.any()
    own, theirs = first["sex"].to_numpy(), second["sex"].to_numpy()[found.best]
    assert (own == theirs)[where].all()


def test_a_block_of_one_file_only_has_no_candidates(people):
    both = ["age", "hours", "region"]
    first, second = people.select(both), people.select(both)
    gone = first["region"][0]
    found = unveil.link(first, second.filter(pl.col("region") != gone), blocks=["region"])
    assert ((found.best < 0) == (first["region"] == gone).to_numpy()).all()


@pytest.mark.parametrize(
    ("blocks", "kind", "said"),
    [
        (["regio"], DataError, "in the first file, column 'regio'.*did you mean 'region'"),
        (["tax"], DataError, "blocks: in the second file, column 'tax'"),
        (["person"], SpecError, "'person' states who is who"),
        (["sex", "sex"], SpecError, "blocks: a column is named twice"),
        ([1], UsageError, "blocks: names of columns"),
        (["region"], DataError, "no record of the first file equals one of the second in region"),
        (["age", "hours", "region", "sex"], DataError, "each file needs attributes that the other"),
    ],
)
def test_blocks_that_cannot_be(people, blocks, kind, said):
    both = ["person", "age", "hours", "region", "sex"]
    second = people.select(both).with_columns(region=pl.lit("elsewhere"))
    if len(blocks) > 2:
        second = people.select(both)
    first = people.select([*both, "tax"])
    with pytest.raises(kind, match=said):
        unveil.link(first, second, truth="person", blocks=blocks)


def test_a_block_is_not_compared_too(people):
    scene = meeting(people, people)
    with pytest.raises(SpecError, match="blocks: column 'sex' is also compared"):
        link_scenario(scene, knows=("age", "sex"), blocks=("sex",))
    with pytest.raises(SpecError, match="leave out blocks"):
        link_scenario(scene, Pairs(pairs="links.csv"), blocks=("sex",))
