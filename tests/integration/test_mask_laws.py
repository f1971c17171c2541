"""Each mask's own law, on tables large enough to see it."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks
from unveil.table.encoding.to_arrays import numbers

N = 40_000


@pytest.fixture(scope="module")
def people():
    """Three numbers, two of them correlated; categories of known frequencies."""
    rng = np.random.default_rng(5)
    a = rng.normal(50, 10, N)
    b = 3 * a + rng.normal(0, 15, N)
    frame = {
        "a": a,
        "b": b,
        "c": rng.exponential(7, N),
        "job": rng.choice(list("xyz"), N, p=[0.7, 0.2, 0.1]),
    }
    return Microdata(pl.DataFrame(frame), Schema(nominal="job", numeric=["a", "b", "c"]))


def change(data, spec, columns=("a", "b", "c")):
    release = unveil.mask(data, [spec], seed=11)
    columns = list(columns)
    return release, numbers(release.data, columns).values - numbers(data, columns).values


def test_additive_noise_has_its_deviation_and_no_correlation(people):
    spec = masks.AdditiveNoise(scale=0.3, columns=["a", "b", "c"])
    release, noise = change(people, spec)
    deviation = numbers(people, ["a", "b", "c"]).values.std(0, ddof=1)
    assert noise.mean(0) == pytest.approx([0, 0, 0], abs=4 * 0.3 * deviation.max() / N**0.5)
    assert noise.std(0) / deviation == pytest.approx([0.3] * 3, rel=0.02)
    assert np.corrcoef(noise.T)[np.triu_indices(3, 1)] == pytest.approx([0, 0, 0], abs=0.02)
    for channel, own in zip(release.channels, 0.3 * deviation, strict=True):
        assert channel.covariance[0, 0] == pytest.approx(own**2)
        assert channel.slack == ((0.0, 0.0),)
    whole = Microdata(pl.DataFrame({"a": np.arange(50), "b": np.arange(50) % 7}))
    for spec in (masks.AdditiveNoise, masks.CorrelatedNoise):
        for channel in unveil.mask(whole, [spec(scale=0.3, columns=["a", "b"])]).channels:
            assert {slack.absolute for slack in channel.slack} == {0.5}


def test_correlated_noise_has_the_covariance_of_its_channel(people):
    release, noise = change(people, masks.CorrelatedNoise(scale=0.3, columns=["a", "b", "c"]))
    stated = release.channels[0].covariance
    assert stated == pytest.approx(0.09 * np.cov(numbers(people, ["a", "b", "c"]).values.T))
    assert np.cov(noise.T) == pytest.approx(stated, rel=0.05, abs=0.02 * stated.max())


def test_correlated_noise_with_a_singular_covariance():
    """A column that is the sum of two others stays it, but for rounding."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 3, 500), rng.normal(0, 4, 500)
    data = Microdata(pl.DataFrame({"a": a, "b": b, "both": a + b}))
    spec = masks.CorrelatedNoise(scale=0.5, columns=["a", "b", "both"])
    after = unveil.mask(data, [spec], seed=1).data
    sums = (after.column("a") + after.column("b")).to_numpy()
    assert after.column("both").to_numpy() == pytest.approx(sums, abs=1e-5)


def test_census_has_a_singular_covariance(paper_data):
    census = paper_data("census")
    release = unveil.mask(
        census, [masks.CorrelatedNoise(scale=0.5, columns=census.columns)], seed=1
    )
    total = [release.data.column(name) for name in ("PTOTVAL", "PEARNVAL", "POTHVAL")]
    assert (total[0] - total[1] - total[2]).abs().max() <= 2  # each is rounded


