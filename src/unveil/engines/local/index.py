"""The base made ready for search: distinct rows, axes, a tree."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from unveil.engines.local.kernels import costs, filters, tree, walk
from unveil.engines.local.problem import Problem
from unveil.support.arrays import Bools, Floats, Floats32, Ints
from unveil.support.equal_rows import same_rows
from unveil.support.threads import run_blocks, thread_blocks

# Leaves are small where boxes exclude most of them. The boxes of many axes exclude little:
# there, tiles are scanned, large enough to be read in one go. docs/search.md has the
# measurements behind these numbers.
LEAF, TILE, MANY_AXES = 32, 512, 24
SAMPLE = 20_000  # rows that choose the principal axes
PARTS_FIRST = 1e6  # an axis so much wider than others is split first


@dataclass(frozen=True, repr=False, eq=False)
class Index:
    """The searched structure of kernels, and the way back to the records."""

    frame: filters.Frame
    tree: tree.Tree
    candidates: walk.BaseRows
    position: Ints  # of each record of the base, in the tree

    def search(self, problem: Problem) -> walk.SearchArrays:
        """All that a kernel reads."""
        queries = walk.Queries(problem.queries, problem.missing)
        return walk.SearchArrays(self.frame, problem.terms, self.tree, self.candidates, queries)


def build(problem: Problem, threads: int) -> Index:
    """Group the base's rows, put them on the axes and in a tree."""
    groups = same_rows(problem.base, problem.offset, threads)
    first = np.minimum.reduceat(groups.order, groups.starts[:-1])
    frame, axes = _on_axes(problem, _frame_for(problem, first), first, threads)
    shape = tree.shape(len(first), LEAF if axes.shape[1] < MANY_AXES else TILE)
    starts = np.arange(shape.leaves + 1) * len(first) // shape.leaves
    stretch = _stretch(frame, axes)
    stretch[len(stretch) - problem.block_codes :] *= PARTS_FIRST
    order = _split(axes, stretch, starts, threads)
    copies = np.diff(groups.starts)[order]
    planted = _plant(axes, order, starts, shape, copies, threads)
    first = first[order]
    offset = problem.offset[first] if len(problem.offset) else problem.offset
    tree.fill_boxes(planted, offset)
    if frame.filter == filters.NONE:
        _widen(planted, ~_fits_32_bits(problem.base), offset)
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    position = position[groups.of_record()]
    records = first if groups.all_single else np.argsort(position, kind="stable")
    rows, at = problem.base, first
    if frame.filter == filters.NONE:  # every candidate is decided by its row: keep them near
        rows, at = rows[first], np.arange(len(first))
    candidates = walk.BaseRows(rows, at, offset, first, records)
    return Index(frame, planted, candidates, position)


def filter_for(problem: Problem) -> int:
    """The filter that stands for this metric, if there is one."""
    terms, each = problem.terms, problem.terms.kind
    if problem.has_missing or terms.combine == costs.CHOQUET or terms.side.any():
        return filters.NONE
    if (each == costs.SQUARE).all() and terms.combine == costs.SUM:
        return filters.SQUARES
    if (each == costs.LINEAR).all():
        if terms.combine == costs.SUM:
            return filters.ABSOLUTES
        if not len(problem.offset):
            return filters.LARGEST_ABSOLUTE
    return filters.NONE


