"""Identity disclosure: how many records are linked with the right row, and what that is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import msgspec
import numpy as np

from unveil.data.risk import Claims, Risk
from unveil.engines.records import whole_number
from unveil.errors import UsageError
from unveil.measures.interval import wilson
from unveil.measures.significance import permutation_law, random_links

if TYPE_CHECKING:
    from unveil.data.encode import Floats
    from unveil.data.links import Links

Ties = Literal["expected", "unique", "any", "first"]
CLEAR = 0.5  # the margin of a clear link: the second best is at least twice as far
LOOKED_AT = 2000  # records on which what takes long is measured
MOST_PLACES = 1000


def hits(links: Links, *, ties: Ties = "expected") -> Floats:
    """For each record the probability that the attack links it with its true row: its risk.

    Parameters
    ----------
    links
        Of an attack, with the truth known.
    ties
        What a tie with the true row is worth: its share ("expected"), nothing ("unique"), a
        whole hit ("any"), or one if the true row stands first in the file ("first"). The last
        two are for reproducing published tables and for nothing else: "any" rewards an attack
        that tells nobody from anybody, "first" depends on the order of the rows.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(hits(links).max())
    1.0
    """
    if ties not in get_args(Ties):
        raise UsageError(f"ties: one of {', '.join(get_args(Ties))}")
    if ties == "first":
        first: Floats = ((links.best == links.true_rows) & (links.best >= 0)).astype(np.float64)
        return first
    found = links.n_closer == 0
    worth = {"expected": 1 / np.where(found, 1 + links.n_tied, 1), "unique": links.n_tied == 0}
    return np.asarray(found * worth.get(ties, 1.0), np.float64)


class Curve(NamedTuple):
    """The share of the records whose true row is among the k best, for k = 1, 2, ..."""

    share: Floats
    n: int  # records looked at
    population: int


def top_k(links: Links, most: int = 10, *, sample: int = LOOKED_AT) -> Curve:
    """How often the true row is among the k best candidates, ties counted by their share.

    For each record clip((k - n_closer) / (1 + n_tied), 0, 1). Counting who is closer takes
    longer than asking whether anybody is: of many records a sample is looked at.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> top_k(links, 3).share.round(2).tolist()
    [1.0, 1.0, 1.0]
    """
    most = whole_number(most, "most", 1, MOST_PLACES)
    some = links.sample(sample)
    known = some.true_rows >= 0
    closer, tied = some.against(most)
    places = np.arange(1, most + 1)[:, None]
    within = np.clip((places - closer) / (1 + np.maximum(tied, 0)), 0.0, 1.0)
    within[:, (closer < 0) | (closer >= most)] = 0.0
    n = int(known.sum())
    return Curve(within.sum(axis=1) / max(n, 1), n, links.population)


def ceiling(links: Links) -> float:
    """What no attack that sees these attributes only can expect to exceed.

    Released rows that are equal in them cannot be told apart, and so share one hit. When
    everybody is attacked it is the number of different released rows; of a sample, each
    record counts its share of its row's class.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> intruder = unveil.Intruder(knows=["sex"])
    >>> attack = unveil.attacks.Distance()
    >>> round(ceiling(unveil.attack(people, people, attack, intruder=intruder, truth="person")))
    2
    """
    classes = links.finder.classes()
    known = links.true_rows >= 0
    if links.intruder.reverse:  # the rows of one class all look for the same record
        return float(len(np.unique(classes[links.records[known]])))
    sizes = np.bincount(classes)
    return float((1 / sizes[classes[links.true_rows[known]]]).sum())


def baseline(links: Links) -> float:
    """How many hits somebody can expect who links at random, inside each block.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> baseline(unveil.attack(people, people, unveil.attacks.Distance(), truth="person"))
    1.0
    """
    total = 0.0
    for part in links.finder.parts(links.records):
        true = links.true_rows[part.records]
        total += np.isin(true, part.candidates).sum() / max(len(part.candidates), 1)
    return float(total)


def margins(links: Links, *, without_true: bool = False) -> Floats:
    """How much nearer the best candidate is than the second: 0 for a tie, 1 for no distance.

    It is what an intruder sees who does not know the truth. `without_true` takes the true
    row out of the candidates, as if its person were not in the release. A record with
    one candidate only has margin 1, with none -1.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> float(margins(links).max())
    1.0
    """
    rows, scores = links.found.rows, links.found.scores
    if without_true:
        gone = rows == links.true_rows[:, None]
        order = np.argsort(gone, axis=1, kind="stable")
        scores = np.take_along_axis(np.where(gone, np.inf, scores), order, axis=1)
    best, second = scores[:, 0], scores[:, 1]
    size = np.maximum(np.abs(second), np.abs(best))
    with np.errstate(invalid="ignore", divide="ignore"):
        margin = np.where(np.isinf(second), 1.0, (second - best) / np.where(size > 0, size, 1.0))
    return np.where(np.isinf(best), -1.0, margin)


def claims(links: Links, margin: float = CLEAR) -> Claims:
    """The links that an intruder claims who demands a margin, and how many of them are right.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> claims(links).claimed == claims(links).right
    True
    """
    claimed = margins(links) >= _margin(margin)
    return Claims(len(links), int(claimed.sum()), float(hits(links)[claimed].sum()))


def control(links: Links, margin: float = CLEAR, *, outsiders: Links | None = None) -> Claims:
    """What the same intruder would claim of people who are not in the release: all of it wrong.

    Each record is attacked with its own row taken out; or `outsiders` are links of the same
    attack, of people who are known not to be in the release.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> control(links).right
    0.0
    """
    looked = margins(links, without_true=True) if outsiders is None else margins(outsiders)
    return Claims(len(looked), int((looked >= _margin(margin)).sum()), 0.0)


class Precision(NamedTuple):
    """For each margin that an intruder may demand: what is claimed, and how much of it is right."""

    margin: Floats
    coverage: Floats  # the share of the records that are claimed
    precision: Floats  # the share of the claims that are right; NaN where nothing is claimed
    control: Floats  # the share claimed of people who are not in the release
    n: int


def precision(links: Links, *, sample: int = LOOKED_AT, steps: int = 20) -> Precision:
    """Precision against coverage, for an intruder who claims only links with a clear margin.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> precision(links).n
    100
    """
    some = links.sample(sample)
    demanded = np.arange(steps) / whole_number(steps, "steps", 1, 1000)
    own, other, right = margins(some), margins(some, without_true=True), hits(some)
    claimed = own >= demanded[:, None]
    many = claimed.sum(axis=1)
    return Precision(
        demanded,
        many / len(some),
        np.where(many > 0, (claimed * right).sum(axis=1) / np.maximum(many, 1), np.nan),
        (other >= demanded[:, None]).mean(axis=1),
        len(some),
    )


class AtRisk(NamedTuple):
    """ARX's three numbers: records above a threshold, the highest risk, the mean risk."""

    above: float  # share of the records
    highest: float
    mean: float
    threshold: float


