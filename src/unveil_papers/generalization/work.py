"""What is run for Armengol and Torra (2015): Adult as they prepared it, patterns and trees."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import unveil
from unveil import Microdata, masks, measures, models
from unveil_papers.datasets import dataset
from unveil_papers.framework.experiment import Figures, seed_of
from unveil_papers.framework.tools import Ints, percent

Bools = NDArray[np.bool_]

DATA = ("adult_train", "adult_test")
DB, UCI = DATA
KEYS = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex",
        "native-country")  # fmt: skip
AGES = ("low-19", *(f"{low}-{low + 4}" for low in range(20, 90, 5)), "high-90")
SALARY, RICH, STAR = "salary-class", ">50K", "*"
SIZES = (5, 10, 20, 30)
FIRST = ("sex", "native-country")  # those with the fewest values, and with the most
SAMPLED, DRAWS, FOLDS = 11486, 100, 10
GROUPS = {  # whom discards fall on
    "born in the United States": ("native-country", "United-States"),
    **{race: ("race", race) for race in
       ("White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other")},
}  # fmt: skip
RELEASES: dict[str, Callable[[int], masks.Mask]] = {
    "disjoint (>,<)": lambda k: masks.AntiUnification(k=k),
    "disjoint (<,>)": lambda k: masks.AntiUnification(k=k, order="<>"),
    "disjoint, not by salary": lambda k: masks.AntiUnification(k=k, by_confidential=False),
    "Mondrian, stars": lambda k: masks.Mondrian(k=k, cells="stars"),
    "Mondrian, commonest": lambda k: masks.Mondrian(k=k, cells="means"),
}


@cache
def adult(name: str) -> Microdata:
    """One of the files as the paper prepares it: eight attributes, ages in fives, the salary."""
    frame = dataset(name).to_frame("polars").select(*KEYS, SALARY)
    ages = [AGES[place] for place in np.digitize(frame["age"], range(20, 91, 5))]
    schema = unveil.Schema(
        quasi=KEYS, confidential=SALARY, nominal=[*KEYS[1:], SALARY], ordinal={"age": AGES}
    )
    return unveil.Microdata(frame.with_columns(pl.Series("age", ages)), schema)


@cache
def categories() -> dict[str, list[str]]:
    """The values of each attribute, in both files."""
    both = {key: pl.concat([adult(name).column(key) for name in DATA]) for key in KEYS}
    return {key: sorted(column.drop_nulls().unique()) for key, column in both.items()}


def coded(data: Microdata) -> Ints:
    """The value of each cell; -1 where it is unknown, a star, or several."""
    columns = [
        data.column(key).cast(pl.Enum(values), strict=False).to_physical().cast(pl.Int64)
        for key, values in categories().items()
    ]
    return np.column_stack([column.fill_null(-1).to_numpy() for column in columns])


def rich(data: Microdata) -> Ints:
    """The class: 1 for the higher salary."""
    found: Ints = (data.column(SALARY) == RICH).to_numpy().astype(np.int64)
    return found


def tree(data: Microdata, **how: Any) -> Any:
    """J48's tree, learnt from a table."""
    return measures.decision_tree(data, SALARY, values=categories(), **how)


@cache
def asked(name: str) -> tuple[Ints, Ints]:
    """The codes and the classes of a file."""
    return coded(adult(name)), rich(adult(name))


def right(tree: Any, name: str = UCI) -> Bools:
    """Which records of a file a tree classes rightly."""
    correct: Bools = tree.correct(adult(name))
    return correct


def tested(tree: Any, seed: int) -> dict[str, float | list[float]]:
    """How well a tree does on the three files of the paper; the first is drawn again and again."""
    known = right(tree, DB)
    draws = (np.random.default_rng(seed_of(seed, "S1", run)) for run in range(DRAWS))
    return {
        "S1": [percent(known[rng.choice(len(known), SAMPLED, replace=False)]) for rng in draws],
        "uci": percent(right(tree)),
        "DB": percent(known),
        "leaves": tree.leaves,
    }


def of_original(*, seed: int) -> Figures:
    """The original: its tree, and what the paper says of the file."""
    people = adult(DB)
    unknown = [(coded(adult(name)) < 0).any(axis=1) for name in DATA]
    codes, own = coded(people), rich(people)
    return {
        **tested(tree(people), seed),
        "train": len(people),
        "test": len(adult(UCI)),
        "unknown": int(unknown[0].sum()),
        "unknown in both": sum(int(one.sum()) for one in unknown),
        "commoner": percent(rich(adult(UCI)) == 0),
        "classes": np.bincount(own).tolist(),
        "alone": measures.uniqueness(people, KEYS).uniques,
        "alike": [alike(codes, own, KEYS.index(name)) for name in FIRST],
    }


