"""Mondrian: records cut into smaller and smaller groups while these satisfy the rules."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.grouping.classes import Classes, ClassRules, build_rules, class_scratch
from unveil.grouping.kernels import mondrian as kernel
from unveil.support.arrays import Floats, Ints, Ints32
from unveil.support.compile import prepare

MISSING_PLACE = 2.0  # farther than any known value


class CutAxis(NamedTuple):
    """One attribute: codes in its order, the last of them missing where some are."""

    codes: Ints32
    place: Floats  # of each code, from 0 to 1; missing ones at MISSING_PLACE
    level: Ints  # how coarse a boundary lies before each code


def axis_of(codes: Ints32, place: Floats, level: Ints | None = None) -> CutAxis:
    """An attribute whose codes have places; -1 is missing, and becomes the last code."""
    known = len(place)
    inside = np.zeros(known, np.int64) if level is None else level
    absent = codes < 0
    if not absent.any():
        return CutAxis(codes, place, inside)
    top = int(inside.max(initial=0)) + 1
    moved = np.where(absent, known, codes).astype(np.int32)
    return CutAxis(moved, np.append(place, MISSING_PLACE), np.append(inside, top))


def mondrian(axes: Sequence[CutAxis], rules: ClassRules, *, relaxed: bool = False) -> Classes:
    """Cut the records at medians until no group can be cut.

    LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity (2006), Sections 3 and
    4. The group is cut in the attribute with the widest spread relative to the file, at the
    boundary nearest to the median; if the rules forbid this cut, the next attribute is tried.
    Strict: all records with one value go to one side. Relaxed: if no strict cut is possible,
    records at the median are divided between both sides in row order, so that the sides are even.
    (The paper does so from the first cut on, which splits a frequent value repeatedly without a
    gain.)
    """
    prepare("Mondrian", _rehearse)
    return _partition(axes, rules, relaxed=relaxed)


def _partition(axes: Sequence[CutAxis], rules: ClassRules, *, relaxed: bool) -> Classes:
    n, d = len(axes[0].codes), len(axes)
    codes = np.column_stack([axis.codes for axis in axes]).astype(np.int32)
    members, starts = np.arange(n), np.empty(n + 1, np.int64)
    widths = [len(axis.place) for axis in axes]
    free = [not axis.level[:-1].any() for axis in axes]
    made = kernel.partition(
        codes,
        members,
        kernel.Axes(
            np.append(0, np.cumsum(widths)),
            np.concatenate([axis.place for axis in axes]),
            np.concatenate([axis.level for axis in axes]),
            np.array(free),
        ),
        rules,
        class_scratch(rules, n),
        kernel.CutScratch(
            np.empty(d, np.int64),
            np.empty(d, np.int64),
            np.empty(d),
            np.empty(n, np.int32),
            np.empty(2 * n + 4, np.int64),
            np.empty(n, np.int64),
        ),
        relaxed,
        starts,
    )
    return Classes(members, np.append(starts[:made], n))


def _rehearse() -> None:
    axis = axis_of(np.zeros(1, np.int32), np.zeros(1))
    _partition([axis], build_rules([], [], 1), relaxed=False)
