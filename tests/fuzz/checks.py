"""What must hold, whatever a case generates."""

import csv
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import unveil
from tests.fuzz.tables import SONG


class BrokenError(Exception):
    """An invariant that a case broke."""

    def __init__(self, invariant, detail):
        super().__init__(f"{invariant}: {detail}")
        self.invariant = invariant


def require(holds, invariant, detail):
    if not holds:
        raise BrokenError(invariant, detail)


@contextmanager
def must_work(invariant):
    """What was done once is not refused the second time."""
    try:
        yield
    except unveil.UnveilError as error:
        raise BrokenError(invariant, f"refused: {error}") from error


def no_canary(texts):
    """No cell of the data is in what is said, printed, logged or reported."""
    for where, text in texts:
        if found := SONG.search(text):
            around = text[max(found.start() - 120, 0) : found.end() + 60]
            raise BrokenError("canary", f"{where}: ...{around}...")


class WrittenTable:
    """A table as anybody reads its CSV file: rows of text."""

    def __init__(self, value, folder):
        path = Path(folder, "plain.csv")
        options = {"keep_order": True} if isinstance(value, unveil.Release) else {}
        unveil.write(value, path, format=unveil.files.Csv(delimiter=","), force=True, **options)
        with path.open(encoding="utf-8-sig", newline="") as file:
            self.header, *rows = csv.reader(file)
        self.rows = [row or [""] for row in rows]  # a blank line is an empty cell

    def on(self, columns):
        """Each row in these columns."""
        places = [self.header.index(name) for name in columns]
        return [tuple(row[place] for place in places) for row in self.rows]

    def least_class(self, columns, *, wildcards=False):
        """The fewest rows that are equal in these columns; a star may equal everything."""
        counts = Counter(self.on(columns))
        if not wildcards:
            return min(counts.values())
        return min(sum(n for other, n in counts.items() if _fits(one, other)) for one in counts)


def _fits(one, other):
    """A star and an empty cell equal everything."""
    return all(a == b or {a, b} & {"*", ""} for a, b in zip(one, other, strict=True))


def promise_holds(step, model, keys, text):
    """Classes by text are as large as a mask promised."""
    if not hasattr(model, "k") or not hasattr(model, "stars"):
        return  # of other models, k is promised as well
    least = text.least_class(keys, wildcards=model.stars == "wildcard")
    said = f"{step} promises {model.k} in {keys}, by text {least}"
    require(least >= model.k, "promise by text", said)


def household_holds(data, release):
    """The number of a household is left out, renumbered, or kept, as the plan says."""
    rule = getattr(release.plan, "household", None)
    for name in data.schema.with_role("household") if rule else ():
        there = name in release.data.columns
        require(there or rule == "drop" or release.row_map is None, "household", "it is gone")
        require(not there or rule != "drop", "household", "it is released")
        if there and release.row_map is not None:
            before = data.take(release.row_map).column(name).to_list()
            pairs = set(zip(before, release.data.column(name).to_list(), strict=True))
            groups = {one for one, _ in pairs}, {other for _, other in pairs}
            same = len(pairs) == len(groups[0]) == len(groups[1])
            require(same, "household", f"{rule}: the grouping is another")


def classes_hold(promise, written):
    """What was counted on the release is never more than by text."""
    if promise.model == "k-anonymity" and promise.found is not None:
        wildcards = promise.parameters.get("stars") == "wildcard"
        least = written.least_class(promise.keys, wildcards=wildcards)
        require(promise.found <= least, "check by text", f"found {promise.found}, by text {least}")


def risk_holds(risk):
    """The bounds of a risk; a release with a household grouping has no ceiling."""
    said = f"expected {risk.expected}, ceiling {risk.ceiling}, share {risk.share} of {risk.n}"
    require(-1e-9 <= risk.expected <= risk.n + 1e-9, "risk bounds", said)
    require(-1e-9 <= risk.share <= 1 + 1e-9, "risk bounds", said)
    if risk.ceiling is not None:
        require(risk.expected <= risk.ceiling + 1e-6, "ceiling", said)
    require(0 <= risk.p_value <= 1, "risk bounds", f"p-value {risk.p_value}")


def text_join_holds(risk, original, released, row_map):
    """A plain join by text finds no more people than the ceiling; nor has the text more classes."""
    if risk.ceiling is None or not risk.attributes:
        return
    shared = [name for name in risk.attributes if name in original.header]
    people, rows = original.on(shared), released.on(shared)
    sizes = Counter(rows)
    hits = sum(
        1 / sizes[row] for row, person in zip(rows, row_map, strict=True) if people[person] == row
    )
    said = f"ceiling {risk.ceiling} in {shared}; by text {len(sizes)} classes, {hits:g} hits"
    require(max(hits, len(sizes)) <= risk.ceiling + 1e-6, "text join", said)


def same_numbers(one, other, invariant, detail, tolerance=1e-9):
    one, other = np.asarray(one, float), np.asarray(other, float)
    same = one.shape == other.shape and np.allclose(
        one, other, rtol=tolerance, atol=tolerance, equal_nan=True
    )
    require(same, invariant, f"{detail}: {_few(one)} and {_few(other)}")


def _few(values):
    return np.round(values, 6).tolist()[:12] if values.ndim else float(values)


def files_in(folder):
    """Every file below a folder, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def nothing_left(before, after, said):
    """A refused command has written nothing."""
    new = [name for name in after if name not in before]
    changed = [name for name in before if after.get(name) != before[name]]
    require(not new and not changed, "whole or absent", f"{said} left {new + changed}")


def bytes_of(value, path):
    unveil.write(value, path, force=True)
    return path.read_bytes()


def readable(texts):
    """Messages are sentences of ours: no library's words, no endless echo."""
    for where, text in texts:
        if where in ("standard error", "log") or where.endswith("Error"):
            require("Expected `" not in text, "foreign words", text[:300])
            require(len(text) < 5000, "endless message", f"{len(text)} letters: {text[:200]}")
