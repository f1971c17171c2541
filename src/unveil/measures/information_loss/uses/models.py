"""Models: how well columns are predicted from others, if that is learnt from the release."""

from collections.abc import Sequence

import numpy as np

from unveil.measures.information_loss.uses.coded_file import CodedFile
from unveil.measures.information_loss.uses.parts import UseParts
from unveil.support.arrays import Bools, Floats

FOLDS = 5
SHRINKAGE = 3.0  # records by which the effect of each class is drawn to 0
FEWEST = 60  # known records of a target
LEAST_GAIN = 0.05  # of the original over a constant guess, for a loss to be defined
DEFINITION = (
    "root mean square over targets, weighted by o, of (o - r) / o within 0 to 1: o the share of "
    "the variance that a regression on the classes of the other columns explains, learnt from the "
    "original, r learnt from the release; a constant guess and columns permuted independently "
    "explain nothing. Of each fold of originals, learnt from the other four; numbers by their "
    "ranks, categories by their indicators"
)
UNPREDICTABLE = "the original predicts hardly better than a constant guess"


class Models:
    """Models of the originals, of each target on other columns."""

    definition = DEFINITION
    of_all_records = False

    def __init__(
        self, original: CodedFile, targets: Sequence[str], columns: Sequence[str] | None
    ) -> None:
        self.original, self.folds = original, original.design.group % FOLDS
        self.gains = dict[str, Floats]()
        self.others = dict[str, tuple[str, ...]]()
        for target in targets:
            others = tuple(n for n in columns or original.cells if n != target)
            if not others or self._known(original, target).sum() < FEWEST:
                continue
            self.others[target] = others
            explained = self._explained(original, target)
            if explained[0] >= LEAST_GAIN:
                self.gains[target] = np.maximum(explained, 0.0)
        self.targets = tuple(self.gains)

    def parts(self, release: CodedFile) -> UseParts:
        """The explained variance that each model lost, over the root of what there was."""
        if not self.targets:
            return UseParts((), np.zeros((1, 0)), np.zeros((1, 0)), UNPREDICTABLE)
        lost, root = [], []
        for target, gain in self.gains.items():
            explained = self._explained(release, target)
            share = np.clip((gain - explained) / np.maximum(gain, 1e-12), 0, 1)
            root.append(np.sqrt(gain))
            lost.append(share * root[-1])
        return UseParts(self.targets, np.array(lost).T, np.array(root).T)

    def _explained(self, trained: CodedFile, target: str) -> Floats:
        """The share of the variance of held-out originals that a file's models explain.

        Of all records, and without each group: neither tested on it nor, to the first order,
        trained on it.
        """
        test, columns = self.original, self.others[target]
        at, truth = test.classes(columns), self._outcome(test, target)
        weights = test.design.weight * self._known(test, target)
        around_mean = ((truth - weights @ truth / weights.sum()) ** 2).sum(axis=1)
        errors = np.zeros((len(truth), 1 + test.design.groups))
        for number in range(FOLDS):
            out = self.folds == number
            guesses = self._guesses(trained, target, number, at[out])
            errors[out] = ((truth[out, :, None] - guesses) ** 2).sum(axis=1)
        sums = test.design.group_sums(errors * weights[:, None])
        left = np.append(sums[:, 0].sum(), sums[:, 1:].sum(axis=0) - np.diagonal(sums[:, 1:]))
        most = test.design.left_out(test.design.group_sums(around_mean * weights))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(most > 0, 1 - left[: len(most)] / most, 0.0)

    def _guesses(self, file: CodedFile, target: str, fold: int, at: Floats) -> Floats:
        """Predictions by a weighted ridge regression without a fold: records x outcomes x rows.

        The rows are all other records, then those without each group.
        """
        design = file.design
        weight = design.weight * self._known(file, target)
        learn = (design.group % FOLDS != fold) & (weight > 0)
        y = self._outcome(file, target)[learn]
        if not len(y):
            return np.zeros((len(at), y.shape[1], 1 + design.groups))
        x, share = file.classes(self.others[target])[learn], weight[learn] / weight[learn].sum()
        mean, level = share @ x, share @ y
        x, y, weighted = x - mean, y - level, ((x - mean) * share[:, None])
        shrinkage = SHRINKAGE / len(x) * np.eye(x.shape[1])
        inverse = np.linalg.inv(weighted.T @ x + shrinkage)
        effects = inverse @ (weighted.T @ y)
        rest = y - x @ effects
        reach = (at - mean) @ inverse
        group, guess = design.group[learn], level + (at - mean) @ effects
        changes = [
            reach @ (weighted[group == g].T @ rest[group == g]) for g in range(design.groups)
        ]
        return np.stack([guess, *(guess - change for change in changes)], axis=2)

    def _known(self, file: CodedFile, target: str) -> Bools:
        missing = np.eye(1, file.cells[target].fine)[0]
        return file.fine_means(target, missing) < 1

    def _outcome(self, file: CodedFile, target: str) -> Floats:
        """The ranks of a number or an ordered category, the indicators of others."""
        cells = file.cells[target]
        if cells.ordered:
            return file.fine_means(target, cells.rank)[:, None]
        return file.classes([target])[:, 1:]
