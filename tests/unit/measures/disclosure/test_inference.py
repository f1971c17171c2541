"""What links tell of confidential attributes."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.disclosure as naive
import unveil
from strategies.examples import examples
from unveil import Intruder, Microdata, Schema, attacks, masks, measures
from unveil.errors import UsageError
from unveil.measures.disclosure.baseline_guess import (
    best_guess,
    folds,
    informed_guesses,
    known_places,
)
from unveil.values.file_pair import FilePair

SCHEMA = Schema(quasi="x", numeric=["x", "y"], confidential=["y", "c"], nominal="c")


def table(rows):
    x, y, c = ([row[i] for row in rows] for i in range(3))
    columns = {"x": pl.Series(x, dtype=pl.Float64), "y": pl.Series(y, dtype=pl.Float64),
               "c": pl.Series(c, dtype=pl.String)}  # fmt: skip
    return Microdata(pl.DataFrame(columns), SCHEMA)


def disclosed(original, released, rows, spec=None, **intruder):
    pair = FilePair.of(table(original), table(released), rows)
    spec = spec or attacks.Distance(scale="release", metric="manhattan")
    links = unveil.attack(
        pair.original, pair.release, spec, intruder=Intruder(**intruder), truth=rows
    )
    return {one.column: one for one in measures.linked_disclosure(links, pair, seed=3)}


def test_by_hand():
    original = [(0, 10, "a"), (4, 20, "b"), (9, 30, "a"), (20, None, "b")]
    released = [(0, 10, "a"), (5, 20, "b"), (20, 30, "a"), (3, 70, "b")]
    found = disclosed(original, released, [0, 1, 2, 3])
    # 0 finds itself; 4 its own and another; 9 is taken for 5; 20 for the row of 9.
    y, c = found["y"], found["c"]
    assert (y.n, c.n, y.left_out, y.known, y.attack) == (3, 4, 0, ("x",), "distance")
    assert (y.tolerance, c.tolerance) == (0.05, None)
    assert y.linked == pytest.approx((1 + 0.5 + 0) / 3)
    assert c.linked == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert y.control == 0  # 0 and 4 are taken for 3, 9 for 5
    assert c.control == pytest.approx((0 + 1 + 0 + 0) / 4)
    assert y.homogeneous == pytest.approx(1 / 3)
    assert c.homogeneous == pytest.approx(2 / 4)
    assert y.guess in (0, pytest.approx(1 / 3))
    assert c.guess == 0.5


some = st.tuples(
    st.integers(0, 3).map(float) | st.just(9.0),
    st.none() | st.integers(0, 3).map(float),
    st.none() | st.sampled_from("ab"),
)
pairs = st.lists(st.tuples(some, some), min_size=2, max_size=12).filter(
    lambda rows: len({b[0] for _, b in rows}) > 1
)


@examples(1 / 4)
@given(pairs, st.randoms())
def test_it_is_its_twin_in_any_order_of_the_rows(rows, random):
    original, released = [a for a, _ in rows], [b for _, b in rows]
    found = disclosed(original, released, range(len(rows)))
    x = [row[0] for row in released]
    for j, column in ((1, "y"), (2, "c")):
        number = {None: None, "a": 0.0, "b": 1.0} if column == "c" else None
        own, cells = (
            [number[r[j]] if number else r[j] for r in side] for side in (original, released)
        )
        have = [i for i, value in enumerate(own) if value is not None]
        if not have:
            assert column not in found
            continue
        spread = len(set(own) - {None}) > 1 and column == "y"
        tolerance = 0.05 * np.std([v for v in own if v is not None], ddof=1) if spread else 0.0
        linked, control = (
            [
                naive.read(
                    naive.nearest_rows(original[i][0], x, out=i if without else None),
                    cells,
                    own[i],
                    tolerance,
                )
                for i in have
            ]
            for without in (False, True)
        )
        one = found[column]
        assert one.n == len(have)
        assert one.linked == pytest.approx(np.mean([right for right, _ in linked]))
        assert one.control == pytest.approx(np.mean([right for right, _ in control]))
        assert one.homogeneous == pytest.approx(np.mean([same for _, same in linked]))
    order = random.sample(range(len(rows)), len(rows))
    standing = random.sample(range(len(rows)), len(rows))
    back = {row: at for at, row in enumerate(order)}
    again = disclosed(
        [original[i] for i in order], [released[i] for i in standing], [back[i] for i in standing]
    )
    assert again.keys() == found.keys()
    for column, one in found.items():
        other = again[column]
        for name in ("n", "linked", "control", "guess", "inferred", "homogeneous"):
            assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-12)


def test_many_ties_are_read_by_class_or_listed():
    # Ten rows are the same, and for the last one two classes of five tie.
    x = [0] * 10 + [1] * 5 + [3] * 5 + [2]
    rows = [(float(v), float(i % 4), "ab"[i % 2]) for i, v in enumerate(x)]
    released = [*rows[:-1], (50.0, 1.0, "a")]
    found = disclosed(rows, released, range(len(x)))["c"]
    codes = [row[2] for row in released]
    masked = [row[0] for row in released]
    expected = [
        np.mean([codes[r] == codes[i] for r in naive.nearest_rows(value, masked)])
        for i, value in enumerate(x)
    ]
    assert found.linked == pytest.approx(np.mean(expected))
    assert found.left_out == 0


def people(*steps, n=300, **how):
    sample = unveil.households(n, seed=5)
    release = unveil.mask(sample, list(steps), seed=5)
    pair = FilePair.of(sample, release.data, release.row_map)
    spec = how.pop("spec", attacks.Distance())
    return unveil.attack(sample, release, spec, intruder=Intruder(**how)), pair


def test_an_unmasked_release_tells_all_and_a_model_less():
    links, pair = people()
    found = measures.linked_disclosure(links, pair, seed=1)
    assert [one.column for one in found] == ["tax", "savings", "rent"]  # income is known
    for one in found:
        assert one.linked == one.homogeneous == 1
        assert one.control < 1
        assert one.guess <= one.inferred + 0.05 < 1
    assert measures.linked_disclosure(links, pair, seed=1) == found


def test_what_can_be_inferred_is_inferred():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 50, 400)
    rows = [(float(v), float(v // 10), "lh"[int(v > 24)]) for v in x]
    shuffled = [(float(v), *row[1:]) for v, row in zip(rng.permutation(x), rows, strict=True)]
    plain = disclosed(rows, rows, range(400))
    assert min(plain["y"].inferred, plain["c"].inferred) > 0.9
    mixed = disclosed(rows, shuffled, range(400))
    assert mixed["c"].inferred < 0.7


@pytest.mark.parametrize(
    "spec",
    [
        attacks.Rank(),
        attacks.Position(),
        attacks.Distance(matching="one-to-one"),
        attacks.Distance(matching="posterior"),
        attacks.Combined(attacks=(attacks.Distance(), attacks.Rank())),
    ],
)
def test_every_kind_of_links_is_followed(spec):
    knows = None if isinstance(spec, attacks.Position) else ["age", "hours"]
    links, pair = people(masks.RankSwapping(p=5), n=60, spec=spec, knows=knows)
    for one in measures.linked_disclosure(links, pair, seed=1):
        assert 0 <= one.homogeneous <= one.linked <= 1
        assert 0 <= one.control <= 1
        assert (one.inferred is None) == (not one.known) == isinstance(spec, attacks.Position)


def test_where_there_is_nothing_to_say():
    links, pair = people(n=40)
    assert (
        measures.linked_disclosure(links, FilePair.of(pair.original, pair.release, None), seed=1)
        == ()
    )
    back, _ = people(n=40, direction="release-to-original")
    assert measures.linked_disclosure(back, pair, seed=1) == ()
    blind = unveil.attack(pair.original, pair.release, attacks.Distance())
    assert measures.linked_disclosure(blind, pair, seed=1) == ()
    nobody = FilePair.of(pair.original, pair.release, np.full(40, -1))
    assert measures.linked_disclosure(links, nobody, seed=1) == ()
    all_known, _ = people(n=40, knows=["income", "tax", "savings", "rent"])
    assert measures.linked_disclosure(all_known, pair, seed=1) == ()
    other = FilePair.of(pair.original, pair.release.take(range(30)), np.arange(30))
    with pytest.raises(UsageError, match="different releases"):
        measures.linked_disclosure(links, other, seed=1)


def test_generalised_attributes_and_few_records():
    coarse = masks.GlobalRecoding(intervals=10, columns=["age"])
    links, pair = people(coarse, n=80, knows=["age", "education"], records=20)
    found = measures.linked_disclosure(links, pair, seed=1)
    assert found[0].known == ("age", "education")
    assert found[0].n + found[0].left_out <= 20
    released = Microdata(
        pl.DataFrame({"x": [1.0, 2.0], "y": ["1..2", "*"], "c": ["a", "b"]}),
        Schema(
            {"x": SCHEMA["x"], "y": {"level": "numeric", "generalised": True}, "c": SCHEMA["c"]}
        ),
    )
    original = table([(1, 1, "a"), (2, 2, "b")])
    links = unveil.attack(original, released, attacks.Distance(), truth=np.arange(2))
    (one,) = measures.linked_disclosure(
        links, FilePair.of(original, released, np.arange(2)), seed=1
    )
    assert (one.column, one.linked, one.control) == ("c", 1, 0)


def test_guesses():
    assert np.isnan(best_guess(np.array([np.nan]), 1.0))
    assert best_guess(np.array([0.0, 10.0, 11.0, 12.0, 30.0]), 1.0) == 11
    assert best_guess(np.array([1.0, 2.0, 3.0]), 0.0) == 2
    nobody, queries = (np.zeros((0, 1)), np.zeros(0)), np.zeros((2, 1))
    nothing = informed_guesses(*nobody, queries, ordered=True, tolerance=1.0)
    assert np.isnan(nothing).all()


def test_a_persons_row_is_not_in_its_model():
    fold, order = folds(np.random.default_rng(1).permutation(100), 5)
    assert sorted(order.tolist()) == list(range(100))
    assert np.bincount(fold).tolist() == [34, 33, 33]


def test_clues_of_ranges_sets_and_gaps():
    original = Microdata(
        pl.DataFrame({"n": [1.0, 5.0, None], "c": ["a", "b", "c"]}),
        Schema(numeric="n", nominal="c"),
    )
    release = Microdata(
        pl.DataFrame({"n": ["..2", "4..6", "*", "4.."], "c": ["{a|b}", "*", None, "{b}"]}),
        Schema(numeric="n", nominal="c", generalised=["n", "c"]),
    )
    mine, released = known_places(
        FilePair.of(original, release, np.array([0, 1, 2, -1])), ["n", "c"]
    )
    assert np.isnan(mine[:, 0]).tolist() == [False, False, True]
    assert mine[1, 0] == released[1, 0] > released[0, 0] > mine[0, 0]
    assert mine[1, 0] > released[3, 0] > released[0, 0]  # up to the end of the original's range
    assert np.isnan(released[2]).all()
    assert np.isnan(released[:3, 1]).all()  # several, all, none
    assert mine[0, 1] < mine[1, 1] == released[3, 1] < mine[2, 1]