def test_correlations_of_pairs_that_no_table_has():
    """Where different records know different pairs, the matrix has a negative eigenvalue."""
    frame = pl.DataFrame(
        {
            "a": [1.0, 2, 3, 4, 1, 2, 3, 4, *[None] * 4],
            "b": [1.0, 2, 3, 4, *[None] * 4, 1, 2, 3, 4],
            "c": [*[None] * 4, 1.0, 2, 3, 4, 4, 3, 2, 1],
        }
    )
    release, noise = change(
        Microdata(frame), masks.CorrelatedNoise(scale=1, columns=["a", "b", "c"]), "abc"
    )
    covariance = release.channels[0].covariance
    spread = [frame[name].std() ** 2 for name in "abc"]
    assert np.diag(covariance) == pytest.approx(spread)
    # Of the eigenvalues 2, 2 and -1 the last counts as 0.
    assert np.linalg.eigvalsh(covariance).min() == pytest.approx(0, abs=1e-9)
    assert np.isnan(noise).sum() == 12


def test_multiplicative_noise_is_uniform_about_one(people):
    after = unveil.mask(people, [masks.MultiplicativeNoise(scale=0.2, columns=["c"])], seed=2)
    ratio = (after.data.column("c") / people.column("c")).to_numpy()
    assert ratio.min() >= 0.8
    assert ratio.max() <= 1.2
    assert ratio.std() == pytest.approx(0.4 / 12**0.5, rel=0.02)


def test_swaps_stay_in_the_window_and_use_it(people):
    release = unveil.mask(people, [masks.RankSwapping(p=5, columns=["a"])], seed=3)
    position = np.argsort(np.argsort(people.column("a").to_numpy()))
    after = np.argsort(np.argsort(release.data.column("a").to_numpy()))
    moved = np.abs(after - position)
    assert moved.max() <= release.channels[0].window == 2000
    assert moved.max() > 1950
    assert moved.mean() == pytest.approx(1000, rel=0.1)
    assert (moved > 0).mean() > 0.99


def test_swaps_by_a_distribution_go_farther_than_their_mean(people):
    spec = masks.DistributionSwapping(p=5, columns=["a"])
    release = unveil.mask(people, [spec], seed=3)
    position = np.argsort(np.argsort(people.column("a").to_numpy()))
    after = np.argsort(np.argsort(release.data.column("a").to_numpy()))
    moved = np.abs(after - position)
    assert moved.max() > 2000
    assert moved.mean() == pytest.approx(1290, rel=0.1)  # a normal, cut off below 1
    assert not release.channels[0].bound
    text = unveil.mask(
        people, [masks.DistributionSwapping(p=5, columns=["a"], reading="text")], seed=3
    )
    shorter = np.argsort(np.argsort(text.data.column("a").to_numpy())) - position
    assert np.abs(shorter).mean() < 0.7 * moved.mean()
    assert text.channels[0].bound


@pytest.mark.parametrize(
    "spec",
    [
        masks.Pram(theta=0.4, columns=["job"]),
        masks.Pram(matrix=[[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.6, 0.3, 0.1]], columns=["job"]),
    ],
)
def test_invariant_pram_keeps_frequencies(people, spec):
    release = unveil.mask(people, [spec], seed=4)
    matrix = release.channels[0].matrix
    before = people.column("job").value_counts().sort("job")["count"].to_numpy()
    after = release.data.column("job").value_counts().sort("job")["count"].to_numpy()
    assert matrix.sum(1) == pytest.approx([1, 1, 1])
    assert before @ matrix == pytest.approx(before)
    assert after == pytest.approx(before, abs=5 * N**0.5)
    changed = (people.column("job") != release.data.column("job")).mean()
    assert changed == pytest.approx((before / N * (1 - np.diag(matrix))).sum(), abs=0.01)


def test_plain_pram_changes_every_category_alike(people):
    spec = masks.Pram(theta=0.3, invariant=False, columns=["job"])
    release = unveil.mask(people, [spec], seed=4)
    assert np.diag(release.channels[0].matrix) == pytest.approx([0.7] * 3)
    given = np.array([[0.5, 0.5, 0], [0, 1, 0], [0.25, 0.25, 0.5]])
    exact = masks.Pram(matrix=given.tolist(), invariant=False, columns=["job"])
    release = unveil.mask(people, [exact], seed=4)
    assert (release.channels[0].matrix == given).all()
    after = release.data.to_frame().filter(people.column("job") == "y")["job"]
    assert set(after) == {"y"}


