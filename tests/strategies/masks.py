"""Tables with a column of every kind, and every mask with any legal parameters."""

import datetime

import numpy as np
import polars as pl
from hypothesis import assume, event
from hypothesis import strategies as st

import unveil
from unveil import Schema, masks

ORDER = ["low", "mid", "high", "top"]
DAY, MOMENT = datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1)
KINDS = {
    "whole": (lambda rng: int(rng.choice([*range(-20, 20), 999])), pl.Int64, "numeric"),
    "tiny": (lambda rng: int(rng.integers(-9, 9)), pl.Int8, "numeric"),
    "unsigned": (lambda rng: int(rng.integers(0, 200)), pl.UInt8, "numeric"),
    "number": (
        lambda rng: float(rng.normal() * 10.0 ** rng.integers(-3, 6)),
        pl.Float64,
        "numeric",
    ),
    "single": (lambda rng: float(np.float32(rng.normal())), pl.Float32, "numeric"),
    "date": (lambda rng: DAY + datetime.timedelta(int(rng.integers(900))), pl.Date, "numeric"),
    "time": (
        lambda rng: (
            MOMENT + datetime.timedelta(0, int(rng.integers(10**9)), int(rng.integers(10**6)))
        ),
        pl.Datetime("us"),
        "numeric",
    ),
    "text": (lambda rng: "abcde"[rng.integers(5)], pl.String, "nominal"),
    "code": (lambda rng: int(rng.integers(1, 5)), pl.Int32, "nominal"),
    "truth": (lambda rng: bool(rng.integers(2)), pl.Boolean, "nominal"),
    "grade": (lambda rng: ORDER[rng.integers(4)], pl.String, "ordinal"),
    "step": (lambda rng: int(rng.integers(1, 6)), pl.Int16, "ordinal"),
}
NUMBERS = [name for name, (_, _, level) in KINDS.items() if level == "numeric"]
CATEGORIES = [name for name in KINDS if name not in NUMBERS]


