"""Bad input: a sentence, before anything is searched."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks
from unveil.errors import DataError, SchemaError, SpecError, UnveilError, UsageError

FRAME = pl.DataFrame(
    {
        "who": range(6),
        "age": [31, 54, 22, 47, 60, 19],
        "pay": [271828.5, 3.5, 4.0, 8.0, 1.0, 2.0],
        "job": ["x", "y", "z"] * 2,
        "grade": ["low", "mid", "high"] * 2,
        "band": ["20..24"] * 6,
    }
)
SCHEMA = Schema(
    identifier="who",
    quasi=["age", "pay", "job", "grade"],
    nominal="job",
    ordinal={"grade": ["low", "mid", "high"]},
    numeric=["age", "pay", "band"],
    generalised="band",
)
DATA = Microdata(FRAME, SCHEMA)
TABLE = {"categories": ["x"], "distances": [[0]]}
DISTANCE, RANK, PRL = attacks.Distance(), attacks.Rank(), attacks.Probabilistic


def attack(spec=DISTANCE, release=DATA, original=DATA, **options):
    intruder = Intruder(**options.pop("intruder", {}))
    return unveil.attack(original, release, spec, intruder=intruder, **options)


def other(schema=SCHEMA, **columns):
    return Microdata(FRAME.with_columns(**columns), schema)


@pytest.mark.parametrize(
    ("act", "kind", "said"),
    [
        (lambda: attack(release=Microdata(FRAME.select(a="age"))), DataError,
         "no attribute in common.*`unveil link`"),
        (lambda: attack(release=DATA.select(["who"])), DataError, "no attribute in common"),
        (lambda: attack(intruder={"knows": ["agee"]}), DataError,
         "in the intruder's records, column 'agee' is not in the data.*did you mean 'age'"),
        (lambda: attack(release=DATA.select(["age", "who"]), intruder={"knows": ["pay"]}),
         DataError, "in the release, column 'pay' is not in the data"),
        (lambda: attack(intruder={"knows": []}), SpecError, "knows is empty"),
        (lambda: attack(intruder={"knows": ["who"]}), SpecError, "'who' is an identifier"),
        (lambda: attack(intruder={"knows": ["age", "age"]}), SpecError, "named twice"),
        (lambda: attack(intruder={"knows": ["age"], "blocks": ["age"]}), SpecError,
         "at least one attribute beside the blocks"),
        (lambda: attack(original=Microdata(FRAME), release=Microdata(FRAME)), SchemaError,
         "declare roles in the schema, or name known attributes among who, age"),
        (lambda: attack(release=other(Schema(nominal=["age"]), age=pl.col("age").cast(str))),
         SchemaError, "'age' is numeric in the original and nominal in the release"),
        (lambda: attack(release=other(Schema(nominal=["grade", "job"]))), SchemaError,
         "'grade' is ordinal in the original and nominal in the release"),
        (lambda: attack(release=other(Schema(ordinal={"grade": ["2", "1", "top"]}),
                                      grade=pl.lit("top"))), UnveilError,
         "list of categories for column 'grade' misses a category found in 6 records"),
        (lambda: attack(RANK), SchemaError, "'job' is nominal, so its categories have no order"),
        (lambda: attack(RANK, intruder={"knows": ["band"]}), SchemaError, "have no rank"),
        (lambda: attack(attacks.Distance(metric="mahalanobis")), SchemaError,
         "mahalanobis compares plain numbers, and job, grade are not"),
        (lambda: attack(attacks.Distance(metric="polynomial"), intruder={"knows": ["band", "age"]}),
         SchemaError, "and band are not"),
        (lambda: attack(attacks.Distance(weights={"agee": 1})), SpecError, "did you mean 'age'"),
        (lambda: attack(attacks.Distance(weights={"age": -1})), SpecError, "0 or more"),
        (lambda: attack(attacks.Distance(weights=dict.fromkeys(DATA.schema.with_role("quasi"), 0))),
         SpecError, "at least one is above zero"),
        (lambda: attack(attacks.Distance(aggregation=[0, 1])), SpecError,
         "the measure has 1 attribute, and 4 are compared"),
        (lambda: attack(attacks.Distance(aggregation=[0, 1]), intruder={"knows": ["band"]}),
         DataError, "no known attribute varies"),
        (lambda: attack(attacks.Rank(aggregation=[0, 1]), intruder={"knows": ["age", "pay"]}),
         SpecError, "the measure has 1 attribute, and 2 are compared"),
        (lambda: attacks.Distance(aggregation=[0, 2]), SpecError, "1 on the set of all"),
        (lambda: attacks.Distance(aggregation="max"), SpecError, "aggregation: a fuzzy measure"),
        (lambda: attacks.Distance(covariance="sum"), SpecError, "covariance goes with metric maha"),
        (lambda: attacks.Distance(degree=2), SpecError, "degree goes with metric polynomial"),
        (lambda: attacks.Distance(metric="mahalanobis", weights={"age": 1}), SpecError,
         "weights goes? with metric euclid"),
        (lambda: attacks.Distance(metric="mahalanobis", covariance="sum", groups=[["age"]]),
         SpecError, "groups go with covariance 'moments'"),
        (lambda: attacks.Distance(aggregation=[0, 1], weights={"age": 1}), SpecError,
         "leave out weights"),
        (lambda: attacks.Rank(aggregation=[0, 1], criterion="max"), SpecError,
         "replaces criterion"),
        (lambda: attacks.Distance(metric="euklid"), SpecError, "did you mean 'euclid'"),
        (lambda: attacks.Distance(metric="polynomial", degree=0), SpecError, "degree"),
        (lambda: attack(attacks.Distance(metric="mahalanobis", groups=[["age"], ["age"]]),
                        intruder={"knows": ["age", "pay"]}), SpecError, "in one group only"),
        (lambda: attack(attacks.Distance(metric="mahalanobis", groups=[["job"]]),
                        intruder={"knows": ["age", "pay"]}), SpecError, "groups: column 'job'"),
        (lambda: attack(attacks.Distance(metric="mahalanobis", covariance="pairs"),
                        intruder={"knows": ["age", "pay"]}), SpecError, "give the truth"),
        (lambda: attack(attacks.Distance(metric="mahalanobis", covariance="original"),
                        intruder={"knows": ["age"], "records": [1]}), DataError, "at least 2"),
        (lambda: attacks.Distance(tables={"job": {"categories": ["x"], "distances": [[0, 1]]}}),
         SpecError, "a row and a column of distances for each"),
        (lambda: attacks.Distance(tables={"job": {"categories": ["x"], "distances": [[-1]]}}),
         SpecError, "numbers of 0 or more, at most 1e75"),
        (lambda: attack(attacks.Distance(tables={"jobb": TABLE})),
         SpecError, "did you mean 'job'"),
        (lambda: attack(attacks.Distance(tables={"age": TABLE})),
         SchemaError, "'age' is not a plain attribute of categories"),
        (lambda: attack(attacks.Distance(tables={"job": TABLE})),
         UnveilError, "list of categories for column 'job'"),
        (lambda: attack(PRL(), intruder={"knows": ["band"]}), SchemaError,
         "probabilistic: column 'band' is generalised.*or attack by distance"),
        (lambda: attack(PRL(tolerances={"agee": [1]})), SpecError, "did you mean 'age'"),
        (lambda: attack(PRL(tolerances={"job": [0, 1]})), SpecError,
         "'job' is nominal, and its categories are equal or not"),
        (lambda: PRL(tolerances={"age": []}), SpecError, "of 'age', one number or several"),
        (lambda: PRL(tolerances={"age": [2, 1]}), SpecError, "that ascend"),
        (lambda: PRL(tolerances={"age": [float("nan")]}), SpecError, "that ascend"),
        (lambda: PRL(tolerances={"age": [-1, 1]}), SpecError, "from 0 to 1e150"),
        (lambda: PRL(prior=0), SpecError, "prior"),
        (lambda: PRL(prior=1.0), SpecError, "prior"),
        (lambda: PRL(prior="fixd"), SpecError, "did you mean 'fixed'"),
        (lambda: PRL(smoothing=-1), SpecError, "smoothing"),
        (lambda: PRL(p_link_unmatched=0.1), SpecError, "go together"),
        (lambda: PRL(p_link_unmatched=0.1, p_nonlink_matched=1.5), SpecError, "p_nonlink_matched"),
        (lambda: attack(PRL(p_link_unmatched=0.99, p_nonlink_matched=0.99)), SpecError,
         "thresholds cross.* give p_link_unmatched at most that"),
        (lambda: attack(PRL(constrained=False)), SpecError,
         r"by equality; more levels: age, pay, grade; give the tolerances \[0\]"),
        (lambda: attack(PRL(constrained=False, tolerances={"age": [0]}),
                        intruder={"knows": ["age"]}), SchemaError,
         "at most 2,000 of an attribute: leave out age"),
        (lambda: attack(PRL(), release=other(age=pl.lit(1)), intruder={"knows": ["age"]}),
         DataError, "no known attribute varies"),
        (lambda: attack(intruder={"channel": True}), SpecError, "does not use the"),
        (lambda: attack(intruder={"blocks": ["band"]}), SchemaError, "'band' is generalised"),
        (lambda: attack(intruder={"blocks": ["jobb"]}), DataError, "did you mean 'job'"),
        (lambda: attack(intruder={"records": 7}), UsageError, "7 records requested"),
        (lambda: attack(intruder={"records": [6]}), UsageError, "go from 0 to 5"),
        (lambda: attack(intruder={"records": 1.5}), SpecError, "a share is at most 1"),
        (lambda: attack(intruder={"records": 0}), SpecError, "a share above 0"),
        (lambda: attack(intruder={"records": True}), SpecError, "a share above 0"),
        (lambda: attack(intruder={"records": [1, 1]}), SpecError, "named twice"),
        (lambda: attack(intruder={"records": ["a"]}), SpecError, "whole numbers from 0"),
        (lambda: attack(intruder={"records": float("nan")}), SpecError, "a share above 0"),
        (lambda: attack(intruder={"direction": "back"}), SpecError, "direction"),
        (lambda: attack(intruder={"know": ["age"]}), SpecError, "did you mean 'knows'"),
        (lambda: attack(3), UsageError, "an attack is one of unveil.attacks, not a whole number"),
        (lambda: attack(attacks.Distance), UsageError, r"the class Distance; call it: Distance\("),
        (lambda: attack("rnak"), SpecError, "did you mean 'rank'"),
        (lambda: unveil.attack(DATA, DATA, DISTANCE, intruder="me"), UsageError, "an Intruder"),
        (lambda: attack(seed=-1), SpecError, "seed"),
        (lambda: attack(truth="nobody"), UsageError, "neither a common column nor a file"),
        (lambda: attack(truth="age", release=DATA.select(["pay", "job"])), DataError,
         "'age' is not in the release"),
        (lambda: attack(truth="job"), DataError, "repeats identifiers in 3 rows"),
        (lambda: attack(truth="row-order", release=DATA.take([1, 2])), DataError,
         "the original has 6, the release 2"),
        (lambda: attack(truth=[0, 1]), UsageError, "original's row of each of the 6 released rows"),
        (lambda: attack(truth=[0, 1, 2, 3, 4, 9]), DataError, "go from 0 to 5"),
        (lambda: attack(truth=[0, 0, 2, 3, 4, 5]), DataError, "1 released row with"),
        (lambda: attack(truth=3.5), UsageError, "truth"),
        (lambda: attack(truth=[[1], [2, 3]]), UsageError, "truth"),
        (lambda: attack(truth="who", release=other(who=pl.col("who") + 10)), DataError,
         "no identifier in column 'who' of the original is in the release"),
        (lambda: attack(attacks.Position(), truth="row-order"), SpecError, "both the truth"),
        (lambda: attacks.Distance(metric="mahalanobis", groups=[[]]), SpecError, "groups"),
        (lambda: attacks.Distance(metric="mahalanobis", inclusive=True), SpecError, "inclusive"),
        (lambda: attack(release=other(Schema(ordinal={"grade": ["mid", "low", "high"]}))),
         SchemaError, "different orders in the original and the release"),
        (lambda: attack(release=other(age=pl.date(2000, 1, 1)), intruder={"knows": ["age"]}),
         SchemaError, "'age' holds dates in one file and numbers in the other"),
        (lambda: attack(truth="row-order").pairs(0), UsageError, "k: a whole number"),
        (lambda: attack(truth="row-order").sample(2.5), UsageError, "a sample: a whole number"),
        (lambda: unveil.measures.risk(None), UsageError, "the result of an attack, not NoneType"),
        (lambda: unveil.measures.claims(attack(truth="row-order"), "a"), UsageError, "margin"),
        (lambda: unveil.measures.margins(attack(attacks.Position(), truth="who")), UsageError,
         "scores are not distances"),
        (lambda: attack(attacks.Position(), truth="who").on(DATA), UsageError,
         "compares no attributes"),
    ],
)  # fmt: skip
def test_bad_input(act, kind, said):
    with pytest.raises(kind, match=said) as caught:
        act()
    assert "271828" not in str(caught.value)


def test_links_without_the_truth_cannot_be_counted():
    links = attack()
    assert links.best.tolist() == [0, 1, 2, 3, 4, 5]
    for count in (unveil.measures.risk, unveil.measures.hits, unveil.measures.ceiling):
        with pytest.raises(DataError, match="hits cannot be counted; give truth="):
            count(links)


def test_synthetic_rows_are_nobodys():
    release = unveil.mask(unveil.households(60), [unveil.masks.Synthesis(columns=["age"])])
    links = unveil.attack(
        unveil.households(60), release, DISTANCE, intruder=Intruder(knows=["age"])
    )
    assert links.truth is None
    assert len(links.best) == 60


@pytest.mark.parametrize("spec", [DISTANCE, attacks.Rank(), PRL(), attacks.Position()])
def test_one_record(spec):
    data = Microdata(pl.DataFrame({"age": [3]}), Schema(quasi="age"))
    many = Microdata(pl.DataFrame({"age": [1, 2, 3]}), Schema(quasi="age"))
    intruder = {"records": data} if not isinstance(spec, attacks.Position) else {}
    original = many if intruder else data
    release = many if intruder else data
    links = unveil.attack(original, release, spec, intruder=Intruder(**intruder))
    assert len(links) == 1
    if intruder:
        assert links.best.tolist() == [2]
    one = unveil.attack(data, data, attacks.Rank(), truth="row-order")
    assert unveil.measures.risk(one).expected == 1
    assert np.isinf(one.second).all()