def test_pram_into_a_category_that_nobody_has():
    data = Microdata(
        pl.DataFrame({"grade": [1, 2, 1, 2]}), Schema(ordinal={"grade": ["1", "2", "3"]})
    )
    sure = masks.Pram(matrix=[[0, 0, 1], [0, 1, 0], [1, 0, 0]], columns=["grade"], invariant=False)
    release = unveil.mask(data, [sure], seed=1)
    assert release.data.column("grade").to_list() == [3, 2, 3, 2]
    back = masks.Pram(matrix=[[0, 0, 1], [0, 1, 0], [1, 0, 0]], columns=["grade"])
    assert unveil.mask(data, [back], seed=1).data.column("grade").to_list() == [1, 2, 1, 2]


def test_groups_of_columns_are_aggregated_apart(people):
    small = people.take(np.arange(301))
    spec = masks.Microaggregation(
        groups=[{"columns": ["a", "b"], "k": 4}, {"columns": ["c"], "k": 7}]
    )
    after = unveil.mask(small, [spec]).data.to_frame()
    for columns, k in ((["a", "b"], 4), (["c"], 7)):
        sizes = after.group_by(columns).len()["len"]
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1
    assert after.group_by(["a", "b", "c"]).len()["len"].min() < 4
    alone = unveil.mask(small, [masks.Microaggregation(k=4, columns=["a", "b"])]).data
    assert alone.column("a").equals(after["a"])


def test_groups_grow_to_the_size_of_clusters():
    """Clusters of 3 or 4: with k = 3 variable groups are the clusters."""
    sizes = [3, 4, 4, 3, 4]
    rng = np.random.default_rng(1)
    x = np.concatenate([100.0 * i + rng.normal(size=n) for i, n in enumerate(sizes)])
    data = Microdata(pl.DataFrame({"x": x, "y": rng.normal(size=18)}))

    def found(**more):
        spec = masks.Microaggregation(k=3, standardise=False, columns=["x", "y"], **more)
        after = unveil.mask(data, [spec]).data.to_frame()
        return after.group_by("x", maintain_order=True).len()["len"].to_list()

    assert found(algorithm="v-mdav", gamma=1.1) == sizes
    assert found(algorithm="v-mdav") == sizes
    assert found(algorithm="v-mdav", gamma=0) != sizes
    assert found() != sizes


def test_optimal_groups_lose_least():
    """Never more than individual ranking or MDAV; missing cells are in no group."""
    rng = np.random.default_rng(2)
    for n in (7, 20, 61):
        x = np.round(rng.lognormal(size=n), 1)
        holes = pl.Series("x", x).set(pl.Series(rng.random(n) < 0.1), None)
        data = Microdata(pl.DataFrame({"x": holes}))
        for k in (2, 3):
            lost = [
                ((unveil.mask(data, [spec]).data.column("x") - holes) ** 2).sum()
                for spec in (
                    masks.Microaggregation(k=k, columns=["x"], algorithm="optimal"),
                    masks.IndividualRanking(k=k, columns=["x"]),
                    masks.Microaggregation(k=k, columns=["x"]),
                    masks.Microaggregation(k=k, columns=["x"], algorithm="v-mdav"),
                )
            ]
            assert lost[0] <= min(lost[1:]) + 1e-12


def test_optimal_groups_by_hand():
    frame = pl.DataFrame({"x": [1, None, 9, 2, 10, 3, 11], "g": list("ab") + ["a"] * 4 + ["c"]})
    data = Microdata(frame, Schema(numeric="x", ordinal={"g": ["a", "b", "c"]}))
    spec = masks.Microaggregation(
        groups=[{"columns": ["x"], "k": 3}, {"columns": ["g"], "k": 2}], algorithm="optimal"
    )
    release = unveil.mask(data, [spec])
    assert release.data.column("x").to_list() == [2, None, 10, 2, 10, 2, 10]
    assert release.data.column("g").to_list() == ["a", "b", "a", "a", "a", "a", "b"]
    assert [channel.window for channel in release.channels] == [0, 0]


