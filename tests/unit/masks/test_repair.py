"""Repair: who is at risk, who covers them, and that all others stay as they are."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from naive import repair as naive
from strategies.examples import examples
from strategies.masks import KINDS, masked, sizes, some, tables
from unveil import Microdata, Schema
from unveil.errors import DataError, SpecError
from unveil.files.documents.toml import mask_from, read_plan
from unveil.masks import Microaggregation, RankPermutation, Repair
from unveil.masks.repair import RepairedRecords, exposures
from unveil.support.options import part_of
from unveil.table.households import households_of
from unveil.values.release.channels import Groups, Replaced, Unknown
from unveil.values.release.composition import compose
from unveil.values.release.swap import Swap
from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.default_space import filled_space

AGES = [*range(30, 51), 70, 99]  # the last two are alone


def people(ages=AGES):
    cells = {"age": [float(age) for age in ages], "job": ["baker", "nurse"] * len(ages)}
    frame = pl.DataFrame({name: cells[name][: len(ages)] for name in cells})
    return Microdata(frame, Schema(quasi=["age", "job"], nominal="job", numeric="age"))


def repaired(data, seed=1, **parameters):
    given_or_default = {"share": 0.1, "k": 2, "cover": 1} | parameters
    return unveil.mask(data, [Repair(**given_or_default)], seed=seed)


def changed_rows(data, release, columns):
    pairs = [(data.column(name), release.data.column(name)) for name in columns]
    return np.flatnonzero(np.any([x.ne_missing(y).to_numpy() for x, y in pairs], axis=0))


@examples(1)
@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=2, max_size=30),
    st.integers(2, 6),
    st.randoms(use_true_random=False),
)
def test_exposure_is_the_distance_to_a_near_record(cells, k, random):
    assume(len(cells) >= k)
    points = np.array(cells, float) * random.choice([1.0, 0.37, 1e3])
    assert exposures(points, k) == pytest.approx(naive.exposures(points, k), rel=1e-9, abs=2e-9)


def test_the_isolated_are_masked_and_others_hide_which():
    data, covers = people(), set()
    for seed in range(8):
        release = repaired(data, seed)
        assert release.details["repair"] == RepairedRecords(23, 2, 2, 4)
        rows = set(changed_rows(data, release, ["age", "job"]).tolist())
        assert rows >= {21, 22}
        assert len(rows) == 4
        covers |= rows - {21, 22}
    assert len(covers) > 4


@examples(1 / 2)
@given(tables(), some(list(KINDS)), sizes, st.floats(0.05, 1), st.sampled_from([0, 0.5, 2]))
def test_others_are_untouched_and_the_masked_are_alike(table, columns, k, share, cover):
    spec = Repair(columns=columns, k=k, share=share, cover=cover)
    release = masked(table, spec)
    counts = release.details["repair"]
    assert counts.at_risk == max(part_of(len(table), share), 1)
    assert counts.at_risk + counts.cover == counts.records
    assert k <= counts.records <= len(table)
    rows = changed_rows(table, release, columns)
    assert len(rows) <= counts.records
    for name in release.data.columns:
        if name not in columns:
            assert release.data.column(name).equals(table.column(name))
    if not any(table.column(name).null_count() for name in columns):
        after = release.data.select(columns).to_frame("polars")
        sizes_of = after.with_columns(n=pl.len().over(columns))["n"].to_numpy()
        assert (sizes_of[rows] >= k).all()


@examples(1 / 2)
@given(tables(), sizes, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(table, k, random):
    columns = ["whole", "number", "text"]
    assume(not table.select(columns).to_frame("polars").is_duplicated().any())
    spec = Repair(columns=columns, k=k, share=0.3)
    release = masked(table, spec)
    order = list(range(len(table)))
    random.shuffle(order)
    again = masked(table.take(order), spec)
    before = release.data.take(order)
    for name in columns:
        a, b = before.column(name), again.data.column(name)
        assert a.equals(b) or a.to_numpy() == pytest.approx(b.to_numpy(), rel=1e-9, nan_ok=True)


def test_a_seed_decides_who_covers():
    data = people()
    assert repaired(data, 3).data == repaired(data, 3).data
    assert any(repaired(data, 3).data != repaired(data, seed).data for seed in range(4, 8))
    without = repaired(data, 3, cover=0)
    assert without.details["repair"].cover == 0
    assert set(changed_rows(data, without, ["age"]).tolist()) <= {21, 22}


def test_of_all_records_it_is_microaggregation():
    data = people()
    groups = unveil.mask(data, [Microaggregation(k=4)], seed=1)
    assert repaired(data, share=1, k=4).data == groups.data


def survey():
    sample = unveil.households(600, seed=7)
    columns = ["region", "household_size", "age", "income"]
    return sample, columns, households_of(sample)


def test_households_are_masked_whole():
    sample, columns, homes = survey()
    release = repaired(sample, columns=columns, share=0.1, k=3)
    counts = release.details["repair"]
    assert counts.units == len(homes)
    assert (counts.at_risk, counts.cover) == (len(homes) // 10, len(homes) // 10)
    for name in ("region", "household_size"):
        cells = release.data.column(name).to_list()
        assert all(len({cells[row] for row in homes.members(home)}) == 1 for home in range(9))
    rows = changed_rows(sample, release, columns)
    assert len(np.unique(homes.of_record[rows])) <= counts.at_risk + counts.cover
    assert len(rows) <= counts.records
    alone = repaired(sample, columns=["age", "income"], share=0.1, k=3).details["repair"]
    assert alone.units == 600


def test_what_it_refuses():
    for given_wrongly in ({"share": 0}, {"share": 1.1}, {"k": 1}, {"cover": -1}):
        with pytest.raises(SpecError):
            Repair(**{"share": 0.1, "k": 3} | given_wrongly)
    with pytest.raises(DataError, match="k is 5, and the table has 23 .* 4 would be masked"):
        repaired(people(), k=5)
    with pytest.raises(DataError, match="k is 9 and column 'age' has 5 known values"):
        repaired(people([30.0] * 4 + [31.0]), k=9, share=1, columns=["age"])
    with pytest.raises(DataError, match="constant"):
        repaired(people([30] * 9), columns=["age"], share=1)


def test_constant_and_missing_cells():
    frame = pl.DataFrame(
        {"x": [1.0, 2.0, 3.0, 4.0, 60.0, 90.0], "one": ["a"] * 6, "y": [1, 2, 3, 4, None, None]}
    )
    data = Microdata(frame, Schema(quasi=["x", "one", "y"], nominal="one", numeric=["x", "y"]))
    release = repaired(data, share=0.34, cover=0)
    assert release.data.column("x").to_list() == [1.0, 2.0, 3.0, 4.0, 75.0, 75.0]
    assert release.data.column("y").to_list() == [1, 2, 3, 4, None, None]
    assert set(release.data.column("one")) == {"a"}


def test_a_plan_file_has_it(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(
        'seed = 4\n[[mask]]\nmethod = "repair"\nshare = 0.1\nk = 2\ncolumns = ["age"]\n'
    )
    plan = read_plan(path)
    assert plan.masks == (Repair(share=0.1, k=2, columns=["age"]),)
    assert unveil.mask(people(), plan).data == unveil.mask(people(), plan).data


def test_attacks_that_know_the_mask_know_it():
    sample = unveil.households(200, seed=7)
    columns = ["age", "income", "hours"]
    plan = [RankPermutation(p=5, columns=columns), Repair(share=0.1, k=3, columns=columns)]
    quick = {"sweep": False, "remedies": False, "worst_case": False, "remask": 0, "errors": ()}
    audit = unveil.audit(
        sample, unveil.mask(sample, plan, seed=7), settings=unveil.AuditSettings(**quick)
    )
    assert [known.mask for known in audit.evidence.mask_knowledge] == ["rank-permutation", "repair"]
    for known in audit.evidence.mask_knowledge:
        assert {"simulated", "tailored"} < set(known.attacks)
        assert all("tailored" in name or name == "simulated" for name in known.attacks)


def test_who_knows_the_rule_still_knows_how_the_others_were_swapped():
    sample = unveil.households(300, seed=7)
    columns = ["age", "income", "hours"]
    swapped = RankPermutation(p=5, columns=columns)
    linked = []
    for plan in ([swapped], [swapped, Repair(share=0.02, k=3, columns=columns)]):
        release = unveil.mask(sample, plan, seed=7)
        intruder = unveil.Intruder(knows=columns, channel=True)
        links = unveil.attack(sample, release, unveil.attacks.Tailored(), intruder=intruder)
        linked.append(unveil.measures.risk(links).share)
    assert linked[1] > 0.85 * linked[0]


def test_its_channel_is_of_the_others_too():
    swap, scatter = Swap(("x",), 3), Unknown(("x",))
    found = compose([swap, Replaced(("x",), 0.1), Replaced(("x",), 0.2)], ["x"])
    (channel,) = found.channels
    assert channel.earlier is swap
    assert channel.share == pytest.approx(1 - 0.9 * 0.8)
    (channel,) = found.renamed({"x": "y"}).channels
    assert (channel.columns, channel.earlier.columns) == (("y",), ("y",))
    assert compose([scatter, Replaced(("x",), 0.1)], ["x"]).unsettled == ("x",)
    groups = Groups(("x", "y"), 3, np.ones(2))
    assert "x" in compose([groups, Replaced(("x",), 0.1)], ["x", "y"]).unsettled


def test_a_space_of_ones_own_may_name_it_and_the_default_does_not():
    sample = unveil.households(100, seed=7)
    default = filled_space(sample)
    assert all(step["method"] != "repair" for one in default.combination for step in one.mask)
    step = {"method": "repair", "columns": ["age", "income"], "share": {"from": 0.02, "to": 0.3}}
    space = SearchSpace(combination=[{"name": "repaired", "mask": [step | {"k": 5}]}])
    (table,) = space.tables(Candidate("repaired", (0.5,)))
    assert mask_from(table) == Repair(share=table["share"], k=5, columns=["age", "income"])
