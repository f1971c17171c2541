"""Equal rows are found, even when hashes deceive."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from unveil.support.equal_rows import same_rows
from unveil.support.kernels.rows import group_rows


@pytest.mark.parametrize("deceived", [False, True])
def test_rows_are_grouped_by_content(deceived):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, size=(200, 3)).astype(float)
    values[values == 2] = np.nan
    values[rng.random(values.shape) < 0.2] *= -1  # both zeros, both NaNs
    extra = rng.integers(0, 2, 200)
    if deceived:
        hashes = np.zeros(200, np.uint64)
        order, starts = group_rows(values.view(np.uint64), extra.view(np.uint64), hashes)
    else:
        groups = same_rows(values, extra, 2)
        order, starts = groups.order, groups.starts
    content = [
        (*np.nan_to_num(row, nan=9).tolist(), e) for row, e in zip(values, extra, strict=True)
    ]
    found = [{content[i] for i in order[a:b]} for a, b in pairwise(starts)]
    assert all(len(group) == 1 for group in found)
    assert len(found) == len(set(content))


def test_single_rows_are_known_as_such():
    groups = same_rows(np.arange(6.0).reshape(3, 2), np.zeros(0), 1)
    assert groups.all_single
    assert sorted(groups.firsts.tolist()) == [0, 1, 2]
