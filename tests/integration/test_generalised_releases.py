"""Audits of releases that were made coarser: ranges, sets, groups, prefixes, stars."""

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Intruder, Microdata, Plan, Release, Schema, attacks, masks, measures
from unveil.attacks.distance import category_sets as sets
from unveil.cli.verdict_text import print_audit
from unveil.table.cells import write_prefix, write_range, write_set
from unveil.table.sample import EDUCATION, NOT_WORKING, OCCUPATIONS
from unveil.values.file_pair import FilePair
from unveil.values.release.category_channels import Sets
from unveil.values.release.channels import Ranges

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_trees", "quick_learning")]

N = 70
QUICK = {"sweep": False, "errors": (), "remask": 0, "remedies": False, "worst_case": False}
KNOWN = ["age", "education", "region", "occupation", "marital_status", "household_size"]
JOBS = [[job, "works", "*"] for job in OCCUPATIONS] + [[job, "not", "*"] for job in NOT_WORKING]
NORTH = ("Northport", "Highfell", "Lakeside")


@pytest.fixture(scope="module")
def people():
    sample = unveil.households(N, seed=3)
    return sample.select([name for name in sample.columns if name != "household"])


@pytest.fixture(scope="module")
def coarse(people):
    """Every way to make a cell coarser, with stars, some of them over missing cells."""
    rng = np.random.default_rng(1)
    hidden = {name: rng.random(N) < 0.1 for name in KNOWN}
    ways = {
        "age": lambda age: write_range(f"{age // 10 * 10}", f"{age // 10 * 10 + 9}"),
        "education": lambda level: write_range(*_around(EDUCATION, level)),
        "region": lambda town: write_set(NORTH if town in NORTH else [town, "Midland"]),
        "occupation": lambda job: next(row[1] for row in JOBS if row[0] == job),
        "marital_status": lambda status: write_prefix(status[:1]),
        "household_size": str,
    }
    columns, attributes = [], {}
    for name, way in ways.items():
        cells = [
            "*" if star else None if cell is None else way(cell)
            for cell, star in zip(people.column(name), hidden[name], strict=True)
        ]
        columns.append(pl.Series(name, cells, dtype=pl.String))
        attributes[name] = msgspec.structs.replace(
            people.schema[name], generalised=True, hierarchy=JOBS if name == "occupation" else ()
        )
    return people.replace(columns, attributes)


def _around(order, level):
    at = order.index(level)
    return order[max(at - 1, 0)], order[min(at + 1, len(order) - 1)]


def channels(data):
    return tuple(
        (Ranges if data.level(name) == "numeric" else Sets)((name,))
        for name in KNOWN
        if data.schema[name].generalised
    )


def test_an_audit_reads_whatever_was_made_coarser(people, coarse, capsys):
    release = Release(coarse, Plan((), seed=1), channels(coarse), np.arange(N))
    found = audits.audit(people, release, knows=KNOWN, errors=[0.2], remask=0).evidence
    made = {(one.name, one.risk.direction) for one in found.attacks}
    assert {name for name, _ in made} >= {"distance", "compatible", "tailored", "position"}
    learnt = {"supervised-choquet", "supervised-bilinear"}
    assert {one.name for one in found.left_out} <= learnt, found.left_out
    for one in found.attacks:
        assert one.risk.expected <= one.risk.ceiling + 1e-9
    fit = found.compatible
    assert fit.columns == tuple(KNOWN)
    assert (fit.n, fit.none) == (N, 0)
    assert 1 <= fit.fewest <= fit.median
    print_audit(unveil.values.results.evidence.Audit(found, {}), whole=True)
    said = capsys.readouterr().out
    assert f"An intruder who knows {', '.join(KNOWN[:3])}" in said
    assert f"for each of {N} people; for {fit.below_5} fewer than 5." in said


def test_the_file_that_was_written_says_the_same(people, coarse, tmp_path):
    unveil.write(coarse, tmp_path / "r.csv")
    files = {"truth": np.arange(N), "knows": KNOWN, "attacks": ["distance", "compatible"]} | QUICK
    one = audits.audit(people, coarse, **files).evidence
    two = audits.audit(people, tmp_path / "r.csv", release_schema=coarse.schema, **files).evidence
    assert one.compatible == two.compatible
    assert [found.risk for found in one.attacks] == [found.risk for found in two.attacks]


def test_rows_fit_by_what_tells_nothing_false(people):
    steps = [
        masks.GlobalRecoding(intervals=10, columns=["age"]),
        masks.AdditiveNoise(scale=0.5, columns=["income"]),
    ]
    release = unveil.mask(people, steps, seed=1)
    knows = ["age", "sex", "income"]
    found = audits.audit(people, release, knows=knows, attacks=["compatible"], **QUICK).evidence
    assert found.compatible.columns == ("age", "sex")
    assert {one.risk.attributes for one in found.attacks} == {("age", "sex")}
    both = FilePair.of(people, release.data, np.arange(N))
    assert [both.is_truthful(name) for name in (*knows, "person")] == [True, True, False, False]
    assert FilePair.of(people, release.data, np.full(N, -1)).is_truthful("age")  # of no pair
    plain = unveil.mask(people, steps[1:], seed=1)
    assert (
        audits.audit(people, plain, knows=knows, attacks=["rank"], **QUICK).evidence.compatible
        is None
    )


def test_of_others_than_compatible_rows_nothing_fits(people):
    for spec in (attacks.Distance(), attacks.Compatible(matching="one-to-one")):
        links = unveil.attack(people, people, spec, intruder=Intruder(knows=["sex"]))
        with pytest.raises(
            unveil.UnveilError, match=r"need the attack unveil\.attacks\.Compatible"
        ):
            measures.compatible_rows(links)


