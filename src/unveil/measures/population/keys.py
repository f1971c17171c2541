"""The keys of a population model, and the share of the population in the sample."""

from collections.abc import Sequence

from unveil.errors import DataError, UsageError
from unveil.measures.disclosure.population import column_with_role, sampling_fraction, weights_of
from unveil.table.microdata import Microdata
from unveil.wording import count

MOST_NUMBERS = 100  # distinct values of a numeric key


def key_columns(data: Microdata, columns: Sequence[str] | None) -> tuple[str, ...]:
    """The keys: as given, else the quasi-identifiers; refused if a number has many values."""
    if columns is None:
        columns = [name for name in data.schema.with_role("quasi") if name in data.columns]
    data.check(*columns)
    if not columns or len(set(columns)) < len(columns):
        raise UsageError("columns: name at least one, and none twice")
    for name in columns:
        values = data.column(name).n_unique()
        number = data.level(name) == "numeric" and not data.schema[name].generalised
        if number and values > MOST_NUMBERS:
            raise UsageError(
                f"column '{name}' is numeric with {values:,} values: as a key it makes nearly "
                f"every record unique; recode it to at most {MOST_NUMBERS} values "
                "(masks.GlobalRecoding), or leave it out of the columns"
            )
    return tuple(columns)


def known_fraction(data: Microdata, fraction: float | None) -> float | None:
    """The share of the population in the sample: as given, else by the weights; None without."""
    if fraction is not None:
        if isinstance(fraction, bool | str) or not 0 < fraction <= 1:
            raise UsageError(
                "fraction: the share of the population that is in the sample, above 0 and at most 1"
            )
        return float(fraction)
    weight = column_with_role(data, "weight")
    if weight is None:
        return None
    light = int((weights_of(data, weight) < 1).sum())
    if light:
        raise DataError(
            f"column '{weight}' is below 1 in {count(light, 'record')}: a weight is the number of "
            "people of the population that a record represents, its own among them; rescale the "
            "weights to sum to the population, or give the sampling fraction (fraction)"
        )
    return sampling_fraction(data)
