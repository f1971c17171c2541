"""Files about the same people that share no attribute: the papers', split as there, and planted."""

from __future__ import annotations

import numpy as np
import polars as pl

from unveil_papers.datasets import dataset

# Torra and Nin (2008), section 4.2. Attributes of wdbc and dermatology go by their places.
# The second of wdbc, the diagnosis, is malignant 0 and benign 1. EIA is not in that paper: it is
# split by the paper's rule.
PAPER = {
    "wdbc": ("2 3 4 6 7 8 10 12 13 18 20 26 29 32", "5 9 15 16 19 22 23 24 25 27 28 30"),
    "water-treatment": (
        "PH-E DBO-E SS-E SSV-E SED-E COND-E DBO-D SSV-D DBO-S RD-DBO-S RD-DQO-S",
        "PH-P DBO-P SS-P SSV-P SED-P COND-P PH-D DQO-D COND-D SS-S SED-S COND-S RD-DBO-G RD-DQO-G",
    ),
    "census": (
        "AFNLWGT EMCONTRB PTOTVAL TAXINC POTHVAL PEARNVAL WSALVAL",
        "AGI FEDTAX STATETAX INTVAL FICA ERNVAL",
    ),
    "abalone": (
        "Height Whole_weight Viscera_weight",
        "Length Diameter Shucked_weight Shell_weight",
    ),
    "ionosphere": ("V5 V7 V9 V11 V13 V20", "V15 V17 V19 V21 V23 V30"),
}
OTHERS = {  # on which the constants of the attack were set
    "housing": ("INDUS RM AGE RAD", "NOX TAX MEDV"),
    "iris": ("sepal_length petal_length", "sepal_width petal_width"),
    "dermatology": ("6 7 8 9 10 12 16 25 30", "20 21 22 27 29 31 33"),
    "eia": (
        "RESREVENUE COMSALES INDREVENUE OTHREVENUE TOTSALES",
        "RESSALES COMREVENUE INDSALES OTHRSALES TOTREVENUE",
    ),
}
COMMON = 3  # planted factors that all attributes have in common
OWN, NOISE = 0.5, 0.3  # deviations: of what both attributes that say the same have, and one only


def halves(name):
    """Both sets of attributes of a data set, row by row the same people."""
    frame = dataset(name).to_frame("polars")
    if name == "wdbc":
        coded = pl.col("diagnosis").replace_strict({"M": 0, "B": 1}, return_dtype=pl.Int64)
        frame = frame.with_columns(coded)
    found = []
    for listed in (PAPER | OTHERS)[name]:
        columns = [frame.columns[int(k) - 1] if k.isdigit() else k for k in listed.split()]
        found.append(frame.select(columns))
    return found


def planted(n, width, seed):
    """Two files of so many attributes each, about the same people.

    What each attribute measures is made of factors that all have, and of something of its own;
    both files have it, with noise of their own, in another unit and with another skewness, and
    the second in another order. Every third falls in the second where it rises in the first.
    """
    rng = np.random.default_rng([seed, n, width])
    loadings = rng.standard_normal((COMMON, width)) / np.sqrt(COMMON)
    measured = rng.standard_normal((n, COMMON)) @ loadings
    measured += OWN * rng.standard_normal((n, width))
    skewness = rng.uniform(0.1, 1.3, width)
    first = np.exp(skewness * (measured + NOISE * rng.standard_normal((n, width))))
    skewness = skewness * rng.uniform(0.8, 1.25, width)
    second = np.exp(skewness * (measured + NOISE * rng.standard_normal((n, width))))
    second *= np.where(np.arange(width) % 3 == 2, -1.0, 1.0) * rng.uniform(1, 9, width)
    return [
        pl.DataFrame(values, schema=[f"{side}{j + 1}" for j in range(width)])
        for side, values in (("a", first), ("b", second[:, rng.permutation(width)]))
    ]


def drawn(both, n, shared, rng):
    """So many records of each file, some of them of the same people, the second file shuffled.

    With them, for each record of the second, whose it is in the first; -1, nobody's.
    """
    first, second = both
    rows = rng.permutation(len(first))[: 2 * n - shared]
    if len(rows) < 2 * n - shared:
        raise ValueError(f"{len(first)} records are too few for two files of {n}")
    order = rng.permutation(n)
    others = np.concatenate([rows[:shared], rows[n:]])[order]
    return first[rows[:n]], second[others], np.where(order < shared, order, -1)
