"""A function of the user's own as a mask."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import polars as pl
from msgspec import Meta
from numpy.typing import NDArray

from unveil.errors import DataError, SpecError
from unveil.masks.base import KeepType, MaskedColumn, UnivariateMask
from unveil.support.arrays import Floats
from unveil.table.columns import labels_of
from unveil.table.encoding.to_columns import as_column, labelled, slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.category_channels import Transition, require_transitions
from unveil.values.release.channels import Channel, Unknown, fitted_noise

Labels = NDArray[np.object_]


class Function(UnivariateMask, frozen=True, kw_only=True):
    """Function: mask each column by a Python function of the user's own.

    Its protection and its loss are not known in advance: the audit measures both, as for every
    mask.

    `function` is called with the known values of a column, an array of numbers or of labels, and
    a random generator, and returns as many values. Its channel is estimated from several `runs`:
    for numbers a regression line with its residual noise, for categories a transition matrix; or
    it is declared unknown. A plan file cannot hold a function, only its name.

    Examples
    --------
    >>> import unveil
    >>> def halve(values, rng):
    ...     return values // 2
    >>> release = unveil.mask(unveil.households(100), [Function(function=halve, columns=["age"])])
    >>> release.channels[0].runs
    20
    """

    threads: ClassVar[int | None] = 1  # the function may not be thread-safe

    function: Annotated[Any, Meta(description="A Python function f(values, rng) -> values.")]
    channel: Annotated[
        Literal["estimate", "unknown"],
        Meta(description="Estimate the channel by further runs, or declare it unknown."),
    ] = "estimate"
    runs: Annotated[int, Meta(ge=2, description="Number of runs for the estimate.")] = 20
    keep_type: KeepType = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise SpecError(
                f"{self.step}: function: a Python function f(values, rng); a plan file cannot hold "
                "one, so run this step from Python"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        cells = data.column(column)
        if data.level(column) == "numeric":
            values = self.numbers(data, column).values[:, 0]
            known = ~np.isnan(values)
            outcome = self._numbers(column, values[known], rng)
            numbers = np.full(len(values), np.nan)
            numbers[known] = outcome
            masked = as_column(cells, numbers, keep_type=self.keep_type)
            return MaskedColumn(masked, self._noise(cells, values[known], outcome, rng))
        labels = labels_of(cells.drop_nulls()).to_numpy().astype(object)
        new_labels = self._labels(column, labels, rng)
        filled = np.full(len(cells), None, object)
        filled[cells.is_not_null().to_numpy()] = new_labels
        masked_labels = labelled(cells, pl.Series(filled.tolist(), dtype=pl.String))
        if masked_labels is None:
            raise DataError(
                f"{self.step}: column '{column}' cannot hold the returned values; return values "
                "of its type"
            )
        return MaskedColumn(masked_labels, self._transition(column, labels, new_labels, rng))

    def _call(self, column: str, values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        try:
            outcome = np.asarray(self.function(values.copy(), rng))
        except Exception as error:  # noqa: BLE001 - the function may raise anything
            raise DataError(
                f"{self.step}: the function failed on column '{column}' with "
                f"{type(error).__name__}; call it yourself to see where"
            ) from None  # its message may quote cells
        if outcome.shape != values.shape:
            raise DataError(
                f"{self.step}: the function must return {len(values):,} values of column "
                f"'{column}', one for each that it gets"
            )
        return outcome

    def _numbers(self, column: str, values: Floats, rng: np.random.Generator) -> Floats:
        outcome = self._call(column, values, rng)
        if outcome.dtype.kind not in "fiub" or not np.isfinite(outcome).all():
            raise DataError(
                f"{self.step}: the function did not return finite numbers for column '{column}'"
            )
        return outcome.astype(np.float64)

    def _labels(self, column: str, labels: Labels, rng: np.random.Generator) -> Labels:
        outcome = self._call(column, labels, rng).astype(object)
        if not all(isinstance(label, str) for label in outcome):
            raise DataError(f"{self.step}: the function did not return text for column '{column}'")
        return outcome

    def _noise(
        self, cells: pl.Series, values: Floats, outcome: Floats, rng: np.random.Generator
    ) -> Channel:
        name = (cells.name,)
        if self.channel == "unknown":
            return Unknown(name)
        others = [self._numbers(cells.name, values, run) for run in rng.spawn(self.runs - 1)]
        slack = slack_of(cells, keep_type=self.keep_type)
        pairs = np.tile(values, self.runs), np.concatenate([outcome, *others])
        return fitted_noise(cells.name, *pairs, slack, self.runs) or Unknown(name)

    def _transition(
        self, column: str, labels: Labels, outcome: Labels, rng: np.random.Generator
    ) -> Channel:
        if self.channel == "unknown":
            return Unknown((column,))
        outcomes = [outcome]
        outcomes += [self._labels(column, labels, run) for run in rng.spawn(self.runs - 1)]
        categories = tuple(sorted({*labels, *(label for one in outcomes for label in one)}))
        place = {category: code for code, category in enumerate(categories)}
        m = len(categories)
        require_transitions(m)
        counts = np.ones((m, m))  # add-one smoothing: no transition is taken to be impossible
        before = np.array([place[label] for label in labels], np.int64)
        for one in outcomes:
            after = np.array([place[label] for label in one], np.int64)
            counts += np.bincount(before * m + after, minlength=m * m).reshape(m, m)
        matrix = counts / counts.sum(1, keepdims=True)
        return Transition((column,), categories, matrix, runs=self.runs)
