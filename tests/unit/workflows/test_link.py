"""Two files, with common attributes or none: what is compared, which attack suits, what is said."""

import json

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil.attacks import Distance, Position, Probabilistic, Rank, Structural
from unveil.errors import DataError, SchemaError, SpecError, UnveilError, UsageError
from unveil.workflows.inputs.scenario import prepare
from unveil.workflows.link import (
    LinkSettings,
    common,
    default_attack,
    link_scenario,
    link_summary,
    linkage,
)

pytestmark = pytest.mark.usefixtures("quick_search")

BANK = ["person", "income", "tax", "age"]
HEALTH = ["person", "education", "hours", "savings", "sex"]


@pytest.fixture(scope="module")
def people():
    """Without a schema: nobody declared anything."""
    return unveil.households(60, seed=3).to_frame()


def meeting(first, second, truth=None):
    return prepare(first, second, intruder=unveil.Intruder(), truth=truth, seed=0)


def other_names(frame):
    return frame.rename({name: f"{name}_2" for name in frame.columns})


def test_three_common_attributes_fewer_or_none(people):
    both = ["age", "hours", "region"]
    found = unveil.link(people.select(both), people.select([*both, "tax"]))
    assert found.attack == Probabilistic(matching="posterior")
    assert found.finder.columns == tuple(both)
    found = unveil.link(people.select(both[:2]), people)
    assert found.attack == Distance(scale="release", matching="posterior")
    found = unveil.link(people.select(BANK), people.select(HEALTH), truth="person")
    assert found.attack == Structural()
    assert set(found.finder.columns) == {*BANK, *HEALTH} - {"person"}


def test_what_both_files_have_is_compared_whatever_its_role_but_no_identifier(people):
    roles = unveil.Schema(
        identifier="person", weight="weight", household="household", stratum="region"
    )
    first, second = (unveil.Microdata(people, roles) for _ in range(2))
    assert set(common(meeting(first, second)).columns) == {*people.columns} - {
        "person",
        "weight",
        "household",
        "region",
    }
    assert "person" not in common(meeting(people, people, truth="person")).columns
    assert "person" in common(meeting(people, people)).columns
    # A quasi-identifier of either file
    second = unveil.Microdata(people, unveil.Schema(quasi=["age", "tax"]))
    assert common(meeting(unveil.Microdata(people), second)).columns == ("age", "tax")


def test_what_cannot_be_compared_is_left_out_and_said(people, caplog):
    other = people.with_columns(
        age=pl.lit(4), tax=pl.lit("a"), sex=pl.lit(None, pl.String), hours=pl.col("region")
    )
    first = unveil.Microdata(people, unveil.Schema(nominal="household_size"))
    second = unveil.Microdata(other, unveil.Schema(numeric="household_size"))
    found = common(meeting(first, second))
    assert found.left_out == {
        "sex": "is missing in every record of the second file",
        "age": "does not vary in the second file",
        "household_size": "is nominal in the first file and numeric in the second",
        "tax": "does not vary in the second file",
        "hours": "has different types in the two files",
    }
    assert not {*found.columns} & {*found.left_out}
    unveil.link(first, second)
    assert "column 'age' is not compared: it does not vary" in caplog.text
    scene = meeting(first, second)
    assert linkage(link_scenario(scene), scene).left_out == found.left_out
    assert not linkage(link_scenario(scene, knows=("income",)), scene).left_out


def test_a_truth_of_every_kind(people, tmp_path):
    rng = np.random.default_rng(1)
    order = rng.permutation(len(people))
    columns = ["person", "age", "income", "region"]
    first, second = people.select(columns), people.select(columns)[order]
    (tmp_path / "map.csv").write_text(
        "released,original\n" + "".join(f"{i + 1},{row + 1}\n" for i, row in enumerate(order))
    )
    first, second = first.drop("person"), second.drop("person")
    hits = [
        unveil.measures.risk(unveil.link(first, second, truth=truth)).expected
        for truth in (order, str(tmp_path / "map.csv"))
    ]
    named = unveil.link(people.select(columns), people.select(columns)[order], truth="person")
    ordered = unveil.link(first, first, truth="row-order")
    hits += [unveil.measures.risk(links).expected for links in (named, ordered)]
    assert hits == [pytest.approx(hits[0])] * 4
    assert hits[0] > 50
    assert unveil.link(first, second).truth is None