def alike(codes: Ints, classes: Ints, by: int) -> float:
    """How likely two records agree in an attribute, in sets of one class and one value: percent.

    The mean over the records, and over the attributes that neither order splits by first.
    """
    own = classes + 2 * codes[:, by]
    own -= own.min()
    agree = []
    for j in set(range(len(KEYS))) - {KEYS.index(name) for name in FIRST}:
        cell = own * 100 + codes[:, j] + 1
        agree.append(np.mean(np.bincount(cell)[cell] / np.bincount(own)[own]))
    return 100 * float(np.mean(agree))


@cache
def patterns_of(order: str, k: int) -> Any:
    """The paper's patterns, which overlap: how many satisfy each, and who satisfies none."""
    mask = masks.AntiUnification(
        k=k, order="<>" if order == "<>" else "><", assignment="overlapping"
    )
    return mask.patterns(adult(DB))


def of_patterns(order: str, k: int, *, seed: int) -> Figures:
    """The paper's patterns, and what a tree learns from them."""
    found = patterns_of(order, k)
    patterns, supports, rest = found.data, found.supports, found.rest
    stars = np.bincount(_stars(patterns).sum(axis=1), minlength=3)
    return {
        **tested(tree(patterns), seed),
        "patterns": len(patterns),
        "rest": len(rest),
        "least support": int(supports.min()),
        "mean support": float(supports.mean()),
        "stars": (100 * stars / len(patterns)).tolist(),
        "coarse": _coarse(patterns),
    }


def of_learnt(order: str, k: int, *, seed: int) -> Figures:
    """Other trees of the patterns, and of the records that satisfy one."""
    found = patterns_of(order, k)
    patterns, supports, first = found.data, found.supports, first_of(found)
    kept = np.flatnonzero(first < len(patterns))
    return {
        "unpruned": percent(right(tree(patterns, confidence=None))),
        "by support": percent(right(tree(patterns, weights=supports))),
        "by record": percent(right(tree(patterns.take(first[kept])))),
        "kept": percent(right(tree(adult(DB).take(kept)))),
        "crossed": crossed(patterns, seed),
    }


