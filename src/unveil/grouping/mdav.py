"""Groups of at least k near records, for microaggregation: MDAV and V-MDAV."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unveil.engines.local.index import SAMPLE, principal_axes
from unveil.engines.local.kernels import filters, tree, walk
from unveil.grouping.kernels import centre, remaining
from unveil.grouping.kernels import mdav as kernels
from unveil.grouping.kernels import v_mdav as variable
from unveil.support.arrays import Floats, Floats32, Ints
from unveil.support.compile import prepare
from unveil.support.equal_rows import same_rows
from unveil.support.options import Progress

# The boxes of many axes exclude little; there, leaves are large. Half or twice as large is
# as good.
LEAF, TILE, MANY_AXES = 16, 256, 12
MOST_TURNED = 1024  # columns; to find the axes of more takes longer than they save
LANES = 64  # rows in a tile of the far ones
NUMBERS_AT_ONCE = 2**31  # below a second, between two looks at progress and Ctrl-C
MAX_SCANS = 256  # of all far rows; more cost more than to sort them again


@dataclass(frozen=True, repr=False, eq=False)
class Categories:
    """A categorical attribute, whose categories are places in some columns of the points."""

    codes: Ints  # of each record, from 0; -1 where missing, which does not count
    places: Floats  # categories x width: where each category lies
    column: int  # the first of its columns
    ordered: bool  # the centre is the lower median category, else the commonest


def mdav(
    points: Floats,
    k: int,
    *,
    categories: Sequence[Categories] = (),
    progress: Progress | None = None,
) -> Ints:
    """The group of each record by MDAV, numbered from 0 in the order of construction.

    Maximum distance to average vector: the record farthest from the centre of all and the k - 1
    nearest to it are a group, then the record farthest from that one and the k - 1 nearest to
    it, and so on with the rest. When fewer than 3k remain, only the first of the two is made;
    what then remains is the last group. Groups have k to 2k - 1 records.

    The groups are exactly those of all distances, each summed in the order of columns: ties go
    to the lowest record, and the second record of a pair is sought among those that the first
    group left. The sums of the centre are updated as groups are taken out.

    `points` are records x columns, complete; scales and weights are the caller's. With fewer than
    2k records all are one group. In the columns of `categories` the centre is the place of the
    median category or of the commonest (of several, the lowest code); the mean while no record
    has a code.

    Josep Domingo-Ferrer and Vicenç Torra, "Ordinal, continuous and heterogeneous k-anonymity
    through microaggregation", Data Mining and Knowledge Discovery 11 (2005), 195-212.

    >>> mdav(np.array([[20.0], [61.0], [30.0], [22.0], [60.0], [31.0]]), 2).tolist()
    [1, 0, 2, 1, 0, 2]
    """
    prepare("microaggregation", lambda: mdav(np.zeros((4, 1)), 2))
    n = len(points)
    groups = np.full(n, -1, np.int64)
    n_groups, report = 0, progress or (lambda _done, _total: None)
    report(0, n)
    if n >= 2 * k:
        work = _Fixed(np.require(points, np.float64, ["C", "W"]), k, categories)
        while work.unassigned >= 2 * k:
            work.run(groups)
            report(n - work.unassigned, n)
        n_groups = work.n_groups
    groups[groups < 0] = n_groups
    report(n, n)
    return groups


def v_mdav(
    points: Floats,
    k: int,
    *,
    gamma: float,
    categories: Sequence[Categories] = (),
    progress: Progress | None = None,
) -> Ints:
    """The group of each record by V-MDAV, whose groups grow where more records are near.

    While k records are unassigned, the one farthest from the centre of the whole file and
    the k - 1 nearest to it are a group. Then, until the group has 2k - 1: the unassigned
    record nearest to any member joins, if it is nearer to that member than `gamma` times its
    distance to the nearest other unassigned record; otherwise the group is complete. The
    last, fewer than k, each join the group whose centre is nearest, before any of them joins.
    So only there can a group have more than 2k - 1 records.

    The groups are exactly those of all distances. Ties go to the lowest record, and to the
    first group. Where no other record is unassigned, the nearest joins; with `gamma` 0 none
    does. Other parameters as in `mdav`.

    Agusti Solanas and Antoni Martínez-Ballesté, "V-MDAV: a multivariate microaggregation with
    variable group size", COMPSTAT (2006), 917-925.

    >>> line = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.1]])
    >>> v_mdav(line, 2, gamma=0.2).tolist()
    [1, 1, 1, 2, 2, 0, 0]
    """
    what = "microaggregation in groups of variable size"
    prepare(what, lambda: v_mdav(np.arange(5.0)[:, None], 2, gamma=1.0))
    n = len(points)
    if n < k:
        return np.zeros(n, np.int64)
    groups, report = np.full(n, -1, np.int64), progress or (lambda _done, _total: None)
    work = _Variable(np.require(points, np.float64, ["C", "W"]), k, gamma, categories)
    while work.unassigned >= k:
        report(n - work.unassigned, n)
        work.run(groups)
    work.join_rest(groups)
    report(n, n)
    return groups


class _Work:
    """The unassigned records in a search tree, which is rebuilt as they become fewer."""

    near: remaining.Near

    def __init__(self, values: Floats, k: int, categories: Sequence[Categories]) -> None:
        same = same_rows(values, np.empty(0), 1)
        records = np.argsort(same.of_record(), kind="stable")
        starts, ends = same.starts[:-1].copy(), same.starts[1:].copy()
        self.rows = kernels.UnassignedRows(values[records[starts]], records, starts, ends)
        self.middle = _middle(values, categories)
        self.frame, self.axes = _on_axes(self.rows.values)
        self.scratch = _scratch(values.shape[1], k)
        self.state = self.scratch.state
        self.state[kernels.UNASSIGNED] = len(values)
        self.plant()

    @property
    def unassigned(self) -> int:
        return int(self.state[kernels.UNASSIGNED])

    @property
    def n_groups(self) -> int:
        return int(self.state[kernels.GROUPS])

    def plant(self) -> None:
        """Put the remaining rows in a new tree, and in its order."""
        rows, width = self.rows, self.axes.shape[1]
        left = np.flatnonzero(rows.cursor < rows.ends)
        shape = tree.shape(len(left), LEAF if width < MANY_AXES else TILE)
        starts = np.arange(shape.leaves + 1) * len(left) // shape.leaves
        keys, stack = np.empty(len(left), np.float32), np.empty((64, 3), np.int64)
        tree.split(self.axes, np.ones(width), left, keys, starts, stack, 0, shape.leaves, 64)
        self.axes = self.axes[left]
        self.rows = kernels.UnassignedRows(
            rows.values[left], rows.records, rows.cursor[left], rows.ends[left]
        )
        tiles = np.empty((shape.leaves, width, shape.lanes), np.float32)
        tree.fill_tiles(self.axes, np.arange(len(left)), starts, tiles, 0, shape.leaves)
        boxes = np.full((2, max(shape.first_leaf, 1), width, tree.FAN), np.inf, np.float32)
        np.negative(boxes[1], out=boxes[1])
        self.near = remaining.Near(tiles, boxes[0], boxes[1], starts, shape.first_leaf)
        remaining.bound_all(self.near)
        self.scratch = self.scratch._replace(near=np.empty(shape.lanes, np.float32))
        self.state[kernels.ROWS] = len(left)


class _Fixed(_Work):
    """The records of MDAV, which also seeks the farthest of the unassigned."""

    far: remaining.Far

    @property
    def limits(self) -> tuple[int, int, int]:
        """When to stop for a new tree, for a new order of the far rows, and for Ctrl-C."""
        tile = LANES * self.axes.shape[1]
        return len(self.axes) // 2, MAX_SCANS * len(self.far.tiles), NUMBERS_AT_ONCE // tile

    def run(self, groups: Ints) -> None:
        """Build groups until a limit is reached."""
        fewest, scanned, _ = self.limits
        if self.state[kernels.ROWS] < fewest:
            self.plant()
        elif self.state[kernels.TILES] > scanned:
            self.far = self.farthest_first()
        searched = self.frame, self.rows, self.near, self.far, self.middle
        kernels.make_groups(*searched, groups, self.limits, self.scratch)

    def plant(self) -> None:
        super().plant()
        self.far = self.farthest_first()

    def farthest_first(self) -> remaining.Far:
        """The remaining rows by their distance from the centre, the farthest first."""
        width, reference = self.axes.shape[1], np.empty(self.axes.shape[1], np.float32)
        scratch = np.empty((2, width))
        centre.centre_on_axes(self.frame, self.middle, self.unassigned, reference, scratch)
        np.clip(reference, -1e9, 1e9, out=reference)  # any is right; infinite ones are not
        left = np.flatnonzero(self.rows.cursor < self.rows.ends)
        radius = np.empty(len(left))
        remaining.radii(self.axes, left, reference, radius)
        descending = np.argsort(-radius)
        order = left[descending]
        starts = np.minimum(np.arange(-(-len(left) // LANES) + 1) * LANES, len(left))
        tiles = np.empty((len(starts) - 1, width, LANES), np.float32)
        tree.fill_tiles(self.axes, order, starts, tiles, 0, len(tiles))
        tiles[-1, :, starts[-1] - starts[-2] :] = reference[:, None]
        slots = np.empty(len(self.axes), np.int64)
        slots[order] = np.arange(len(order))
        self.state[kernels.TILES] = 0
        return remaining.Far(
            tiles,
            rows=order,
            slots=slots,
            radius=radius[descending[::LANES]],
            reference=reference,
            left=np.diff(starts),
            head=np.zeros(1, np.int64),
        )


class _Variable(_Work):
    """The records of V-MDAV, in the order of their distance from the centre of all."""

    def __init__(
        self, values: Floats, k: int, gamma: float, categories: Sequence[Categories]
    ) -> None:
        self.places = np.empty(len(values), np.int64)
        super().__init__(values, k, categories)
        width = values.shape[1]
        point, place = np.empty(width, np.float32), np.empty((2, width))
        centre.centre_on_axes(self.frame, self.middle, len(values), point, place)
        squares = np.zeros(len(values))
        for j in range(width):
            squares += (values[:, j] - place[0, j]) ** 2
        self.order = np.argsort(-squares, kind="stable")
        self.ratio = float(gamma) ** 2  # of squares
        most = 2 * k - 1
        rows, nearest, places = np.zeros((3, most), np.int64)
        self.group = variable.Group(rows, nearest, places, np.zeros(most))

    def run(self, groups: Ints) -> None:
        """Build groups until a limit is reached."""
        if self.state[kernels.ROWS] < len(self.axes) // 2:
            self.plant()
        two = self.scratch._replace(
            members=np.zeros(2, np.int64), squares=np.zeros(2), places=np.zeros(2)
        )
        searched = self.frame, self.rows, self.near, self.order, self.places
        limits = (
            len(self.axes) // 2,
            NUMBERS_AT_ONCE // (self.scratch.near.size * self.axes.shape[1]),
        )
        variable.make_variable_groups(
            *searched, groups, self.ratio, limits, self.scratch, two, self.group
        )

    def plant(self) -> None:
        super().plant()
        variable.place_records(self.rows, self.places)

    def join_rest(self, groups: Ints) -> None:
        """Put each remaining record into the group whose centre is nearest."""
        rest = np.flatnonzero(groups < 0)
        if not len(rest):
            return
        records = np.argsort(groups, kind="stable")[len(rest) :]
        starts = np.searchsorted(groups[records], np.arange(self.n_groups + 1))
        self.middle.sums[:], self.middle.counts[:] = 0.0, 0
        joined, squares = np.zeros(len(rest), np.int64), np.full(len(rest), np.inf)
        place = np.empty(self.axes.shape[1])
        variable.nearest_centres(self.middle, records, starts, rest, joined, squares, place)
        groups[rest] = joined


def _scratch(width: int, k: int) -> kernels.MdavScratch:
    single = np.float32
    return kernels.MdavScratch(
        state=np.zeros(kernels.STATES, np.int64),
        query=np.zeros(width),
        point=np.zeros(width, single),
        gone=np.zeros(width, single),
        axes=np.zeros(width),
        near=np.zeros(0, single),
        far=np.zeros(LANES, single),
        boxes=np.zeros(tree.FAN, single),
        nodes=np.zeros(walk.STACK, np.int64),
        least=np.zeros(walk.STACK),
        members=np.zeros(k - 1, np.int64),
        squares=np.zeros(k - 1),
        places=np.zeros(k - 1),
    )


def _middle(values: Floats, categories: Sequence[Categories]) -> centre.Middle:
    sums = np.zeros(values.shape[1])
    centre.add_up(values, sums)
    widths = [attribute.places.shape[1] for attribute in categories]
    first = np.cumsum([0, *[len(attribute.places) for attribute in categories]])
    places = np.zeros((first[-1], max(widths, default=0)))
    counts = np.zeros(first[-1], np.int64)
    codes = np.empty((len(categories), len(values)), np.int64)
    for a, attribute in enumerate(categories):
        here = slice(first[a], first[a + 1])
        places[here, : widths[a]] = attribute.places
        codes[a] = attribute.codes
        counts[here] = np.bincount(codes[a, codes[a] >= 0], minlength=len(attribute.places))
    begin = np.array([attribute.column for attribute in categories], np.int64)
    columns = np.stack([begin, begin + np.array(widths, np.int64)], axis=1)
    ordered = np.array([attribute.ordered for attribute in categories], np.bool_)
    return centre.Middle(values, sums, codes, counts, first, places, columns, ordered)


def _on_axes(rows: Floats) -> tuple[filters.Frame, Floats32]:
    """The frame of the principal axes, and the rows on them in 32 bits."""
    width = rows.shape[1]
    sample = rows[:: max(1, len(rows) // SAMPLE)]
    middle = sample.mean(0)
    extent = float(np.maximum(rows.max(0) - middle, middle - rows.min(0)).max())
    scale = 1.0 / extent if extent > 1e-140 else 1.0  # else squares vanish in 64 bits, too
    turned = 1 < width <= MOST_TURNED
    if turned:
        turn = np.ascontiguousarray(principal_axes((sample - middle) * scale) * scale)
    else:
        turn = np.zeros((width, width))  # of which only the diagonal becomes memory
        np.fill_diagonal(turn, scale)
    frame = filters.Frame(filters.SQUARES, middle, turn, not turned, scale, 0.0, 0.0)
    axes, at = np.zeros(rows.shape, np.float32), np.arange(len(rows))
    none, sums = np.empty(0), np.empty(width)
    longest = filters.all_to_axes(frame, rows, at, none, axes, sums, 0, len(rows))
    return frame._replace(reach=longest), axes
