"""Keys that are recorded with error: the known probabilities, and the people by their true keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from unveil.errors import UsageError
from unveil.measures.population.exposure import Change, Exposure, after_changes
from unveil.measures.population.key_table import KeyTable
from unveil.support.arrays import Floats
from unveil.table.columns import labels_of
from unveil.table.encoding.shared_attributes import written_cells
from unveil.table.microdata import Microdata
from unveil.wording import listing

Errors = Mapping[str, Mapping[str, Mapping[str, float]]]  # column, true category, recorded one
ROWS_SUM_TO = 1e-6
STEPS = 100  # of the recovery of true counts


class RecordedKeys(Exposure):
    """Keys whose recorded values may be wrong; the model is fitted to the recorded ones."""

    def true_people(self, recorded: Floats) -> Floats:
        """The expected people of each true key, from those of each recorded key.

        By the steps of Richardson (1972) and Lucy (1974), which keep counts positive: the
        expected counts lambda are multiplied by M (recorded / M' lambda).
        """
        shape, people = self.seen.grid.shape, recorded.copy()
        for _ in range(STEPS):
            expected, ratio = people, np.ones(len(people))
            for change in self.changes:
                expected = after_changes(expected, shape, change)
            np.divide(recorded, expected, out=ratio, where=expected > 0)
            for axes, matrix in self.changes:
                ratio = after_changes(ratio, shape, Change(axes, matrix.T))
            people = people * ratio
        return people


def recorded_keys(data: Microdata, table: KeyTable, errors: Errors) -> RecordedKeys:
    """The keys of a sample with the probabilities that values were recorded as others."""
    if absent := [name for name in errors if name not in table.columns]:
        raise UsageError(f"errors: {listing(absent)} is not among the columns")
    changes = tuple(
        Change((table.columns.index(name),), _matrix(data, name, rows))
        for name, rows in errors.items()
    )
    return RecordedKeys(table, changes)


def _matrix(data: Microdata, column: str, rows: Mapping[str, Mapping[str, float]]) -> Floats:
    """The probabilities in the order of the table; a missing cell stays one."""
    _, first = np.unique(written_cells(data, column), return_index=True)
    labels: Sequence[str | None] = labels_of(data.column(column)[first.tolist()]).to_list()
    known = {label for label in labels if label is not None}
    given = {*rows, *(other for row in rows.values() for other in row)}
    if given != known or set(rows) != known:
        raise UsageError(
            f"errors: column '{column}' has other categories than its probabilities: give a row "
            "for each category of the data, with the probability of each recorded one"
        )
    matrix = np.zeros((len(labels), len(labels)))
    for place, label in enumerate(labels):
        if label is None:
            matrix[place, place] = 1.0
            continue
        for other, share in rows[label].items():
            matrix[place, labels.index(other)] = share
    if not (matrix >= 0).all() or (np.abs(matrix.sum(1) - 1) > ROWS_SUM_TO).any():
        raise UsageError(
            f"errors: column '{column}': the probabilities of each true category sum to 1"
        )
    return matrix
