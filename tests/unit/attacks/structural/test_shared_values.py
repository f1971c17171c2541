"""Values that two files happen to share: found, counted, and not taken for more than they are."""

import numpy as np
import polars as pl
import pytest

from unveil import Microdata, Schema
from unveil.attacks.structural.shared_values import SharedValues, compare_values


def one(name, cells, **declared):
    return Microdata(pl.DataFrame({name: cells}), Schema(**declared) if declared else None)


def copies(mine, released):
    return SharedValues.find(mine, release=released, known=mine.columns, others=released.columns)


def test_chance_and_rarity_by_hand():
    mine = one("wage", [100, 217, 309, 441, 555, 555, None])
    released = one("taxed", [100.0, 217.0, 309.0, 555.0, 613.0, 613.0])
    found = compare_values(mine, released, "wage", "taxed")
    # Of 6 in either file 4 are alone: a stranger's value is there with 3 in 7; 4 and 5 are there.
    assert found.n_released == 6
    assert found.copied == pytest.approx((4 / 6 - 3 / 7) / (4 / 7))
    assert found.rare == pytest.approx(2.5 / (4 * 6))
    variance = 6 * 3 / 7 * 4 / 7 + max(4 + 2 - 16 / 6, 3)
    assert found.surprise == pytest.approx((4 - 18 / 7) / np.sqrt(variance))
    weights, chance = found.weights(), found.copied
    assert weights[0, 0] == pytest.approx(np.log(chance / (2.5 / 24) + 1 - chance))
    assert weights[0, 1] == found.unequal == pytest.approx(np.log(1 - chance))
    assert (weights[6] == 0).all()  # what is not known speaks for nothing
    some = found.take(np.array([6, 0]), np.array([1, 0]))
    assert some.weights() == pytest.approx(weights[np.ix_([6, 0], [1, 0])])


@pytest.mark.parametrize("written", [int, "P{:04d}".format, lambda k: f"{k}.5"])
def test_serial_numbers_of_strangers_are_not_taken_for_shared(written):
    rng = np.random.default_rng(3)
    cells = [[written(int(k)) for k in rng.permutation(80)] for _ in range(2)]
    assert not copies(one("nr", cells[0]), one("no", cells[1])).attributes


def test_signs_that_only_look_like_digits_are_text():
    cells = [f"{k}m²③" for k in (17, 4, 99, 23, 58)]
    assert compare_values(one("a", cells), one("b", cells), "a", "b").n_released == 5


def test_what_many_have_tells_less():
    cells = [*range(8), *[8] * 2, *[9] * 4, *[10] * 8]
    found = compare_values(one("a", cells), one("b", cells), "a", "b")
    gains = [found.gain(power) for power in range(4)]
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] > 0
    assert found.frequency[[0, 8, 9, 10]].tolist() == [0, 1, 2, 3]


def test_labels_are_compared_as_labels_and_numbers_never_with_them():
    own = ["x", None, "y", "z"]
    text = one("a", own, nominal=["a"])
    found = compare_values(text, one("b", ["z", "x", None], nominal=["b"]), "a", "b")
    assert found.codes[0][1] == found.codes[1][2] == -1
    assert found.codes[0][0] == found.codes[1][1]
    assert found.codes[0][3] == found.codes[1][0]
    assert len(set(found.codes[0][[0, 2, 3]])) == 3
    numbers, coded = one("c", [1, 2, 3]), one("d", [1, 2, 3], nominal=["d"])
    assert compare_values(numbers, coded, "c", "d") is None
    assert compare_values(coded, numbers, "d", "c") is None
    texts = one("e", ["3", "2", "5"], ordinal={"e": ["2", "3", "5"]})
    assert (compare_values(coded, texts, "d", "e").codes[0][1:] == [1, 2]).all()  # 2 is "2"


def test_ranges_and_empty_columns_have_no_values_to_share():
    band = one("a", ["1..4", "5..9"], numeric=["a"], generalised=["a"])
    numbers = one("b", [1, 2])
    assert compare_values(band, numbers, "a", "b") is None
    assert compare_values(numbers, band, "b", "a") is None
    assert (
        compare_values(one("c", pl.Series([None, None], dtype=pl.Float64)), numbers, "c", "b")
        is None
    )


@pytest.mark.parametrize("steps", [2, 20, 50, 200])
def test_columns_of_strangers_on_one_grid_are_not_taken_for_shared(steps):
    rng = np.random.default_rng(1)
    for _ in range(10):
        mine, released = rng.normal(size=(2, 60, 3))
        own, others = (np.rint(values * steps / 6) for values in (mine, released))
        found = copies(
            Microdata(pl.DataFrame(own, schema=["a", "b", "c"])),
            Microdata(pl.DataFrame(others, schema=["d", "e", "f"])),
        )
        assert found.attributes == ()


def test_a_column_that_is_copied_for_most_is_found_with_its_partner():
    rng = np.random.default_rng(2)
    wage = np.exp(rng.normal(10, 1, 50)).round(2)
    taxed = np.where(rng.random(50) < 0.6, wage, np.exp(rng.normal(10, 1, 50)).round(2))
    order = rng.permutation(50)
    mine = pl.DataFrame({"age": rng.integers(20, 60, 50), "wage": wage})
    released = pl.DataFrame({"taxed": taxed[order], "children": rng.integers(0, 4, 50)})
    found = copies(Microdata(mine), Microdata(released)).attributes
    assert [(copy.intruder, copy.released) for copy in found] == [("wage", "taxed")]
    assert found[0].copied == pytest.approx((wage == taxed).mean(), abs=0.02)
    weights = found[0].weights()
    right = weights[order, np.arange(50)]
    assert ((right > 3) == (wage == taxed)[order]).all()
    assert ((weights > 3).sum(1) <= 1).all()


def test_each_column_is_taken_for_one_other_at_most():
    cells = np.arange(40) ** 2.1  # not counted up
    both = [pl.DataFrame(dict.fromkeys(names, cells)) for names in ("ab", "cde")]
    found = copies(*map(Microdata, both)).attributes
    assert [(copy.intruder, copy.released) for copy in found] == [("a", "c"), ("b", "d")]
