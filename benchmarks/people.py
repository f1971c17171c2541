"""People as in the papers' census file, as many as are asked for, and their masked twins."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr
from scipy.stats import spearmanr

from unveil import households
from unveil.table.encoding.to_arrays import numbers, tied_blocks
from unveil_papers.datasets import DataSetMissingError, dataset


def source() -> tuple[np.ndarray, str]:
    """The numeric attributes to imitate: the census file's, or the embedded sample's."""
    try:
        data, name = dataset("census"), "census.csv"
    except DataSetMissingError:
        data, name = households(5000, seed=1), "the embedded sample"
    columns = [c for c in data.columns if data.schema[c].level in (None, "numeric")]
    values = numbers(data, columns).values
    values = values[~np.isnan(values).any(1)]
    return values[:, np.ptp(values, axis=0) > 0], name


def people(n: int, seed: int) -> np.ndarray:
    """A Gaussian copula with the rank correlations and the marginals of the source."""
    model, _ = source()
    correlation = 2 * np.sin(np.pi / 6 * spearmanr(model).statistic)
    values, vectors = np.linalg.eigh(correlation)
    factor = vectors * np.sqrt(np.clip(values, 0, None))
    factor /= np.linalg.norm(factor, axis=1, keepdims=True)
    made = np.random.default_rng(seed).standard_normal((n, len(factor))) @ factor.T
    quantiles = np.arange(len(model)) / (len(model) - 1)
    for j, column in enumerate(np.sort(model, axis=0).T):
        made[:, j] = np.interp(ndtr(made[:, j]), quantiles, column)
    made -= made.mean(0)
    made /= made.std(0)
    return made


def masked(original: np.ndarray, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The records with noise, shuffled, and the released row of each original."""
    rng = np.random.default_rng([seed, 1])
    release = rng.standard_normal(original.shape)
    release *= noise
    release += original
    order = rng.permutation(len(original))
    truth = np.empty(len(order), np.int64)
    truth[order] = np.arange(len(order))
    return release[order], truth


def ranks(values: np.ndarray) -> np.ndarray:
    """Twice the average rank of each value: whole numbers."""
    return np.stack([tied_blocks(column).twice_rank for column in values.T], axis=1)
