"""What holds of columns that describe households, with every mask, any table and any seed."""

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import unveil
from strategies.examples import examples
from strategies.masks import KINDS, SPECS, masked, tables
from unveil import masks
from unveil.masks.base import UnivariateMask
from unveil.support.specs import method_name
from unveil.table.attribute import Attribute
from unveil.table.encoding.shared_attributes import written_cells
from unveil.table.households import Homes, households_of

KINDS_OF_MASK = {method_name(getattr(masks, name)): getattr(masks, name) for name in masks.__all__}
COLUMN_BY_COLUMN = [
    name
    for name in SPECS
    if issubclass(KINDS_OF_MASK[name], UnivariateMask | masks.Sampling | masks.Shuffle)
]


@st.composite
def surveys(draw):
    """A table of every kind of column with a household number, and columns that members share.

    Some numbers are missing, and some cells of some members.
    """
    table = draw(tables())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = rng.integers(0, max(len(table) // 2, 1), len(table)) + 100
    numbers[rng.random(len(table)) < draw(st.sampled_from([0, 0.2]))] = -1
    homes = Homes.from_cells(numbers)
    shared = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, unique=True))
    gaps = draw(st.sampled_from([0, 0, 0.2]))
    frame = table.to_frame()
    for name in shared:
        cells = frame[name].gather(homes.firsts[homes.of_record])
        frame = frame.with_columns(cells.set(pl.Series(rng.random(len(table)) < gaps), None))
    frame = frame.with_columns(hid=pl.Series([None if n < 0 else int(n) for n in numbers]))
    attributes = {name: table.schema[name] for name in table.schema}
    attributes["hid"] = Attribute(role="household")
    plain = unveil.Microdata(frame, unveil.Schema(attributes))
    for name in shared:
        attributes[name] = msgspec.structs.replace(attributes[name], per_household=True)
    return unveil.Microdata(frame, unveil.Schema(attributes)), plain, tuple(shared)


def differing(homes, cells, known):
    """By hand: the households whose known members have different cells."""
    found = set()
    for home in set(homes.of_record.tolist()):
        members = [row for row in homes.members(home) if known[row]]
        if len({cells[row] for row in members}) > 1:
            found.add(home)
    return found


@pytest.mark.parametrize("method", SPECS)
@examples(1 / 4)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_members_share_what_they_shared_and_channels_stay_true(method, data, seed):
    (survey, _, shared), spec = data.draw(surveys()), data.draw(SPECS[method])
    if isinstance(spec, masks.RecordSwapping):  # members live in one area
        others = tuple(name for name in KINDS if name not in shared)
        assume(others)
        spec = masks.RecordSwapping(geography=shared[:1], keys=others[:1], k=spec.k)
    release = masked(survey, spec, seed)
    assert "hid" not in release.data.columns
    if release.row_map is None or getattr(spec, "cells", "") == "means":
        return  # said in a warning, by the number of households
    homes = households_of(survey).take(release.row_map)
    before = survey.take(release.row_map)
    for name in shared:
        known = before.column(name).is_not_null().to_numpy()
        assert not differing(homes, written_cells(release.data, name).tolist(), known)
    for channel in release.channels:
        assert not channel.excludes(before, release.data).any(), channel
    for models, keys in spec.guarantees(survey):
        assert all(one.kept for one in unveil.models.check(release.data, models, keys=keys))
    assert unveil.mask(survey, release.plan).data == release.data


@pytest.mark.parametrize("method", COLUMN_BY_COLUMN)
@examples(1 / 8)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
def test_other_columns_are_masked_as_if_nothing_were_declared(method, data, seed):
    (survey, plain, shared), spec = data.draw(surveys()), data.draw(SPECS[method])
    release = masked(survey, spec, seed)
    try:
        by_person = unveil.mask(plain, [spec], seed=seed)
    except unveil.UnveilError:
        return
    for name in release.data.columns:
        if name not in shared:
            assert release.data.column(name).equals(by_person.data.column(name))


@examples(1 / 2)
@given(st.lists(st.integers(-1, 5), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_households_in_which_known_cells_differ_are_those_found_by_hand(numbers, random):
    homes = Homes.from_cells(np.array(numbers))
    cells = np.array([random.randint(-2, 2) for _ in numbers])
    found = differing(homes, cells.tolist(), cells >= 0)
    assert set(np.flatnonzero(homes.varies(cells)).tolist()) == found
    known = homes.known_members(cells >= 0)
    assert (homes.of_record[known] == np.arange(len(homes))).all()
    for home in range(len(homes)):
        assert cells[known[home]] >= 0 or (cells[homes.members(home)] < 0).all()
