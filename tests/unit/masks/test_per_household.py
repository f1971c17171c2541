"""Columns that describe a household: one masked cell for all members, by hand and by counts."""

import logging
from collections import Counter

import numpy as np
import polars as pl
import pytest

import unveil
from fixtures.surveys import by_persons, declared
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.errors import DataError, SchemaError, SpecError
from unveil.masks.base import MaskedTable
from unveil.support.seeds import stream
from unveil.table.encoding.shared_attributes import written_cells
from unveil.table.households import households_of
from unveil.values.release.channels import Unknown

KEYS = ["region", "household_size", "sex", "age", "education"]
SHARED = ["region", "household_size"]


@pytest.fixture(scope="module")
def survey():
    return by_persons(2000)


@pytest.fixture(scope="module")
def people(survey):
    return declared(survey, SHARED)


def broken(people, release, column):
    """The number of households whose released members have different cells."""
    homes = households_of(people).take(release.row_map)
    return int((~homes.shares(written_cells(release.data, column))).sum())


@pytest.mark.parametrize(
    ("spec", "before"),
    [
        (masks.Microaggregation(k=10, columns=KEYS), (119, 252)),
        (masks.LocalSuppression(k=3, columns=KEYS), (33, 30)),
        (masks.Mondrian(k=3, columns=KEYS), (336, 267)),
        (masks.AdditiveNoise(scale=0.3, columns=["household_size"]), (0, 299)),
        (masks.RankSwapping(p=10, columns=["household_size"]), (0, 283)),
        (masks.Pram(theta=0.3, columns=["region"]), (137, 0)),
        (masks.AntiUnification(k=3, columns=KEYS, by_confidential=False), None),
    ],
)
def test_no_household_of_885_is_broken_where_columns_are_declared(survey, people, spec, before):
    undeclared = unveil.mask(survey, spec, seed=7)
    if before is not None:
        assert tuple(broken(survey, undeclared, name) for name in SHARED) == before
    release = unveil.mask(people, spec, seed=7)
    assert [broken(people, release, name) for name in SHARED] == [0, 0]
    assert not any(one.excludes(people.take(release.row_map), release.data).any()
                   for one in release.channels)  # fmt: skip
    for models, keys in spec.guarantees(people):
        assert all(one.kept for one in unveil.models.check(release.data, models, keys=keys))
    assert "household" not in release.data.columns


def test_a_star_cannot_be_read_off_another_member(survey, people):
    """Of 77 stars in household-level columns, 70 could be."""
    spec = masks.LocalSuppression(k=3, columns=KEYS)
    readable = []
    for data in (survey, people):
        release, homes = unveil.mask(data, spec), households_of(data)
        stars = read_off = 0
        for name in SHARED:
            cells = np.array(release.data.column(name).cast(pl.String).to_list(), object)
            shown = np.bincount(homes.of_record, cells != "*") > 0
            stars += (cells == "*").sum()
            read_off += ((cells == "*") & shown[homes.of_record]).sum()
        readable.append((int(stars), int(read_off)))
    assert readable == [(77, 70), (445, 0)]


def test_the_importance_of_columns_counts_again_when_stars_are_added(people):
    stars = [
        unveil.mask(people, masks.LocalSuppression(k=3, columns=KEYS, importance=weights))
        .data.column("education").eq("*").sum()
        for weights in (None, {"education": 50.0})
    ]  # fmt: skip
    assert stars[1] < stars[0] / 4


def test_patterns_are_those_of_the_release(people):
    """With the stars that members got afterwards, in any order of the rows."""
    spec = masks.AntiUnification(k=3, columns=KEYS, by_confidential=False)
    release = unveil.mask(people, spec)
    found = release.details["anti-unification"]
    rows = release.data.select(KEYS).to_frame().rows()
    patterns = found.data.to_frame().rows()
    assert dict(zip(patterns, found.supports, strict=True)) == Counter(rows)
    assert found.rest.tolist() == sorted(set(range(len(people))) - set(release.row_map))
    assert repr(found).startswith(f"Patterns({len(patterns):,} patterns; ")


def test_masks_that_cannot_be_parted_do_not_depend_on_the_order_of_rows_or_columns(people):
    order = np.random.default_rng(1).permutation(len(people))
    moved = people.take(order).select(people.columns[::-1])
    for spec in (
        masks.AntiUnification(k=3, columns=KEYS, by_confidential=False),
        masks.LocalSuppression(k=3, columns=KEYS),
    ):
        one, two = (unveil.mask(data, spec, household="keep").data for data in (people, moved))
        assert sorted(map(str, one.to_frame().rows())) == sorted(
            map(str, two.select(one.columns).to_frame().rows())
        )


