"""Attacks as a user makes them: files, intruders, truths."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.workflows.attack import AttackSettings, attack_summary

KNOWS = ["age", "hours", "income", "rent"]
NOISE = masks.AdditiveNoise(scale=0.1, columns=KNOWS)


@pytest.fixture(scope="module")
def sample():
    return unveil.households(200, seed=4)


@pytest.fixture(scope="module")
def release(sample):
    return unveil.mask(sample, [NOISE], seed=1).shuffled()


@pytest.fixture(scope="module")
def hits(sample, release):
    """By the original's rows, which no way to tell the truth may change."""
    return measures.hits(attacked(sample, release))


def attacked(original, released, spec=None, intruder=None, **options):
    known = Intruder(**({"knows": KNOWS} | (intruder or {})))
    return unveil.attack(original, released, spec or attacks.Distance(), intruder=known, **options)


def with_ids(sample, release):
    """The release as somebody may have it who forgot to take out the identifier."""
    people = sample.column("person").gather(release.row_map)
    return Microdata(release.data.to_frame().with_columns(people), release.data.schema)


def test_the_truth_can_be_told_in_many_ways(sample, release, hits, tmp_path):
    unveil.write(release, tmp_path / "r.csv", keep_order=True, row_map=tmp_path / "map.csv")
    data = release.data
    for truth, released in (
        (release.row_map, data),
        (release.row_map.tolist(), data),
        (tmp_path / "map.csv", data),
        (str(tmp_path / "map.csv"), data),
        ("person", with_ids(sample, release)),
        ("row-order", data.take(np.argsort(release.row_map))),
    ):
        links = attacked(sample, released, truth=truth)
        assert np.array_equal(measures.hits(links), hits)
    assert attacked(sample, data).truth is None
    assert 20 < hits.sum() < 200


def test_paths_and_frames_go_in_with_one_schema(sample, release, hits, tmp_path):
    unveil.write(sample, tmp_path / "s.parquet")
    unveil.write(sample.schema, tmp_path / "s.toml")
    unveil.write(release, tmp_path / "r.csv", keep_order=True, row_map=tmp_path / "map.csv")
    options = {"schema": tmp_path / "s.toml", "truth": tmp_path / "map.csv"}
    links = attacked(tmp_path / "s.parquet", tmp_path / "r.csv", **options)
    assert np.array_equal(measures.hits(links), hits)
    frames = sample.to_frame("pandas"), release.data.to_frame("pyarrow")
    links = attacked(*frames, schema=sample.schema, truth=release.row_map)
    assert np.array_equal(measures.hits(links), hits)
    links = attacked(sample, frames[1], schema=sample.schema, truth=release.row_map)
    assert np.array_equal(measures.hits(links), hits)
    with pytest.raises(unveil.UnveilError, match="leave out schema"):
        attacked(sample, release, schema=sample.schema)


def test_an_intruders_own_file(sample, release):
    """A file of people of whom some are in the release, known by the original's identifier."""
    rows = np.array([5, 17, 3, 100])
    strangers = (
        unveil.households(2, seed=99).to_frame().with_columns(person=pl.Series([9001, 9002]))
    )
    frame = pl.concat([sample.take(rows).to_frame(), strangers])
    own = Microdata(frame, sample.schema)
    links = attacked(sample, release, intruder={"records": own})
    assert links.truth.tolist() == [*np.argsort(release.row_map)[rows], -1, -1]
    risk = measures.risk(links)
    assert (risk.n, risk.absent, len(links)) == (4, 2, 6)
    few = attacked(sample, release, intruder={"records": rows.tolist()})
    assert np.array_equal(measures.hits(few), measures.hits(links)[:4])
    assert few.origin.tolist() == rows.tolist()
    direct = attacked(sample, with_ids(sample, release), intruder={"records": own}, truth="person")
    assert direct.truth.tolist() == links.truth.tolist()
    by_name = attacked(sample, release, intruder={"records": own}, truth="person")
    assert by_name.truth.tolist() == links.truth.tolist()
    back = attacked(sample, release, intruder={"records": own, "direction": "release-to-original"})
    assert (len(back), back.candidates, measures.risk(back).n) == (200, 6, 4)


