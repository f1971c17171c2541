"""Masks that make records alike: what they release, promise and refuse."""

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Microdata, Schema, masks, models
from unveil.errors import DataError, SchemaError, SpecError, UsageError
from unveil.masks.generalisation.base import (
    GeneralisedTable,
    GeneralisingMask,
    exact_labels,
    key_codes,
    model_words,
)
from unveil.measures import risk
from unveil.models import KAnonymity, KMap, LDiversity, TCloseness

KEYS = ["age", "job", "grade"]
TWELVE = pl.DataFrame(
    {
        "age": [21, 22, 23, 41, 42, 43, 21, 22, 23, 41, 42, None],
        "job": ["a1", "a2", "b1", "b1", "a1", "a2", "a1", "a2", "b1", "b1", None, "a2"],
        "grade": ["low", "mid", "high"] * 4,
        "illness": ["flu", "cold"] * 6,
        "born": pl.Series(["2000-01-01"] * 12).str.to_date(),
    }
)
SCHEMA = Schema(
    quasi=KEYS,
    confidential="illness",
    other="born",
    nominal=["job", "illness"],
    numeric=["age", "born"],
    ordinal={"grade": ["low", "mid", "high"]},
)
DATA = Microdata(TWELVE, SCHEMA)


def counted(release, k, keys=KEYS):
    return models.check(release.data, KAnonymity(k=k), keys=keys)[0]


def test_mondrian_releases_ranges_sets_and_stars():
    release = unveil.mask(DATA, masks.Mondrian(k=3))
    frame = release.data.to_frame()
    assert counted(release, 3).kept
    assert set(frame["grade"]) <= {"low", "mid", "high", "low..mid", "mid..high", "low..high"}
    assert frame["age"][11] == "*"  # with others whose age is known
    assert release.data.schema["age"].generalised
    assert not release.data.schema["illness"].generalised


def test_mondrian_parts_missing_cells_from_known_ones_first():
    ages = pl.DataFrame({"age": [20] * 3 + [21] * 3 + [90] * 3 + [None] * 4})
    data = Microdata(ages, Schema(quasi="age", numeric="age"))
    release = unveil.mask(data, masks.Mondrian(k=4))
    told = release.data.column("age")
    assert told.to_list()[-4:] == [None] * 4
    assert "*" not in told.to_list()


def test_mondrian_cuts_between_the_groups_of_a_hierarchy():
    rows = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"]]
    known = DATA.take([i for i in range(12) if TWELVE["job"][i] is not None])
    data = Microdata(known.to_frame(), Schema(quasi="job", nominal="job", hierarchy={"job": rows}))
    release = unveil.mask(data, masks.Mondrian(k=4))
    assert sorted(set(release.data.column("job"))) == ["a", "b1"]
    rows = [["a1", "a"], ["b1", "b"], ["b2", "b"]]
    jobs = pl.DataFrame({"job": ["a1"] * 4 + ["b1"] + ["b2"] * 6})  # more even before b2
    data = Microdata(jobs, Schema(quasi="job", nominal="job", hierarchy={"job": rows}))
    release = unveil.mask(data, masks.Mondrian(k=4))
    assert release.data.column("job").to_list() == ["a1"] * 4 + ["b"] * 7


def test_columns_that_nothing_changed_in_stay_as_they_are():
    same = Microdata(pl.DataFrame({"age": [30] * 6, "sex": ["f", "m"] * 3}),
                     Schema(quasi=["age", "sex"], numeric="age", nominal="sex"))  # fmt: skip
    for mask in (masks.Mondrian(k=3), masks.LocalSuppression(k=3)):
        release = unveil.mask(same, mask)
        assert release.data == same


def test_patterns_are_listed_with_how_many_satisfy_them():
    release = unveil.mask(DATA, masks.AntiUnification(k=2, stars=2, by_confidential=False))
    listed = release.details["anti-unification"]
    assert listed.supports.sum() == len(release)
    assert len(listed.rest) == len(DATA) - len(release)
    assert set(listed.rest) == set(range(12)) - set(release.row_map)
    rows = release.data.select(KEYS).to_frame()
    for row, many in zip(listed.data.to_frame().iter_rows(), listed.supports, strict=True):
        assert sum(other == row for other in rows.iter_rows()) == many
    assert "pattern" in repr(listed)
    assert "a1" not in repr(listed)