def small(roof, **schema):
    """Households of 3, 1, 2 and 2 persons; the last two have no number."""
    frame = pl.DataFrame(
        {"hid": [5, 5, 5, 4, 3, 3, None, None], "roof": roof, "age": [30, 31, 2, 50, 40, 41, 8, 9]}
    )
    declare = {"quasi": ["roof", "age"], "household": "hid", "numeric": ["roof", "age"]}
    return Microdata(frame, Schema(**(declare | {"per_household": "roof"} | schema)))


def test_ranks_and_groups_count_households():
    """By persons the three members of one household would be a group of their own."""
    data = small([10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 30.0, 90.0])
    spec = masks.IndividualRanking(k=2, columns=["roof"], keep_type=False)
    release = unveil.mask(data, spec)
    groups = {10.0: 15.0, 20.0: 15.0, 30.0: 160 / 3, 40.0: 160 / 3, 90.0: 160 / 3}
    assert release.data.column("roof").to_list() == pytest.approx(
        [groups[cell] for cell in data.column("roof")]
    )


def test_the_noise_of_a_household_is_that_of_its_stream():
    data = small([10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 30.0, 90.0])
    spec = masks.AdditiveNoise(scale=1, columns=["age", "roof"], keep_type=False)
    release = unveil.mask(data, spec, seed=9)
    homes = [10.0, 20.0, 40.0, 30.0, 90.0]  # in the order of the file
    drawn = stream(9, "additive-noise", "roof").standard_normal(5) * np.std(homes, ddof=1)
    noisy = dict(zip(homes, np.array(homes) + drawn, strict=True))
    assert release.data.column("roof").to_list() == pytest.approx(
        [noisy[cell] for cell in data.column("roof")]
    )
    by_person = unveil.mask(small(data.column("roof"), per_household=[]), spec, seed=9)
    assert release.data.column("age").equals(by_person.data.column("age"))


def test_a_cell_that_is_missing_for_some_members_is_no_error_and_stays_missing():
    data = small([None, 10, 10, 20, 40, None, 30, 99], missing={"roof": [99]})
    release = unveil.mask(data, masks.Rounding(base=3, columns=["roof"]))
    assert release.data.column("roof").to_list() == [None, 9, 9, 21, 39, None, 30, None]
    assert release.data.missing_code("roof").to_list() == [None] * 7 + ["99"]


def test_members_who_differ_in_a_declared_column_are_an_error():
    data = small([1, 1, 2, 3, 4, 5, 6, 7])
    with pytest.raises(SchemaError, match=r"roof \(2 of 5\); correct the cells or the household"):
        unveil.mask(data, masks.Rounding(base=3, columns=["age"]))


@pytest.mark.parametrize("why", ["there is no household number", "every household number is"])
def test_without_numbers_each_person_is_masked_with_a_warning(caplog, why):
    data = small([1, 1, 2, 3, 4, 5, 6, 7], **({"household": []} if "no" in why.split() else {}))
    if "every" in why:
        data = data.replace([data.column("hid").set(pl.Series([True] * 8), None)])
    else:
        data = data.select(["roof", "age"])
    release = unveil.mask(data, masks.AdditiveNoise(scale=1, columns=["roof"]), seed=1)
    assert why in caplog.text
    plain = small([1, 1, 2, 3, 4, 5, 6, 7], per_household=[]).select(["roof", "age"])
    again = unveil.mask(plain, masks.AdditiveNoise(scale=1, columns=["roof"]), seed=1)
    assert release.data.column("roof").equals(again.data.column("roof"))


@pytest.mark.parametrize("algorithm", ["mdav", "v-mdav"])
def test_groups_of_persons_lie_within_groups_of_households(people, algorithm):
    spec = masks.Microaggregation(k=4, columns=["age", "region"], algorithm=algorithm)
    release = unveil.mask(people, spec)
    assert [repr(one) for one in release.channels] == ["Groups(age, region)"]
    assert measures.uniqueness(release.data, ["age", "region"]).smallest >= 4
    homes = households_of(people)
    regions = release.data.column("region").gather(homes.firsts)
    assert (~homes.shares(written_cells(release.data, "region"))).sum() == 0
    assert regions.value_counts()["count"].min() >= 4
    assert unveil.mask(people, spec).data == release.data