def _frame_for(problem: Problem, first: Ints) -> filters.Frame:
    """How attributes become axes: centred, turned to principal axes, of a size for 32 bits."""
    kind, base, width = filter_for(problem), problem.base, problem.base.shape[1]
    if kind == filters.NONE:
        return filters.Frame(kind, _centre(base), np.eye(width), True, 1.0, 0.0, 0.0)
    weights = problem.terms.weight
    stretch = np.sqrt(weights) if kind == filters.SQUARES else weights
    sample = base[first[:: max(1, len(first) // SAMPLE)]]
    centre = sample.mean(0)
    turn = np.diag(stretch)
    if kind == filters.SQUARES and width > 1:
        turn = turn @ principal_axes((sample - centre) * stretch)
    extent = float((np.maximum(base.max(0) - centre, centre - base.min(0)) * stretch).max())
    shift = float(problem.offset.min()) if len(problem.offset) else 0.0
    if len(problem.offset):
        range_of_offsets = float(problem.offset.max()) - shift
        extent = max(extent, range_of_offsets**0.5 if kind == filters.SQUARES else range_of_offsets)
    scale = 1.0 / extent if extent > 1e-140 else 1.0
    turn = np.ascontiguousarray(turn * scale)
    diagonal = kind != filters.SQUARES or width == 1
    return filters.Frame(kind, centre, turn, diagonal, scale, 0.0, shift)


def _on_axes(
    problem: Problem, frame: filters.Frame, first: Ints, threads: int
) -> tuple[filters.Frame, Floats32]:
    """The rows on the axes, and the frame with the length of the longest."""
    base = problem.base
    if frame.filter == filters.NONE:
        with np.errstate(over="ignore"):  # what is too large for 32 bits is infinite there
            return frame, (base[first] - frame.centre).astype(np.float32)
    axes = np.zeros((len(first), base.shape[1] + bool(len(problem.offset))), np.float32)
    longest: list[float] = []
    run_blocks(
        lambda start, stop: longest.append(
            filters.all_to_axes(
                frame, base, first, problem.offset, axes, np.empty(axes.shape[1]), start, stop
            )
        ),
        thread_blocks(len(first), threads),
        threads=threads,
    )
    return frame._replace(reach=max(longest)), axes


def principal_axes(moved: Floats) -> Floats:
    """The principal axes of centred rows, as columns, the longest first."""
    # Not @, whose sums depend on the number of threads.
    axes: Floats = np.linalg.eigh(np.einsum("ij,ik->jk", moved, moved))[1][:, ::-1]
    return axes


def _centre(base: Floats) -> Floats:
    """The origin of attributes in 32 bits; 0 where these hold them exactly."""
    middle = np.fmax.reduce(base) / 2 + np.fmin.reduce(base) / 2
    return np.where(_fits_32_bits(base), 0.0, middle)


def _fits_32_bits(base: Floats) -> Bools:
    """Which attributes 32 bits hold exactly."""
    with np.errstate(over="ignore"):
        fits: Bools = ((base.astype(np.float32) == base) | np.isnan(base)).all(0)
    return fits


def _stretch(frame: filters.Frame, axes: Floats32) -> Floats:
    """What an axis counts in the choice of splits: as it is, or by its deviation."""
    if frame.filter != filters.NONE:
        return np.ones(axes.shape[1])
    sample = axes[:: max(1, len(axes) // SAMPLE)].astype(np.float64)
    sample[np.isinf(sample)] = np.nan  # too large for 32 bits
    seen = np.maximum((~np.isnan(sample)).sum(0), 1)
    mean = np.nansum(sample, 0) / seen
    deviation = np.sqrt(np.nansum((sample - mean) ** 2, 0) / seen)
    safe: Floats = np.where(deviation > 0, deviation, np.inf)
    return 1.0 / safe


def _split(axes: Floats32, stretch: Floats, starts: Ints, threads: int) -> Ints:
    """Put the rows in tree order: the top of the tree here, the rest on all cores."""
    order, keys = np.arange(len(axes)), np.empty(len(axes), np.float32)
    bounds = [0, len(starts) - 1]

    def work(first: int, last: int, levels: int) -> None:
        stack = np.empty((64, 3), np.int64)
        tree.split(axes, stretch, order, keys, starts, stack, first, last, levels)

    while len(bounds) <= threads and bounds[1] > 1:
        run_blocks(lambda first, last: work(first, last, 1), bounds, threads=threads)
        bounds = sorted({*bounds, *((a + b) // 2 for a, b in pairwise(bounds))})
    run_blocks(lambda first, last: work(first, last, 64), bounds, threads=threads)
    return order


def _plant(
    axes: Floats32, order: Ints, starts: Ints, shape: tree.TreeShape, copies: Ints, threads: int
) -> tree.Tree:
    width, nodes = axes.shape[1], max(shape.first_leaf, 1)
    tiles = np.empty((shape.leaves, width, shape.lanes), np.float32)
    run_blocks(
        lambda start, stop: tree.fill_tiles(axes, order, starts, tiles, start, stop),
        thread_blocks(shape.leaves, threads, records_each=shape.lanes),
        threads=threads,
    )
    return tree.Tree(
        tiles=tiles,
        low=np.full((nodes, width, tree.FAN), np.inf, np.float32),
        high=np.full((nodes, width, tree.FAN), -np.inf, np.float32),
        floor=np.full((nodes, tree.FAN), np.inf, np.float32),
        ceiling=np.full((nodes, tree.FAN), -np.inf, np.float32),
        has_missing=np.zeros((nodes, width, tree.FAN), np.bool_),
        starts=starts,
        before=np.concatenate([[0], np.cumsum(copies)]),
        root_width=shape.root_width,
        first_leaf=shape.first_leaf,
    )


def _widen(planted: tree.Tree, rounded: Bools, offset: Floats) -> None:
    """Let boxes of 32 bits hold the 64-bit numbers that were rounded to them."""
    planted.low[:, rounded] = np.nextafter(planted.low[:, rounded], np.float32(-np.inf))
    planted.high[:, rounded] = np.nextafter(planted.high[:, rounded], np.float32(np.inf))
    if not len(offset):
        planted.floor[:] = planted.ceiling[:] = 0.0
    else:
        planted.floor[:] = np.nextafter(planted.floor, np.float32(-np.inf))
        planted.ceiling[:] = np.nextafter(planted.ceiling, np.float32(np.inf))
