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
    """The units and the epoch in which a package counts dates and times, and its formats.

    >>> import polars as pl
    >>> SAS.moments(pl.Series([366.0]), "DATE9").item()
    datetime.date(1961, 1, 1)
    """

    start: date
    per_day: int  # units of a date in a day
    per_second: int  # units of a time in a second
    dates: re.Pattern[str]
    times: re.Pattern[str]
    default_formats: dict[Kind, str]

    def kind(self, display_format: str) -> Kind | None:
        """Whether a format shows numbers as dates or as times."""
        if self.dates.fullmatch(display_format):
            return "date"
        return "time" if self.times.fullmatch(display_format) else None

    def moments(self, numbers: pl.Series, display_format: str) -> pl.Series:
        """The numbers as dates or times, if they are shown so and nothing is lost by it."""
        kind = self.kind(display_format)
        if kind is None:
            return numbers
        candidates = self._dates(numbers) if kind == "date" else self._times(numbers)
        exact = (moments for moments in candidates if self.numbers(moments).equals(numbers))
        return next(exact, numbers)

    def _dates(self, numbers: pl.Series) -> Iterator[pl.Series]:
        days = (numbers / self.per_day).floor() + (self.start - _EPOCH).days
        yield days.cast(pl.Int32, strict=False).cast(pl.Date)

    def _times(self, numbers: pl.Series) -> Iterator[pl.Series]:
        """In milliseconds if these suffice: what is finer may come of rounding."""
        seconds = numbers / self.per_second + (self.start - _EPOCH).days * _DAY
        for unit in (1_000, 1_000_000):
            counted = (seconds * unit).round().cast(pl.Int64, strict=False)
            yield (counted * (1_000_000 // unit)).cast(pl.Datetime("us"))

    def numbers(self, moments: pl.Series) -> pl.Series:
        """Dates and times as the package counts them; other columns unchanged."""
        shift = (self.start - _EPOCH).days
        if moments.dtype == pl.Date:
            return (moments.to_physical().cast(pl.Float64) - shift) * self.per_day
        if not isinstance(moments.dtype, pl.Datetime):
            return moments
        micro = moments.dt.epoch("us") - shift * _DAY * 1_000_000
        # Whole units and the rest of one: a sum of two numbers that are exact.
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
