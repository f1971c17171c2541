"""Dates and times as the numbers that statistics packages count them in."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal, NamedTuple

import polars as pl

Kind = Literal["date", "time"]
_DAY = 86_400
_EPOCH = date(1970, 1, 1)


class Clock(NamedTuple):
    """What a package counts, and from when; and by which formats it shows it.

    >>> import polars as pl
    >>> SAS.moments(pl.Series([366.0]), "DATE9").item()
    datetime.date(1961, 1, 1)
    """

    start: date
    per_day: int  # how many of its units a date counts in a day
    per_second: int  # how many of its units a time counts in a second
    dates: re.Pattern[str]
    times: re.Pattern[str]
    shown: dict[Kind, str]  # the usual format

    def kind(self, shown_as: str) -> Kind | None:
        """Whether a format shows numbers as dates or as times."""
        if self.dates.fullmatch(shown_as):
            return "date"
        return "time" if self.times.fullmatch(shown_as) else None

    def moments(self, numbers: pl.Series, shown_as: str) -> pl.Series:
        """The numbers as dates or times, if that is what they are and nothing is lost by it."""
        kind = self.kind(shown_as)
        if kind is None:
            return numbers
        tried = self._dates(numbers) if kind == "date" else self._times(numbers)
        return next((one for one in tried if self.numbers(one).equals(numbers)), numbers)

    def _dates(self, numbers: pl.Series) -> Iterator[pl.Series]:
        days = (numbers / self.per_day).floor() + (self.start - _EPOCH).days
        yield days.cast(pl.Int32, strict=False).cast(pl.Date)

    def _times(self, numbers: pl.Series) -> Iterator[pl.Series]:
        """In milliseconds, where those are all: what is finer may come of rounding."""
        seconds = numbers / self.per_second + (self.start - _EPOCH).days * _DAY
        for unit in (1_000, 1_000_000):
            counted = (seconds * unit).round().cast(pl.Int64, strict=False)
            yield (counted * (1_000_000 // unit)).cast(pl.Datetime("us"))

    def numbers(self, moments: pl.Series) -> pl.Series:
        """Dates and times as the package counts them; all else as it is."""
        shift = (self.start - _EPOCH).days
        if moments.dtype == pl.Date:
            return (moments.to_physical().cast(pl.Float64) - shift) * self.per_day
        if not isinstance(moments.dtype, pl.Datetime):
            return moments
        micro = moments.dt.epoch("us") - shift * _DAY * 1_000_000
        # Whole units and what is left of one: a sum of two numbers that are exact.
        unit = 1_000_000 // self.per_second
        return (micro // unit).cast(pl.Float64) + (micro % unit).cast(pl.Float64) / unit


def _formats(names: str, ending: str = r"[0-9]*(?:\.[0-9]*)?") -> re.Pattern[str]:
    return re.compile(rf"(?:{names}){ending}", re.IGNORECASE)


SPSS = Clock(
    date(1582, 10, 14),
    _DAY,
    1,
    _formats("DATE|ADATE|EDATE|JDATE|SDATE|MOYR|QYR|WKYR"),
    _formats("DATETIME|YMDHMS"),
    {"date": "DATE11", "time": "DATETIME20"},
)
STATA = Clock(
    date(1960, 1, 1),
    1,
    1000,
    _formats(r"%-?[0-9]*t?d", r"[^%]*"),
    _formats(r"%-?[0-9]*tc", r"(?!HH)[^%]*"),  # without a date: a time of day
    {"date": "%td", "time": "%tc"},
)
SAS = Clock(
    date(1960, 1, 1),
    1,
    1,
    _formats(
        "DATE|DAY|DDMMYY[BCDNPS]?|MMDDYY[BCDNPS]?|YYMMDD[BCDNPS]?|JULIAN|WEEKDATE|WEEKDATX|"
        "WORDDATE|WORDDATX|MONYY|YYMON|B8601DA|E8601DA|IS8601DA"
    ),
    _formats("DATETIME|DATEAMPM|MDYAMPM|B8601DT|E8601DT|IS8601DT"),
    {"date": "DATE9.", "time": "DATETIME20."},
)
