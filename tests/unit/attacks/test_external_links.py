"""Anybody's linkage, and blocks."""

import logging

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks, measures
from unveil.errors import DataError, SpecError, UsageError

PEOPLE = Microdata(
    pl.DataFrame({"id": ["p", "q", "r"], "age": [1, 2, 3]}), Schema(identifier="id", quasi="age")
)
PAIRS = pl.DataFrame(
    {
        "unique_id_l": [1, 1, 1, 2, 2, 1],
        "unique_id_r": [1, 2, 3, 2, 1, 2],
        "match_weight": [5.0, 7.0, 5.0, 2.0, 2.0, 1.0],
    }
)


def scored(pairs, truth="row-order", people=PEOPLE, release=PEOPLE, **options):
    direction = options.pop("direction", "original-to-release")
    spec = attacks.Pairs(pairs=pairs, **options)
    return unveil.attack(people, release, spec, intruder=Intruder(direction=direction), truth=truth)


def test_pairs_are_counted_like_links():
    links = scored(PAIRS)
    assert links.n_closer.tolist() == [1, 0, -1]
    assert links.n_tied.tolist() == [-1, 1, -1]
    assert links.best.tolist() == [1, 0, -1]
    assert links.score.tolist() == [-7, -2, np.inf]
    assert links.second.tolist() == [-5, -2, np.inf]
    assert links.n_best.tolist() == [1, 2, 0]
    assert measures.hits(links).tolist() == [0, 0.5, 0]
    assert measures.top_k(links, 3).share == pytest.approx([0.5 / 3, (0.5 + 1) / 3, 2 / 3])
    assert links.rank_up_to(None).n_closer.tolist() == [1, 0, -1]
    assert measures.risk(links).n == 3
    back = scored(PAIRS, direction="release-to-original")
    assert back.best.tolist() == [0, 0, 0]
    assert measures.hits(back).tolist() == [1, 0, 0]


def test_ids_probabilities_and_sides():
    named = PAIRS.with_columns(
        unique_id_r=pl.Series(["p", "q", "r", "q", "p", "q"]),
        match_probability=pl.col("match_weight") / 10,
    ).drop("match_weight")
    assert measures.hits(scored(named, release_id="id")).tolist() == [0, 0.5, 0]
    turned = PAIRS.rename({"unique_id_l": "unique_id_r", "unique_id_r": "unique_id_l"})
    assert measures.hits(scored(turned, left="release")).tolist() == [0, 0.5, 0]


@pytest.mark.parametrize("reverse", [False, True])
def test_links_make_the_round_trip_through_a_file(tmp_path, reverse):
    sample = unveil.households(80, seed=5)
    coarse = unveil.masks.Rounding(base=1000, columns=["income", "rent"])
    release = unveil.mask(sample, [coarse], seed=1).shuffled()
    direction = "release-to-original" if reverse else "original-to-release"
    intruder = Intruder(knows=["income", "rent"], direction=direction)
    links = unveil.attack(sample, release, attacks.Distance(), intruder=intruder)
    unveil.write(links, tmp_path / "links.csv")
    spec = attacks.Pairs(pairs=tmp_path / "links.csv")
    again = unveil.attack(sample, release, spec, intruder=Intruder(direction=direction))
    assert np.array_equal(again.best, links.best)
    assert measures.hits(again) == pytest.approx(measures.hits(links))
    assert ((measures.hits(links) > 0) & (measures.hits(links) < 1)).any()  # ties are written, too
    assert measures.risk(again).confirmed is None  # weights are no distances
    assert (tmp_path / "links.csv").stat().st_mode & 0o777 == 0o600
    two, three = links.pairs(), links.pairs(3)
    assert 160 < len(two) < len(three) < 80 * 80
    assert three["match_probability"].is_null().all()
    assert three["unique_id_l"].is_sorted() or reverse


def test_many_ties_are_listed_a_few_at_a_time(monkeypatch):
    ages = [1] * 5 + [2] * 9 + [3] * 2 + [4]
    data = Microdata(pl.DataFrame({"age": ages}), Schema(quasi="age"))
    links = unveil.attack(data, data, attacks.Distance())
    whole = links.pairs()
    assert len(whole) == 5 * 5 + 9 * 9 + 2 * 2 + 2
    for held in (1, 20, 40):
        monkeypatch.setattr("unveil.values.pair_table.CANDIDATES_HELD", held)
        assert links.pairs().equals(whole)
    monkeypatch.setattr("unveil.values.pair_table.MOST_PAIRS", 100)
    with pytest.raises(UsageError, match="112 pairs, and at most 100 are listed"):
        links.pairs()


def test_ties_that_rounding_parts_are_written_as_ties():
    rng = np.random.default_rng(81)  # whose standardised numbers differ in their last digits
    files = [Microdata(pl.DataFrame({"a": rng.integers(0, 3, 6) * 0.1 + 0.3})) for _ in range(2)]
    knows = Intruder(knows=["a"])
    links = unveil.attack(*files, attacks.Distance(), intruder=knows, truth="row-order")
    again = unveil.attack(*files, attacks.Pairs(pairs=links.pairs()), truth="row-order")
    assert len(np.unique(links.nearest(6).scores[0])) > 1
    assert measures.hits(again) == pytest.approx(measures.hits(links))


def test_where_nobody_has_a_candidate_there_is_nothing_to_write(tmp_path):
    links = blocked(["f", "f"], ["m", "m"], ["sex"])
    assert len(links.pairs()) == 0
    with pytest.raises(DataError, match="no record has a candidate"):
        unveil.write(links, tmp_path / "links.csv")
    assert measures.risk(links).expected == 0


