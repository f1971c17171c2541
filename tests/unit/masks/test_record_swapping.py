"""Targeted record swapping: who is at risk, who becomes a partner, and what moves."""

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import record_swapping as naive
from unveil import Microdata, Schema
from unveil.errors import DataError, SchemaError, SpecError
from unveil.masks import Pram, RecordSwapping, Sampling
from unveil.masks.record_swapping import HouseholdSwaps, Partners, risk_levels
from unveil.table.attribute import Attribute
from unveil.table.households import Homes

# Household, region, district, wall, jobs of the members.
SURVEY = [
    ("a1", "north", "n1", "brick", ["baker", "nurse"]),
    ("a2", "north", "n1", "brick", ["baker", "nurse"]),
    ("a3", "north", "n1", "brick", ["baker", "baker"]),
    ("b1", "north", "n2", "clay", ["baker", "nurse"]),
    ("b2", "north", "n2", "brick", ["nurse", "baker"]),
    ("c1", "south", "s1", "clay", ["baker", "nurse"]),
    ("c2", "south", "s1", "brick", ["baker", "diver"]),
    ("c3", "south", "s2", "brick", ["nurse", "baker"]),
    ("c4", "south", "s2", "brick", ["baker"]),
    ("c5", "south", "s2", "clay", ["baker", "nurse"]),
]
SCHEMA = Schema(
    quasi=["region", "district", "job", "wall"], household="home", per_household=["wall"]
)


def survey(rows=SURVEY):
    names = ["home", "region", "district", "wall", "job"]
    people = [(*home, job) for *home, jobs in rows for job in jobs]
    return Microdata(pl.DataFrame(people, names, orient="row"), SCHEMA)


def swapped(data, seed=1, **parameters):
    given = {"geography": ["region", "district"], "keys": ["job"], "k": 2} | parameters
    return unveil.mask(data, [RecordSwapping(**given)], seed=seed, household="keep")


def areas_of(data):
    frame = data.to_frame("polars")
    return {row[0]: row[1:] for row in frame.select("home", "region", "district").unique().rows()}


def test_the_only_diver_of_the_file_moves_to_the_other_region():
    """c2 has the only diver of the south, c1 the only nurse of s1.

    All other jobs occur in two households or more of their district.
    """
    for seed in range(20):
        release = swapped(survey(), seed)
        before, after = areas_of(survey()), areas_of(release.data)
        moved = {home for home in before if before[home] != after[home]}
        # c2 goes to a brick house of two in the north, c1 to a clay one of two in the south.
        assert after["c2"] in {before[home] for home in ("a1", "a2", "a3", "b2")}
        assert (after["c1"], after["c5"]) == (before["c5"], before["c1"])
        assert len(moved) == 4
        assert release.details["record-swapping"] == HouseholdSwaps(10, 2, 4, 2, 0, 8)
        assert sorted(before.values()) == sorted(after.values())


def test_a_share_takes_the_riskiest_first_then_random_households():
    release = swapped(survey(), share=0.2)
    assert release.details["record-swapping"] == HouseholdSwaps(10, 2, 2, 1, 0, 4)
    assert areas_of(release.data)["c2"][0] == "north"
    assert swapped(survey(), share=0.19).details["record-swapping"].swapped == 0
    everybody = swapped(survey(), share=1).details["record-swapping"]
    assert everybody.swapped == 8  # c4 lives alone, and a household of the north is left
    nobody_at_risk = swapped(survey(), share=0.4, k=1).details["record-swapping"]
    assert nobody_at_risk == HouseholdSwaps(10, 0, 4, 0, 0, 8)


def test_households_without_a_partner_are_counted():
    alone = [("d1", "south", "s1", "brick", ["baker"] * 4)]
    counted = swapped(survey(SURVEY + alone), k=100).details["record-swapping"]
    assert counted.at_risk == 11
    assert counted.without_partner == 3  # d1, c4, and one of nine households of two
    assert counted.at_risk_swapped == counted.swapped == 8


