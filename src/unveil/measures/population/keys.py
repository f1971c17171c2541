"""The keys of a population model, and the share of the population in the sample."""

from collections.abc import Sequence

from unveil.errors import DataError, UsageError
from unveil.measures.disclosure.population import column_with_role, sampling_fraction
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.wording import count

MOST_NUMBERS = 100  # distinct values of a numeric key


def key_columns(data: Microdata, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The keys: as given, else the quasi-identifiers; refused if a number has many values."""
    columns = named_columns(data, columns)
    for name in columns:
        if is_number(data, name):
            check_numbers(name, data.column(name).n_unique())
    return columns


def named_columns(data: Microdata, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The columns: as given, else the quasi-identifiers; refused if none, or one twice."""
    if columns is None:
        columns = [name for name in data.require("quasi") if name in data.columns]
    if isinstance(columns, str) or not columns or len(set(columns)) < len(columns):
        raise UsageError("columns: a list of at least one, none twice")
    data.check(*columns)
    return tuple(columns)


def is_number(data: Microdata, column: str) -> bool:
    """Whether a column has numbers; ranges of numbers are categories."""
    return data.level(column) == "numeric" and not data.schema[column].generalised


def check_numbers(column: str, values: int) -> None:
    """Refuse a numeric key with many values."""
    if values > MOST_NUMBERS:
        raise UsageError(
            f"column '{column}' is numeric with {values:,} values: as a key it makes nearly every "
            f"record unique; recode it to at most {MOST_NUMBERS} values (masks.GlobalRecoding), or "
            "leave it out of the columns"
        )


def checked_fraction(fraction: float) -> float:
    """A sampling fraction, refused if it is none."""
    if isinstance(fraction, bool | str) or not 0 < fraction <= 1:
        raise UsageError(
            "fraction: the share of the population that is in the sample, above 0 and at most 1"
        )
    return float(fraction)


def people_of(data: Microdata, weight: str) -> Floats:
    """The number of people that each record represents, by its weight, at least itself."""
    weights = numbers(data, [weight]).values[:, 0]
    bad = int((~(weights >= 1)).sum())
    if bad:
        raise DataError(
            f"column '{weight}' is missing or below 1 in {count(bad, 'record')}: a weight is the "
            "number of people that the record represents, itself included (at least 1); "
            "rescale the weights to sum to the population, give the sampling fraction (fraction), "
            "or leave these records out"
        )
    return weights


def known_fraction(data: Microdata, fraction: float | None) -> float | None:
    """The share of the population in the sample: as given, else by the weights; None without."""
    if fraction is not None:
        return checked_fraction(fraction)
    weight = column_with_role(data, "weight")
    if weight is None:
        return None
    people_of(data, weight)
    return sampling_fraction(data)