def test_sets_of_attributes_have_their_own_k():
    groups = [{"columns": ["age"], "k": 2}, {"columns": ["job", "grade"], "k": 4}]
    release = unveil.mask(DATA, masks.AntiUnification(groups=groups, by_confidential=False))
    assert counted(release, 2, ["age"]).kept
    assert counted(release, 4, ["job", "grade"]).kept
    assert len(release) <= 12


def test_who_is_discarded_in_one_set_counts_in_no_other():
    rows = pl.DataFrame({"x": [1, 1, 2, 2, 3, 3], "y": list("aaabbc")})
    data = Microdata(rows, Schema(quasi=["x", "y"], nominal=["x", "y"]))
    groups = [{"columns": ["x"], "k": 2}, {"columns": ["y"], "k": 2}]
    release = unveil.mask(data, masks.AntiUnification(groups=groups, stars=0))
    assert release.row_map.tolist() == [0, 1]  # one after the other goes


def test_an_unknown_value_is_a_value_or_told_as_a_star():
    rows = pl.DataFrame({"job": ["a", "a", None, None], "sex": ["f"] * 4})
    data = Microdata(rows, Schema(quasi=["job", "sex"], nominal=["job", "sex"]))
    as_value = unveil.mask(data, masks.AntiUnification(k=2, stars=1))
    assert as_value.data == data
    wild = unveil.mask(data, masks.AntiUnification(k=2, stars=1, unknown="wildcard"))
    assert wild.data.column("job").to_list() == ["a", "a", "*", "*"]


def test_stars_cost_what_they_are_worth():
    rng = np.random.default_rng(7)
    frame = pl.DataFrame({name: rng.integers(0, 4, 200) for name in "xyz"})
    data = Microdata(frame, Schema(quasi=list("xyz"), nominal=list("xyz")))
    stars = {}
    for dear in "xyz":
        release = unveil.mask(data, masks.LocalSuppression(k=8, importance={dear: 9.0}))
        assert counted(release, 8, list("xyz")).kept
        stars[dear] = {
            name: int((release.data.column(name).cast(pl.String) == "*").sum()) for name in "xyz"
        }
    for dear in "xyz":
        cheap = [stars[other][dear] for other in "xyz" if other != dear]
        assert stars[dear][dear] <= min(cheap)
        assert stars[dear][dear] < max(cheap)


def test_many_attributes_are_suppressed_too():
    rng = np.random.default_rng(7)
    names = [f"v{j}" for j in range(16)]
    data = Microdata(
        pl.DataFrame({name: rng.integers(0, 2, 60) for name in names}),
        Schema(quasi=names, nominal=names),
    )
    for stars in ("value", "wildcard"):
        release = unveil.mask(data, masks.LocalSuppression(k=5, stars=stars))
        promise = models.check(release.data, KAnonymity(k=5, stars=stars), keys=names)[0]
        assert promise.kept


def test_wildcards_do_not_bound_what_an_attack_links(paper_data):
    adult = paper_data("adult_train").take(np.arange(300))
    keys = ["age", "education", "occupation", "native-country"]
    data = Microdata(adult.select(keys).to_frame(), Schema(quasi=keys, nominal=keys))
    found = {}
    for stars in ("value", "wildcard"):
        release = unveil.mask(data, masks.LocalSuppression(k=3, stars=stars), seed=1)
        assert models.check(release.data, KAnonymity(k=3, stars=stars))[0].kept
        found[stars] = risk(unveil.attack(data, release, unveil.attacks.Distance())).expected
    assert found["value"] <= 300 / 3 < found["wildcard"]


def test_a_later_step_may_not_break_a_promise():
    plan = [masks.Mondrian(k=3), masks.Sampling(records=5)]
    with pytest.raises(DataError, match=r"would break k-anonymity .*: put mondrian last"):
        unveil.mask(DATA, plan, seed=1)
    unveil.mask(DATA, [masks.Sampling(records=9), masks.Mondrian(k=3)], seed=1)
    unveil.mask(DATA, [masks.Mondrian(k=3), masks.Shuffle()], seed=1)


class Careless(GeneralisingMask, frozen=True, kw_only=True):
    """A mask that promises, and does nothing."""

    def generalise(self, data, progress):  # noqa: ARG002
        return GeneralisedTable([], {})


def test_a_file_that_breaks_its_promise_is_not_handed_over():
    with pytest.raises(DataError, match=r"careless: the release would break k-anonymity .* 12 "):
        Careless(k=3).apply(DATA, None)
    assert Careless(k=1).apply(DATA, None).data == DATA