def test_microaggregation_of_categories():
    frame = pl.DataFrame(
        {"job": list("xxyzzz"), "grade": ["low", "low", "mid", "top", "top", "mid"]}
    )
    schema = Schema(nominal="job", ordinal={"grade": ["low", "mid", "top"]})
    after = unveil.mask(
        Microdata(frame, schema), [masks.Microaggregation(k=3, columns=["job", "grade"])]
    ).data.to_frame()
    assert after["job"].to_list() == list("xxxzzz")
    assert after["grade"].to_list() == ["low", "low", "low", "top", "top", "top"]


def test_a_missing_cell_stays_and_a_lone_one_is_not_shown():
    """A group in which one record knows a value would release that value as its own mean."""
    frame = pl.DataFrame({"a": [1.0, 2, 3, 50, 51, 52], "b": [None, None, 77.0, 10, 11, 12]})
    after = unveil.mask(Microdata(frame), [masks.Microaggregation(k=3, columns=["a", "b"])]).data
    assert after.column("b").to_list() == [None, None, 27.5, 27.5, 27.5, 27.5]


def test_coding_and_recoding_by_hand():
    frame = pl.DataFrame({"age": [3, 17, 18, 64, 65, 90], "pay": [0.05, 0.1, 0.25, 0.3, 1.0, 2.0]})
    data = Microdata(frame, Schema(quasi=["age", "pay"], numeric=["age", "pay"]))

    def after(spec, name):
        return unveil.mask(data, [spec]).data.column(name).to_list()

    assert after(masks.TopCoding(threshold=60, columns=["age"]), "age") == [3, 17, 18, 60, 60, 60]
    assert after(masks.TopCoding(share=0.34, columns=["age"]), "age") == [3, 17, 18, 64, 64, 64]
    assert after(masks.BottomCoding(categories=2, columns=["age"]), "age") == [
        18,
        18,
        18,
        64,
        65,
        90,
    ]
    assert after(masks.GlobalRecoding(intervals=[18, 65], columns=["age"]), "age") == [
        "..17", "..17", "18..64", "18..64", "65..", "65..",
    ]  # fmt: skip
    assert after(masks.GlobalRecoding(intervals=0.1, columns=["pay"]), "pay") == [
        "0..0.1", "0.1..0.2", "0.2..0.3", "0.3..0.4", "1..1.1", "2..2.1",
    ]  # fmt: skip
    assert after(masks.Rounding(base=10, columns=["age"]), "age") == [0, 20, 20, 60, 60, 90]
    release = unveil.mask(data, [masks.GlobalRecoding(intervals=10)])
    assert release.data.schema["age"].generalised
    assert sorted(release.data.schema["age"].role) == ["quasi"]


def test_recoding_of_codes_keeps_their_type_where_it_can():
    data = Microdata(pl.DataFrame({"code": [1, 2, 3, 3]}), Schema(nominal="code"))

    def recoded(label):
        spec = masks.GlobalRecoding(groups={label: ["1", "2"]}, columns=["code"])
        return unveil.mask(data, [spec]).data.column("code").to_list()

    assert recoded("9") == [9, 9, 3, 3]
    assert recoded("other") == ["other", "other", "3", "3"]
    small = Microdata(pl.DataFrame({"code": pl.Series([1, 2, 3, 3], dtype=pl.Int8)}), data.schema)
    for label, cells in (("300", ["300", "300", "3", "3"]), ("1.0", [1, 1, 3, 3])):
        spec = masks.GlobalRecoding(groups={label: ["1", "2"]}, columns=["code"])
        release = unveil.mask(small, [spec])
        assert release.data.column("code").to_list() == cells
        assert not release.channels[0].excludes(small, release.data).any()


