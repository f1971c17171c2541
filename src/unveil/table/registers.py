"""Two embedded registers of the same invented people, with typing errors in the second."""

import numpy as np
import polars as pl

from unveil.support.arrays import Bools, Ints
from unveil.support.options import share as checked_share
from unveil.support.options import whole_number
from unveil.support.seeds import stream
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema

MOST_PEOPLE = 10_000_000
TEXTS = ("given_name", "surname", "street", "town", "postcode")
SCHEMA = Schema(identifier="person", quasi=[*TEXTS, "born"], nominal=TEXTS, numeric=["born"])

_BEGINS = "b br c ch d dr f fr g gr h j k kl l m n p pr r s sch st t tr v w".split()  # noqa: SIM905
_MIDDLES = "a e i o u ai au ea ie ou".split()  # noqa: SIM905
_ENDS = ["", "", "", "n", "r", "l", "s", "t", "m", "nd", "rt"]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_FIRST_DAY, _DAYS = np.datetime64("1930-01-01"), 25_000
_MOVED, _MISSING = 0.1, 0.03
_COMMON_NAMES = 20.0  # the larger, the less the first names of a list stand out

Texts = np.ndarray[tuple[int], np.dtype[np.object_]]


def registers(
    n: int = 1000, seed: int = 7, *, shared: int | None = None, errors: float = 0.1
) -> tuple[Microdata, Microdata]:
    """Make two registers of n people each, of whom `shared` (by default all) are in both.

    Both have names, a date of birth, an address and a postcode. In the second, `errors` is the
    share of names, dates and codes that are mistyped; a tenth of the people has moved, and of
    everything but surname and postcode a share of 0.03 is missing. The column `person` states who
    is who. All people and names are invented: names are made of syllables, and few of them are
    common. Same arguments, same records.

    Examples
    --------
    >>> first, second = registers(500, seed=7)
    >>> first
    Microdata(500 records, 7 columns: 1 identifier, 6 quasi)
    >>> sum(a != b for a, b in zip(first.column("surname"), second.column("surname")))
    494
    """
    n = whole_number(n, "n", 1, MOST_PEOPLE)
    shared = n if shared is None else whole_number(shared, "shared", 0, n)
    errors = checked_share(errors, "errors")
    people = _people(2 * n - shared, n, seed)
    order = stream(seed, "registers", "order").permutation(n) + (n - shared)
    later = _with_errors(people[order], seed, errors)
    return Microdata(people[:n], SCHEMA), Microdata(later, SCHEMA)


def _people(n: int, size: int, seed: int) -> pl.DataFrame:
    draw = stream(seed, "registers", "people")
    days = draw.integers(0, _DAYS, n).astype("timedelta64[D]")
    return pl.DataFrame(
        {
            "person": np.arange(1, n + 1),
            "given_name": _names(_some(draw, n, 500), 2, 1),
            "surname": _names(_some(draw, n, 300 + size // 10), 3, 2),
            "born": _FIRST_DAY + days,
            **_addresses(draw, n, size),
        }
    )


def _some(draw: np.random.Generator, n: int, listed: int) -> Ints:
    """Places in a list of names, the first of which are the most common (Zipf's law)."""
    share = 1 / (np.arange(listed) + _COMMON_NAMES)
    return draw.choice(listed, size=n, p=share / share.sum())


def _addresses(draw: np.random.Generator, n: int, size: int) -> dict[str, Texts]:
    """Streets with a number, and towns; neighbouring postcodes belong to one town."""
    place = draw.integers(0, 100 + size // 50, n)
    numbers = draw.integers(1, 120, n).astype(str).astype(object)
    streets = _names(_some(draw, n, 200 + size // 20), 2, 3) + " street " + numbers
    postcodes = (10_000 + place * 7 % 90_000).astype(str).astype(object)
    return {"street": streets, "town": _names(place // 5, 3, 4), "postcode": postcodes}


def _names(places: Ints, syllables: int, kind: int) -> Texts:
    """The names of places in a list; one made of syllables that the place draws."""
    listed, at = np.unique(places, return_inverse=True)
    made = []
    for place in listed.tolist():
        draw = np.random.default_rng([kind, place])
        parts = (_BEGINS, _MIDDLES, _ENDS)
        count = syllables - int(draw.random() < 1 / 3)
        made.append("".join(draw.choice(part) for _ in range(count) for part in parts))
    return np.array(made, object)[at]


def _with_errors(people: pl.DataFrame, seed: int, errors: float) -> pl.DataFrame:
    """The people as another clerk has them: moved, mistyped, missing."""
    n = len(people)
    draw = stream(seed, "registers", "moved")
    moved = draw.random(n) < _MOVED
    columns = {name: people[name].to_numpy().copy() for name in people.columns}
    for name, cells in _addresses(draw, n, n).items():
        columns[name] = np.where(moved, cells, columns[name])
    for name in TEXTS:
        draw = stream(seed, "registers", "typing", name)
        wrong = np.flatnonzero(draw.random(n) < errors)
        columns[name][wrong] = [_mistyped(text, draw) for text in columns[name][wrong]]
    draw = stream(seed, "registers", "typing", "born")
    columns["born"] = _other_dates(columns["born"], draw.random(n) < errors, draw)
    frame = pl.DataFrame(columns)
    missing = []
    for name in ("given_name", "born", "street", "town"):
        drawn = stream(seed, "registers", "gaps", name).random(n)
        missing.append(frame[name].set(pl.Series(drawn < _MISSING), None))
    return frame.with_columns(missing)


def _mistyped(text: str, draw: np.random.Generator) -> str:
    """A text with one character more, less, another, or two exchanged."""
    at, kind = int(draw.integers(len(text))), int(draw.integers(4))
    other = str(draw.integers(10)) if text[at].isdigit() else _ALPHABET[draw.integers(26)]
    if kind == 0:
        return text[:at] + other + text[at:]
    if kind == 1 and len(text) > 1:
        return text[:at] + text[at + 1 :]
    if kind == 2:
        return text[:at] + other + text[at + 1 :]
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _other_dates(dates: Ints, wrong: Bools, draw: np.random.Generator) -> Ints:
    """Dates with another day, month or year, or day and month exchanged; all in the calendar."""
    years = dates.astype("datetime64[Y]")
    months = dates.astype("datetime64[M]")
    day, month = (dates - months).astype(np.int64), (months - years).astype(np.int64)
    kind, n = draw.integers(4, size=len(dates)), len(dates)
    exchanged = (kind == 3) & (day < 12)
    new_day = np.where(kind == 0, draw.integers(0, 28, n), np.minimum(day, 27))
    new_month = np.where(kind == 1, draw.integers(0, 12, n), month)
    new_year = years + np.where(kind == 2, draw.integers(-10, 11, n), 0)
    new_day = np.where(exchanged, month, new_day)
    new_month = np.where(exchanged, day, new_month)
    found: Ints = (new_year + new_month.astype("timedelta64[M]")).astype("datetime64[D]") + new_day
    return np.where(wrong, found, dates)
