"""Full-domain generalisation: its levels, what it writes, what it refuses."""

import datetime

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, models
from unveil.errors import DataError, SchemaError, SpecError
from unveil.files.documents.toml import to_toml
from unveil.masks.generalisation.levels import Coarsening, attribute_levels

JOBS = [
    ["nurse", "health", "any"],
    ["doctor", "health", "any"],
    ["clerk", "office", "any"],
    ["judge", "office", "any"],
]


def table(**columns):
    """A table of which every column is a quasi-identifier."""
    hierarchy = columns.pop("hierarchy", {})
    ordinal = columns.pop("ordinal", {})
    frame = pl.DataFrame(columns)
    levels = {name: "nominal" for name in frame.columns if frame[name].dtype == pl.String}
    levels |= {name: "numeric" for name in frame.columns if frame[name].dtype != pl.String}
    made = {name: {"level": level} for name, level in levels.items() if name not in ordinal}
    for name, rows in hierarchy.items():
        made[name]["hierarchy"] = rows
    return Microdata(frame, Schema(quasi=list(frame.columns), ordinal=ordinal, attributes=made))


def levels(data, column, *, top=True, **how):
    found = attribute_levels("full-domain", [data], column, Coarsening(**how), star=top)
    shown = [data.column(column).to_list()]
    shown += [found.released(level).to_list() for level in range(1, found.height + 1)]
    return found, shown


def test_a_hierarchy_is_released_by_the_names_of_its_groups():
    data = table(job=["nurse", "clerk", "doctor", "judge"], hierarchy={"job": JOBS})
    found, shown = levels(data, "job")
    assert shown[1:] == [["health", "office", "health", "office"], ["any"] * 4]
    assert found.names == ("value", "level 1 of its hierarchy", "level 2 of its hierarchy")
    assert found.cost[:, 0].tolist() == [0, 1 / 3, 1]
    release = unveil.mask(data, masks.FullDomain(k=2))
    assert release.data.column("job").to_list() == shown[1]
    assert release.schema["job"].hierarchy == tuple(map(tuple, JOBS))
    assert release.schema["job"].generalised


def test_missing_is_a_value_of_its_own_below_the_star():
    data = table(job=["nurse", "clerk", "doctor", None], hierarchy={"job": JOBS})
    shown = levels(data, "job")[1]
    assert shown[1:] == [
        ["health", "office", "health", None],
        ["any", "any", "any", None],
        ["*"] * 4,
    ]
    assert levels(data, "job", top=False)[1] == shown[:-1]


def test_a_top_that_is_called_a_star_is_one():
    starred = [[*row[:2], "*"] for row in JOBS]
    data = table(job=["nurse", "clerk", "doctor", None], hierarchy={"job": starred})
    found, shown = levels(data, "job")
    assert shown[2] == ["*"] * 4
    assert found.height == 2
    assert levels(data, "job", top=False)[0].height == 1
    assert levels(data, "job", top=True, star=False)[0].height == 1


def test_numbers_get_ranges_that_nest():
    data = table(age=[20, 23, 27, 31, 84, None])
    _, shown = levels(data, "age", intervals=[5, 10, 40])
    assert shown[1:] == [
        ["20..24", "20..24", "25..29", "30..34", "80..84", None],
        ["20..29", "20..29", "20..29", "30..39", "80..89", None],
        ["0..39", "0..39", "0..39", "0..39", "80..119", None],
        ["*"] * 6,
    ]
    found, shown = levels(data, "age")
    assert found.names == ("value", "ranges of 4", "ranges of 8", "ranges of 16", "star")
    assert shown[1][:4] == ["20..23", "20..23", "24..27", "28..31"]


def test_other_numbers_get_ranges_without_their_upper_end():
    _, shown = levels(table(x=[0.5, 0.75, 1.25, 63.0]), "x")
    assert shown[1] == ["0..1", "0..1", "1..2", "63..64"]
    _, shown = levels(table(x=[0.5, 0.75, 1.25]), "x", intervals=[0.5])
    assert shown[1] == ["0.5..1", "0.5..1", "1..1.5"]