def test_the_rarest_are_merged_into_the_commonest_of_them_or_under_a_label():
    data = Microdata(pl.DataFrame({"c": list("aaaabbbccd")}), Schema(nominal="c"))
    for more, label in (({}, "b"), ({"label": "other"}, "other")):
        spec = masks.GlobalRecoding(rarest=2, columns=["c"], **more)
        assert unveil.mask(data, [spec]).data.column("c").to_list() == ["a"] * 4 + [label] * 6


def test_codes_that_no_float_can_hold():
    codes = [2**64 - 1, 2**63 + 3, 2**63 + 1]
    data = Microdata(pl.DataFrame({"c": pl.Series(codes, dtype=pl.UInt64)}), Schema(nominal="c"))
    same = masks.Function(function=lambda v, _: v, columns=["c"])
    assert unveil.mask(data, [same]).data.column("c").to_list() == codes
    groups = {str(2**63 + 1): [str(2**63 + 3)]}
    merged = unveil.mask(data, [masks.GlobalRecoding(groups=groups, columns=["c"])]).data
    assert merged.column("c").to_list() == [2**64 - 1, 2**63 + 1, 2**63 + 1]


def test_the_order_follows_the_recoding():
    schema = Schema(
        attributes={
            "grade": {"order": ["a", "b", "c", "d"], "hierarchy": [[x, "all"] for x in "abcd"]}
        }
    )
    data = Microdata(pl.DataFrame({"grade": list("abcd")}), schema)
    spec = masks.GlobalRecoding(groups={"b or c": ["c", "b"]}, columns=["grade"])
    after = unveil.mask(data, [spec]).data
    assert after.schema["grade"].order == ("a", "b or c", "d")
    assert after.schema["grade"].hierarchy == ()
    assert Microdata(after.to_frame(), after.schema) == after


@pytest.mark.parametrize("model", ["trees", "copula"])
def test_synthetic_tables_resemble_the_original(people, model):
    sample = people.take(np.arange(4000))
    made = unveil.mask(sample, [masks.Synthesis(model=model)], seed=6).data
    x, y = (numbers(data, ["a", "b", "c"]).values for data in (sample, made))
    assert y.mean(0) == pytest.approx(x.mean(0), rel=0.05)
    assert y.std(0) == pytest.approx(x.std(0), rel=0.1)
    assert np.corrcoef(y.T)[0, 1] == pytest.approx(np.corrcoef(x.T)[0, 1], abs=0.05)
    shares = [
        data.column("job").value_counts(normalize=True).sort("job")["proportion"]
        for data in (sample, made)
    ]
    assert shares[1].to_list() == pytest.approx(shares[0].to_list(), abs=0.03)
    rows = set(sample.to_frame().rows())
    copied = sum(row in rows for row in made.to_frame().rows()) / len(made)
    # A tree's leaf holds five originals, so some records are drawn as they were.
    assert copied < (0.03 if model == "trees" else 0.0001)


@pytest.mark.parametrize("model", ["trees", "copula"])
def test_synthetic_cells_are_missing_as_often_and_together(model):
    rng = np.random.default_rng(1)
    gone = rng.random(3000) < 0.3
    frame = pl.DataFrame(
        {
            "out": pl.Series(gone.astype(int)),
            "pay": pl.Series(rng.normal(size=3000)).set(pl.Series(gone), None),
            "void": pl.Series([None] * 3000, dtype=pl.Float64),
        }
    )
    made = unveil.mask(Microdata(frame), [masks.Synthesis(model=model)], seed=6).data
    assert made.column("pay").null_count() == pytest.approx(900, abs=100)
    assert made.column("void").null_count() == 3000
    if model == "trees":
        assert (made.column("pay").is_null() == (made.column("out") == 1)).all()


