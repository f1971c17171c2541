"""A made-up household survey, and the releases of it that the benchmark and the tests attack.

It is of the kind that statistical offices of poorer countries make: households of 1 to 10, what
their dwellings are like, who lives in them, and what they have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from unveil import Microdata, Schema, masks

DWELLING = ("urbrur", "roof", "walls", "water", "electricity")
NUMBERS = ("age", "expenditure", "income", "savings")
CATEGORIES = (*DWELLING, "relation", "sex", "civil_status")
WEIGHTS = ("weight", "household_weight")
VALUES = (*CATEGORIES, *NUMBERS)  # what an intruder may know
SEVEN = (*DWELLING, "relation", "sex")
EIGHT = (*SEVEN, "age")
MONEY = NUMBERS[1:]
# Shares of households with 1, 2, ... 10 members: 4.6 on average, and 2.5.
LARGE_HOUSEHOLDS = (0.06, 0.11, 0.16, 0.19, 0.17, 0.13, 0.08, 0.05, 0.03, 0.02)
SMALL_HOUSEHOLDS = (0.255, 0.33, 0.20, 0.135, 0.05, 0.02, 0.005, 0.003, 0.001, 0.001)
# Shares in a poor and in a rich household: the dwelling lies between the two by its wealth.
MATERIALS = {
    "roof": ((0.20, 0.10, 0.35, 0.33, 0.02), (0.01, 0.04, 0.13, 0.81, 0.01)),
    "walls": ((0.40, 0.17, 0.42, 0.01), (0.01, 0.03, 0.93, 0.03)),
    "water": (
        (0.20, 0.10, 0.50, 0.12, 0.05, 0.02, 0.01),
        (0.85, 0.08, 0.03, 0.02, 0.01, 0.005, 0.005),
    ),
}
HEAD, SPOUSE, CHILD, PARENT, GRANDCHILD, RELATIVE, OTHER = range(1, 8)
SINGLE, MARRIED, WIDOWED, DIVORCED = range(1, 5)


def survey(households, seed, sizes=LARGE_HOUSEHOLDS, *, declared=False):
    """A survey of so many households; `declared` says which columns all members share."""
    rng = np.random.default_rng(seed)
    homes, home = _homes(rng, households, sizes)
    people = _people(rng, home)
    columns = {
        **{name: homes[name][home] for name in DWELLING},
        **people,
        **_money(rng, homes["wealth"], home, people),
        **{name: homes[name][home] for name in WEIGHTS},
        "household": home + 1,
    }
    schema = Schema(
        quasi=VALUES,
        household="household",
        weight="weight",
        other="household_weight",
        nominal=CATEGORIES,
        numeric=(*NUMBERS, *WEIGHTS),
        per_household=(*DWELLING, *WEIGHTS) if declared else (),
    )
    return Microdata(pl.DataFrame(columns), schema)


def _homes(rng, n, sizes):
    """The columns of households, and the household of each person."""
    size = rng.choice(len(sizes), n, p=np.array(sizes) / sum(sizes)) + 1
    urban = rng.random(n) < 0.15
    wealth = np.clip(rng.normal(0.45 + 0.25 * urban, 0.2, n), 0, 1)
    homes = {"wealth": wealth, "urbrur": 2 - urban.astype(np.int64)}
    for name, (poor, rich) in MATERIALS.items():
        ends = np.cumsum(np.outer(1 - wealth, poor) + np.outer(wealth, rich), axis=1)
        homes[name] = 1 + (rng.random(n)[:, None] > ends[:, :-1]).sum(axis=1)
    homes["electricity"] = 1 + (rng.random(n) > 0.15 + 0.8 * wealth).astype(np.int64)
    homes["weight"] = np.where(urban, 130, 90) + 10 * rng.integers(0, 4, n)
    homes["household_weight"] = np.round(homes["weight"] * rng.choice([0.9, 1, 1.1], n) / size, 1)
    return homes, np.repeat(np.arange(n), size)


def _people(rng, home):
    """Relation to the head, sex, age and civil status."""
    n, size = len(home), np.bincount(home)
    place = np.arange(n) - np.repeat(np.cumsum(size) - size, size)
    head_age = np.clip(rng.gamma(9, 5, len(size)), 18, 90)
    couple = rng.random(len(size)) < 0.75
    drawn = rng.choice(
        [CHILD, PARENT, GRANDCHILD, RELATIVE, OTHER], n, p=[0.72, 0.05, 0.1, 0.1, 0.03]
    )
    relation = np.where(place == 0, HEAD, np.where((place == 1) & couple[home], SPOUSE, drawn))
    gap = np.array([0, 0, 3, 26, -24, 45, 10, 15])[relation]
    spread = np.array([0, 0, 4, 6, 5, 6, 18, 18])[relation]
    age = np.abs(np.round(head_age[home] - gap + spread * rng.normal(size=n))).clip(0, 95)
    woman_heads = rng.random(len(size)) < np.where(couple, 0.05, 0.5)
    female = np.where(relation == SPOUSE, ~woman_heads[home], rng.random(n) < 0.5)
    female = np.where(relation == HEAD, woman_heads[home], female)
    lives_in_couple = ((relation == HEAD) & couple[home] & (size[home] > 1)) | (relation == SPOUSE)
    alone = np.where(rng.random(n) < age / 110, WIDOWED, SINGLE)
    alone = np.where(rng.random(n) < 0.06, DIVORCED, alone)
    civil = np.where(lives_in_couple, MARRIED, np.where(age < 18, SINGLE, alone))
    return {
        "relation": relation,
        "sex": 1 + female,
        "age": age.astype(np.int64),
        "civil_status": civil,
    }


def _money(rng, wealth, home, people):
    """Expenditure, income and savings: skewed, higher in rich households and at working age."""
    n, age = len(home), people["age"]
    level = 2.5 * wealth[home] + 0.02 * np.minimum(age, 50)
    income = np.exp(9 + level + rng.normal(0, 0.7, n))
    expenditure = income * np.exp(rng.normal(-0.3, 0.4, n))
    savings = np.where(age < 15, 0.2, 1) * np.exp(7.5 + 1.5 * level + rng.normal(0, 1.2, n))
    amounts = {"expenditure": expenditure, "income": income, "savings": savings}
    return {name: np.round(amount, -1).astype(np.int64) for name, amount in amounts.items()}


class Scenario(NamedTuple):
    """A plan, and what the intruder knows: all values, or categories alone."""

    plan: list[masks.Mask]
    values: tuple[str, ...] = VALUES
    categories: tuple[str, ...] = CATEGORIES


def by_person():
    """Four releases whose masks know persons only, the strongest first."""
    return {
        "strong": Scenario([masks.Microaggregation(k=10, columns=VALUES)]),
        "final": Scenario([*_final(masks.LocalSuppression(k=3, columns=EIGHT))], *FINAL),
        "medium": Scenario([*_medium("record")]),
        "light": Scenario([masks.RankSwapping(p=5, columns=NUMBERS)]),
    }


def by_household():
    """The same with masks that know households, for a survey that declares what members share."""
    swap = masks.RecordSwapping(
        geography=["urbrur"], carry=DWELLING[1:], keys=DWELLING, k=10, similar=[()]
    )
    stars, ranges = (
        one(k=3, columns=EIGHT, unit="household")
        for one in (masks.LocalSuppression, masks.Mondrian)
    )
    return {
        "strong": by_person()["strong"],
        "strong, weights too": Scenario(
            [masks.Microaggregation(k=10, columns=(*VALUES, *WEIGHTS))]
        ),
        "final": Scenario([*_final(stars)], *FINAL),
        "final, weights too": Scenario([*_final(stars), _weights()], *FINAL),
        "final, ranges": Scenario([ranges, masks.Microaggregation(k=10, columns=MONEY)], *FINAL),
        "medium": Scenario([*_medium("household")]),
        "light, swapped": Scenario([swap, *by_person()["light"].plan]),
    }


FINAL = (*EIGHT, *MONEY), EIGHT  # civil status is no key there


def _final(stars):
    bands = masks.GlobalRecoding(intervals=10, columns=["age"])
    return bands, stars, masks.Microaggregation(k=10, columns=MONEY)


def _weights():
    return masks.Microaggregation(k=10, columns=WEIGHTS, name="weights")


def _medium(unit):
    stars = masks.LocalSuppression(k=3, columns=SEVEN, unit=unit)
    return stars, masks.Microaggregation(k=3, columns=NUMBERS)
