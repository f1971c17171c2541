"""Reading off as it is defined: every relation tried on every record, in plain Python."""

from itertools import combinations, permutations
from math import inf

SUPPORT = 20


def fill(original, released, homes, categories):
    """The ends of each cell once nothing more can be read off.

    Files are lists of cells by column: of an original values, of a release pairs of ends. `homes`
    is the household of each record of both files, `categories` are the columns of categories.
    """
    original = {name: [(-inf, inf) if v is None else (v, v) for v in cells]
                for name, cells in original.items()}  # fmt: skip
    relations = [one for one in _candidates(original, homes, categories)
                 if _narrowed(one, original, homes) is not None]  # fmt: skip
    cells = {name: list(ends) for name, ends in released.items()}
    open_cells = {
        (name, row)
        for name, ends in cells.items()
        for row, (low, high) in enumerate(ends)
        if low < high and original[name][row][0] == original[name][row][1]
    }
    while True:
        before = {name: list(ends) for name, ends in cells.items()}
        for relation in relations:
            for (name, row), ends in (_narrowed(relation, cells, homes) or {}).items():
                if (name, row) in open_cells:
                    cells[name][row] = ends
        if cells == before:
            return cells


def _candidates(cells, homes, categories):
    """Relations that chance would break often enough."""
    n = len(homes)
    known = {name: [row for row in range(n) if cells[name][row][0] == cells[name][row][1]]
             for name in cells}  # fmt: skip
    at = lambda name, row: cells[name][row][0]  # noqa: E731
    for name in cells:
        if _repeats(cells[name], known[name], homes) >= SUPPORT:
            yield "shared", (name,), None
        for other in set(categories) - {name}:
            groups = [cells[other][row] if row in known[other] else row for row in range(n)]
            if _repeats(cells[name], known[name], groups) >= SUPPORT:
                yield "shared", (name,), other
    numbers = [name for name in cells if name not in categories
               and len({at(name, row) for row in known[name]}) > 1]  # fmt: skip
    for small, large in permutations(numbers, 2):
        rows = set(known[small]) & set(known[large])
        crossings = sum(at(small, i) > at(large, j) for i in rows for j in rows)
        if rows and crossings / len(rows) >= SUPPORT:
            yield "order", (small, large), None
    for size in (2, 3):
        for names in combinations(numbers, size + 1):
            for total in names:
                terms = tuple(name for name in names if name != total)
                rows = set.intersection(*(set(known[name]) for name in names))
                if sum(sum(at(name, row) != 0 for name in names) > 1 for row in rows) >= SUPPORT:
                    yield "sum", (*terms, total), (*[1] * size, -1)
    for a, b in combinations(numbers, 2):
        rows = [row for row in set(known[a]) & set(known[b]) if at(a, row) and at(b, row)]
        if len(rows) >= SUPPORT:
            yield "sum", (a, b), (1, -at(a, rows[0]) / at(b, rows[0]))


def _repeats(ends, rows, groups):
    values = [ends[row][0] for row in rows]
    same = sum((values.count(v) / len(values)) ** 2 for v in set(values))
    return (len(rows) - len({groups[row] for row in rows})) * (1 - same)


def _narrowed(relation, cells, homes):
    """The narrowed ends of the cells of its columns; None if one is contradicted."""
    kind, names, more = relation
    found = {}
    for row in range(len(homes)):
        if kind == "shared":
            (name,) = names
            group = [row]
            if more is None:
                group = [one for one in range(len(homes)) if homes[one] == homes[row]]
            elif cells[more][row][0] == cells[more][row][1]:
                group = [one for one in range(len(homes)) if cells[more][one] == cells[more][row]]
            found[name, row] = (max(cells[name][one][0] for one in group),
                                min(cells[name][one][1] for one in group))  # fmt: skip
        elif kind == "order":
            small, large = (cells[name][row] for name in names)
            found[names[0], row] = small[0], min(small[1], large[1])
            found[names[1], row] = max(small[0], large[0]), large[1]
        else:
            ends = {name: sorted(end * by for end in cells[name][row])
                    for name, by in zip(names, more, strict=True)}  # fmt: skip
            for name, by in zip(names, more, strict=True):
                rest = [ends[other] for other in names if other != name]
                low, high = sorted((-sum(one[0] for one in rest) / by,
                                    -sum(one[1] for one in rest) / by))  # fmt: skip
                low, high = _up(low), -_up(-high)  # whole numbers only
                found[name, row] = max(low, cells[name][row][0]), min(high, cells[name][row][1])
    return None if any(low > high for low, high in found.values()) else found


def _up(end):
    return end if abs(end) == inf else -((-round(end, 6)) // 1)
