"""What the pattern counts refuse, report and answer at the edges."""

import numpy as np
import pytest

from unveil.engines.local.patterns import pattern_counts
from unveil.errors import DataError, UsageError

TWO = np.zeros((3, 2), np.int64)
CANARY = -918273645


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        (TWO[0], TWO, r"^the first file: codes are a table .* not an array of 1 dimension$"),
        (TWO, TWO[None], r"^the second file: codes are a table .* not an array of 3 dimensions$"),
        (TWO * 1.0, TWO, r"^the first file: codes are whole numbers"),
        (TWO, TWO == 0, r"^the second file: codes are whole numbers"),
        (TWO, TWO.astype(np.uint64), r"^the second file: codes are whole numbers"),
        (TWO, TWO.astype(object), r"^the second file: codes are whole numbers"),
        (TWO, TWO[:, :1], r"^the first file has 2 attributes, the second 1; both must"),
        (TWO[:, :0], TWO[:, :0], r"for 1 to 20 attributes, not 0; choose fewer$"),
        (np.zeros((1, 21), int), np.zeros((1, 21), int), r"for 1 to 20 attributes, not 21"),
        (TWO, np.array([[0, 1], [0, CANARY]]), r"^the second file, column 2: 1 code below -1;"),
        (np.full((3, 1), CANARY), TWO[:, :1], r"^the first file, column 1: 3 codes below -1;"),
        (
            np.broadcast_to(np.uint8(0), (2**31, 1)),
            np.zeros((1, 1), int),
            r"for up to 2,147,483,647 records",
        ),
    ],
)
def test_bad_tables_are_refused_without_their_cells(a, b, sentence):
    with pytest.raises(DataError, match=sentence) as caught:
        pattern_counts(a, b)
    assert str(abs(CANARY)) not in str(caught.value)


def test_at_least_one_thread_is_needed():
    with pytest.raises(UsageError, match="threads"):
        pattern_counts(TWO, TWO, threads=0)


@pytest.mark.parametrize(("a", "b"), [(TWO[:0], TWO), (TWO, TWO[:0]), (TWO[:0], TWO[:0])])
def test_no_records_make_no_pairs(a, b):
    assert pattern_counts(a, b).tolist() == [0, 0, 0, 0]


def test_bits_are_attributes_in_their_order():
    a = np.array([[7, 1, 2]])
    b = np.array([[7, 0, 0], [0, 1, 2], [7, 0, 2], [7, 1, 2], [7, 1, 2], [-1, -1, -1]])
    counts = pattern_counts(a, b)
    assert counts.dtype == np.int64
    assert dict(enumerate(counts.tolist())) == {
        0b000: 1, 0b001: 1, 0b010: 0, 0b011: 0, 0b100: 0, 0b101: 1, 0b110: 1, 0b111: 2
    }  # fmt: skip


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint32, ">i8"])
def test_any_whole_numbers_in_any_layout_will_do(kind):
    a, b = np.array([[0, 1], [2, 1]]), np.array([[2, 1], [0, 0], [2, 3]])
    expected = pattern_counts(a, b).tolist()
    assert pattern_counts(a.astype(kind), b.astype(kind)).tolist() == expected
    frozen = np.asfortranarray(a.astype(kind))
    frozen.flags.writeable = False
    assert pattern_counts(frozen, b[::-1]).tolist() == expected


def test_twenty_attributes():
    a = np.tile(np.arange(20) % 3, (50, 1))
    b = a.copy()
    b[:10, 19] = -1
    counts = pattern_counts(a, b)
    assert counts[2**20 - 1] == 50 * 40
    assert counts[2**19 - 1] == 50 * 10
    assert counts.sum() == 2500


def test_input_is_left_alone_and_the_answer_can_be_written_on():
    a, b = TWO - 1, TWO.copy()
    counts = pattern_counts(a, b)
    assert (a == -1).all()
    assert (b == 0).all()
    counts += 1


def test_progress_is_told_in_sets_of_attributes():
    told = []
    pattern_counts(
        np.zeros((4, 6), int),
        np.zeros((4, 6), int),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (64, 64)
    assert told == sorted(told)


def test_an_interruption_reaches_the_caller():
    def interrupt(done, _total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pattern_counts(TWO, TWO, progress=interrupt)