def test_huge_tiny_and_equal_numbers_have_levels():
    for values in ([5e-324, 1e-323], [1e15, 1e15 + 0.25], [-1e149, 1e149], [7.0, 7.0], [None]):
        column = pl.Series("x", values, dtype=pl.Float64)
        found, shown = levels(Microdata(pl.DataFrame([column]), Schema(numeric="x")), "x")
        assert [set(cells) for cells in shown[1:]][-1:] in ([], [{"*"}])
        assert (found.cost[-1] <= 1).all()


def test_a_numeric_hierarchy_is_released_as_ranges():
    ages = [["1", "young", "all"], ["2", "young", "all"], ["9", "old", "all"], ["7", "old", "all"]]
    data = table(age=[1, 2, 7, 9], hierarchy={"age": ages})
    found, shown = levels(data, "age")
    assert shown[1:] == [["1..2", "1..2", "7..9", "7..9"], ["1..9"] * 4]
    assert found.cost[1].tolist() == [1 / 8, 1 / 8, 2 / 8, 2 / 8]
    words = [*ages, ["none", "old", "all"]]
    with pytest.raises(SchemaError, match="'age' is numeric, and its hierarchy has categories"):
        levels(table(age=[1], hierarchy={"age": words}), "age")


def test_codes_lose_characters():
    data = table(code=["0101", "0102", "0201", "9", None])
    _, shown = levels(data, "code", prefix=True)
    assert shown[1:] == [  # two characters tell as much as three
        ["010*", "010*", "020*", "9", None],
        ["0*", "0*", "0*", "9", None],
        ["*"] * 5,
    ]
    _, shown = levels(data, "code", prefix=[2], star=False)
    assert shown[1:] == [["01*", "01*", "02*", "9", None]]


def test_ordered_categories_get_runs():
    order = ["a", "b", "c", "d", "e"]
    data = table(g=["a", "b", "d", "e"], ordinal={"g": order})
    found, shown = levels(data, "g")
    assert shown[1:] == [["a..b", "a..b", "c..d", "e"], ["a..d", "a..d", "a..d", "e"], ["*"] * 4]
    assert found.cost[1].tolist() == [1 / 4, 1 / 4, 1 / 4, 0]


def test_dates_and_other_categories_have_a_star_only():
    day = datetime.date(2000, 1, 1)
    data = table(born=[day, day, day + datetime.timedelta(9)], job=["x", "x", "y"])
    assert levels(data, "born")[1][1:] == [["*"] * 3]
    assert levels(data, "job")[1][1:] == [["*"] * 3]
    release = unveil.mask(data, masks.FullDomain(k=2, suppress=0.4))
    assert release.data.to_frame().rows() == [(day, "x")] * 2  # types stay at level 0
    assert release.row_map.tolist() == [0, 1]


def test_who_is_left_out_and_what_is_said_of_it():
    data = table(sex=["m"] * 5 + ["f"] * 5, region=["n"] * 5 + ["s"] * 4 + ["w"])
    release = unveil.mask(data, masks.FullDomain(k=2, suppress=0.1))
    told = release.details["full-domain"]
    assert told.levels == {"sex": 0, "region": 0}
    assert told.value == pytest.approx(1 / 10)
    assert (told.left_out, told.nodes, told.looked + told.pruned) == (1, 4, 4)
    assert len(release) == 9
    whole = unveil.mask(data, masks.FullDomain(k=2, loss="discernibility"))
    assert whole.details["full-domain"].levels == {"sex": 0, "region": 1}
    assert whole.details["full-domain"].value == 50


def test_no_cell_is_told():
    data = table(job=["hunter2", "hunter2", "secret"], age=[271828, 271828, 31415])
    release = unveil.mask(data, masks.FullDomain(k=2, suppress=0.4))
    for word in ("hunter2", "secret", "271828", "31415"):
        assert word not in repr(release.details)


@pytest.mark.parametrize("mask", [masks.FullDomain, masks.Mondrian])
def test_a_column_that_is_missing_everywhere_can_be_attacked(mask):
    gone = pl.Series([None] * 4, dtype=pl.String)
    data = table(age=[1, 1, 2, 2], job=gone)
    release = unveil.mask(data, mask(k=2))
    links = unveil.attack(data, release, unveil.attacks.Tailored())
    assert unveil.measures.risk(links).expected == 2


