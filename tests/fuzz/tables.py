"""Tables with their schemas: every type and level, odd names and cells, codes, canaries.

A canary is a cell that nobody may print: the text or the number is in no name, message, page or
evidence.
"""

import datetime
import re
from dataclasses import dataclass, field
from decimal import Decimal

import polars as pl

from tests.fuzz.draw import spoilt
from unveil import Microdata, Schema

CANARY, NUMBER, WHOLE = "Canarybird", 7701339.25, 7701339
SONG = re.compile(r"anarybird|(?<![\d.])7,?701,?339|(?<![\d.])7\.70134?e\+?0?6")
GRADES = ("low", "mid", "high", "top")
TREE = [["a", "ab", "all"], ["b", "ab", "all"], ["c", "cd", "all"], ["d", "cd", "all"]]
ODD_TEXTS = (
    "", " ", "a", "A", "a ", " a", "1", "1.0", "1.50", "1.5", "01", "-0", "0", "NA", "NaN", "null",
    "*", "a*", "{a|b}", "{", "1..2", "[1,2)", '"', "'", "a,b", "a;b", "a\nb", "a\tb",
    "é", "e\u0301", "ß", "\u200b", "\u202e", "😀", "true", "2001-02-03", "=1+1", "-", "\\",
)  # fmt: skip
ODD_NAMES = (
    "Age", "a,b", 'q"', "x\ny", "-x", "1", "{a}", "Größe", "row", "released",
    "original", "x" * 300, "👪", "__class__", "k", "a.b", "a b", "<b>", "count", "index", "\u202ex",
)  # fmt: skip
NAMES = ("age", "sex", "job", "pay", "town", "born", "rent", "hours")
DAY, MOMENT = datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1)


def _days(draw):
    far = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]
    near = [DAY + datetime.timedelta(draw.whole(0, 900)) for _ in range(6)]
    return near + far if draw.chance(0.1) else near


def _moments(draw):
    far = [datetime.datetime(1600, 1, 1), datetime.datetime(2400, 1, 1)]
    near = [MOMENT + datetime.timedelta(0, draw.whole(0, 10**9)) for _ in range(6)]
    return near + far if draw.chance(0.2) else near


def _time_type(cells):
    """Nanoseconds, which have no place for far years, and coarser units."""
    years = {one.year for one in cells}
    return pl.Datetime("ns" if len(years) % 2 and max(years) < 2200 and min(years) > 1700 else "us")


KINDS = {  # the cells to choose from, the type, the level, the weight
    "few": (lambda d: list(range(d.whole(1, 4))), pl.Int64, "numeric", 4),
    "whole": (lambda d: d.rng.integers(-20, 90, 30).tolist(), pl.Int64, "numeric", 4),
    "huge": (lambda _: [2**62, -(2**62), 2**53, 2**53 + 1, 0, -1], pl.Int64, "numeric", 0.7),
    "byte": (lambda _: [-128, 127, 0, 1, 2], pl.Int8, "numeric", 0.7),
    "unsigned": (lambda _: [0, 1, 255, 7], pl.UInt8, "numeric", 0.7),
    "number": (lambda d: (d.rng.normal(size=30) * 10.0 ** d.whole(-3, 6)).tolist(), pl.Float64,
               "numeric", 4),
    "halves": (lambda _: [0.0, -0.0, 0.5, -0.5, 1.0, 1.5], pl.Float64, "numeric", 3),
    "extreme": (lambda _: [1e300, -1e300, 5e-324, 0.0, 1.0, 1e-9], pl.Float64, "numeric", 0.5),
    "endless": (lambda _: [float("inf"), float("nan"), 1.0], pl.Float64, "numeric", 0.1),
    "single": (lambda _: [0.1, 0.25, 3.0, -7.5], pl.Float32, "numeric", 1),
    "decimal": (lambda _: [Decimal("1.50"), Decimal("2.25")], pl.Decimal(9, 2), "numeric", 0.2),
    "date": (_days, pl.Date, "numeric", 1.5),
    "time": (_moments, _time_type, "numeric", 1),
    "clock": (lambda _: [datetime.time(1), datetime.time(23, 59)], pl.Time, "nominal", 0.2),
    "nothing": (lambda _: [None], pl.Null, "nominal", 0.1),
    "list": (lambda _: [[1], [2, 3]], pl.List(pl.Int64), "nominal", 0.1),
    "words": (lambda d: d.some(list("abcdefgh"), 1, 5), pl.String, "nominal", 5),
    "odd": (lambda d: d.some(ODD_TEXTS, 2, 8), pl.String, "nominal", 2.5),
    "unique": (lambda _: [f"t{i}" for i in range(60)], pl.String, "nominal", 0.7),
    "code": (lambda _: [1, 2, 4, 9], pl.Int32, "nominal", 2.5),
    "truth": (lambda _: [True, False], pl.Boolean, "nominal", 1.5),
    "grade": (lambda _: GRADES, pl.String, "ordinal", 3),
    "step": (lambda _: [1, 2, 3, 5], pl.Int16, "ordinal", 1.5),
    "tree": (lambda _: list("abcd"), pl.String, "nominal", 1.5),
    "category": (lambda _: list("xyz"), pl.Categorical, "nominal", 1),
    "enum": (lambda _: list(GRADES), pl.Enum(GRADES), "ordinal", 1),
}  # fmt: skip
WEIGHTS = {name: kind[3] for name, kind in KINDS.items()}
CODES = {"numeric": (-8, -9, 99), "text": ("NA", "-9", "?", "")}