def test_sets_of_columns_keep_their_k(people):
    spec = masks.Microaggregation(
        groups=[{"columns": ["age", "household_size"], "k": 4}, {"columns": ["region"], "k": 9}]
    )
    release = unveil.mask(people, spec)
    shown = [repr(one) for one in release.channels]
    assert shown == ["Groups(age, household_size)", "Groups(region)"]
    assert [one.k for one in release.channels] == [4, 9]
    firsts = households_of(people).firsts
    sizes = release.data.column("household_size").gather(firsts).drop_nulls().value_counts()
    assert sizes["count"].min() >= 4


def test_a_size_that_households_cannot_meet_is_refused_and_says_so():
    data = small([10, 10, 10, 20, 40, 40, 30, 90])
    with pytest.raises(DataError, match="once per household: microaggregation: k is 6 .* 5 known"):
        unveil.mask(data, masks.Microaggregation(k=6, columns=["roof"]))


def test_later_steps_and_samples_know_the_households_left(people):
    plan = [
        masks.Sampling(share=0.6),
        masks.Pram(theta=0.3, columns=["region"]),
        masks.Shuffle(),
        masks.GlobalRecoding(intervals=2, columns=["household_size"]),
        masks.LocalSuppression(k=3, columns=[*SHARED, "sex"]),
    ]
    release = unveil.mask(people, plan, seed=3)
    assert [broken(people, release, name) for name in SHARED] == [0, 0]


def test_who_knows_the_plan_excludes_nobody_and_gains_by_it(survey):
    """Positions of households would exclude true rows; a bound alone links 80 and distances 292."""
    rng, homes = np.random.default_rng(1), survey.column("household").to_numpy()
    names = [f"h{place}" for place in range(4)]
    dwelling = [pl.Series(name, rng.normal(size=homes.max() + 1)[homes]) for name in names]
    schema = Schema(household="household", quasi=names, per_household=names)
    people = Microdata(survey.to_frame().select("household").with_columns(dwelling), schema)
    release = unveil.mask(people, masks.RankSwapping(p=10, columns=names), seed=3)
    found = {}
    for attack, known in ((attacks.Distance(), False), (attacks.Tailored(), release.plan)):
        knows = Intruder(knows=names, channel=known)
        links = unveil.attack(
            people, release.data, attack, intruder=knows, truth=np.arange(len(people))
        )
        found[attack.name] = measures.risk(links).expected
    assert found["tailored"] > 1.5 * found["distance"]


class Halved(masks.Mask, frozen=True, kw_only=True):
    """A plug-in that masks its column at once and takes every second row."""

    def targets(self, data):  # noqa: ARG002
        return ("roof",)

    def check(self, data):
        pass

    def apply(self, data, draw, progress=None):  # noqa: ARG002
        rows = np.arange(0, len(data), 2)
        noisy = data.column("roof") + pl.Series(draw("roof").normal(size=len(data)))
        return MaskedTable(data.replace([noisy]).take(rows), (Unknown(("roof",)),), rows=rows)


def test_a_mask_that_cannot_be_parted_says_how_many_households_it_broke(caplog):
    data = small([10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 30.0, 90.0])
    release = unveil.mask(data, Halved())
    assert len(release) == 4
    assert "roof: the members of 1 of 3 households no longer have the same value" in caplog.text


def test_a_file_with_declared_columns_is_masked_and_counts_what_it_broke(survey, tmp_path, caplog):
    unveil.write(survey, tmp_path / "s.csv")
    unveil.write(survey.schema, tmp_path / "s.toml")
    settings = unveil.workflows.mask.MaskSettings(output=tmp_path / "r.csv")
    plan = [masks.Pram(theta=0.3, columns=["region"])]
    with caplog.at_level(logging.WARNING, "unveil"):
        done = unveil.workflows.mask.mask_file(
            tmp_path / "s.csv", plan, schema=tmp_path / "s.toml", seed=7, settings=settings
        )
    assert list(done.to_dict()["broken_households"]) == [
        {"column": "region", "broken": 137, "households": 885, "declared": False}
    ]
    assert "the members of 137 of 885 households" in caplog.text
    assert "declare it per_household" in caplog.text


def test_shuffling_by_household_needs_a_released_number(people):
    together = masks.Shuffle(unit="household")
    with pytest.raises(SpecError, match="identifies households, and the plan drops"):
        unveil.mask(people, [together])