def test_a_plan_holds_hierarchies_and_models(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(
        """
        [[mask]]
        method = "full-domain"
        k = 2
        suppress = 0.1
        columns = ["age", "sex"]
        models = [{model = "l-diversity", l = 2, columns = ["marital_status"]}]
        [mask.hierarchies.age]
        intervals = [10, 20]
        """
    )
    plan = unveil.files.read_plan(path)
    people = unveil.households(200, seed=7)
    release = unveil.mask(people, plan, seed=7)
    assert release.details["full-domain"].heights == {"age": 3, "sex": 1}
    path.write_bytes(to_toml(release.plan))
    assert unveil.files.read_plan(path) == release.plan
    assert unveil.mask(people, path).data == release.data


def test_kmap_counts_in_the_population():
    """Two of the five classes are of one person in the release and of two people outside it."""
    people = table(job=["a", "a", "b", "b", "c", "c"], age=[30, 30, 40, 40, 50, 59])
    some = people.take([0, 2, 4])
    asked = models.KMap(k=2, population=people)
    ages = {"age": {"intervals": [5, 10]}}
    release = unveil.mask(some, masks.FullDomain(k=1, models=[asked], hierarchies=ages))
    assert release.data.column("job").to_list() == ["a", "b", "c"]
    assert release.data.column("age").to_list() == ["30..39", "40..49", "50..59"]
    out = unveil.mask(some, masks.FullDomain(k=1, suppress=0.4, models=[asked], hierarchies=ages))
    assert out.data.column("age").to_list() == ["30..39", "40..49", "50..59"]
    found = models.check(release.data, asked, keys=["job", "age"])
    assert (found[0].kept, found[0].found) == (True, 2)
    nobody = models.KMap(k=7, population=people)
    with pytest.raises(DataError, match=r"k-map \(k 7\) cannot be met: .* leaves 3 records"):
        unveil.mask(some, masks.FullDomain(k=1, models=[nobody]))


def test_stars_as_wildcards_are_values_here():
    data = table(job=["a", "a", "b", "b", "b"])
    wild = models.KAnonymity(k=2, stars="wildcard")
    release = unveil.mask(data, masks.FullDomain(k=1, models=[wild]))
    assert release.data.column("job").to_list() == ["a", "a", "b", "b", "b"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"intervals": [5, 12]}, "age: intervals: give widths, each a multiple of the one before"),
        ({"intervals": [5, 5]}, "each a multiple"),
        ({"intervals": []}, "each a multiple"),
        ({"intervals": [-5]}, "above 0"),
        ({"prefix": [2, 3]}, "each less than before"),
        ({"prefix": []}, "prefix"),
        ({"prefix": True, "intervals": [5]}, "not both"),
        ({"interval": [5]}, "interval"),
    ],
)
def test_levels_that_do_not_nest(given, said):
    with pytest.raises(SpecError, match=said):
        masks.FullDomain(k=2, hierarchies={"age": given})


UNIQUE = table(name=["a", "b", "c", "d"], sex=["m", "m", "f", "f"], age=[1, 2, 3, 4])
FEW = masks.FullDomain(k=2, columns=["name", "sex"], star=False)


