"""Tables whose privacy models are counted by us and by pycanon, and Adult as the paper made it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

import unveil
from unveil import masks, models

# The quasi-identifiers of Armengol and Torra, Generalization-based k-anonymization (2015).
ADULT_KEYS = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
ADULT_AGES = ("low-19", *(f"{low}-{low + 4}" for low in range(20, 90, 5)), "high-90")
SALARY, HOURS = "salary-class", "hours-per-week"


class Counted(NamedTuple):
    """A table, the columns in which records of a class are alike, and what is confidential."""

    data: unveil.Microdata
    keys: tuple[str, ...]
    confidential: tuple[str, ...]


def adult_schema(*, numeric_age=False, hierarchy=None):
    """Eight quasi-identifiers, one confidential attribute; ages are labels, or numbers."""
    return unveil.Schema(
        quasi=ADULT_KEYS,
        confidential=SALARY,
        nominal=[*ADULT_KEYS[1:], SALARY],
        ordinal={} if numeric_age else {"age": ADULT_AGES},
        numeric=[HOURS, "age"] if numeric_age else HOURS,
        hierarchy=hierarchy or {},
    )


def adult(*files, numeric_age=False):
    """Adult's files one below the other; what is unknown there is a category like any other."""
    frame = pl.concat([file.to_frame("polars") for file in files])
    frame = frame.select(*ADULT_KEYS, SALARY, HOURS).with_columns(pl.col(pl.String).fill_null("?"))
    if not numeric_age:
        places = np.digitize(frame["age"], range(20, 91, 5))
        frame = frame.with_columns(pl.Series("age", [ADULT_AGES[place] for place in places]))
    return unveil.Microdata(frame, adult_schema(numeric_age=numeric_age))


def drawn(seed):
    """Records drawn at random: few classes, and more or less skewed secrets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(200, 900))
    illness = np.minimum(rng.geometric(0.2 + 0.15 * (seed % 4), n), 9)
    columns = {
        "town": [f"town {code}" for code in rng.integers(0, 2 + seed % 3, n)],
        "work": [f"work {code}" for code in np.minimum(rng.geometric(0.5, n), 2 + seed % 2)],
        "illness": [f"illness {code}" for code in illness],
        "income": np.round(rng.lognormal(3, 0.5, n)).astype(np.int64),
    }
    schema = unveil.Schema(nominal=["town", "work", "illness"], numeric=["income"])
    data = unveil.Microdata(pl.DataFrame(columns), schema)
    return Counted(data, ("town", "work"), ("illness", "income"))


def evenly(values):
    """Two classes, in each of which so many values are equally frequent."""
    many = 12 * values
    columns = {
        "town": ["north"] * many + ["south"] * many,
        "illness": [f"illness {i % values}" for i in range(2 * many)],
    }
    data = unveil.Microdata(pl.DataFrame(columns), unveil.Schema(nominal=["town", "illness"]))
    return Counted(data, ("town",), ("illness",))


def with_gaps():
    """A class of three and a class of one, whose key is missing."""
    columns = {"town": ["north", "north", "north", None], "illness": ["a", "b", "b", "c"]}
    data = unveil.Microdata(pl.DataFrame(columns), unveil.Schema(nominal=["town", "illness"]))
    return Counted(data, ("town",), ("illness",))


def sample():
    """The embedded sample; what is missing is a category, since pycanon cannot count a gap."""
    people = unveil.households(3000, seed=7)
    frame = people.to_frame("polars").with_columns(pl.col(pl.String).fill_null("not told"))
    nominal = ["region", "sex", "marital_status", "occupation"]
    schema = unveil.Schema(nominal=nominal, numeric=["age", "household_size"])
    data = unveil.Microdata(frame.select(*nominal, "age", "household_size"), schema)
    return Counted(data, ("region", "sex"), ("occupation", "age", "household_size"))


def made_up():
    """The tables that need no file."""
    found = {f"drawn {seed}": drawn(seed) for seed in range(12)}
    found |= {f"evenly {values}": evenly(values) for values in (1, 2, 3, 5, 6, 7)}
    return found | {"with gaps": with_gaps(), "sample": sample()}


def of_adult(train):
    """Adult's training file as it is, and a release of it in which each class has two salaries."""
    data, secret = adult(train), (SALARY, HOURS)
    diverse = masks.Mondrian(k=5, models=[models.LDiversity(l=2)])
    return {
        "adult": Counted(data, ADULT_KEYS, secret),
        "adult, mondrian": Counted(unveil.mask(data, diverse).data, ADULT_KEYS, secret),
    }