@st.composite
def tables(draw):
    """A table with a column of every kind, missing codes, and an identifier."""
    n, missing = draw(st.integers(1, 24)), draw(st.sampled_from([0, 0.1, 0.5, 0.9]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = [pl.Series("who", range(n), dtype=pl.Int64)]
    for name, (cell, kind, _) in KINDS.items():
        cells = [None if rng.random() < missing else cell(rng) for _ in range(n)]
        if rng.random() < 0.1:  # constant
            cells = [None if one is None else cells[0] for one in cells]
        columns.append(pl.Series(name, cells, dtype=kind))
    schema = Schema(
        identifier="who",
        numeric=NUMBERS,
        nominal=[name for name in CATEGORIES if KINDS[name][2] == "nominal"],
        ordinal={"grade": ORDER},
        missing={"whole": ["999"]},
        attributes={"step": {"level": "ordinal"}},
    )
    return unveil.Microdata(pl.DataFrame(columns), schema)


def some(names):
    return st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)


shares, sizes = st.floats(0, 1), st.integers(2, 5)
ANY_P = st.just(0.0) | st.floats(20, 100)
TEXT = st.just(["text"])
RANKED = [*NUMBERS, "grade", "step"]
UNDATED = [name for name in KINDS if name not in ("date", "time")]  # what ranges stand for
LOSSES = ["value-set", "precision", "height", "discernibility", "class-size"]
SPECS = {
    "additive-noise": st.builds(
        masks.AdditiveNoise, scale=st.floats(0, 2), columns=some(NUMBERS), keep_type=st.booleans()
    ),
    "correlated-noise": st.builds(
        masks.CorrelatedNoise, scale=st.floats(0, 2), columns=some(NUMBERS), keep_type=st.booleans()
    ),
    "multiplicative-noise": st.builds(
        masks.MultiplicativeNoise, scale=shares, columns=some(NUMBERS[:5]), keep_type=st.booleans()
    ),
    "rank-swapping": st.builds(masks.RankSwapping, p=ANY_P, columns=some(RANKED)),
    "distribution-swapping": st.builds(
        masks.DistributionSwapping,
        p=ANY_P,
        reading=st.sampled_from(["table", "text"]),
        columns=some(RANKED),
    ),
    "rank-permutation": st.builds(masks.RankPermutation, p=ANY_P, columns=some(RANKED)),
    "individual-ranking": st.builds(
        masks.IndividualRanking, k=sizes, columns=some(RANKED), keep_type=st.booleans()
    ),
    "microaggregation": st.builds(
        masks.Microaggregation,
        k=sizes,
        columns=some(list(KINDS)),
        standardise=st.booleans(),
        keep_type=st.booleans(),
    )
    | st.builds(
        masks.Microaggregation,
        groups=st.just([{"columns": ["whole", "text"], "k": 2}, {"columns": ["number"], "k": 3}]),
        algorithm=st.sampled_from(["mdav", "v-mdav"]),
    )
    | st.builds(
        masks.Microaggregation,
        k=sizes,
        columns=some(list(KINDS)),
        algorithm=st.just("v-mdav"),
        gamma=st.none() | st.floats(0, 3),
    )
    | st.builds(
        masks.Microaggregation,
        k=sizes,
        columns=st.sampled_from(RANKED).map(lambda name: [name]),
        algorithm=st.just("optimal"),
        keep_type=st.booleans(),
    )
    | st.builds(
        masks.Microaggregation,
        groups=st.just([{"columns": ["grade"], "k": 2}, {"columns": ["number"], "k": 3}]),
        algorithm=st.just("optimal"),
    ),
    "anti-unification": st.builds(
        masks.AntiUnification,
        k=st.integers(1, 5),
        stars=st.integers(0, 3),
        order=st.sampled_from(["><", "<>", ">", "<"]),
        unknown=st.sampled_from(["value", "wildcard"]),
        by_confidential=st.booleans(),
        columns=some(UNDATED),
    )
    | st.builds(
        masks.AntiUnification,
        groups=st.just([{"columns": ["whole", "text"], "k": 2}, {"columns": ["grade"], "k": 3}]),
    ),
    "mondrian": st.builds(
        masks.Mondrian,
        k=st.integers(1, 5),
        relaxed=st.booleans(),
        cells=st.sampled_from(["ranges", "stars"]),
        columns=some(UNDATED),
    )
    | st.builds(
        masks.Mondrian,
        k=sizes,
        cells=st.just("means"),
        columns=some(list(KINDS)),
        keep_type=st.booleans(),
    ),
    "local-suppression": st.builds(
        masks.LocalSuppression,
        k=st.integers(1, 5),
        stars=st.sampled_from(["value", "wildcard"]),
        columns=some(UNDATED),
    ),
    "full-domain": st.builds(
        masks.FullDomain,
        k=st.integers(1, 5),
        suppress=st.just(0.0) | shares,
        loss=st.sampled_from(LOSSES),
        star=st.booleans(),
        columns=some(list(KINDS)),
    )
    | st.builds(
        masks.FullDomain,
        k=sizes,
        hierarchies=st.just(
            {"text": {"prefix": True, "star": False}, "number": {"intervals": [2.5, 5, 100]}}
        ),
        columns=st.just(["number", "text", "step"]),
    ),
    "top-coding": st.builds(masks.TopCoding, categories=st.integers(1, 5), columns=some(RANKED))
    | st.builds(masks.TopCoding, share=shares, columns=some(RANKED))
    | st.builds(masks.TopCoding, share=shares, order=st.just(list("dbeca")), columns=TEXT)
    | st.builds(masks.TopCoding, threshold=st.integers(0, 5), columns=some(["whole", "number"]))
    | st.builds(masks.TopCoding, threshold=st.sampled_from(ORDER), columns=st.just(["grade"])),
    "bottom-coding": st.builds(
        masks.BottomCoding, categories=st.integers(1, 5), columns=some(RANKED)
    )
    | st.builds(masks.BottomCoding, share=shares, columns=some(RANKED))
    | st.builds(masks.BottomCoding, share=shares, order=st.just(list("dbeca")), columns=TEXT)
    | st.builds(masks.BottomCoding, threshold=st.just("2001-05-01"), columns=st.just(["date"])),
    "global-recoding": st.builds(
        masks.GlobalRecoding, rarest=st.integers(1, 6), columns=some(CATEGORIES)
    )
    | st.builds(
        masks.GlobalRecoding,
        rarest=st.integers(1, 6),
        label=st.just("other"),
        columns=some(["text", "grade"]),
    )
    | st.builds(
        masks.GlobalRecoding,
        intervals=st.sampled_from([0.1, 1, 2.5, 10]) | st.just((-5.0, 0.5, 7.0)) | st.just((0, 9)),
        columns=some(["whole", "tiny", "unsigned", "number", "single"]),
    )
    | st.builds(
        masks.GlobalRecoding,
        groups=st.sampled_from([{"lower": ["low", "mid"]}, {"mid": ["mid", "high", "top"]}]),
        columns=st.just(["grade"]),
    ),
    "pram": st.builds(masks.Pram, theta=shares, invariant=st.booleans(), columns=some(CATEGORIES))
    | st.builds(
        masks.Pram,
        matrix=st.just([[0.7, 0.3, 0, 0], [0.1, 0.8, 0, 0.1], [0, 0, 1, 0], [0.25] * 4]),
        invariant=st.booleans(),
        columns=st.just(["grade"]),
    ),
    "rounding": st.builds(masks.Rounding, base=st.sampled_from([1, 3, 10]), columns=some(NUMBERS))
    | st.builds(masks.Rounding, base=st.sampled_from([0.1, 0.7]), columns=some(["number"])),
    "record-swapping": st.builds(
        masks.RecordSwapping,
        geography=some(["text", "code", "truth", "tiny"]),
        keys=some(["grade", "step"]),
        k=st.integers(2, 9),
        share=st.none() | shares,
        similar=st.none() | st.just([["grade"], []]),
        carry=st.just([]) | some(["date"]),
    ),
    "repair": st.builds(
        masks.Repair,
        share=st.floats(0.01, 1),
        cover=st.sampled_from([0, 0.5, 1, 3]),
        k=sizes,
        columns=some(list(KINDS)),
        keep_type=st.booleans(),
    ),
    "sampling": st.builds(masks.Sampling, share=st.floats(0.01, 1)),
    "shuffle": st.builds(masks.Shuffle),
    "synthesis": st.builds(
        masks.Synthesis,
        model=st.sampled_from(["trees", "copula"]),
        records=st.none() | st.integers(1, 9),
        columns=st.none() | some(list(KINDS)),
    ),
    "pseudonymisation": st.builds(
        masks.Pseudonymisation,
        columns=st.none() | st.just(["who"]),
        key_file=st.just(__file__),  # any file of enough bytes
    ),
    "function": st.builds(
        masks.Function,
        function=st.just(lambda values, rng: rng.permutation(values)),
        columns=some(list(KINDS)),
        runs=st.just(2),
        channel=st.sampled_from(["estimate", "unknown"]),
    ),
}


def masked(data, spec, seed=7):
    """The release; a refusal that the data deserves is no counterexample."""
    try:
        release = unveil.mask(data, [spec], seed=seed)
    except unveil.UnveilError as refusal:
        told = str(refusal)
        assert any(
            words in told
            for words in ("constant", "missing in every", "known value", "cannot hold",
                          "too small to release", "less than one position", "rows, column",
                          "would change", "the table has", "no record could be released",
                          "cannot be met", "records agree in")
        ), told  # fmt: skip
        event("refused")
        assume(False)
    return release