def test_an_own_file_that_nobody_can_place(sample, release, tmp_path):
    nameless = sample.take([1, 2]).select(KNOWS)
    assert attacked(sample, release, intruder={"records": nameless}).truth is None
    unveil.write(release, tmp_path / "r.csv", row_map=tmp_path / "map.csv")
    with pytest.raises(unveil.UnveilError, match="the intruder has a separate file"):
        attacked(sample, release.data, intruder={"records": nameless}, truth=tmp_path / "map.csv")
    with pytest.raises(unveil.UnveilError, match="in the intruder's records, column 'person'"):
        attacked(sample, release, intruder={"records": nameless}, truth="person")


def test_shares_and_numbers_of_records(sample, release):
    tenth = attacked(sample, release, intruder={"records": 0.1}, seed=3)
    assert len(tenth) == len(tenth.origin) == 20
    assert np.array_equal(
        tenth.origin, attacked(sample, release, intruder={"records": 20}, seed=3).origin
    )
    assert not np.array_equal(
        tenth.origin, attacked(sample, release, intruder={"records": 20}, seed=4).origin
    )
    assert measures.risk(tenth).interval is None  # these are all that the intruder has
    every = attacked(sample, release, intruder={"records": 1.0})
    assert len(every) == 200


def test_a_sample_is_of_what_the_intruder_has(sample, release):
    links = attacked(sample, release)
    some = links.sample(50)
    assert len(some) == 50
    risk = measures.risk(some)
    assert risk.interval is not None
    assert risk.interval.low <= risk.share <= risk.interval.high
    assert risk.interval.low <= measures.risk(links).share <= risk.interval.high
    assert links.sample(1000) is links


def test_by_default_the_intruder_knows_the_quasi_identifiers(sample, release):
    links = unveil.attack(sample, release, attacks.Distance())
    assert set(links.finder.columns) == set(sample.schema.with_role("quasi"))
    links = unveil.attack(
        sample, release, attacks.Distance(), intruder=Intruder(blocks=["sex", "region"])
    )
    assert set(links.finder.columns) == set(sample.schema.with_role("quasi")) - {"sex", "region"}


def test_what_is_known_of_a_supervised_attack_is_said(sample, release):
    links = attacked(sample, release, attacks.Distance(metric="mahalanobis", covariance="pairs"))
    assert measures.risk(links).supervised
    assert not measures.risk(attacked(sample, release)).supervised


def test_the_order_of_a_written_release_tells_nothing_but_if_kept(sample):
    release = unveil.mask(sample, [NOISE], seed=1)
    hidden = unveil.attack(sample, release, attacks.Position())
    assert measures.risk(hidden).expected < 8
    assert abs(measures.row_order(hidden).correlation) < 0.3
    kept = unveil.mask(sample, unveil.Plan([NOISE], seed=1, keep_order=True))
    seen = unveil.attack(sample, kept, attacks.Position())
    risk = measures.risk(seen)
    assert (risk.expected, risk.ceiling, risk.attributes) == (200, 200, ())
    assert risk.p_value == measures.random_matching(200, 200).at_least(200)
    assert measures.row_order(seen).correlation == pytest.approx(1)
    assert measures.row_order(seen).p_value < 1e-10
    half = unveil.mask(sample, unveil.Plan([masks.Sampling(share=0.5)], seed=1, keep_order=True))
    assert measures.row_order(unveil.attack(sample, half, attacks.Position())).correlation > 0.99
    assert measures.risk(unveil.attack(sample, half, attacks.Position())).expected > 2


def test_other_people_are_linked_as_often_as_by_chance():
    """An attack on people who are not there finds no more than a guess."""
    people, others = unveil.households(500, seed=1), unveil.households(500, seed=2)
    truth = np.random.default_rng(3).permutation(500)
    for spec in (attacks.Distance(), attacks.Rank(), attacks.Rank(criterion="max")):
        risk = measures.risk(attacked(people, others, spec, truth=truth))
        assert risk.baseline == pytest.approx(1)
        assert risk.expected < 6  # one in ten thousand exceeds it
        assert risk.p_value > 1e-4


def test_progress_is_told(sample, release):
    from dataclasses import replace

    told = []
    links = replace(
        attacked(sample, release), progress=lambda done, total: told.append((done, total))
    )
    assert links.n_closer.shape == (200,)
    assert told[-1] == (200, 200)
    blocked = attacked(sample, release, intruder={"blocks": ["sex", "region"]})
    told.clear()
    assert (
        replace(blocked, progress=lambda done, total: told.append((done, total))).best.size == 200
    )
    assert told[-1] == (200, 200)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_an_intruder_says_what_it_knows_and_no_more():
    intruder = Intruder(knows=["age"], records=Microdata(pl.DataFrame({"age": [77013]})))
    assert "77013" not in repr(intruder)
    assert intruder.to_dict()["records"] == "a file of its own"
    assert repr(Intruder(records=pl.DataFrame({"age": [77013]}), blocks=["sex"])) == (
        "Intruder(knows the quasi-identifiers of a file of its own inside sex, original-to-release)"
    )
    assert repr(Intruder(records=0.25)).startswith(
        "Intruder(knows the quasi-identifiers of 0.25 of"
    )
    assert Intruder(records=np.array([3, 4])).records == (3, 4)
    assert Intruder(records="people.csv").to_dict()["records"] == "the records of people.csv"