def test_the_order_of_the_rows_means_nothing(people):
    columns = ["person", "age", "income", "region"]
    rng = np.random.default_rng(2)
    found = []
    for rows in (np.arange(40), rng.permutation(40)):
        scene = meeting(people[rows].select(columns), people[10:].select(columns), "person")
        found.append(linkage(link_scenario(scene), scene))
    assert found[0].claimed == found[1].claimed
    assert found[0].expected == pytest.approx(found[1].expected, abs=1e-9)
    assert found[0].risk.expected == pytest.approx(found[1].risk.expected)
    assert found[0].risk.absent == 10


@pytest.mark.parametrize("truth", [None, "person"])
@pytest.mark.parametrize("spec", [None, Structural(), Rank(), Position(), Distance()])
def test_a_linkage_is_plain_and_adds_up(people, spec, truth):
    second = HEALTH if spec is None or isinstance(spec, Structural) else BANK
    scene = meeting(people.select(BANK), people.select(second).reverse(), truth)
    links = link_scenario(scene, spec)
    found = linkage(links, scene, confidence=0.5)
    plain = json.loads(msgspec.json.encode(found))
    assert "NaN" not in json.dumps(plain)
    assert plain["records"] == plain["candidates"] == 60
    assert (plain["risk"] is None) == (truth is None)
    assert not {"person"} & {*plain["mine"], *plain["release"]} or truth is None
    chances = links.pairs(1)["match_probability"]
    if chances.null_count():
        assert chances.null_count() == len(chances)
        assert plain["claimed"] is plain["unlinked"] is plain["expected"] is None
        return
    best = links.pairs(1).group_by("unique_id_l").agg(pl.col("match_probability").max())
    assert plain["expected"] == pytest.approx(best["match_probability"].sum())
    assert plain["claimed"] == int((best["match_probability"] > 0.5).sum())
    assert plain["claimed"] + plain["unlinked"] == 60


def test_pairs_are_written_with_their_probabilities(people, tmp_path):
    links = unveil.link(people.select(BANK[1:]), people)
    unveil.write(links, tmp_path / "pairs.csv")
    table = pl.read_csv(tmp_path / "pairs.csv")
    assert table.columns == [
        "unique_id_l", "unique_id_r", "match_weight", "match_probability", "n_best",
    ]  # fmt: skip
    assert table["match_probability"].is_between(0, 1).all()
    assert table["unique_id_l"].n_unique() == 60


def test_attributes_that_are_named(people):
    scene = meeting(people.select(BANK), people.select([*HEALTH, "age"]))
    assert default_attack(scene, ("age",)) == Distance(scale="release", matching="posterior")
    assert default_attack(scene, ("income", "tax")) == Structural()
    found = linkage(link_scenario(scene, knows=("income", "tax")), scene)
    assert found.mine == ("income", "tax")
    assert "age" in found.release  # of the second file alone, since it was not named
    with pytest.raises(DataError, match="has age and lacks income"):
        link_scenario(scene, knows=("age", "income"))
    with pytest.raises(DataError, match="in the first file, column 'agee'.*did you mean 'age'"):
        link_scenario(scene, knows=("agee",))
    with pytest.raises(SpecError, match="compares no attributes"):
        link_scenario(scene, Position(), knows=("age",))


