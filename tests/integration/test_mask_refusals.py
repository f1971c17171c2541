"""Bad input: a sentence, before anything is done."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks
from unveil.errors import DataError, SchemaError, SpecError, UsageError

NINE = pl.DataFrame(
    {
        "who": range(9),
        "age": [31, 54, 22, 47, 60, 19, 33, 71, 28],
        "pay": [271828.5, 3.5, 4.0, 8.0, 1.0, 2.0, 9.0, 5.0, None],
        "level": pl.Series([100, -100, 3, 4, 5, 6, 7, 8, 9], dtype=pl.Int8),
        "same": [5] * 9,
        "nobody": pl.Series([None] * 9, dtype=pl.Float64),
        "few": [1.0, 2.0, *[None] * 7],
        "job": ["x", "y", "z"] * 3,
        "grade": ["low", "mid", "high"] * 3,
        "born": pl.Series(["2000-01-01"] * 8 + ["2001-01-01"]).str.to_date(),
        "band": ["20..24"] * 9,
    }
)
DATA = Microdata(
    NINE,
    Schema(
        identifier="who",
        nominal="job",
        ordinal={"grade": ["low", "mid", "high"]},
        numeric=["age", "pay", "level", "same", "nobody", "few", "born", "band"],
        generalised="band",
        missing={"job": ["?"]},
    ),
)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: masks.AdditiveNoise(scale=-0.1), "additive-noise: scale: a number of at least 0"),
        (lambda: masks.AdditiveNoise(scale=float("nan")), "scale"),
        (
            lambda: masks.AdditiveNoise(scale=0.1, columns=["age"], colums=[]),
            "did you mean 'columns'",
        ),
        (lambda: masks.MultiplicativeNoise(scale=1.1), "of at most 1"),
        (lambda: masks.RankSwapping(p=101), "of at most 100"),
        (lambda: masks.RankSwapping(p=-1), "of at least 0"),
        (lambda: masks.DistributionSwapping(p=5, reading="loud"), "reading"),
        (lambda: masks.IndividualRanking(k=1), "of at least 2"),
        (lambda: masks.Microaggregation(k=1), "of at least 2"),
        (masks.Microaggregation, "give k, or groups"),
        (lambda: masks.Microaggregation(k=3, groups=[{"columns": ["age"], "k": 3}]), "give k, or"),
        (
            lambda: masks.Microaggregation(
                groups=[{"columns": ["age"], "k": 3}, {"columns": ["pay", "age"], "k": 2}]
            ),
            "no column in two",
        ),
        (lambda: masks.Microaggregation(groups=[{"columns": ["age"], "k": 1}]), "of at least 2"),
        (lambda: masks.Microaggregation(groups=[]), "at least one"),
        (
            lambda: masks.Microaggregation(groups=[{"columns": ["age"], "k": 3}], columns=["age"]),
            "leave out columns",
        ),
        (lambda: masks.Microaggregation(k=3, algorithm="best"), "mdav or v-mdav or optimal"),
        (lambda: masks.Microaggregation(k=3, gamma=0.2), "gamma goes with algorithm 'v-mdav'"),
        (lambda: masks.Microaggregation(k=3, algorithm="v-mdav", gamma=-1), "of at least 0"),
        (lambda: masks.Microaggregation(k=3, algorithm="v-mdav", gamma=float("nan")), "gamma"),
        (masks.TopCoding, "give one of categories, threshold, share"),
        (lambda: masks.TopCoding(share=0.1, categories=2), "give one of"),
        (lambda: masks.BottomCoding(categories=0), "of at least 1"),
        (lambda: masks.TopCoding(categories=1, order=["x", "x"]), "a category is named twice"),
        (lambda: masks.TopCoding(categories=1, order="xyz"), "order: a list, not text"),
        (masks.GlobalRecoding, "give one of groups, rarest, intervals"),
        (lambda: masks.GlobalRecoding(groups={"a": ["x"], "b": ["x"]}), "in two of them"),
        (lambda: masks.GlobalRecoding(groups={"a": []}), "at least one member"),
        (lambda: masks.GlobalRecoding(intervals=0), "above 0"),
        (lambda: masks.GlobalRecoding(intervals=5, label="x"), "label goes with rarest"),
        (lambda: masks.GlobalRecoding(intervals=[5, 5]), "each larger"),
        (lambda: masks.GlobalRecoding(intervals=[]), "cut points"),
        (masks.Pram, "give one of theta, matrix"),
        (lambda: masks.Pram(theta=1.5), "of at most 1"),
        (lambda: masks.Pram(matrix=[[0.5, 0.4], [0, 1]]), "sum to 1"),
        (lambda: masks.Pram(matrix=[[1.5, -0.5], [0, 1]]), "none below 0"),
        (lambda: masks.Pram(matrix=[[1, 0], [1]]), "as many rows as columns"),
        (lambda: masks.Pram(matrix=[[1, 0], [0, 1]], categories=["a"]), "1 listed for 2 rows"),
        (lambda: masks.Pram(theta=0.1, categories=["a"]), "go with a matrix"),
        (lambda: masks.Rounding(base=0), "above 0"),
        (masks.Sampling, "give one of share, records"),
        (lambda: masks.Sampling(share=0), "above 0"),
        (lambda: masks.Synthesis(model="magic"), "model"),
        (lambda: masks.Function(function="f"), "a Python function"),
        (lambda: masks.Shuffle(name=""), "name"),
    ],
)
def test_parameters_out_of_range(make, said):
    with pytest.raises(SpecError, match=said):
        make()


@pytest.mark.parametrize(
    ("spec", "kind", "said"),
    [
        (masks.AdditiveNoise(scale=1), SpecError, "name the columns to mask"),
        (masks.AdditiveNoise(scale=1, columns=["agee"]), DataError, "did you mean 'age'"),
        (masks.AdditiveNoise(scale=1, columns=[]), SpecError, "at least one"),
        (masks.AdditiveNoise(scale=1, columns=["age", "age"]), SpecError, "none twice"),
        (masks.AdditiveNoise(scale=1, columns=["who"]), SpecError, "is an identifier"),
        (masks.AdditiveNoise(scale=1, columns=["job"]), SchemaError, "'job' is nominal"),
        (masks.AdditiveNoise(scale=1, columns=["grade"]), SchemaError, "'grade' is ordinal"),
        (masks.AdditiveNoise(scale=1, columns=["band"]), SchemaError, "generalised"),
        (masks.AdditiveNoise(scale=1, columns=["nobody"]), DataError, "missing in every record"),
        (masks.AdditiveNoise(scale=1, columns=["same"]), DataError, "is constant"),
        (masks.AdditiveNoise(scale=900, columns=["level"]), DataError, "masked values? that its"),
        (masks.CorrelatedNoise(scale=1, columns=["age", "nobody"]), DataError, "missing in every"),
        (masks.CorrelatedNoise(scale=1, columns=["age", "same"]), DataError, "is constant"),
        (masks.RankSwapping(p=50, columns=["job"]), SchemaError, "numeric or ordinal"),
        (masks.RankSwapping(p=50, columns=["same"]), DataError, "is constant"),
        (masks.RankSwapping(p=1, columns=["age"]), DataError, "less than one position"),
        (masks.DistributionSwapping(p=1, columns=["age"]), DataError, "less than one position"),
        (masks.IndividualRanking(k=10, columns=["age"]), DataError, "k is 10 .* 9 known values"),
        (masks.IndividualRanking(k=3, columns=["few"]), DataError, "2 known values"),
        (masks.Microaggregation(k=10, columns=["age"]), DataError, "smaller k"),
        (masks.Microaggregation(k=3, columns=["age", "few"]), DataError, "column 'few'"),
        (masks.Microaggregation(k=3, columns=["same"]), DataError, "constant"),
        (
            masks.Microaggregation(groups=[{"columns": ["agee"], "k": 2}]),
            DataError,
            "did you mean 'age'",
        ),
        (
            masks.Microaggregation(k=2, columns=["age", "pay"], algorithm="optimal"),
            SpecError,
            "age, pay are to be aggregated together: give each a set of its own",
        ),
        (
            masks.Microaggregation(
                groups=[{"columns": ["grade"], "k": 2}, {"columns": ["age", "pay"], "k": 2}],
                algorithm="optimal",
            ),
            SpecError,
            "one column at a time",
        ),
        (
            masks.Microaggregation(k=2, columns=["job"], algorithm="optimal"),
            SchemaError,
            "'job' is nominal, .* use 'mdav'",
        ),
        (
            masks.Microaggregation(k=2, columns=["band"], algorithm="optimal"),
            SchemaError,
            "generalised",
        ),
        (
            masks.Microaggregation(k=3, columns=["few"], algorithm="optimal"),
            DataError,
            "2 known values",
        ),
        (
            masks.TopCoding(threshold=50.5, columns=["age"]),
            SpecError,
            "give a threshold of that type",
        ),
        (
            masks.TopCoding(threshold="old", columns=["age"]),
            SpecError,
            "give a threshold of that type",
        ),
        (masks.TopCoding(threshold="top", columns=["grade"]), SpecError, "low, mid, high"),
        (masks.TopCoding(threshold=3, columns=["job"]), SchemaError, "nominal"),
        (masks.TopCoding(share=0.1, columns=["age"], order=["3"]), SchemaError, "accepts nominal"),
        (
            masks.TopCoding(share=0.1, columns=["job"], order=["x"]),
            SchemaError,
            "misses a category found in",
        ),
        (masks.GlobalRecoding(rarest=1, columns=["age"]), SchemaError, "'age' is numeric"),
        (masks.GlobalRecoding(intervals=5, columns=["job"]), SchemaError, "'job' is nominal"),
        (masks.GlobalRecoding(intervals=5, columns=["born"]), SchemaError, "holds dates"),
        (masks.GlobalRecoding(intervals=1e-300, columns=["pay"]), SpecError, "too small"),
        (masks.GlobalRecoding(groups={"a": ["w"]}, columns=["job"]), SpecError, "'w' is not a"),
        (masks.GlobalRecoding(groups={"?": ["x"]}, columns=["job"]), DataError, "missing code"),
        (
            masks.Pram(
                matrix=np.eye(4), categories=["low", "mid", "high", "top"], columns=["grade"]
            ),
            SpecError,
            "not in the order of column 'grade': low, mid, high",
        ),
        (
            masks.Function(function=lambda v, _: np.where(v == "low", "no", v), columns=["grade"]),
            SchemaError,
            "misses a category found in 3 records",
        ),
        (masks.MultiplicativeNoise(scale=0.1, columns=["born"]), SchemaError, "holds dates"),
        (masks.TopCoding(threshold="x", columns=["born"]), SpecError, "holds dates"),
        (
            masks.GlobalRecoding(groups={"out": ["low", "high"]}, columns=["grade"]),
            SpecError,
            "a gap in its order",
        ),
        (masks.Pram(theta=0.1, columns=["age"]), SchemaError, "nominal or ordinal"),
        (masks.Pram(matrix=[[1, 0], [0, 1]], columns=["job"]), SpecError, "has 2 rows"),
        (
            masks.Pram(matrix=[[1, 0], [0, 1]], categories=["x", "y"], columns=["job"]),
            SchemaError,
            "misses a category",
        ),
        (masks.Rounding(base=0.5, columns=["age"]), SpecError, "whole base"),
        (masks.Sampling(records=10), DataError, "a sample of 10 out of 9"),
        (masks.Sampling(share=0.01), DataError, "the share is too small to release a record"),
        (masks.Synthesis(columns=["band"]), SchemaError, "generalised"),
        (masks.Synthesis(columns=["who"]), SpecError, "identifier"),
        (
            masks.Function(function=lambda v, _: v[:2], columns=["age"]),
            DataError,
            "one for each that it gets",
        ),
        (
            masks.Function(function=lambda v, _: v / 0 * 0, columns=["same"]),
            DataError,
            "finite|failed",
        ),
        (masks.Function(function=lambda _v, _: 1 / 0, columns=["age"]), DataError, "ZeroDivision"),
        (masks.Function(function=lambda v, _: v == "x", columns=["job"]), DataError, "text"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in divide")
def test_what_does_not_fit_the_data(spec, kind, said):
    with pytest.raises(kind, match=said) as caught:
        unveil.mask(DATA, [spec], seed=7)
    assert "271828" not in str(caught.value)


def test_numbers_too_large_to_compute_with():
    huge = Microdata(pl.DataFrame({"x": [1e200, 2.0, 3.0]}))
    for spec in (
        masks.AdditiveNoise(scale=1, columns=["x"]),
        masks.Microaggregation(k=2, columns=["x"]),
        masks.Rounding(base=2, columns=["x"]),
    ):
        with pytest.raises(DataError, match="beyond 1e150"):
            unveil.mask(huge, [spec])
    assert unveil.mask(huge, [masks.RankSwapping(p=50, columns=["x"])], seed=1).channels


def test_a_plan_that_is_none():
    swap = masks.RankSwapping(p=50, columns=["age"])
    with pytest.raises(SpecError, match="two steps of the plan are called rank-swapping"):
        unveil.mask(DATA, [swap, masks.RankSwapping(p=40, columns=["pay"])])
    named = masks.RankSwapping(p=40, columns=["pay"], name="pay")
    assert len(unveil.mask(DATA, [swap, named], seed=1).channels) == 2
    for wrong in (7, [swap, 7], [masks.RankSwapping]):
        with pytest.raises(UsageError, match="mask"):
            unveil.mask(DATA, wrong)
    with pytest.raises(SpecError, match="'noise' is not a mask"):
        unveil.mask(DATA, [swap, "noise"])
    for seed in (-1, 1.5, "7", True, 2**63):
        with pytest.raises(SpecError, match="seed: a whole number"):
            unveil.mask(DATA, [swap], seed=seed)
        with pytest.raises(SpecError, match="seed: a whole number"):
            unveil.Plan([swap], seed=seed)
    for wrong in (None, "plan", swap):
        with pytest.raises(SpecError, match="a list of masks"):
            unveil.Plan(wrong)
    assert unveil.mask(DATA, [swap], seed=np.int64(7)).plan.seed == 7
    with pytest.raises(DataError, match="so nothing can be released"):
        unveil.mask(Microdata(NINE.select("who"), Schema(identifier="who")), [masks.Shuffle()])


def test_a_later_step_is_refused_before_the_first_is_done(monkeypatch):
    monkeypatch.setattr(masks.Microaggregation, "apply", lambda *_: pytest.fail("work has begun"))
    with pytest.raises(DataError, match="agee"):
        unveil.mask(
            DATA,
            [
                masks.Microaggregation(k=2, columns=["age"]),
                masks.RankSwapping(p=50, columns=["agee"]),
            ],
        )


def test_a_step_may_build_on_an_earlier_one():
    merged = masks.GlobalRecoding(groups={"rest": ["y", "z"]}, columns=["job"])
    drawn = masks.Pram(
        matrix=[[0.5, 0.5], [0, 1]], categories=["x", "rest"], columns=["job"], invariant=False
    )
    release = unveil.mask(DATA, [merged, drawn], seed=7)
    assert set(release.data.column("job")) <= {"x", "rest"}
    assert [type(channel).__name__ for channel in release.channels_of("job")] == [
        "Recoding",
        "Transition",
    ]
    with pytest.raises(DataError, match="not in the data"):
        release.channels_of("jobb")


@pytest.mark.parametrize(
    "spec",
    [
        masks.AdditiveNoise(scale=0.5, columns=["x"]),
        masks.Rounding(base=33, columns=["x"]),
        masks.BottomCoding(threshold=99, columns=["x"]),
        masks.Function(function=lambda v, _: v + 1, columns=["x"]),
        masks.Synthesis(model="copula", columns=["x"]),
    ],
)
def test_a_masked_value_is_never_a_code_for_missing(spec):
    """It would be taken for missing as soon as the release is read again."""
    cells = [*range(90, 99), *range(100, 109)] * 20
    data = Microdata(
        pl.DataFrame({"x": cells}), Schema(quasi="x", numeric="x", missing={"x": [99]})
    )
    with pytest.raises(DataError, match="equal to a missing code"):
        unveil.mask(data, [spec], seed=1)


def test_a_name_that_python_uses_is_no_parameter():
    with pytest.raises(SpecError, match="'cls' is not a parameter"):
        masks.RankSwapping(p=5, cls=1)


def test_categories_that_would_fill_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr("unveil.support.memory.machine_memory", lambda: 100)
    with pytest.raises(UsageError, match="microaggregation: .* needs about 0 MiB of memory"):
        unveil.mask(DATA, [masks.Microaggregation(k=2, columns=["job"])])
