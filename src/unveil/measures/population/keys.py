"""The keys of a population model, and the share of the population in the sample."""

from collections.abc import Sequence

import numpy as np

from unveil.errors import DataError, UsageError
from unveil.support.arrays import Floats
from unveil.table.encoding.to_arrays import numbers
from unveil.table.microdata import Microdata
from unveil.wording import count, listing

MOST_NUMBERS = 100  # distinct values of a numeric key
MOST_PEOPLE = 1e12


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
    if named := [name for name in columns if "identifier" in data.schema[name].role]:
        raise UsageError(
            f"columns: {listing(named)} identifies people, so that no two share it: leave it out "
            "of the columns"
        )
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


def known_fraction(data: Microdata, fraction: float | None) -> float | None:
    """The share of the population in the sample: as given, else by the weights; None without."""
    if fraction is not None:
        return checked_fraction(fraction)
    weight = column_with_role(data, "weight")
    return None if weight is None else sampling_fraction(data)


def sampling_fraction(data: Microdata) -> float | None:
    """The sample's share of the population, by its weights.

    None without weights.

    >>> import unveil
    >>> round(sampling_fraction(unveil.households(500, seed=7)), 3)
    0.002
    """
    weight = column_with_role(data, "weight")
    if weight is None:
        return None
    return len(data) / float(np.sort(weights_of(data, weight)).sum())


def weights_of(data: Microdata, weight: str) -> Floats:
    """The number of people that each record represents, at least itself."""
    weights = numbers(data, [weight]).values[:, 0]
    bad = int((~(weights >= 1)).sum())
    if bad:
        raise DataError(
            f"column '{weight}' is missing or below 1 in {count(bad, 'record')}: a weight is the "
            "number of people that the record represents, itself included (at least 1); "
            "rescale the weights to sum to the population, or leave these records out"
        )
    check_people(float(np.sort(weights).sum()))
    return weights


def check_people(people: float) -> None:
    """Refuse a population that no country has."""
    if people > MOST_PEOPLE:
        raise DataError(
            f"the weights, or 1 / fraction of each record, sum to more than {MOST_PEOPLE:,.0f} "
            "people; correct them"
        )


def column_with_role(data: Microdata, role: str) -> str | None:
    """The column with a role; None without one, refused if there are several."""
    found = [name for name in data.schema.with_role(role) if name in data.columns]
    if len(found) > 1:
        raise UsageError(f"several columns have the role {role}: name one of {listing(found)}")
    return found[0] if found else None
