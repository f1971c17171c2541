"""Masks whose unit is the household: what they release, what it costs, what they refuse."""

import logging

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, measures, models
from unveil.errors import DataError, SchemaError, SpecError, UnveilError

KEYS = ["region", "sex", "age", "household_size"]
FEW = ["region", "sex", "household_size"]  # fewer stars to try, so that it is quick
UNITS = [masks.LocalSuppression, masks.Mondrian]


def survey(n=3000, shared=("region", "household_size")):
    """The sample, with the columns that members share declared."""
    people = unveil.households(n, seed=7)
    declared = {
        name: msgspec.structs.replace(people.schema[name], per_household=name in shared)
        for name in people.schema
    }
    return Microdata(people.to_frame(), Schema(declared))


def homes_of(frame, shared="roof", **schema):
    schema = {"quasi": ["roof", "age"], "nominal": "roof", "numeric": "age"} | schema
    more = {"per_household": shared} if shared else {}
    return Microdata(pl.DataFrame(frame), Schema(household="home", **schema, **more))


#             stars, changed cells, households alone, least households alike
COSTS = {
    ("local-suppression", "record"): (2480, 2480, 244, 1),
    ("local-suppression", "household"): (3075, 3075, 0, 3),
    ("mondrian", "record"): (0, 3210, 789, 1),
    ("mondrian", "household"): (8, 4818, 0, 3),
}


@pytest.mark.parametrize("method", UNITS)
@pytest.mark.parametrize("unit", ["record", "household"])
def test_what_it_costs_to_make_households_alike(method, unit):
    data = survey() if unit == "household" else survey(shared=())
    spec = method(k=3, unit=unit, columns=KEYS)
    release = unveil.mask(data, [spec], seed=1, household="renumber")
    pair = measures.FilePair.of(data, release.data, release.row_map)
    changes = [one for one in measures.changed_cells(pair) if one.column in KEYS]
    found = measures.uniqueness(release.data, KEYS, unit="household")
    assert found.n == 1354
    assert COSTS[spec.step, unit] == (
        sum(one.suppressed for one in changes),
        sum(one.changed for one in changes),
        found.uniques,
        found.smallest,
    )
    promise = models.check(release.data, models.KAnonymity(k=3, unit="household"), keys=KEYS)[0]
    assert promise.kept is (unit == "household")
    persons = models.check(release.data, models.KAnonymity(k=3), keys=KEYS)[0]
    assert persons.kept


def test_the_promise_names_households():
    data = survey(60)
    promise = models.check(data, models.KAnonymity(k=3, unit="household"), keys=["sex", "age"])[0]
    assert str(promise).startswith("k-anonymity of households by sex, age: 3 asked, 1 found (")
    assert promise.parameters == {"k": 3, "stars": "value", "unit": "household"}


@pytest.mark.parametrize("method", UNITS)
def test_the_number_is_there_while_masking_and_not_in_the_release(method):
    data, spec = survey(300), method(k=3, unit="household", columns=FEW)
    dropped, kept = (
        unveil.mask(data, [spec], seed=1, household=rule).data for rule in ("drop", "keep")
    )
    assert dropped.columns == tuple(name for name in kept.columns if name != "household")
    assert "household" not in dropped.schema
    assert dropped == kept.select(dropped.columns)
    with pytest.raises(SchemaError, match='household = "renumber" or "keep"'):
        models.check(dropped, models.KAnonymity(k=3, unit="household"), keys=FEW)


@pytest.mark.parametrize("method", UNITS)
def test_household_level_cells_are_the_same_for_all_members(method):
    spec = method(k=5, unit="household", columns=FEW)
    release = unveil.mask(survey(300), spec, seed=1, household="keep")
    by_home = release.data.to_frame().group_by("household")
    for name in ("region", "household_size"):
        assert by_home.agg(pl.col(name).n_unique())[name].max() == 1


