"""The embedded sample: a survey of persons in households, made up but lifelike."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.errors import UsageError
from unveil.support.seeds import stream
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema

Array = NDArray[Any]


REGIONS = ("Northport", "Eastvale", "Southmoor", "Westhaven", "Midland", "Highfell", "Lakeside")
SEXES = ("male", "female")
EDUCATION = ("none", "primary", "lower secondary", "upper secondary", "bachelor", "master")
MARITAL = ("single", "married", "divorced", "widowed")
_TRADES = ("labourer", "driver", "sales", "care", "craft", "clerk")
_PROFESSIONS = ("teacher", "engineer", "manager")
OCCUPATIONS = _TRADES + _PROFESSIONS
NOT_WORKING = ("child", "student", "retired", "at home", "unemployed")

_REGION_SHARE = np.array([0.24, 0.19, 0.17, 0.15, 0.12, 0.08, 0.05])
_REGION_PAY = np.array([1.12, 1.02, 0.92, 1.05, 0.95, 0.85, 1.0])
_SIZE_SHARE = np.array([0.34, 0.33, 0.15, 0.12, 0.04, 0.02])
_OCCUPATION_PAY = np.array([0.75, 0.85, 0.8, 0.85, 0.95, 0.95, 1.1, 1.45, 1.7])
_POPULATION_SHARE = 1 / 400  # the survey's sampling fraction, before rounding

SCHEMA = Schema(
    identifier="person",
    household="household",
    quasi=["region", "sex", "age", "education", "marital_status", "occupation"],
    key=["household_size", "hours"],
    common="income",
    confidential=["tax", "savings", "rent"],
    weight="weight",
    per_household=["region", "household_size"],
    visible=["region", "sex", "age", "marital_status", "occupation", "household_size"],
    nominal=["region", "sex", "marital_status", "occupation"],
    ordinal={"education": EDUCATION},
    numeric=["age", "household_size", "income", "tax", "savings", "rent", "hours", "weight"],
)


def households(n: int = 1000, seed: int = 7) -> Microdata:
    """Make a survey of n persons in households; same n and seed, same records.

    Incomes are correlated with age, education, occupation, hours and household as real ones
    are; there are missing values, skew, zeros and ties. All persons are invented.

    Examples
    --------
    >>> households(1000, seed=7)
    Microdata(1,000 records, 15 columns: 1 identifier, 9 quasi, 4 confidential, ...)
    """
    if n < 1:
        raise UsageError("a sample has at least one record")
    homes = _homes(n, seed)
    people = _people(homes, seed)
    work = _work(people, seed)
    money = _money(homes, people, work, seed)
    home = homes["home"]
    columns = {
        "person": np.arange(1, n + 1),
        "household": home + 1,
        "region": _named(REGIONS, homes["region"][home]),
        "sex": _named(SEXES, people["female"].astype(np.int64)),
        "age": people["age"],
        "education": _named(EDUCATION, people["education"]),
        "marital_status": _named(MARITAL, people["marital"]),
        "occupation": _named(OCCUPATIONS + NOT_WORKING, work["occupation"]),
        "household_size": homes["size"][home],
        **money,
        "hours": work["hours"],
        "weight": homes["weight"][home],
    }
    frame = pl.DataFrame(columns)
    return Microdata(frame.with_columns(_with_gaps(frame, seed)), SCHEMA)


def _named(names: tuple[str, ...], codes: Array) -> pl.Series:
    return pl.Series(names).gather(codes)


def _homes(n: int, seed: int) -> dict[str, Array]:
    """Households, and the household of each of the n persons."""
    draw = stream(seed, "households", "homes")
    size = draw.choice(6, size=n, p=_SIZE_SHARE) + 1
    size = size[: np.searchsorted(np.cumsum(size), n) + 1]
    size[-1] -= size.sum() - n
    count = len(size)
    region = draw.choice(len(REGIONS), size=count, p=_REGION_SHARE)
    response = draw.uniform(0.5, 0.9, size=len(REGIONS))[region] + 0.05 * np.minimum(size, 3)
    calibration = draw.lognormal(0, 0.08, size=count)
    return {
        "size": size,
        "region": region,
        "home": np.repeat(np.arange(count), size),
        "place": np.arange(n) - np.repeat(np.cumsum(size) - size, size),
        "fortune": draw.normal(size=count),  # what a household's members share
        "weight": np.round(calibration / (_POPULATION_SHARE * response), 1),
        "tenant": draw.random(count) < 0.45,
    }


def _people(homes: dict[str, Array], seed: int) -> dict[str, Array]:
    """Sex, age, education and marital status: a head, often a partner, then children."""
    draw = stream(seed, "households", "people")
    home, place, size = homes["home"], homes["place"], homes["size"][homes["home"]]
    n = len(home)
    head_age = np.round(18 + 75 * draw.beta(1.6, 2.1, size=len(homes["size"])))[home]
    has_partner = (draw.random(len(homes["size"])) < 0.75)[home] & (size > 1)
    partner = has_partner & (place == 1)
    child = (place > 0) & ~partner
    age = np.where(partner, head_age - draw.normal(1.5, 4, size=n), head_age)
    age = np.where(child, np.abs(head_age - 20 - draw.gamma(4, 2.5, size=n)), age)
    age = np.clip(np.round(age), np.where(child, 0, 18), 100).astype(np.int64)
    drive = 0.6 * homes["fortune"][home] + 0.8 * draw.normal(size=n)
    reach = 3.1 + 1.1 * drive - 0.02 * np.maximum(age - 45, 0)
    education = np.clip(np.round(reach), 0, np.clip((age - 2) // 5, 0, 5)).astype(np.int64)
    married = (has_partner & (place < 2)) & (draw.random(n) < 0.85)
    alone = draw.random(n)
    once = np.where(alone < np.clip((age - 60) / 50, 0, 0.7), 3, 2)
    single = alone > np.clip((age - 22) / 40, 0, 0.75)
    marital = np.where(married, 1, np.where(single, 0, once))
    return {
        "female": draw.random(n) < np.where(age > 75, 0.6, 0.51),
        "age": age,
        "education": education,
        "marital": marital,
        "drive": drive,
    }


def _work(people: dict[str, Array], seed: int) -> dict[str, Array]:
    """Occupation and hours; hours heap at full and half time."""
    draw = stream(seed, "households", "work")
    age, n = people["age"], len(people["age"])
    rank = people["education"] * 1.35 + 0.8 * people["drive"] + draw.normal(0, 1.2, size=n)
    occupation = np.clip(np.round(rank), 0, len(OCCUPATIONS) - 1).astype(np.int64)
    idle = draw.random(n)
    at_home = (idle > 0.04) & (idle < np.where(people["female"], 0.16, 0.08))
    first = len(OCCUPATIONS)
    for which, code in (
        (idle <= 0.04, first + 4),
        (at_home, first + 3),
        (age >= 60 + draw.integers(0, 9, size=n), first + 2),
        ((age < 18 + 8 * draw.random(n)) & (age > 15), first + 1),
        (age <= 15, first),
    ):
        occupation[which] = code
    works = occupation < first
    usual = draw.choice([40, 38, 35, 20, 45], size=n, p=[0.5, 0.15, 0.1, 0.2, 0.05])
    odd = np.clip(np.round(draw.normal(37, 9, size=n)), 4, 70)
    hours = np.where(draw.random(n) < 0.7, usual, odd) * works
    return {"occupation": occupation, "works": works, "hours": hours.astype(np.int64)}


def _money(
    homes: dict[str, Array], people: dict[str, Array], work: dict[str, Array], seed: int
) -> dict[str, Array]:
    """Income, tax, savings and rent a year: skewed, with zeros; many incomes are round."""
    draw = stream(seed, "households", "money")
    home, age, n = homes["home"], people["age"], len(people["age"])
    pay = np.append(_OCCUPATION_PAY, [0, 0.1, 0.5, 0.05, 0.3])[work["occupation"]]
    place = _REGION_PAY[homes["region"]][home]
    career = 1 + 0.012 * np.clip(age - 22, 0, 33)
    hours = np.where(work["works"], work["hours"] / 40, 1)
    luck = np.exp(0.12 * people["education"] + 0.25 * people["drive"] + draw.normal(0, 0.3, n))
    tail = np.where(draw.random(n) < 0.03, 1 + draw.pareto(2.2, size=n), 1)
    gross = 21_000 * pay * place * career * hours * luck * tail
    none = (draw.random(n) < 0.35) & ~work["works"] & (work["occupation"] != len(OCCUPATIONS) + 2)
    grain = draw.choice([1, 100, 1000], size=n, p=[0.5, 0.3, 0.2])
    income = np.where(none, 0, np.round(gross / grain) * grain)
    bands = 0.2 * np.maximum(income - 9_000, 0) + 0.15 * np.maximum(income - 45_000, 0)
    tax = np.round(bands * np.clip(draw.normal(0.95, 0.06, n), 0.5, 1.2))
    thrift = np.exp(draw.normal(-0.9, 1.2, n) + 0.4 * homes["fortune"][home])
    has_savings = (draw.random(n) < 0.7) & (age > 15)
    savings = np.round(income * np.clip(age - 16, 0, 50) / 20 * thrift / 10) * 10 * has_savings
    rooms = 1.5 + homes["size"]
    level = _REGION_PAY[homes["region"]] * np.exp(
        0.35 * homes["fortune"] + draw.normal(0, 0.2, len(rooms))
    )
    rent = np.round(2_600 * rooms * level / 120) * 120 * homes["tenant"]
    amounts = {"income": income, "tax": tax, "savings": savings, "rent": rent[home]}
    return {name: amount.astype(np.int64) for name, amount in amounts.items()}


def _with_gaps(frame: pl.DataFrame, seed: int) -> list[pl.Series]:
    """Answers that people did not give; the rich keep silent about money more often."""
    gaps = {"education": 0.02, "occupation": 0.03, "hours": 0.02, "savings": 0.08, "rent": 0.015}
    answered = []
    for name, share in gaps.items():
        drawn = stream(seed, "households", name).random(len(frame))
        answered.append(frame[name].set(pl.Series(drawn < share), None))
    rich = frame["income"].to_numpy() > 60_000
    drawn = stream(seed, "households", "income").random(len(frame))
    silent = pl.Series(drawn < np.where(rich, 0.1, 0.03))
    return [*answered, frame["income"].set(silent, None)]