def test_what_a_promise_is_not_about_is_told(caplog):
    with caplog.at_level(logging.WARNING):
        unveil.mask(DATA, masks.Mondrian(k=3, columns=["age", "job"]))
    assert "An intruder who also knows grade is not covered" in caplog.text
    caplog.clear()
    unveil.mask(DATA, masks.Mondrian(k=3))
    assert not caplog.text


@pytest.mark.parametrize(
    ("mask", "kind", "said"),
    [
        (masks.Mondrian(k=13), DataError, "the table has 12 records: choose a k of at most 12"),
        (masks.AntiUnification(k=13), DataError, "k is 13"),
        (masks.LocalSuppression(k=13), DataError, "k is 13"),
        (
            masks.Mondrian(k=2, models=[LDiversity(l=3)]),
            DataError,
            "illness: values 2 where 3 is required; lower the requirement",
        ),
        (
            masks.Mondrian(k=2, models=[LDiversity(l=2.5, kind="entropy")]),
            DataError,
            "values by entropy 2 where 2.5 is required",
        ),
        (
            masks.Mondrian(k=2, models=[LDiversity(l=2, kind="recursive", c=0.5)]),
            DataError,
            "most frequent over the rest 1 where 0.5 is required",
        ),
        (masks.LocalSuppression(k=2, models=[KMap(k=2)]), SpecError, "this mask cannot enforce"),
        (
            masks.Mondrian(k=2, models=[KAnonymity(k=2, stars="wildcard")]),
            SpecError,
            "choose full-domain",
        ),
        (masks.Mondrian(k=2, columns=["born"]), SchemaError, "holds dates"),
        (
            masks.Mondrian(k=2, models=[TCloseness(t=0.2, distance="ordered")]),
            SpecError,
            "'illness' has no order: choose distance 'equal'",
        ),
        (
            masks.Mondrian(k=2, models=[LDiversity(l=2, columns=["age"])]),
            SpecError,
            "'age' is a key, so it has one value in each class",
        ),
        (
            masks.Mondrian(k=2, models=[LDiversity(l=2, columns=["ilness"])]),
            SpecError,
            "did you mean 'illness'",
        ),
        (masks.AntiUnification(k=2, assignment="overlapping"), SpecError, "do not give"),
        (
            masks.LocalSuppression(k=2, importance={"pay": 2.0}),
            SpecError,
            "importance: 'pay' is not one of the columns to mask",
        ),
        (
            masks.AntiUnification(k=9, stars=0, by_confidential=False),
            DataError,
            "no 9 records agree in all but 0 of 3 attributes: allow more stars",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(mask, kind, said):
    with pytest.raises(kind, match=said):
        unveil.mask(DATA, mask, seed=1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: masks.Mondrian(k=0), "of at least 1"),
        (lambda: masks.AntiUnification(k=2, models=[LDiversity(l=2)]), "by_confidential to false"),
        (lambda: masks.AntiUnification(k=2, groups=[{"columns": ["age"], "k": 2}]), "give k, or"),
        (masks.AntiUnification, "give k, or groups"),
        (
            lambda: masks.LocalSuppression(k=2, stars="wildcard", models=[LDiversity(l=2)]),
            "leave out models",
        ),
        (lambda: masks.Mondrian(k=2, models=["l-diversity"]), "a table with a model"),
        (lambda: masks.Mondrian(k=2, models=7), "a list of models"),
        (lambda: masks.Mondrian(k=2, models=[{"model": "l-diversty"}]), "mean 'l-diversity'"),
        (lambda: masks.Mondrian(k=2, models=[{"model": "l-diversity", "L": 2}]), "not a parameter"),
        (lambda: LDiversity(l=2.5), "a whole number"),
        (lambda: LDiversity(l=2, kind="recursive"), "which needs it"),
        (lambda: LDiversity(l=2, c=1.0), "c goes with kind 'recursive'"),
        (lambda: TCloseness(t=1.5), "of at most 1"),
    ],
)  # fmt: skip
def test_parameters_are_held_to_their_ranges(make, said):
    with pytest.raises(SpecError, match=said):
        make()


def test_models_need_something_to_be_about():
    bare = Microdata(TWELVE.select(KEYS), Schema(quasi=KEYS, nominal="job"))
    with pytest.raises(SchemaError, match="no attribute except the keys is confidential"):
        unveil.mask(bare, masks.Mondrian(k=2, models=[LDiversity(l=2)]))
    with pytest.raises(SpecError, match="the records of the population are needed"):
        models.check(DATA, KMap(k=2))
    with pytest.raises(SchemaError, match="no attribute has the role quasi"):
        models.check(Microdata(TWELVE), KAnonymity(k=2))


def test_overlapping_patterns_are_of_one_set():
    groups = [{"columns": ["age"], "k": 2}]
    with pytest.raises(SpecError, match="one set of columns"):
        masks.AntiUnification(groups=groups, assignment="overlapping").patterns(DATA)
    with pytest.raises(DataError, match="no 9 records agree"):
        masks.AntiUnification(k=9, stars=0, assignment="overlapping").patterns(DATA)
    with pytest.raises(UsageError, match="patterns need Microdata"):
        masks.AntiUnification(k=2).patterns(TWELVE)
    with pytest.raises(DataError, match="k is 13"):
        masks.AntiUnification(k=13).patterns(DATA)
    mask = masks.AntiUnification(k=2, by_confidential=False)
    listed = unveil.mask(DATA, mask).details["anti-unification"]
    assert mask.patterns(DATA).data == listed.data


def test_a_plan_and_its_models_come_back(tmp_path):
    mask = masks.Mondrian(k=3, models=[LDiversity(l=2), TCloseness(t=0.9)])
    release = unveil.mask(DATA, mask, seed=7)
    unveil.write(release.plan, tmp_path / "plan.toml")
    again = unveil.mask(DATA, tmp_path / "plan.toml")
    assert again.plan == release.plan
    assert again.data == release.data


def test_a_missing_code_does_not_come_back_over_a_star(tmp_path):
    frame = pl.DataFrame({"job": ["?", "a", "b", "c"], "sex": ["f", "f", "f", "f"]})
    schema = Schema(quasi=["job", "sex"], nominal=["job", "sex"], missing={"job": ["?"]})
    release = unveil.mask(Microdata(frame, schema), masks.LocalSuppression(k=4), seed=1)
    unveil.write(release, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == ["*,f"] * 4


def test_no_more_records_are_moved_than_needed():
    rows = pl.DataFrame({"job": ["a"] * 100 + ["b"] * 50 + ["c"] * 2})
    data = Microdata(rows, Schema(quasi="job", nominal="job"))
    for mask in (masks.LocalSuppression(k=3), masks.AntiUnification(k=3)):
        assert unveil.mask(data, mask).data.column("job").to_list().count("*") == 3


def test_many_discards_are_told(caplog):
    rows = pl.DataFrame({"job": [f"j{i}" for i in range(20)] + ["a"] * 80})
    data = Microdata(rows, Schema(quasi="job", nominal="job"))
    with caplog.at_level(logging.WARNING):
        unveil.mask(data, masks.AntiUnification(k=30, stars=0))
    assert "not released" in caplog.text


def test_a_blank_category_is_refused():
    rows = pl.DataFrame({"job": ["", "a", "b", "c"] * 2})
    data = Microdata(rows, Schema(quasi="job", nominal="job"))
    for mask in (masks.Mondrian(k=4), masks.LocalSuppression(k=3), masks.AntiUnification(k=3)):
        with pytest.raises(SchemaError, match="'job' has a blank category in 2 records"):
            unveil.mask(data, mask)
    gone = Microdata(rows, Schema(quasi="job", nominal="job", missing={"job": [""]}))
    assert unveil.models.check(unveil.mask(gone, masks.Mondrian(k=4)), KAnonymity(k=4))[0].kept


def test_so_many_ties_that_there_is_no_end(monkeypatch):
    from unveil.grouping import patterns as antiunification

    monkeypatch.setattr(antiunification, "MAX_CELLS", 10_000)
    monkeypatch.setattr(antiunification, "CELLS_AT_ONCE", 1000)
    rng = np.random.default_rng(7)
    names = [f"v{j}" for j in range(8)]
    data = Microdata(
        pl.DataFrame({name: rng.integers(0, 2, 200) for name in names}),
        Schema(quasi=names, nominal=names),
    )
    with pytest.raises(DataError, match=r"too many sets to split; .* \(groups\)"):
        unveil.mask(data, masks.AntiUnification(k=2))
    monkeypatch.undo()
    unveil.mask(data, masks.AntiUnification(k=2))
    wide = {f"w{j}": [1, 1] for j in range(63)}
    many = Microdata(pl.DataFrame(wide), Schema(quasi=list(wide), nominal=list(wide)))
    for mask in (masks.AntiUnification(k=2), masks.LocalSuppression(k=2)):
        with pytest.raises(SpecError, match="at most 62"):
            unveil.mask(many, mask)


def test_a_population_is_never_shown():
    secret = pl.DataFrame({"job": ["canary"]})
    for given in (secret, Microdata(secret), None, "people.csv"):
        asked = KMap(k=2, population=given)
        assert "canary" not in repr(masks.FullDomain(k=2, models=[asked]))
        assert asked == KMap(k=2, population=given)
        assert asked != KMap(k=3, population=given)
    assert KMap(k=2, population=secret) != KMap(k=2, population=secret.head(0))
    plan = unveil.Plan((masks.FullDomain(k=2, models=[KMap(k=2, population=secret)]),))
    assert "population" not in plan.to_dict()["mask"][0]["models"][0]


def test_people_who_miss_everything_fit_everybody():
    blank = pl.DataFrame({"job": ["x", "x"], "town": pl.Series([None, None], dtype=pl.String)})
    data = Microdata(blank, Schema(quasi=["job", "town"], nominal=["job", "town"]))
    assert models.check(data, KMap(k=2, population=data))[0].found == 2


def test_models_are_counted_on_a_release_too():
    release = unveil.mask(DATA, masks.Mondrian(k=3))
    assert models.check(release, KAnonymity(k=3))[0].kept
    with pytest.raises(UsageError, match="unveil.read"):
        models.check(TWELVE, KAnonymity(k=3))


def test_rows_may_stand_in_any_order():
    people = unveil.households(900, seed=7)  # in which region is declared per_household
    keys = ["sex", "region", "age", "education"]
    order = np.random.default_rng(1).permutation(900)
    for mask in (
        masks.Mondrian(k=4, columns=keys),
        masks.AntiUnification(k=4, columns=keys, by_confidential=False),
        masks.LocalSuppression(k=4, columns=keys),
        masks.LocalSuppression(k=4, columns=keys, stars="wildcard"),
    ):
        one = unveil.mask(people, mask).data.select(keys).to_frame().rows()
        two = unveil.mask(people.take(order), mask).data.select(keys).to_frame().rows()
        assert sorted(map(str, one)) == sorted(map(str, two)), mask


@pytest.mark.slow
def test_a_population_is_read_again_where_a_plan_is_carried_out_again(tmp_path):
    people = unveil.households(120, seed=7)
    keys = ["sex", "region", "education"]
    people = Microdata(people.select([*keys, "rent"]).to_frame(), Schema(quasi=keys, nominal=keys))
    unveil.write(people, tmp_path / "people.csv")
    asked = KMap(k=2, population=str(tmp_path / "people.csv"))
    release = unveil.mask(people, masks.FullDomain(k=2, models=[asked], suppress=0.1), seed=7)
    again = unveil.Plan(release.plan.masks, seed=7)
    audit = audits.audit(
        people, release.data, truth=release.row_map, plan=again, attacks=["tailored"],
        remedies=False, seed=7,
    )  # fmt: skip
    assert audit.worst.risk.expected <= len(release) / 2


def test_what_is_done_again_ends_where_records_go():
    people = unveil.households(150, seed=7)
    plan = [
        masks.Microaggregation(k=3, columns=["income", "rent"]),
        masks.AntiUnification(k=9, stars=0, columns=["sex", "region"], by_confidential=False),
        masks.IndividualRanking(k=3, columns=["savings"]),
    ]
    release = unveil.mask(people, plan, seed=7)
    assert len(release) < 150
    knows = unveil.Intruder(knows=["income", "rent", "savings", "sex"])
    again = unveil.attacks.Tailored(level="original")
    assert risk(unveil.attack(people, release, again, intruder=knows)).expected > 0


def test_models_in_words():
    assert model_words([KAnonymity(k=3)]) == "k-anonymity (k 3)"


def test_labels_read_back_as_the_same_number():
    cells = pl.Series([0.5, 0.1], dtype=pl.Float32)
    assert exact_labels(cells).to_list() == ["0.5", "0.10000000149011612"]


def test_missing_cells_are_a_code_or_equal_nothing():
    jobs = key_codes(DATA, ["job"]).ravel()
    assert jobs[10] == jobs.max() == 3
    assert key_codes(DATA, ["job"], unknown="wildcard")[10, 0] == -1