def test_a_functions_channel_is_what_it_does(people):
    def jitter(values, rng):
        return values + rng.normal(2, 3, len(values))

    noise = unveil.mask(people, [masks.Function(function=jitter, columns=["a"])], seed=1)
    channel = noise.channels[0]
    assert channel.mean[0] == pytest.approx(2, abs=0.1)
    assert channel.covariance[0, 0] == pytest.approx(9, rel=0.05)

    def merge(labels, _rng):
        return np.where(labels == "z", "y", labels)

    recoded = unveil.mask(people, [masks.Function(function=merge, columns=["job"])], seed=1)
    matrix = recoded.channels[0].matrix
    assert recoded.channels[0].categories == ("x", "y", "z")
    assert matrix[2, 1] > 0.99
    assert matrix.min() > 0
    hidden = masks.Function(function=merge, columns=["job"], channel="unknown")
    assert type(unveil.mask(people, [hidden]).channels[0]).__name__ == "Unknown"


def test_numbers_keep_their_type_unless_told_otherwise():
    frame = pl.DataFrame({"age": pl.Series([20, 30, 41, 50], dtype=pl.Int16)})
    kept, freed = (
        unveil.mask(frame, [masks.IndividualRanking(k=2, columns=["age"], keep_type=keep)]).data
        for keep in (True, False)
    )
    assert kept.column("age").to_list() == [25, 25, 46, 46]
    assert kept.column("age").dtype == pl.Int16
    assert freed.column("age").to_list() == [25.0, 25.0, 45.5, 45.5]


def test_ties_are_broken_by_row():
    """As published; so a masked table depends on the order of the original's rows."""
    frame = pl.DataFrame({"x": [5.0, 5.0, 5.0, 9.0]})
    after = unveil.mask(frame, [masks.IndividualRanking(k=2, columns=["x"])]).data
    assert after.column("x").to_list() == [5.0, 5.0, 7.0, 7.0]


def test_ordinal_numbers_stay_ordinal_when_merged():
    data = Microdata(pl.DataFrame({"o": [1, 2, 3, 4]}), Schema(ordinal=["o"]))
    spec = masks.GlobalRecoding(groups={"2": ["2", "3"]}, columns=["o"])
    after = unveil.mask(data, [spec]).data
    assert after.schema["o"].order == ("1", "2", "4")
    with pytest.raises(unveil.UnveilError, match="a gap"):
        unveil.mask(data, [masks.GlobalRecoding(groups={"1": ["1", "3"]}, columns=["o"])])


def test_coded_categories_are_gone_from_the_type_too(tmp_path):
    order = ["lo", "mid", "hi", "unused", "SECRET"]
    cells = ["lo", "hi", "mid", "SECRET"] * 3
    frame = pl.DataFrame({"o": pl.Series(cells, dtype=pl.Enum(order))})
    spec = masks.TopCoding(threshold="hi", columns=["o"])
    for given in (frame, frame.to_pandas(), frame.to_arrow()):
        release = unveil.mask(given, [spec], schema=Schema(quasi="o"))
        assert release.data.order("o")[:3] == ("lo", "mid", "hi")
        assert "SECRET" not in release.data.order("o")
        unveil.write(release, tmp_path / "r.parquet", force=True)
        assert b"SECRET" not in (tmp_path / "r.parquet").read_bytes()
        unveil.write(release, tmp_path / "r.csv", force=True)
        again = unveil.read(tmp_path / "r.csv", release.schema)
        assert again.level("o") == "ordinal"
    assert unveil.mask(frame, [spec], schema=Schema(quasi="o")).data.to_frame()[
        "o"
    ].dtype == pl.Enum(["lo", "mid", "hi", "unused"])


def test_a_zero_has_no_sign():
    frame = pl.DataFrame({"x": [-0.3, 0.3, 12.0]})
    after = unveil.mask(frame, [masks.Rounding(base=10, columns=["x"])]).data.column("x")
    assert not np.signbit(after.to_numpy()).any()


def test_means_whose_sums_overflow():
    frame = pl.DataFrame({"x": [1e308, 1.1e308, 1.2e308, 1.3e308, 1.4e308, 1.5e308]})
    after = unveil.mask(frame, [masks.IndividualRanking(k=3, columns=["x"])]).data.column("x")
    assert after.to_list() == pytest.approx([1.1e308] * 3 + [1.4e308] * 3)