@dataclass
class Table:
    """A frame of people and its schema as plain values, as in a TOML file."""

    frame: pl.DataFrame
    schema: dict
    kinds: dict = field(default_factory=dict)
    shape: str = "polars"  # the kind of frame that a user has

    @property
    def columns(self):
        """What a plan can name: not the identifier."""
        return list(self.kinds)

    def of(self, *levels):
        return [name for name, kind in self.kinds.items() if KINDS[kind][2] in levels]

    def labels(self, name):
        """Some cells of a column that a user could have named."""
        cells = self.frame[name].drop_nulls().unique(maintain_order=True).to_list()
        return [str(one) for one in cells if not SONG.search(str(one))][:9]

    def native(self):
        frame = self.frame
        if self.shape == "polars" or any("\0" in name for name in frame.columns):
            return frame  # polars itself cannot hand on such a name
        return getattr(frame, f"to_{self.shape}")()

    def data(self):
        return Microdata(self.native(), Schema(**self.schema))

    def take(self, rows, columns):
        """A smaller table, to show a failure by."""
        kept = [name for name in self.frame.columns if name in columns]
        listed = {n: a for n, a in self.schema["attributes"].items() if n in kept}
        kinds = {n: k for n, k in self.kinds.items() if n in kept}
        frame = pl.DataFrame([self.frame.get_column(name) for name in kept])[list(rows)]
        return Table(frame, self.schema | {"attributes": listed}, kinds, self.shape)