def test_columns_of_the_area_go_with_it():
    data = survey()
    zone = data.column("district").replace_strict({"n1": 1.5, "n2": 2, "s1": 3, "s2": 4})
    wider = data.with_column(zone.alias("zone"), Attribute(role={"quasi"}))
    release = swapped(wider, share=0.8, carry=["zone"], keys=["job"])
    frame = release.data.to_frame("polars")
    assert frame.select("district", "zone").n_unique() == 4
    assert release.channels[0].columns == ("region", "district", "zone")
    assert not release.channels[0].excludes(wider, release.data).any()


def test_the_plan_may_drop_the_household_numbers():
    data = survey()
    kept = swapped(data, share=0.8)
    step = RecordSwapping(geography=["region", "district"], keys=["job"], k=2, share=0.8)
    dropped = unveil.mask(data, [step], seed=1)
    assert "home" not in dropped.data.columns
    assert dropped.data == kept.data.select(dropped.data.columns)
    # After a sample the numbers are those of the rows that are left.
    sampled = unveil.mask(data, [Sampling(records=12), step], seed=1)
    homes = data.column("home").gather(sampled.row_map)
    together = sampled.data.to_frame("polars").with_columns(homes)
    assert (together.group_by("home").agg(pl.col("district").n_unique())["district"] == 1).all()


@pytest.mark.parametrize("size", [300, 3000])
def test_the_order_of_rows_and_members_means_nothing(size):
    people = unveil.households(size, seed=5)
    step = RecordSwapping(geography=["region"], keys=["sex", "education"], share=0.3)
    order = np.random.default_rng(3).permutation(size)
    one = unveil.mask(people, [step], seed=2, household="keep")
    other = unveil.mask(people.take(order), [step], seed=2, household="keep")
    assert other.data == one.data.take(order)
    assert unveil.mask(people, [step], seed=3, household="keep").data != one.data


def test_other_columns_mean_nothing():
    people = unveil.households(500, seed=5)
    step = RecordSwapping(geography=["region"], keys=["sex", "education"], share=0.3)
    after_pram = [Pram(theta=0.3, columns=["occupation"]), step]
    one, other = unveil.mask(people, [step], seed=2), unveil.mask(people, after_pram, seed=2)
    assert one.data.column("region").equals(other.data.column("region"))


records = st.lists(
    st.tuples(*(st.integers(0, n) for n in (6, 1, 2, 3))), min_size=1, max_size=20
)  # household, region, district, key


@given(records, st.integers(1, 5))
def test_the_risk_is_that_of_counting_households(rows, k):
    home, region, district, key = np.array(rows).T
    homes = Homes(np.unique(home, return_inverse=True)[1])
    areas = [region, region * 10 + district]
    levels, counts = risk_levels(areas, key, homes, k)
    expected = naive.risk_levels([a.tolist() for a in areas], key.tolist(), home.tolist(), k)
    assert list(zip(levels.tolist(), counts.tolist(), strict=True)) == list(expected.values())


homes = st.lists(
    st.tuples(*(st.integers(0, n) for n in (1, 2, 1, 2)), st.booleans(), st.integers(0, 2)),
    min_size=1,
    max_size=24,
)  # region, district, two profiles, usable, level of the risk


@given(homes, st.integers(0, 12), st.randoms(use_true_random=False))
def test_partners_are_those_of_looking_at_everybody(rows, most, random):
    region, district, fine, coarse, usable, levels = np.array(rows, np.int64).T
    rank = list(range(len(rows)))
    random.shuffle(rank)
    areas, profiles = [region, region * 10 + district], [fine * 10 + coarse, coarse]
    order = np.lexsort((rank, levels))
    partners = Partners(areas, profiles, np.array(rank), usable > 0)
    found, counted = partners.match(order, levels, most)
    expected = naive.partners(areas, profiles, rank, usable > 0, order, levels, most)
    assert found.tolist() == expected
    assert counted.swapped == (found != np.arange(len(found))).sum() <= 2 * most


MISSING = [("e1", None, "n1", "brick", ["smith", "baker"]), ("e2", "south", None, "clay", ["cook"])]


def test_who_has_no_area_stays():
    data = survey(SURVEY + MISSING)
    release = swapped(data, share=1, k=3)
    before, after = areas_of(data), areas_of(release.data)
    assert (before["e1"], before["e2"]) == (after["e1"], after["e2"])
    assert not release.channels[0].excludes(data, release.data).any()