@pytest.mark.parametrize(
    ("spec", "kind", "said"),
    [
        (FEW, DataError, r"k = 2 \(k = 1 could\) .* leaves 4 records .*; name, sex hold more"),
        (masks.FullDomain(k=2, hierarchies={"name": {"star": False}}), DataError,
         "; name holds more than one value at the top: allow a star there"),
        (masks.FullDomain(k=3, suppress=0.25, columns=["sex"], star=False), DataError,
         r"with at most 1 record suppressed, k = 3 \(k = 2 could\)"),
        (masks.FullDomain(k=5), DataError, "choose a k of at most 4"),
        (masks.FullDomain(k=2, hierarchies={"agee": {}}), SpecError, "did you mean 'age'"),
        (masks.FullDomain(k=2, hierarchies={"sex": {"intervals": [5]}}), SpecError,
         "'sex' is nominal, and intervals applies to numeric columns"),
        (masks.FullDomain(k=2, hierarchies={"age": {"prefix": True}}), SpecError,
         "to nominal columns"),
        (masks.FullDomain(k=1, models=[models.KMap(k=2)]), SpecError, "records of the population"),
        (masks.FullDomain(k=1, models=[models.KMap(k=2, population=UNIQUE.select(["sex"]))]),
         DataError, "the population of k-map: column 'name' is not"),
        (masks.FullDomain(
            k=1, columns=["name", "age"],
            models=[models.LDiversity(l=1.99, kind="entropy", columns=["sex"]),
                    models.TCloseness(t=0, columns=["sex"])]),
         None, ""),
        (masks.FullDomain(
            k=1, columns=["name", "age"], suppress=0.5,
            models=[models.AlphaKAnonymity(k=1, alpha=0.4, columns=["sex"])]),
         DataError, "any choice of levels; the nearest choice suppresses 4 records"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(spec, kind, said):
    if kind is None:
        assert len(unveil.mask(UNIQUE, spec)) == 4
        return
    with pytest.raises(kind, match=said):
        unveil.mask(UNIQUE, spec)


def test_a_population_that_the_hierarchy_does_not_know():
    data = table(job=["nurse", "clerk"], hierarchy={"job": JOBS})
    other = table(job=["nurse", "smith", "clerk"])
    spec = masks.FullDomain(k=1, models=[models.KMap(k=1, population=other)])
    with pytest.raises(SchemaError, match="hierarchy of attribute 'job' misses .* 1 record"):
        unveil.mask(data, spec)


def test_too_many_choices_are_refused():
    columns = {f"c{i}": list(range(20)) for i in range(10)}
    with pytest.raises(SpecError, match="choices of levels, and at most 20,000,000"):
        unveil.mask(table(**columns), masks.FullDomain(k=2))


def test_the_search_tells_how_far_it_is():
    told = []
    spec = masks.FullDomain(k=5, columns=["age", "sex", "education", "region"])
    unveil.mask(unveil.households(300), spec, progress=lambda *one: told.append(one))
    assert {step for step, _, _ in told} == {"full-domain"}
    assert told[-1][1] == told[-1][2]


GROUPS = {
    "workclass": {"Government": ["Federal-gov", "Local-gov", "State-gov"],
                  "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
                  "Unpaid": ["Never-worked", "Without-pay"]},
    "education": {"Primary": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
                  "Secondary": ["9th", "10th", "11th", "12th", "HS-grad"],
                  "College": ["Assoc-acdm", "Assoc-voc", "Some-college"],
                  "University": ["Bachelors", "Prof-school", "Masters", "Doctorate"]},
    "marital-status": {"Couple": ["Married-civ-spouse", "Married-AF-spouse"],
                       "Alone": ["Divorced", "Married-spouse-absent", "Never-married",
                                 "Separated", "Widowed"]},
    "native-country": {"US": ["United-States"]},
}  # fmt: skip
KEYS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
        "native-country"]  # fmt: skip


def test_adult_with_eight_columns(paper_data):
    """48,842 records and thousands of choices; what is found is what all choices come to."""
    both = [paper_data(name).to_frame().select(KEYS) for name in ("adult_train", "adult_test")]
    frame = pl.concat(both)
    attributes = {name: {"role": "quasi", "level": "nominal"} for name in KEYS}
    attributes["age"]["level"] = "numeric"
    for name, groups in GROUPS.items():
        of = {member: group for group, members in groups.items() for member in members}
        found = frame[name].drop_nulls().unique().sort()
        attributes[name]["hierarchy"] = [[one, of.get(one, "others")] for one in found]
    data = Microdata(frame, Schema(attributes=attributes))
    ages = {"age": {"intervals": [5, 10, 20, 40]}}
    release = unveil.mask(data, masks.FullDomain(k=5, suppress=0.01, hierarchies=ages))
    told = release.details["full-domain"]
    assert told.nodes == 6 * 3 * 3 * 3 * 2 * 2 * 2 * 3
    assert told.left_out <= 488
    assert len(data) - len(release) == told.left_out
    assert told.looked < told.nodes // 20
    assert models.check(release.data, models.KAnonymity(k=5))[0].kept