def at_risk(links: Links, threshold: float = 0.2) -> AtRisk:
    """The share of records whose risk is above a threshold, the highest and the mean risk.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> at_risk(links).highest
    1.0
    """
    if not 0 <= threshold <= 1:
        raise UsageError("threshold: a number from 0 to 1")
    each = hits(links)[links.true_rows >= 0]
    if not len(each):
        return AtRisk(0.0, 0.0, 0.0, threshold)
    return AtRisk(
        float((each > threshold).mean()), float(each.max()), float(each.mean()), threshold
    )


def risk(links: Links, *, outsiders: Links | None = None) -> Risk:
    """All that is to be said of one attack in numbers.

    Parameters
    ----------
    links
        Of an attack, with the truth known.
    outsiders
        Links of the same attack, of people who are known not to be in the release; without
        them each record's own row is taken out.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5, columns=["age"])], seed=7)
    >>> knows = unveil.Intruder(knows=["age"])
    >>> print(risk(unveil.attack(sample, swapped, unveil.attacks.Rank(), intruder=knows)))
    rank links ... of 500 (...%, all records attacked; a guess links 1, no attack ... than ...)
    """
    each = hits(links)
    n = int((links.true_rows >= 0).sum())
    expected = float(np.sort(each).sum())  # the same digits in whatever order the rows stand
    some = links.sample(LOOKED_AT)
    return Risk(
        attack=links.name,
        parameters=_parameters(links),
        direction=links.intruder.direction,
        intruder=links.intruder.to_dict(),
        attributes=links.finder.columns,
        expected=expected,
        unique=int((each == 1).sum()),
        confirmed=claims(some),
        n=n,
        absent=len(links) - n,
        population=links.population,
        candidates=links.candidates,
        share=expected / n if n else 0.0,
        ceiling=ceiling(links),
        interval=wilson(expected, n, links.population) if n else None,
        baseline=baseline(links),
        control=control(some, outsiders=outsiders),
        p_value=p_value(links),
        supervised=links.finder.supervised,
        seed=links.seed,
    )


def p_value(links: Links, *, draws: int = 199) -> float:
    """The probability of so many hits or more, if the attack knew nothing.

    By the binomial law; where ties, blocks or fractions of hits need it, by drawing other
    truths, of at most 2,000 records.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> p_value(links) < 0.01
    True
    """
    known = links.true_rows >= 0
    if not known.any():
        return 1.0
    each = hits(links)
    if len(links.finder.parts(links.records)) == 1 and np.isin(each, (0, 1)).all():
        return random_links(int(known.sum()), links.candidates).at_least(float(each.sum()))
    some = links.sample(LOOKED_AT)
    return permutation_law([some], draws=draws).at_least(float(hits(some).sum()))


def _margin(given: float) -> float:
    if not 0 <= given <= 1:
        raise UsageError("margin: a number from 0 to 1")
    return float(given)


def _parameters(links: Links) -> dict[str, Any]:
    """What was asked for beyond the defaults, in plain values."""
    spec = links.attack
    defaults = {field.name: field.default for field in msgspec.structs.fields(type(spec))}
    given = {name: getattr(spec, name) for name in spec.__struct_fields__}
    kept = {name: value for name, value in given.items() if value != defaults[name]}
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(kept, enc_hook=lambda thing: type(thing).__name__)
    )
    return plain
