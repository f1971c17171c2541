"""What a case draws, all of it from its seed and its number."""

import numpy as np

JUNK = (
    None, True, False, 0, 1, -1, 2, 3, 10**9, 2**63, -(2**63), 10**400, 0.0, -0.0, 0.5, 1.5, 1e-320,
    1e308, float("nan"), float("inf"), "", " ", "x", "0", "1", "nan", "\udcff", "Größe", "a" * 9999,
    b"x", b"\xff", (), [], {}, [None], ["x"], ["x", "x"], [[]], [[[[]]]], {"x": 1}, {"": None},
    {1: 2}, {"method": "x"}, object(), len, int, 1j, range(3), {1}, np.array([1, 2]), np.int64(3),
    np.float64("nan"), np.array(["x"]), Ellipsis,
)  # fmt: skip
PLAIN_JUNK = tuple(  # what a TOML file can hold
    one
    for one in JUNK
    if type(one) in (bool, float, str, int, list)
    and not (type(one) is int and not -(2**63) <= one < 2**63)
    and one not in ("\udcff", [None])
)
TEXT_JUNK = (  # what a shell can hand to a command
    "", " ", "x", "0", "1", "-1", "2", "0.5", "1e400", "-0", "nan", "inf", "9" * 400, "a" * 9999,
    "x,y", ",", "x=y", "x=1", "=", "[", "{", "[" * 2000, '{"x":' * 2000, "[]", "{}", "null", "true",
    "*", ".", "/no/such", "/dev/null/x", "no/such.csv", "x\ny", "\x1b[31m", "Größe", "\udcff",
    "x\udcffy", "\udcff.csv", "--", "-", "sqlite:///x.db?table=t", "sqlite://", "x.xlsx#",
    "http://localhost/x.csv", "x.csv?table=t", "postgresql://", "row-order", "none", "local",
    "[[1,2],[3]]", '{"age": "x"}', '{"": 1}', "idna", "utf-16", "tab", ";;", '"',
)  # fmt: skip


class Draw:
    """Random choices, the same for the same numbers."""

    def __init__(self, *numbers):
        self.rng = np.random.default_rng(numbers)

    def chance(self, p):
        return self.rng.random() < p

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def one(self, options):
        return options[self.rng.integers(len(options))]

    def one_by_weight(self, weights):
        places = np.cumsum(list(weights.values()))
        place = np.searchsorted(places, self.rng.random() * places[-1], side="right")
        return list(weights)[min(place, len(places) - 1)]

    def some(self, options, least=1, most=None):
        """Some of the options, in any order."""
        most = len(options) if most is None else min(most, len(options))
        size = self.whole(min(least, most), most)
        return [options[place] for place in self.rng.permutation(len(options))[:size]]

    def cells(self, options, n):
        """So many cells; ties are common."""
        return [options[place] for place in self.rng.integers(len(options), size=n)]


def spoilt(draw, table, names=(), junk=PLAIN_JUNK):
    """A table of parameters with something wrong: a value, a name, an entry too many or too few."""
    table = dict(table)
    way = draw.whole(0, 3)
    if way == 0 and table:
        table.pop(draw.one(list(table)))
    elif way == 1:
        table[draw.one(("colums", "", "k ", "x", "method", "columns"))] = draw.one(junk)
    else:
        table[draw.one([*table, *names] or ["x"])] = draw.one(junk)
    return table