def test_schemas(people, tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    people.select(BANK).write_csv(first)
    people.select(HEALTH).write_csv(second)
    both = unveil.Schema(identifier="person", quasi=["income"], nominal=["sex"])
    links = unveil.link(first, second, schema=both)
    assert links.attack == Structural()
    assert "person" not in links.finder.columns
    own = unveil.Schema(identifier="person", quasi=["income"])
    other = unveil.Schema(identifier="person", nominal=["sex"])
    assert unveil.link(first, second, schema=own, other_schema=other).finder.columns == (
        links.finder.columns
    )
    for schemas, error, said in (
        ({"schema": unveil.Schema(quasi="incom")}, SchemaError, "of both files, column 'incom'"),
        ({"schema": both, "other_schema": other}, SchemaError, "column 'sex' is not in"),
    ):
        with pytest.raises(error, match=said):
            unveil.link(first, second, **schemas)
    data = unveil.Microdata(people, unveil.Schema(identifier="person"))
    for given in ({"schema": both}, {"other_schema": both}):
        with pytest.raises(UsageError, match="leave out"):
            unveil.link(data, data, **given)
    assert "person" not in unveil.link(data, people).finder.columns  # as the first file says
    release = unveil.mask(data, [unveil.masks.Rounding(base=5, columns=["age"])], seed=1)
    assert unveil.link(data, release).truth is not None
    with pytest.raises(UsageError, match="a Release has its own schema"):
        unveil.link(data, release, other_schema=other)


def no_cells(frame):
    return frame.with_columns(pl.lit(None, kind).alias(c) for c, kind in frame.schema.items())


def constant(frame):
    return frame[[0] * len(frame)]


SAME = ["age", "income", "sex"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: f[:9], "needs at least 10"),
        (constant, "is constant"),
        (no_cells, "is missing in every record"),
        (lambda f: f[:0], "there are no records"),
    ],
)
@pytest.mark.parametrize("spoiled", [0, 1])
def test_files_apart_of_which_nothing_can_be_made(people, spoil, said, spoiled):
    files = [people.select(SAME), other_names(people.select(SAME))]
    files[spoiled] = spoil(files[spoiled]) if not spoiled else other_names(spoil(people[SAME]))
    with pytest.raises(UnveilError, match=said):
        unveil.link(*files)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["income"], ["savings"]),  # one number each
        (["sex"], ["region"]),  # categories only
        (["income"], ["region", "sex"]),
    ],
)
def test_little_is_enough_to_try(people, first, second):
    links = unveil.link(people.select(first), other_names(people.select(second)))
    assert links.name == "structural"
    assert len(links.pairs(1)) >= 60


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (lambda f: f, lambda f: f[:1], "'age' does not vary in the second file"),
        (no_cells, lambda f: f, "'age' is missing in every record of the first file"),
        (lambda f: f[["age"]], lambda f: f.select(age=pl.col("sex")), "different types"),
    ],
)
def test_common_attributes_that_say_nothing(people, first, second, said):
    with pytest.raises(DataError, match=said):
        unveil.link(first(people[SAME]), second(people[SAME]))


def test_common_attributes_need_no_many_records(people):
    assert len(unveil.link(people[SAME][:1], people[SAME])) == 1
    assert len(unveil.link(people[SAME], people[SAME][:2])) == 60
    assert unveil.link(people[SAME], people[SAME]).name == "probabilistic"  # one file twice


def test_an_attack_that_does_not_suit(people):
    with pytest.raises(DataError, match="no attribute in common that can be compared; leave out"):
        unveil.link(people[SAME], other_names(people[SAME]), Distance())
    with pytest.raises(UsageError, match="an attack is one of"):
        unveil.link(people, people, 3)
    with pytest.raises(DataError, match="each file needs attributes that the other lacks"):
        unveil.link(people[SAME], people[SAME], Structural())


def test_files_are_linked_and_what_was_found_is_one_value(people, tmp_path):
    both = people[["person", "age", "hours", "region"]]
    settings = LinkSettings(knows=("age", "hours"), confidence=0.5, links=tmp_path / "l.csv")
    tasks = []
    found = link_summary(
        both, both, "rank", truth="person", settings=settings,
        progress=lambda task, _done, _total: tasks.append(task),
    )  # fmt: skip
    assert (found.attack, found.mine, found.confidence) == ("rank", ("age", "hours"), 0.5)
    assert found.risk.n == len(both)
    assert (tmp_path / "l.csv").is_file()
    assert tasks[0] == "reading the files"
    assert tasks[-1] == "rank"
    free = LinkSettings(parameters={"smoothing": "0.5"})
    default = link_summary(both, both, truth="person", settings=free)
    assert (default.attack, default.parameters["smoothing"]) == ("probabilistic", 0.5)
    with pytest.raises(SpecError, match="'starts' is not a parameter"):
        link_summary(both, both, settings=LinkSettings(parameters={"starts": "3"}))