def test_a_plan_file_has_the_unit(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('seed = 1\n[[mask]]\nmethod = "mondrian"\nk = 3\nunit = "household"\n')
    release = unveil.mask(survey(300), plan)
    assert release.plan.masks[0].unit == "household"
    assert release.plan.to_dict()["mask"][0]["unit"] == "household"


@pytest.mark.parametrize("method", UNITS)
def test_rare_sizes_are_not_released_and_it_is_said(method, caplog):
    sizes = [1, 1, 1, 2, 2, 2, 4]
    home = np.repeat(np.arange(7), sizes)
    data = homes_of({"home": home, "roof": ["a"] * 13, "age": [3] * 13})
    with caplog.at_level(logging.WARNING):
        release = unveil.mask(data, method(k=3, unit="household"), seed=1)
    assert release.row_map.tolist() == list(range(9))
    assert (
        f"{release.plan.masks[0].step}: 4 of 13 records are not released: fewer than 3 households "
        "have as many members as theirs"
    ) in caplog.text
    assert release.data.column("age").to_list() == [3] * 9  # what is gone makes nothing coarser


@pytest.mark.parametrize("method", UNITS)
def test_a_record_without_a_number_is_a_household(method):
    home = [None, None, None, 1, 1, 2, 2, 3, 3]
    data = homes_of({"home": home, "roof": list("abcddddee"), "age": range(9)})
    release = unveil.mask(data, method(k=3, unit="household"), seed=1, household="keep")
    assert len(release) == 9
    found = measures.uniqueness(release.data, ["roof", "age"], unit="household")
    assert (found.n, found.classes, found.smallest) == (6, 2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("method", UNITS)
def test_households_of_five_hundred(method):
    rng = np.random.default_rng(1)
    home = np.repeat(np.arange(14), [500, 500, *[1] * 12])
    frame = {"home": home, "roof": rng.integers(0, 2, 14)[home], "age": rng.integers(0, 90, 1012)}
    release = unveil.mask(homes_of(frame), method(k=2, unit="household"), seed=1, household="keep")
    assert len(release) == 1012
    assert measures.uniqueness(release.data, ["roof", "age"], unit="household").smallest >= 2


@pytest.mark.parametrize("method", UNITS)
def test_shared_columns_that_are_not_declared_are_named(method, caplog):
    with caplog.at_level(logging.WARNING):
        unveil.mask(survey(300, shared=()), method(k=3, unit="household", columns=FEW[::2]))
    assert "all members of a household have the same region, household_size; declare" in caplog.text


@pytest.mark.parametrize("method", UNITS)
def test_a_later_step_that_breaks_households_is_refused(method):
    plan = [method(k=3, unit="household", columns=FEW), masks.Sampling(share=0.9)]
    with pytest.raises(DataError, match="k-anonymity of households by region.*put .* last"):
        unveil.mask(survey(300), plan, seed=1)


@pytest.mark.parametrize("method", UNITS)
def test_refusals(method):
    data = survey(300)
    with pytest.raises(SpecError, match="not of equal households; leave out models"):
        method(k=3, unit="household", models=[models.LDiversity(l=2)])
    with pytest.raises(SchemaError, match="household number; declare one in the schema"):
        unveil.mask(data.select(KEYS), method(k=3, unit="household", columns=KEYS))
    with pytest.raises(SpecError, match="household is the household number, .* name the columns"):
        unveil.mask(data, method(k=3, unit="household", columns=["household", "sex"]),
                    household="keep")  # fmt: skip
    with pytest.raises(DataError, match="the same number of members: choose a k of at most"):
        unveil.mask(data, method(k=200, unit="household", columns=KEYS))
    varies = homes_of({"home": [1, 1, 2, 2, 3], "roof": list("abaaa"), "age": [1, 2, 3, 4, 5]})
    with pytest.raises(UnveilError, match="per_household, and .*members.*1 of 3"):
        unveil.mask(varies, method(k=1, unit="household"))


def test_missing_codes_of_a_household_become_one():
    frame = {"home": [1, 1, 2, 2], "roof": ["8", "9", "a", "a"], "age": [1, 2, 1, 2]}
    data = homes_of(frame, missing={"roof": ["8", "9"]})
    release = unveil.mask(data, masks.Mondrian(k=2, unit="household"), household="keep")
    assert measures.uniqueness(release.data, ["roof", "age"], unit="household").smallest == 2


def test_stars_as_wildcards_and_models_of_other_masks_are_refused():
    households = models.KAnonymity(k=3, unit="household")
    with pytest.raises(SpecError, match="a star cannot be a wildcard"):
        masks.LocalSuppression(k=3, stars="wildcard", unit="household")
    with pytest.raises(SpecError, match="a star cannot be a wildcard"):
        models.KAnonymity(k=3, stars="wildcard", unit="household")
    for other in (
        masks.FullDomain(k=3, columns=KEYS, models=[households]),
        masks.Mondrian(k=3, columns=KEYS, models=[households]),
    ):
        with pytest.raises(SpecError, match="mondrian or local-suppression with unit"):
            unveil.mask(survey(300), other)


def test_a_method_aware_attack_repeats_the_masking():
    data = survey(200)
    spec = masks.Mondrian(k=3, unit="household", cells="means", columns=["age", "household_size"])
    release = unveil.mask(data, spec, seed=1)
    attack = unveil.attacks.Tailored(level="original")
    links = unveil.attack(data, release, attack, intruder=unveil.Intruder(knows=["age"]))
    assert measures.risk(links).n == len(release)