def test_the_smallest_numbers_of_32_bits_are_not_excluded():
    frame = pl.DataFrame({"x": pl.Series([1e-44, 3e-45] * 50, dtype=pl.Float32)})
    data = Microdata(frame)
    for spec in (
        masks.MultiplicativeNoise(scale=0.1, columns=["x"]),
        masks.Rounding(base=2e-45, columns=["x"]),
    ):
        release = unveil.mask(data, [spec], seed=1)
        assert not release.channels[0].excludes(data, release.data).any()


def test_decimals_come_back_as_floats_once_masked():
    frame = pl.DataFrame({"x": pl.Series(["1", "20", "300"]).str.to_decimal(scale=0)})
    release = unveil.mask(frame, [masks.MultiplicativeNoise(scale=0.01, columns=["x"])], seed=1)
    assert release.data.to_frame()["x"].dtype == pl.Float64


def test_thresholds_as_dates():
    import datetime

    days = [datetime.date(2000, 1, 1), datetime.date(2010, 1, 1), datetime.date(2020, 1, 1)]
    frame = pl.DataFrame({"day": days, "time": [datetime.datetime(d.year, 1, 1, 5) for d in days]})
    for given in ("2010-01-01", datetime.date(2010, 1, 1)):
        release = unveil.mask(frame, [masks.TopCoding(threshold=given, columns=["day", "time"])])
        assert release.data.column("day").to_list() == [days[0], days[1], days[1]]
        assert release.data.column("time").max() == datetime.datetime(2010, 1, 1)


def test_shares_are_those_that_are_written():
    frame = pl.DataFrame({"x": np.arange(100)})
    after = unveil.mask(frame, [masks.TopCoding(share=0.29, columns=["x"])]).data.column("x")
    assert (after == 70).sum() == 30
    swapped = unveil.mask(
        pl.DataFrame({"x": np.arange(1000)}), [masks.RankSwapping(p=32.3, columns=["x"])]
    )
    assert swapped.channels[0].window == 323


RANDOM = [
    masks.AdditiveNoise(scale=0.2, columns=["a"]),
    masks.CorrelatedNoise(scale=0.2, columns=["a", "b"]),
    masks.MultiplicativeNoise(scale=0.2, columns=["a"]),
    masks.RankSwapping(p=10, columns=["a"]),
    masks.DistributionSwapping(p=10, columns=["a"]),
    masks.DistributionSwapping(p=10, reading="text", columns=["a"]),
    masks.Pram(theta=0.9, columns=["job"]),
    masks.Sampling(share=0.5),
    masks.Shuffle(),
    masks.Synthesis(),
    masks.Synthesis(model="copula"),
    masks.Function(function=lambda v, rng: rng.permutation(v), columns=["a"]),
]


@pytest.mark.parametrize("spec", RANDOM, ids=lambda spec: spec.step)
def test_another_seed_draws_another_release(people, spec):
    small = people.take(np.arange(200))
    first, second = (unveil.mask(small, [spec], seed=seed) for seed in (1, 2))
    assert first.data != second.data


def test_another_seed_writes_another_order(people):
    orders = [
        unveil.mask(people.take(np.arange(50)), [], seed=seed).shuffled().row_map.tolist()
        for seed in (1, 2)
    ]
    assert orders[0] != orders[1]
    plan = unveil.Plan(())
    with pytest.raises(unveil.UnveilError, match="without a seed"):
        unveil.Release(people, plan, (), np.arange(len(people))).shuffled()
    assert "123456" not in repr(unveil.Plan((), seed=123456))


def test_a_sample_keeps_the_order_of_its_rows(people):
    release = unveil.mask(people, [masks.Sampling(records=500)], seed=1)
    assert (np.diff(release.row_map) > 0).all()


