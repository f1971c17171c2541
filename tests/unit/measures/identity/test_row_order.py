"""What the order of the rows tells."""

import numpy as np
import pytest

import unveil
from unveil.measures import related, row_order
from unveil.values.file_pair import FilePair

N = 300


def looked_at(order):
    """The rows of people and of the same people in another order."""
    people = unveil.households(N, seed=7)
    links = unveil.attack(people, people.take(order), unveil.attacks.Position(), truth="person")
    return row_order(links)


def test_a_file_that_was_cut_keeps_its_neighbours():
    cut = looked_at(np.roll(np.arange(N), round(0.2113 * N)))
    assert abs(cut.correlation) < 0.05
    assert cut.neighbours == N - 2
    assert cut.neighbours_p_value < 1e-12
    turned = looked_at(np.arange(N)[::-1])
    assert turned.neighbours == N - 1


def test_a_shuffled_file_has_about_two_neighbours():
    found = [looked_at(np.random.default_rng(seed).permutation(N)).neighbours for seed in range(40)]
    assert np.mean(found) == pytest.approx(2, abs=4 * (2 / 40) ** 0.5)


@pytest.mark.parametrize("columns", [["age", "income"], ["region", "occupation"], ["education"]])
def test_pairs_of_other_files_have_nothing_in_common(columns):
    people = unveil.households(N, seed=7).select(["person", *columns])
    rows = np.random.default_rng(3).permutation(N)
    released = people.take(rows)
    assert related(FilePair.of(people, released, rows)) is True
    assert related(FilePair.of(people, released, np.roll(rows, 7))) is False
    assert (
        related(FilePair.of(people.take(rows[:10]), released.take(range(10)), np.arange(10)))
        is None
    )