def test_a_record_without_a_number_is_a_household():
    data = survey()
    number = data.column("home").set(pl.Series(np.arange(len(data)) % 2 == 0), None)
    release = swapped(data.replace([number]), share=1, k=1)
    frame = release.data.to_frame("polars").filter(pl.col("home").is_null())
    assert release.details["record-swapping"].households == len(frame) + 9
    people = Microdata(data.to_frame("polars").drop("home"), Schema(quasi=["job"]))
    step = RecordSwapping(geography=["region"], k=1, share=1)
    alone = unveil.mask(people, [step], seed=1).details["record-swapping"]
    assert alone.households == len(people)


def refusal(data=None, **parameters):
    with pytest.raises((DataError, SchemaError, SpecError)) as error:
        swapped(survey() if data is None else data, **parameters)
    return str(error.value)


@pytest.mark.parametrize(
    "parameters",
    [
        {"keys": ["home"]},
        {"geography": ["home"]},
        {"carry": ["home"]},
        {"similar": [["wall"], ["home"]]},
    ],
)
def test_a_household_number_is_no_key_and_no_area(parameters):
    said = refusal(**parameters)
    assert "record-swapping: home is the household number" in said
    assert said.endswith("name other columns")


def test_a_number_that_is_a_quasi_identifier_is_no_default_key():
    data = survey()
    both = msgspec.structs.replace(data.schema["home"], role={"household", "quasi"})
    attributes = {name: data.schema[name] for name in data.columns} | {"home": both}
    declared = Microdata(data.to_frame(), Schema(attributes))
    found = [swapped(one, keys=None).details["record-swapping"] for one in (data, declared)]
    assert found[0] == found[1]


def test_counts_in_words():
    release = swapped(survey(), share=0.2)
    assert release.details["record-swapping"].records == 4
    assert release.details["record-swapping"].sentence == (
        "2 of 10 households swapped, with 4 records; 2 at risk, of which 1 left the area of their "
        "risk and 0 found no partner"
    )


def test_refusals_are_sentences():
    cell = survey().column("district").to_list()
    cell[0], cell[-1] = "s2", "n2"  # of a1 and c5
    varying = survey().replace([pl.Series("district", cell)])
    one = survey([row for row in SURVEY if row[1] == "north"])
    coarse = unveil.mask(
        survey(), [unveil.masks.LocalSuppression(k=6, columns=["region", "district"])], seed=1,
        household="keep",
    ).data  # fmt: skip
    said = refusal(varying)
    assert said == (
        "record-swapping: members of a household must have the same area, and they differ in "
        "column 'district' in 2 households; correct the cells, or leave the column out"
    )
    assert "column 'region' is constant" in refusal(one)
    assert "is generalised" in refusal(coarse)
    assert "none twice" in refusal(geography=["region", "region"])
    assert "none twice" in refusal(geography=["region"], carry=["region"])
    assert "none twice" in refusal(keys=["job", "job"])
    assert "column 'jobs' is not in the data" in refusal(keys=["jobs"])
    assert "column 'roof' is not in the data" in refusal(similar=[["roof"], []])
    assert "give a share" in refusal(k=1)
    assert "geography" in refusal(geography=[])
    assert "of at most 1" in refusal(share=1.5)
    assert "of at least 1" in refusal(k=0)
    plain = Microdata(survey().to_frame("polars"), Schema(household="home"))
    assert "name the keys" in refusal(plain, keys=None)


def test_the_plan_alone_tells_the_attack_what_it_needs():
    """The channel of another run of the plan excludes nobody either."""
    people = unveil.households(600, seed=4)
    step = RecordSwapping(geography=["region"], keys=["sex", "education"], share=0.3)
    release = unveil.mask(people, [step], seed=1)
    linked = {}
    for name, attack, channel in (
        ("distance", unveil.attacks.Distance(), False),
        ("tailored", unveil.attacks.Tailored(), True),
        ("plan", unveil.attacks.Tailored(), release.plan),
        ("method", unveil.attacks.Tailored(level="method"), True),
    ):
        known = ["region", "sex", "age", "education"]
        intruder = unveil.Intruder(knows=known, channel=channel)
        links = unveil.attack(people, release, attack, intruder=intruder)
        linked[name] = unveil.measures.risk(links).expected
    assert min(linked["tailored"], linked["plan"], linked["method"]) > 1.1 * linked["distance"]
