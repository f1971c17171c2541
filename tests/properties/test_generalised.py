"""Files that were made coarser: what fits is what may be, and the truth always may."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from naive import attacks as naive
from strategies import generalised_tables as generalised
from strategies.examples import examples
from unveil import Intruder, Plan, Release, attacks, measures
from unveil.attacks.distance import category_sets as sets
from unveil.errors import DataError

seeds = st.integers(0, 2**32)
directions = st.sampled_from(["original-to-release", "release-to-original"])
# So many cells are a table: never, or where there is no other way; and none.
WAYS = {"ends": (0, 4000), "numbers": (0, 0)}


def drawn(seed):
    """People, their rows in another order, what each cell holds, and the row of each."""
    rng = np.random.default_rng(seed)
    cells = generalised.people(rng, int(rng.integers(2, 25)))
    texts, held = generalised.coarser(rng, cells, stars=rng.choice([0, 0.1, 0.6]))
    order = rng.permutation(len(cells["x"]))
    texts, held = ({name: [of[name][i] for i in order] for name in of} for of in (texts, held))
    return cells, held, generalised.original(cells), generalised.release(texts), order


def attacked(spec, mine, released, order, direction, knows=None):
    intruder = Intruder(knows=knows, direction=direction)
    return unveil.attack(mine, released, spec, intruder=intruder, truth=order)


@examples(1 / 2)
@given(seed=seeds, direction=directions)
def test_rows_fit_where_every_cell_may_hold_the_value(seed, direction):
    cells, held, mine, released, order = drawn(seed)
    links = attacked(attacks.Compatible(), mine, released, order, direction)
    fits = naive.compatible(cells, held, generalised.holds)
    fits = fits.T if direction == "release-to-original" else fits
    assert measures.rows_that_fit(links).tolist() == fits.sum(axis=1).tolist()
    assert (links.n_closer == 0).all()
    assert (links.n_tied + 1).tolist() == fits.sum(axis=1).tolist()
    found = measures.compatible_rows(links)
    assert (found.fewest, found.none) == (fits.sum(axis=1).min(), 0)
    assert found.below_3 == (fits.sum(axis=1) < 3).sum()


@examples(1 / 4)
@given(seed=seeds, direction=directions)
def test_a_channel_of_ranges_and_sets_never_excludes_the_truth(seed, direction):
    cells, held, mine, released, order = drawn(seed)
    moved = np.random.default_rng(seed).permutation(len(order))
    for channel in generalised.CHANNELS:
        name = channel.columns[0]
        assert not channel.excludes(mine.take(order), released).any()
        expected = [
            not generalised.holds(held[name][to], cells[name][of]) and held[name][to] is not None
            for to, of in enumerate(moved)
        ]
        assert channel.excludes(mine.take(moved), released).tolist() == expected
    release = Release(
        released.take(np.argsort(order)), Plan((), seed=1), generalised.CHANNELS, None
    )
    for level in ("parameters", "method"):
        links = unveil.attack(
            mine,
            release,
            attacks.Tailored(level=level),
            intruder=Intruder(direction=direction),
            truth="row-order",
        )
        assert (links.n_closer >= 0).all()


@examples(1 / 4)
@given(seed=seeds, direction=directions)
def test_nobody_is_linked_more_than_the_rows_can_tell(seed, direction):
    _, _, mine, released, order = drawn(seed)
    for spec in (attacks.Compatible(), attacks.Distance(), attacks.Distance(metric="chebyshev")):
        risk = measures.risk(attacked(spec, mine, released, order, direction))
        assert risk.expected <= risk.ceiling + 1e-9


@pytest.mark.parametrize("way", WAYS)
@examples(1 / 8)
@given(seed=seeds, direction=directions)
def test_sets_are_as_far_apart_whichever_way_they_are_compared(way, seed, direction):
    _, _, mine, released, order = drawn(seed)
    for name in ("grade", "job", "town"):
        for spec in (attacks.Distance(), attacks.Compatible()):
            try:
                usual = attacked(spec, mine, released, order, direction, [name])
            except DataError:  # the same category in every row: nothing varies
                continue
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sets, "FEW_CELLS", WAYS[way][0])
                patch.setattr(sets, "MOST_CELLS", WAYS[way][1])
                if way == "numbers" and name == "grade" and spec.name == "distance":
                    continue  # sets of an order may have gaps, of which only a table says how far
                other = attacked(spec, mine, released, order, direction, [name])
                found, wanted = (links.nearest(len(order)) for links in (other, usual))
            assert found.rows.tolist() == wanted.rows.tolist()
            # What one who does not know the attribute pays is the same for all candidates.
            ours, theirs = (np.nan_to_num(one.scores, posinf=9.0) for one in (found, wanted))
            assert ours - ours[:, :1] == pytest.approx(theirs - theirs[:, :1])