def test_a_row_map_that_is_none(sample, release, tmp_path):
    for text, said in (
        ("released,orig\n1,1\n", "a row map has the columns released and original"),
        ("released,original\n1,201\n", "1 to 200.; give the map of this release"),
        ("released,original\n0,1\n", "column 'released' has 1 number"),
        ("released,original\n1,1\n1,2\n", "released row twice, the second time in row 2 of"),
        ("released,original\n1,1\n", "lists 1 of 200 released rows"),
        (
            "released,original\n1,x\n",
            "'original' has cells that are not row numbers: 1, the first in row 1;",
        ),
    ):
        (tmp_path / "map.csv").write_text(text)
        with pytest.raises(unveil.UnveilError, match=said):
            attacked(sample, release.data, truth=tmp_path / "map.csv")
    lines = [f"{row},{'1' if row == 2 else ''}" for row in range(1, 201)]
    (tmp_path / "map.csv").write_text("\n".join(["released,original", *lines, ""]))
    part = attacked(sample, release.data, truth=tmp_path / "map.csv")
    assert (part.truth[0], part.population) == (1, 1)


def test_levels_are_guessed_alike_for_both_files():
    """A released column may look like another level than the original's did."""
    people = pl.DataFrame({"n": [1, 2, 3, 4, 5, 6], "c": ["1", "2", "3", "a", "b", "c"]})
    rows = people.with_columns(n=pl.col("n") + 0.5, c=pl.Series(["1", "2", "3", "1", "2", "3"]))
    links = unveil.attack(
        Microdata(people, Schema(quasi=["n", "c"])), Microdata(rows), attacks.Distance(),
        truth="row-order",
    )  # fmt: skip
    assert links.finder.columns == ("n", "c")
    assert measures.hits(links)[:3].tolist() == [1, 1, 1]


def test_a_release_knows_the_table_that_it_was_made_of(sample, caplog):
    release = unveil.mask(sample, [NOISE], seed=1)
    backwards = sample.take(np.arange(200)[::-1])
    with pytest.raises(unveil.UnveilError, match="made from another table"):
        attacked(backwards, release)
    with pytest.raises(unveil.UnveilError, match="made from another table"):
        attacked(sample.take(np.arange(100)), release)
    nameless = unveil.Release(release.data, release.plan, release.channels, release.row_map)
    with pytest.raises(unveil.UnveilError, match="at least 200 original rows"):
        attacked(sample.take(np.arange(100)), nameless)
    # Sorted anew inside regions: the regions stand as they stood, but not who is who.
    by_region = sample.to_frame().sort("region", maintain_order=True)
    masked = unveil.mask(Microdata(by_region, sample.schema), [NOISE], seed=1)
    frame = by_region.sort("region", "income", maintain_order=True)
    with pytest.raises(unveil.UnveilError, match="made from another table"):
        attacked(Microdata(frame, sample.schema), masked)
    caplog.clear()
    nobody = Microdata(frame.drop("person"), sample.schema.where_there())
    assert attacked(nobody, masked).truth is not None
    assert "changed since the release was made" in caplog.text
    # An original that is known less exactly, in its order, is the same people still.
    vague = unveil.mask(sample, [masks.Rounding(base=100, columns=KNOWS)], seed=2).data
    assert attacked(vague, release).truth is not None
    assert np.array_equal(
        attacked(backwards, release, truth=np.arange(200)[::-1]).truth, np.arange(200)[::-1]
    )