def test_a_record_that_no_row_fits_is_linked_with_nobody():
    schema = Schema(numeric="x", quasi="x")
    ranges = Schema(numeric="x", quasi="x", generalised="x")
    mine = Microdata(pl.DataFrame({"x": [1.0, 5.0, None]}), schema)
    rows = Microdata(pl.DataFrame({"x": ["2..4", "5..9", "5"]}), ranges)
    links = unveil.attack(mine, rows, attacks.Compatible(), truth="row-order")
    assert measures.rows_that_fit(links).tolist() == [0, 2, 3]
    assert measures.hits(links).tolist() == pytest.approx([0, 1 / 2, 1 / 3])
    assert links.best.tolist() == [-1, 1, 0]
    found = measures.compatible_rows(links)
    assert (found.fewest, found.none, found.below_2, found.below_3) == (0, 1, 1, 2)


@pytest.fixture
def few_cells(monkeypatch):
    monkeypatch.setattr(sets, "FEW_CELLS", 2)
    monkeypatch.setattr(sets, "MOST_CELLS", 2)
    monkeypatch.setattr(sets, "MOST_CATEGORIES", 2)


@pytest.mark.usefixtures("few_cells")
def test_sets_that_are_too_many_are_left_out_and_that_is_said(people, coarse):
    more = {"attacks": ["distance"], "truth": np.arange(N)} | QUICK
    found = audits.audit(people, coarse, knows=KNOWN, **more).evidence
    assert found.known == tuple(name for name in KNOWN if name != "region")
    assert any("'region' is left out of the known attributes" in one for one in found.notes)
    with pytest.raises(unveil.UnveilError, match="'region' has .* different generalised cells"):
        audits.audit(people, coarse, knows=["region"], **more)


@pytest.mark.parametrize(
    "recoding",
    [
        masks.GlobalRecoding(groups={"low": ["none", "primary"]}, columns=["education"]),
        masks.GlobalRecoding(groups={"primary": ["none", "primary"]}, columns=["education"]),
        masks.GlobalRecoding(
            groups={"low": EDUCATION[:3], "high": EDUCATION[3:]}, columns=["education"]
        ),
        masks.GlobalRecoding(rarest=2, label="other", columns=["education"]),
        masks.GlobalRecoding(groups={"alone": ["single", "divorced"]}, columns=["marital_status"]),
    ],
    ids=["merged", "into-one", "all", "rarest", "nominal"],
)
def test_merged_categories_say_what_they_stand_for(people, recoding, tmp_path):
    release = unveil.mask(people, [recoding], seed=1)
    (column,) = recoding.columns
    files = {"attacks": ["distance", "rank", "probabilistic", "compatible", "tailored"]} | QUICK
    knows = [column, "age", "household_size"]
    found = audits.audit(people, release, knows=knows, **files).evidence
    for one in found.attacks:
        wanted = ("age", "household_size") if one.name == "rank" and column != "education" else None
        assert set(one.risk.attributes) == set(wanted or knows)
    links = unveil.attack(
        people, release, attacks.Distance(), intruder=Intruder(knows=[column]), truth=None
    )
    known = ~people.column(column).is_null().to_numpy()
    assert links.score[known].max() == 0  # what a category was merged into is itself
    assert (links.n_closer == 0).all()
    strangers = links.on(people.to_frame().head(9))
    assert len(strangers) == 9
    unveil.write(release, tmp_path / "r.csv")
    unveil.write(release.schema, tmp_path / "r.toml")
    again = unveil.read(tmp_path / "r.csv", unveil.files.read_schema(tmp_path / "r.toml"))
    assert again.schema[column].merged == release.data.schema[column].merged != {}


def test_what_was_merged_twice_stands_for_all():
    data = Microdata(pl.DataFrame({"g": list("abcd")}), Schema(ordinal={"g": list("abcd")}))
    steps = [
        masks.GlobalRecoding(groups={"ab": ["a", "b"]}, columns=["g"]),
        masks.GlobalRecoding(groups={"low": ["ab", "c"]}, columns=["g"], name="again"),
    ]
    release = unveil.mask(data, steps)
    assert release.data.schema["g"].merged == {"low": ("a", "b", "c")}
    assert unveil.mask(data, steps[:1]).data.schema["g"].merged == {"ab": ("a", "b")}


def test_the_rarest_that_nobody_declared_are_not_told():
    data = Microdata(pl.DataFrame({"c": list("aaaabbbccd")}), Schema(nominal="c", quasi="c"))
    release = unveil.mask(data, [masks.GlobalRecoding(rarest=1, label="other", columns=["c"])])
    assert release.data.schema["c"].merged == {}
    numbers = Microdata(pl.DataFrame({"o": [1, 1, 2, 3, 3, 3]}), Schema(quasi="o", ordinal=["o"]))
    spec = masks.GlobalRecoding(rarest=1, label="other", columns=["o"])
    links = unveil.attack(numbers, unveil.mask(numbers, [spec]), attacks.Distance())
    assert len(links.best) == 6  # though of what "other" stands for nothing is known
    again = masks.GlobalRecoding(rarest=1, columns=["c"], name="again")
    first = masks.GlobalRecoding(groups={"d": ["c", "d"]}, columns=["c"])
    assert unveil.mask(data, [first]).data.schema["c"].merged == {"d": ("c", "d")}
    assert unveil.mask(data, [first, again]).data.schema["c"].merged == {}  # there is no d now