def test_distances_as_they_are_or_standardised():
    """A column a thousand times as wide as another decides alone, unless standardised."""
    frame = pl.DataFrame({"wide": [0.0, 1000.0, 10.0, 1010.0], "narrow": [0.0, 0.1, 1.0, 1.1]})
    frame = frame.with_columns(narrow=pl.col("narrow") * 9)

    def groups(**more):
        spec = masks.Microaggregation(k=2, columns=["wide", "narrow"], keep_type=False, **more)
        return unveil.mask(frame, [spec]).data.column("wide").to_list()

    assert groups(standardise=False) == [5.0, 1005.0, 5.0, 1005.0]
    skewed = frame.with_columns(wide=pl.Series([0.0, 10.0, 5.0, 15.0]))
    spec = masks.Microaggregation(k=2, columns=["wide", "narrow"])
    after = unveil.mask(skewed, [spec])
    assert after.channels[0].deviation == pytest.approx(
        [skewed["wide"].std(), skewed["narrow"].std()]
    )
    plain = unveil.mask(
        skewed, [masks.Microaggregation(k=2, columns=["wide", "narrow"], standardise=False)]
    )
    assert plain.channels[0].deviation.tolist() == [1.0, 1.0]


def test_what_a_category_counts_beside_a_number():
    """Different categories are 1 apart; the ends of an order too, its neighbours less."""
    from unveil.masks.microaggregation.mask import RecordPoints

    frame = pl.DataFrame(
        {"x": [0.0, 3.0, 7.0], "job": ["a", "b", "a"], "grade": ["lo", "mid", "hi"]}
    )
    schema = Schema(nominal="job", ordinal={"grade": ["lo", "mid", "hi"]})
    spec = masks.Microaggregation(k=3, columns=["x", "job", "grade"], standardise=False)
    points = RecordPoints(spec, Microdata(frame, schema), spec.columns).points
    squared = ((points[:, None] - points[None]) ** 2).sum(-1)
    assert squared[0, 1] == pytest.approx(9 + 1 + 0.25)
    assert squared[0, 2] == pytest.approx(49 + 0 + 1)
    assert squared[1, 2] == pytest.approx(16 + 1 + 0.25)


def test_an_order_that_only_the_type_knows_is_one():
    cells = ["lo"] * 3 + ["mid"] * 2 + ["hi"] * 4
    frame = pl.DataFrame({"o": pl.Series(cells, dtype=pl.Enum(["lo", "mid", "hi"]))})
    for spec in (
        masks.IndividualRanking(k=9, columns=["o"]),
        masks.Microaggregation(k=9, columns=["o"]),
    ):
        assert set(unveil.mask(frame, [spec]).data.column("o")) == {"mid"}


def test_multiples_of_a_decimal_are_written_as_such():
    frame = pl.DataFrame({"x": [0.3, 0.7, 1.1, -0.24]})
    after = unveil.mask(frame, [masks.Rounding(base=0.1, columns=["x"])]).data
    assert after.column("x").to_list() == [0.3, 0.7, 1.1, -0.2]


def test_a_label_for_the_rarest_joins_the_order():
    data = Microdata(pl.DataFrame({"o": [1, 1, 1, 2, 3, 3]}), Schema(ordinal=["o"]))
    spec = masks.GlobalRecoding(rarest=1, label="other", columns=["o"])
    after = unveil.mask(data, [spec]).data
    assert after.schema["o"].order == ("1", "other")
    assert Microdata(after.to_frame(), after.schema) == after
    with pytest.raises(unveil.UnveilError, match="remaining category"):
        unveil.mask(data, [masks.GlobalRecoding(rarest=1, label="1", columns=["o"])])


def test_the_mean_of_equal_values_is_the_value():
    assert sum([0.1] * 3) / 3 != 0.1
    frame = pl.DataFrame({"x": [0.1] * 3 + [0.9] * 3})
    after = unveil.mask(frame, [masks.IndividualRanking(k=3, columns=["x"])]).data
    assert after.column("x").to_list() == [0.1] * 3 + [0.9] * 3


def test_a_channel_survives_a_later_sample(people):
    small = people.take(np.arange(60))
    release = unveil.mask(
        small,
        [masks.MultiplicativeNoise(scale=0.1, columns=["a"]), masks.Sampling(share=0.5)],
        seed=2,
    )
    assert not release.channels[0].excludes(small.take(release.row_map), release.data).any()