def test_positions_are_those_of_the_whole_file(sample):
    kept = unveil.mask(sample, unveil.Plan([NOISE], seed=1, keep_order=True))
    for records in ([100, 3, 50], 0.25, 20):
        intruder = Intruder(records=records)
        links = unveil.attack(sample, kept, attacks.Position(), intruder=intruder)
        assert measures.hits(links).sum() == len(links)
        assert measures.row_order(links).correlation == pytest.approx(1)
    hidden = unveil.mask(sample, [NOISE], seed=1)
    for truth in (None, hidden.row_map):
        links = unveil.attack(sample, hidden, attacks.Position(), truth=truth)
        assert measures.hits(links).sum() < 8
        assert abs(measures.row_order(links).correlation) < 0.3
    assert measures.risk(links).confirmed is None


def test_dates_and_times_are_brought_to_one_unit():
    days = pl.Series("d", [f"2000-01-{day:02}" for day in range(1, 29)]).str.to_date()
    people = pl.DataFrame({"d": days.cast(pl.Datetime("us")), "x": range(28)})
    rows = pl.DataFrame({"d": days, "x": range(28)})
    schema = Schema(quasi=["d"])
    for spec in (
        attacks.Distance(), attacks.Distance(scale="release"), attacks.Rank(ranks="release"),
        attacks.Distance(metric="mahalanobis"),
    ):  # fmt: skip
        links = unveil.attack(people, rows, spec, schema=schema, truth="row-order")
        assert measures.hits(links).sum() == 28
    blocked = Intruder(knows=["x"], blocks=["d"])
    links = unveil.attack(
        people, rows, attacks.Distance(), schema=schema, intruder=blocked, truth="row-order"
    )
    assert measures.baseline(links) == 28


def test_very_small_numbers_vary_too():
    data = Microdata(pl.DataFrame({"x": np.arange(5) * 1e-170}), Schema(quasi="x"))
    links = unveil.attack(data, data, attacks.Distance(), truth=np.arange(5, dtype=np.uint32))
    assert measures.hits(links).sum() == 5


def test_few_records_have_no_moments_of_their_own(sample, release):
    few = {"records": [1, 2, 3, 4, 5, 6]}
    whitened = attacks.Distance(metric="mahalanobis")
    by_release = attacks.Distance(metric="mahalanobis", covariance="release")
    a, b = (attacked(sample, release, spec, few) for spec in (whitened, by_release))
    assert np.array_equal(a.score, b.score)
    kernel, scaled = (
        attacked(sample, release, attacks.Distance(metric="polynomial", scale=scale), few)
        for scale in (None, "release")
    )
    assert np.array_equal(kernel.score, scaled.score)


def test_a_release_without_a_schema_is_read_by_the_originals(sample, release, tmp_path):
    unveil.write(release, tmp_path / "r.csv", keep_order=True)
    links = attacked(sample, tmp_path / "r.csv", truth=release.row_map)
    assert np.array_equal(measures.hits(links), measures.hits(attacked(sample, release)))


def test_an_attack_by_its_name(sample, release):
    by_spec = attacked(sample, release, attacks.Rank(criterion="max"))
    assert attacked(sample, release, "rank-max").attack == by_spec.attack
    assert (
        attacked(sample, release, {"method": "rank", "criterion": "max"}).attack == by_spec.attack
    )
    with pytest.raises(unveil.UnveilError, match="did you mean 'distance'"):
        attacked(sample, release, "distanse")


def test_progress_has_one_signature(sample, release):
    tasks = []
    links = attacked(sample, release, "distance", progress=lambda *told: tasks.append(told))
    assert tasks == []  # links are computed on demand
    measures.risk(links)
    assert {task for task, _, _ in tasks} == {"distance"}
    assert all(0 <= done <= total for _, done, total in tasks)


def test_a_summary_has_every_measure_and_the_links(sample, release, tmp_path):
    settings = AttackSettings(links=tmp_path / "links.csv", top=3, outsiders=sample)
    intruder = Intruder(knows=KNOWS)
    summary = attack_summary(
        sample, release.data, "distance", intruder=intruder, truth=release.row_map,
        settings=settings,
    )  # fmt: skip
    assert summary.risk.expected == measures.risk(summary.links).expected
    assert summary.outsiders
    assert len(summary.top["share"]) == 3
    assert (tmp_path / "links.csv").is_file()
    assert {"attack", "risk", "top", "at_risk", "details"} <= set(summary.to_dict())
    unknown = attack_summary(sample, release.data, "distance", intruder=intruder)
    assert unknown.risk is None
    assert unknown.uncounted.records == unknown.to_dict()["records"] == len(sample)
    assert "top" not in unknown.to_dict()
    with pytest.raises(unveil.UnveilError, match="name the others by --also"):
        attack_summary(sample, release.data, "distance", settings=AttackSettings(key="age"))