def of_records(order: str, k: int, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """A file with a row for each record, its first pattern: what it promises, tells and loses."""
    people, patterns = adult(DB), patterns_of(order, k)
    sets = measures.anonymity_sets(patterns)
    many = sets.patterns
    kept = np.flatnonzero(many)
    release = patterns.data.take(first_of(patterns)[kept])
    promise = models.check(release, models.KAnonymity(k=k))[0]
    told = 1 - _stars(release).mean()
    return {
        "in several": percent(many[kept] > 1),
        "in few": percent(sets.alike[kept] < k),
        "below": promise.records,
        "smallest": promise.found or 0.0,
        "one salary": _one_salary(release),
        "lost": 100 * (1 - float(told) * len(kept) / len(people)),
        "unknown discarded": percent(many[(coded(people) < 0).any(axis=1)] == 0),
        "groups": _discarded(people, kept),
        "uneven": _uneven(people, kept),
    }


def first_of(patterns: Any) -> Ints:
    """For each record its first pattern; beyond the last one, if it satisfies none."""
    first = np.full(patterns.n, len(patterns))
    np.minimum.at(first, *patterns.of_records)
    return first


def crossed(data: Microdata, seed: int) -> float:
    """How well trees of nine tenths of a table predict the last one: the mean of all, percent."""
    fold = np.random.default_rng(seed_of(seed, "folds")).permutation(len(data)) % FOLDS
    correct = np.zeros(len(data), np.bool_)
    for number in range(FOLDS):
        learnt = tree(data.take(np.flatnonzero(fold != number)))
        tenth = data.take(np.flatnonzero(fold == number))
        correct[fold == number] = learnt.correct(tenth)
    return percent(correct)


def of_ways(order: str, k: int, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """On how many ways patterns are found, and who has none after each condition."""
    listed, left = ways(*asked(DB), order, k)
    return {"listed": listed, "rest": left}


def ways(codes: Ints, classes: Ints, order: str, k: int) -> tuple[int, list[float]]:
    """How long the list is that Figures 1, 3 and 4 make, a pattern once for each way to it.

    Beside it, how many records have none after each condition.
    """
    lists = []

    def search(members: Ints, condition: str, identified: Bools) -> None:
        lists.append(_ways(codes, members, k, condition, ({}, identified)))

    left = rounds(classes, order, k, search)
    return sum(lists), left


def rounds(
    classes: Ints, order: str, k: int, search: Callable[[Ints, str, Bools], None]
) -> list[float]:
    """Search those who have no pattern, again and again, by each condition; how many have none.

    A search is given records of one class and a condition, and marks those that it identifies.
    """
    identified = np.zeros(len(classes), np.bool_)
    after = [0.0] * len(order)
    for own in np.unique(classes):
        members = np.flatnonzero(classes == own)
        for place, condition in enumerate(order):
            left, before = members[~identified[members]], -1
            while len(left) >= k and len(left) != before:
                before = len(left)
                search(left, condition, identified)
                left = members[~identified[members]]
            after[place] += len(left)
    return after


def parts_of(codes: Ints, members: Ints, condition: str) -> list[Ints]:
    """What a set is split into, by every attribute that ties; nothing, where it is a pattern."""
    here = codes[members]
    values = (np.diff(np.sort(here, axis=0), axis=0) != 0).sum(axis=0)
    apart = np.flatnonzero(values)
    if len(apart) <= 2:
        return []
    best = values[apart].max() if condition == ">" else values[apart].min()
    parts: list[Ints] = []
    for j in np.flatnonzero(values == best):
        order = np.argsort(here[:, j], kind="stable")
        parts += np.split(members[order], np.flatnonzero(np.diff(here[order, j])) + 1)
    return parts


def _ways(codes: Ints, members: Ints, k: int, condition: str,
          seen: tuple[dict[bytes, int], Bools]) -> int:  # fmt: skip
    """How many patterns are made of a set and its parts; a set that is met again counts again."""
    known, identified = seen
    if (key := members.tobytes()) in known:
        return known[key]
    if parts := parts_of(codes, members, condition):
        large = [part for part in parts if len(part) >= k]
        listed = sum(_ways(codes, part, k, condition, seen) for part in large)
    else:
        identified[members] = True
        listed = 1
    known[key] = listed
    return listed


def of_release(name: str, k: int, *, seed: int) -> Figures:
    """A file that some mask makes: what it promises, tells and loses, and what is learnt."""
    people = adult(DB)
    release = unveil.mask(people, RELEASES[name](k), seed=seed)
    told, kept = release.data, np.asarray(release.row_map)
    before = people.take(kept)
    same = [told.column(key).eq_missing(before.column(key)).to_numpy() for key in KEYS]
    promise = models.check(told, models.KAnonymity(k=k))[0]
    return {
        "discarded": len(people) - len(release),
        "below": promise.records,
        "smallest": promise.found or 0.0,
        "one salary": _one_salary(told),
        "lost": 100 - percent(np.concatenate(same)) * len(kept) / len(people),
        "uci": percent(right(tree(told))),
        "groups": _discarded(people, kept),
    }


def of_some(*, seed: int) -> Figures:
    """What k = 5 on all but one attribute is worth on all; and `long` as a length."""
    people = adult(DB)
    mask = masks.AntiUnification(k=5, columns=KEYS[:-1])
    release = unveil.mask(people, mask, seed=seed)
    long = masks.AntiUnification(k=5, stars=len(KEYS) - 2, assignment="overlapping")
    found = long.patterns(people)
    return {
        "below": models.check(release, models.KAnonymity(k=5), keys=KEYS)[0].records,
        "below on some": models.check(release, models.KAnonymity(k=5), keys=KEYS[:-1])[0].records,
        "n": len(release),
        "long: rest": len(found.rest),
        "long: stars": float(_stars(found.data).sum(axis=1).mean()),
    }


def _stars(data: Microdata) -> Bools:
    columns = [(data.column(key).cast(pl.String) == STAR).fill_null(value=False) for key in KEYS]
    return np.column_stack([column.to_numpy() for column in columns])


def _coarse(data: Microdata) -> int:
    """How many cells are known and neither a value nor a star."""
    known = np.column_stack([data.column(key).is_not_null().to_numpy() for key in KEYS])
    return int((known & ~_stars(data) & (coded(data) < 0)).sum())


def _one_salary(data: Microdata) -> float:
    """The share of the rows whose like all have the same salary, in percent."""
    return 100 * measures.diversity(data, KEYS)[0].homogeneous / len(data)


def _discarded(people: Microdata, kept: Ints) -> list[float]:
    """Of each group how many percent are discarded; last, of those not in the first."""
    gone = np.ones(len(people), np.bool_)
    gone[kept] = False
    groups = [(people.column(key) == value).fill_null(value=False).to_numpy()
              for key, value in GROUPS.values()]  # fmt: skip
    return [percent(gone[group]) for group in (*groups, ~groups[0])]


def _uneven(people: Microdata, kept: Ints) -> list[float]:
    """Of how many groups more is discarded than chance explains, and of how many in all.

    By race and country: half as much again as of all, and less likely than 0.001 after Bonferroni.
    """
    groupings = measures.subgroups(people, ["race", "native-country"])
    groups = measures.discards(len(people), kept, groupings).groups
    hit = [
        one
        for one in groups
        if (one.discarded_ratio or 0) >= 1.5 and one.chance * len(groups) < 0.001
    ]
    return [len(hit), len(groups)]