def a_table(draw, *, most=60, clean=False):
    """Any table; a clean one has a role for every column and nothing that is refused."""
    n = draw.one((1, 2, 3, draw.whole(4, most), draw.whole(4, most), draw.whole(most // 2, most)))
    names = list(NAMES) if clean or draw.chance(0.85) else [*ODD_NAMES, *NAMES[:4]]
    if not clean and draw.chance(0.003):
        names = [draw.one(("", " ", "\0", "*", "^a.*$")), *names]
    columns, declared, kinds = {}, {}, {}
    if with_name := draw.chance(0.8):
        columns["who"] = pl.Series([f"{CANARY}{i}" for i in draw.rng.permutation(n)])
        declared["who"] = {"role": "identifier"}
    for name in draw.some(names, 1, 6):
        kind = draw.one_by_weight(WEIGHTS)
        while clean and kind in ("endless", "huge", "list", "nothing", "clock", "decimal"):
            kind = draw.one_by_weight(WEIGHTS)
        columns[name], declared[name] = _column(draw, kind, n, clean)
        kinds[name] = kind
    frame = pl.DataFrame(columns)
    if draw.chance(0.15) and n > 2:  # some people are the same
        rows = draw.rng.integers(max(n // 2, 1), size=n)
        # Series.gather takes a name such as ^a.*$ for a pattern.
        frame = frame.with_columns(frame.get_column(name)[rows] for name in kinds)
    if draw.chance(0.2):
        home = pl.Series("home", (draw.rng.integers(0, n, n) // 2 + 77000).tolist())
        if draw.chance(0.5):  # some columns describe the household, mostly without an error
            shared = draw.some(list(kinds), 1, 3)
            first = dict(zip(reversed(home), reversed(range(n)), strict=True))
            rows = [first[one] for one in home]
            if draw.chance(0.9):
                frame = frame.with_columns(frame.get_column(name)[rows] for name in shared)
            for name in shared:
                declared[name] = declared[name] | {"per_household": True}
        frame, declared["home"] = frame.with_columns(home), {"role": "household"}
    if draw.chance(0.15):
        weight = (draw.rng.random(n) * 50 + 1).round(1).tolist()
        frame = frame.with_columns(pl.Series("weight", weight))
        declared["weight"] = {"role": "weight"}
    if not clean and draw.chance(0.03):
        declared[draw.one([*declared, "absent"])] = {"role": draw.one(("quasi", "weight"))}
    schema = {"attributes": declared}
    shape = draw.one_by_weight({"polars": 8, "pandas": 1, "arrow": 0.5})
    return Table(frame, schema, kinds, shape if with_name or clean else "polars")


def _column(draw, kind, n, clean):
    """The cells of one column, and its declaration."""
    options, dtype, level, _ = KINDS[kind]
    options = options(draw)
    dtype = dtype(options) if dtype is _time_type else dtype
    cells = draw.cells(options[:1] if draw.chance(0.05) else options, n)
    declared = _attribute(draw, kind, level, clean)
    missing = draw.one((0, 0, 0.1, 0.5, 1.0 if draw.chance(0.05) else 0))
    if draw.chance(0.4) and kind in ("words", "odd", "unique", "few", "whole", "number"):
        song = {pl.String: CANARY, pl.Int64: WHOLE, pl.Float64: NUMBER}[dtype]
        cells[draw.whole(0, n - 1)] = song
    codes = []
    if kind in ("few", "whole", "number", "halves", "code"):
        codes = [type(options[0])(code) for code in CODES["numeric"]]
    elif dtype is pl.String and kind != "tree":
        codes = list(CODES["text"])
    if codes and draw.chance(0.3):
        codes = draw.some(codes, 1, 3)
        if draw.chance(0.9):
            declared["missing"] = [
                f"{code:g}" if isinstance(code, float) else code for code in codes
            ]
            declared["missing"] = [str(code) for code in declared["missing"]]
        missing, kept = max(missing, 0.2), draw.one(([None, *codes], codes))
        cells = [draw.one(kept) if draw.chance(missing) else cell for cell in cells]
    elif missing:
        cells = [None if draw.chance(missing) else cell for cell in cells]
    return pl.Series(cells, dtype=dtype, strict=False), declared


def _attribute(draw, kind, level, clean):
    role = draw.one_by_weight(
        {"quasi": 7, "confidential": 1.5, "common": 0.5, "other": 0.5, "stratum": 0.1, "": 0.4}
    )
    declared = {"role": "quasi" if clean and not role else role} if role or clean else {}
    if clean or kind in ("code", "grade", "step") or draw.chance(0.5):
        declared["level"] = level
    if kind == "grade":
        declared["order"] = list(GRADES)
    elif kind == "step" and draw.chance(0.5):
        declared["order"] = ["1", "2", "3", "5"]
    elif kind == "tree" and draw.chance(0.7):
        declared["hierarchy"] = TREE
    elif kind == "code" and draw.chance(0.3):
        declared["labels"] = {"1": "one", "2": "two"}
    elif not clean and draw.chance(0.02):
        declared["generalised"] = True
    return declared


def a_schema(draw, table):
    """A schema as plain values, mostly with something wrong."""
    made = {name: dict(one) for name, one in table.schema["attributes"].items()}
    fields = {
        "role": ("quasi", "keyVars", "hhId", ["quasi", "confidential"], "quazi", "", []),
        "level": ("numeric", "ordinal", "nominal", "Nominal"),
        "order": (list(GRADES), ["a", "a"], ["b", "a", 1, 2.0], [True]),
        "labels": ({"1": "one"}, {"1": 1}, {}),
        "missing": (["-9"], [-9], ["*"], ["x", "x"], [""]),
        "hierarchy": (TREE, [["a"], ["a", "b"]], [["a", "b"], ["b", "a"]], [[]]),
        "merged": ({"ab": ["a", "b"]}, {"x": ["a"], "y": ["a"]}),
        "generalised": (True, False, "yes"),
        "label": ("The age", "<script>", 7),
        "question": ("?", 1),
    }
    for _ in range(draw.whole(0, 3)):
        name = draw.one([*made, "absent"])
        which = draw.one(list(fields))
        made[name] = made.get(name, {}) | {which: draw.one((*fields[which], *fields[which], None))}
        if made[name][which] is None:
            made[name] = spoilt(draw, made[name] | {which: ""}, list(fields))
    schema = {"attributes": made}
    if draw.chance(0.3):
        word = draw.one(("quasi", "keyVars", "numeric", "nominal", "ordinal", "missing", "weight"))
        schema[word] = draw.one((list(made), table.columns, next(iter(made)), {"age": ["a"]}))
    return schema
