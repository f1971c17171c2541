"""A user's own function as a mask."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import polars as pl
from msgspec import Meta
from numpy.typing import NDArray

from unveil.errors import DataError, SpecError
from unveil.masks.base import KeepType, MaskedColumn, OnEachColumn, known_numbers
from unveil.support.arrays import Floats
from unveil.table.columns import labels_of
from unveil.table.encoding.to_columns import as_column, labelled, slack_of
from unveil.table.microdata import Microdata
from unveil.values.release.channels import Channel, Transition, Unknown, fitted_noise


class Function(OnEachColumn, frozen=True, kw_only=True):
    """Function: a user's own function of a column's values.

    What it protects and what it loses is not known beforehand: the audit measures both, as it
    does for any mask.

    It is called with the known values of a column, an array of numbers or of labels, and a
    random generator, and returns as many. Its channel is estimated by running it many
    times: for numbers the line about which the outcomes lie and how far off, for categories the
    probabilities of each outcome; or it is declared unknown. A plan's file cannot hold a
    function, only its name.

    Examples
    --------
    >>> import unveil
    >>> def halve(values, rng):
    ...     return values // 2
    >>> release = unveil.mask(unveil.households(100), [Function(function=halve, columns=["age"])])
    >>> release.channels[0].runs
    20
    """

    threads: ClassVar[int | None] = 1  # nobody knows what a function shares

    function: Annotated[Any, Meta(description="What is called: f(values, rng) -> values.")]
    channel: Annotated[
        Literal["estimate", "unknown"],
        Meta(description="Whether the channel is estimated by running the function again."),
    ] = "estimate"
    runs: Annotated[int, Meta(ge=2, description="How many times it is run for that.")] = 20
    keep_type: KeepType = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise SpecError(
                f"{self.step}: function: a Python function f(values, rng); a plan's file cannot "
                "hold one, so such a step is run from Python"
            )

    def mask_column(self, data: Microdata, column: str, rng: np.random.Generator) -> MaskedColumn:
        """Call the function on the known values."""
        cells = data.column(column)
        if data.level(column) == "numeric":
            values = known_numbers(self, data, [column]).values[:, 0]
            known = ~np.isnan(values)
            made = self._numbers(column, values[known], rng)
            out = np.full(len(values), np.nan)
            out[known] = made
            masked = as_column(cells, out, keep_type=self.keep_type)
            return MaskedColumn(masked, self._noise(cells, values[known], made, rng))
        labels = labels_of(cells.drop_nulls()).to_numpy().astype(object)
        made_labels = self._labels(column, labels, rng)
        filled = np.full(len(cells), None, object)
        filled[cells.is_not_null().to_numpy()] = made_labels
        masked_labels = labelled(cells, pl.Series(filled.tolist(), dtype=pl.String))
        if masked_labels is None:
            raise DataError(f"{self.step}: column '{column}' cannot hold what was returned")
        return MaskedColumn(masked_labels, self._transition(column, labels, made_labels, rng))

    def _call(self, column: str, values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        try:
            made = np.asarray(self.function(values.copy(), rng))
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises
            raise DataError(
                f"{self.step}: the function failed on column '{column}' with "
                f"{type(error).__name__}; call it yourself to see where"
            ) from None  # its message may quote cells
        if made.shape != values.shape:
            raise DataError(
                f"{self.step}: the function was given {len(values):,} values of column "
                f"'{column}' and did not return as many"
            )
        return made

    def _numbers(self, column: str, values: Floats, rng: np.random.Generator) -> Floats:
        made = self._call(column, values, rng)
        if made.dtype.kind not in "fiub" or not np.isfinite(made).all():
            raise DataError(
                f"{self.step}: the function did not return finite numbers for column '{column}'"
            )
        return made.astype(np.float64)

    def _labels(
        self, column: str, labels: NDArray[np.object_], rng: np.random.Generator
    ) -> NDArray[np.object_]:
        made = self._call(column, labels, rng).astype(object)
        if not all(isinstance(label, str) for label in made):
            raise DataError(f"{self.step}: the function did not return text for column '{column}'")
        return made

    def _noise(
        self, cells: pl.Series, values: Floats, made: Floats, rng: np.random.Generator
    ) -> Channel:
        name = (cells.name,)
        if self.channel == "unknown":
            return Unknown(name)
        others = [self._numbers(cells.name, values, run) for run in rng.spawn(self.runs - 1)]
        slack = slack_of(cells, keep_type=self.keep_type)
        pairs = np.tile(values, self.runs), np.concatenate([made, *others])
        return fitted_noise(cells.name, *pairs, slack, self.runs) or Unknown(name)

    def _transition(
        self,
        column: str,
        labels: NDArray[np.object_],
        made: NDArray[np.object_],
        rng: np.random.Generator,
    ) -> Channel:
        if self.channel == "unknown":
            return Unknown((column,))
        outcomes = [made, *(self._labels(column, labels, run) for run in rng.spawn(self.runs - 1))]
        categories = tuple(sorted({*labels, *(label for one in outcomes for label in one)}))
        place = {category: code for code, category in enumerate(categories)}
        # One more of each, so that what did not happen is not taken to be impossible.
        m = len(categories)
        counts = np.ones((m, m))
        before = np.array([place[label] for label in labels], np.int64)
        for one in outcomes:
            after = np.array([place[label] for label in one], np.int64)
            counts += np.bincount(before * m + after, minlength=m * m).reshape(m, m)
        matrix = counts / counts.sum(1, keepdims=True)
        return Transition((column,), categories, matrix, runs=self.runs)