def test_an_impossible_truth_is_never_found():
    """Whether blocks are searched together or one by one."""
    table = {"c": {"categories": ["a", "b"], "distances": [[0, None], [None, 0]]}}
    for blocks in (1, 8, 9, 40):
        n = 2 * blocks
        people = pl.DataFrame({"c": ["a"] * n, "x": range(n), "b": np.arange(n) // 2})
        schema = Schema(quasi=["c", "x"], nominal="c")
        links = unveil.attack(
            people,
            people.with_columns(c=pl.lit("b")),
            attacks.Distance(tables=table),
            schema=schema,
            intruder=Intruder(knows=["c", "x"], blocks=["b"] if blocks > 1 else []),
            truth="row-order",
        )
        assert measures.hits(links).sum() == 0
        assert (links.best == -1).all()
        assert measures.top_k(links, 3).share.tolist() == [0, 0, 0]


def test_a_table_of_pairs_shows_no_cell():
    frame = PAIRS.with_columns(match_weight=pl.lit(77013.5))
    assert "77013" not in repr(attacks.Pairs(pairs=frame))
    assert repr(attacks.Pairs(pairs="links.csv")) == "Pairs(links.csv)"


def test_more_ties_than_are_listed_are_told(caplog, monkeypatch):
    monkeypatch.setattr("unveil.values.pair_table.PAIRS_PER_RECORD", 2)
    data = Microdata(pl.DataFrame({"age": [1, 1, 1, 2]}), Schema(quasi="age"))
    links = unveil.attack(data, data, attacks.Distance())
    assert len(links.pairs(1)) == 3 * 2 + 1
    assert "3 records tie with more than 2 candidates" in caplog.text


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (lambda t: t.drop("unique_id_l"), {}, "the table has columns unique_id_l"),
        (lambda t: t.drop("match_weight"), {}, "match_weight or match_probability"),
        (lambda t: t.with_columns(unique_id_r=9), {}, "not a row of the release .* in 6 pairs"),
        (lambda t: t.with_columns(unique_id_l=0.5), {}, "not a row of the original"),
        (lambda t: t, {"release_id": "id"}, "not an id of the release in 6 pairs"),
        (lambda t: t, {"original_id": "idd"}, "column 'idd' is not in the data"),
        (
            lambda t: t.with_columns(match_weight=pl.lit(None, pl.Float64)),
            {},
            "match_weight is missing in 6 pairs",
        ),
    ],
)
def test_tables_that_are_none(change, options, said):
    with pytest.raises(DataError, match=said):
        scored(change(PAIRS), **options)


def test_pairs_take_neither_blocks_nor_knowledge():
    for intruder, said in (
        (Intruder(blocks=["age"]), "compares no records: leave out blocks"),
        (Intruder(knows=["age"]), "this attack compares no attributes"),
        (Intruder(records=2), "leave out records"),
    ):
        with pytest.raises(SpecError, match=said):
            unveil.attack(PEOPLE, PEOPLE, attacks.Pairs(pairs=PAIRS), intruder=intruder)


BLOCKED = Schema(quasi=["age", "sex", "area"], nominal="sex")


def blocked(sexes, released, blocks, ages=None, **options):
    n = len(sexes)
    frames = [
        pl.DataFrame({"age": ages or list(range(n)), "sex": sex, "area": [1.0] * (n - 1) + [2.0]})
        for sex in (sexes, released)
    ]
    people, rows = (Microdata(frame, BLOCKED) for frame in frames)
    intruder = Intruder(knows=["age"], blocks=blocks, **options)
    return unveil.attack(people, rows, attacks.Distance(), intruder=intruder, truth="row-order")


def test_records_are_compared_inside_their_block():
    links = blocked(["f", "f", "m", "m"], ["f", "f", "m", "m"], ["sex"], ages=[1, 1, 1, 2])
    assert measures.hits(links).tolist() == [0.5, 0.5, 1, 1]
    assert measures.baseline(links) == 2.0
    assert measures.ceiling(links) == 3
    assert links.best.tolist() == [0, 0, 2, 3]
    both = blocked(["f", "f", "m", "m"], ["f", "f", "m", "m"], ["sex", "area"], ages=[1, 1, 1, 2])
    assert measures.baseline(both) == 3.0
    back = blocked(["f", "m", "m"], ["f", "m", "m"], ["sex"], direction="release-to-original")
    assert measures.baseline(back) == 2.0


def test_a_missing_cell_may_be_any_block(caplog):
    links = blocked(["f", None, "m"], ["m", "f", None], ["sex"])
    parts = {
        int(i): part.candidates.tolist()
        for part in links.finder.comparison_blocks(np.arange(3))
        for i in part.records
    }
    assert parts == {0: [1, 2], 1: [0, 1, 2], 2: [0, 2]}
    assert "separate 1 record from their true rows" in caplog.text
    assert links.n_closer.tolist() == [-1, 0, 0]
    assert measures.baseline(links) == pytest.approx(1 / 3 + 1 / 2)


def test_a_block_that_nobody_else_is_in_links_nobody(caplog):
    with caplog.at_level(logging.WARNING, "unveil"):
        links = blocked(["f", "m", "x"], ["f", "m", "m"], ["sex"])
    assert links.best.tolist() == [0, 1, -1]
    assert links.n_best.tolist() == [1, 1, 0]
    assert measures.margins(links)[2] == -1
    risk = measures.risk(links)
    assert (risk.expected, risk.baseline) == (2, 1.5)
