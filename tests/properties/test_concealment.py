"""k-concealment and n-confusion against their definitions: all one-to-one assignments."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import models as naive
from unveil import Schema, masks, models
from unveil.errors import DataError, SpecError

KEYS = ["sex", "region"]
WHOLE = [masks.Mondrian, masks.LocalSuppression, masks.FullDomain]


def table(sets, generalised=True):
    """A file of one column whose cells are sets of letters, written as a release writes them."""
    cells = ["{" + "|".join(one) + "}" if len(one) > 1 else one for one in sets]
    attribute = {"role": "quasi", "level": "nominal", "generalised": generalised}
    return unveil.Microdata(pl.DataFrame({"v": cells}), Schema({"v": attribute}))


def found(release, originals):
    """What the file has of both models."""
    asked = [
        models.KConcealment(k=1, originals=originals),
        models.NConfusion(n=1, originals=originals),
    ]
    return [one.found for one in models.check(release, asked)]


def test_compatible_is_not_enough():
    # Tassa, Mazza and Gionis: person c needs the third row, so it cannot be the row of a or b.
    people = table("abc", generalised=False)
    assert found(table(["ab", "ab", "abc"]), people) == [1, 1]
    assert [len([row for row in ("ab", "ab", "abc") if one in row]) for one in "abc"] == [3, 3, 1]


def test_a_ring_conceals_without_equal_rows():
    people, ring = table("abcde", generalised=False), table(["ab", "bc", "cd", "de", "ae"])
    assert found(ring, people) == [2, 2]
    assert models.check(ring, models.KAnonymity(k=2))[0].found == 1


def test_the_models_count_from_both_ends():
    # Both rows can be either person, and a third person is in neither.
    people = table("aab", generalised=False)
    assert found(table(["a", "a"]), people) == [2, 2]
    assert found(table(["a"]), people) == [1, 2]
    assert found(table(["ab", "ab"]), people) == [2, 3]


@given(st.data())
def test_counts_are_those_of_all_assignments(data):
    letters = "abcd"
    people = data.draw(st.lists(st.sampled_from(letters), min_size=1, max_size=7))
    rows = [
        "".join(sorted({one, *data.draw(st.lists(st.sampled_from(letters), max_size=2))}))
        for one in people
    ]
    if data.draw(st.booleans()):
        rows = data.draw(st.permutations(rows))[: data.draw(st.integers(1, len(rows)))]
    if data.draw(st.integers(0, 4)) == 0:
        rows = [data.draw(st.sampled_from(letters)) for _ in rows]
    fits = [[one in row for one in people] for row in rows]
    pairs = np.array(naive.assignable(fits))
    release, originals = table(rows), table(people, generalised=False)
    if not pairs.any(axis=1).all():
        with pytest.raises(DataError, match="cannot be assigned to a record of its own"):
            found(release, originals)
        return
    of_record = pairs.sum(axis=0)
    assert found(release, originals) == [of_record[of_record > 0].min(), pairs.sum(axis=1).min()]
    order = np.random.default_rng(0).permutation(len(people))
    assert found(release, originals.take(order)) == found(release, originals)


@given(st.integers(5, 60), st.integers(2, 4), st.sampled_from(WHOLE), st.integers(0, 9))
def test_k_anonymity_implies_both(n, k, mask, seed):
    people = unveil.households(n, seed=seed)
    release = unveil.mask(people, mask(k=k, columns=KEYS))
    asked = [models.KConcealment(k=k, originals=people), models.NConfusion(n=k, originals=people)]
    for promise in models.check(release, asked, keys=KEYS):
        assert promise.kept
        assert (promise.n, promise.records) == (len(people), 0)
        assert set(promise.parameters) <= {"k", "n"}


def test_what_cannot_be_counted_is_refused():
    people = unveil.households(40, seed=7)
    model = models.NConfusion(n=2, originals=people)
    for given_, message in ((None, "as Microdata"), (people.to_frame(), "as Microdata")):
        with pytest.raises(SpecError, match=message):
            models.KConcealment(k=2, originals=given_)
    noisy = unveil.mask(people, masks.AdditiveNoise(scale=0.5, columns=["income"]), seed=1)
    with pytest.raises(DataError, match="masks that exchange or perturb values do not fit"):
        models.check(noisy, model, keys=["income"])
    with pytest.raises(DataError, match="40 rows and the originals are 5 records"):
        models.check(people, models.NConfusion(n=2, originals=people.take(np.arange(5))))
    for mask in WHOLE:
        with pytest.raises(SpecError, match="no mask enforces n-confusion"):
            unveil.mask(people, mask(k=2, columns=KEYS, models=[model]))


def test_too_many_pairs_are_refused(monkeypatch):
    people = unveil.households(40, seed=7)
    monkeypatch.setattr("unveil.models.concealment.MOST_PAIRS", 3)
    with pytest.raises(DataError, match="at most 3 can be searched: name more keys"):
        models.check(people, models.KConcealment(k=2, originals=people))
