"""Identity disclosure: what an attack's links are worth, and what to hold that against."""

from math import floor
from typing import Any

import msgspec
import numpy as np

from unveil.measures.identity.chance import random_links
from unveil.measures.identity.claims import claims, control
from unveil.measures.identity.confidence_interval import wilson
from unveil.measures.identity.hits import LOOKED_AT, hits
from unveil.measures.identity.permutation import permutation_law
from unveil.support.arrays import Ints
from unveil.values.links import Links
from unveil.values.results.risk import Risk

MANY = 1000  # candidates: of so many, links are right as if independently
DRAWS, MOST_DRAWN = 199, 5_000  # other truths that are drawn, for at most so many records


def risk(links: Links, *, outsiders: Links | None = None) -> Risk:
    """All that is to be said of one attack in numbers.

    Parameters
    ----------
    links
        Of an attack, with the truth known.
    outsiders
        Links of the same attack on people who are known not to be in the release, as
        `links.on(people)` makes them; without them each record's own row is taken out.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5, columns=["age"])], seed=7)
    >>> knows = unveil.Intruder(knows=["age"])
    >>> print(risk(unveil.attack(sample, swapped, unveil.attacks.Rank(), intruder=knows)))
    rank links ... of 500 (...%, all of them attacked; a guess links 1, no attack ... than ...)
    """
    each = hits(links)
    n = int((links.true_rows >= 0).sum())
    expected = float(np.sort(each).sum())  # the same digits in whatever order the rows stand
    some = links.sample(LOOKED_AT) if links.finder.margins else None
    others = None if outsiders is None else outsiders.sample(LOOKED_AT)
    return Risk(
        attack=links.name,
        parameters=parameters_of(links),
        direction=links.intruder.direction,
        intruder=links.intruder.to_dict(),
        attributes=links.finder.columns,
        expected=expected,
        unique=int((each == 1).sum()),
        confirmed=None if some is None else claims(some),
        n=n,
        absent=len(links) - n,
        population=links.population,
        candidates=links.candidates,
        share=expected / n if n else 0.0,
        ceiling=ceiling(links),
        interval=wilson(expected, n, links.population) if n else None,
        baseline=baseline(links),
        control=None if some is None else control(some, outsiders=others),
        p_value=p_value(links),
        supervised=links.finder.supervised,
        seed=links.seed,
    )


def p_value(links: Links, *, draws: int = DRAWS) -> float:
    """The probability of so many right links or more, if the attack knew nothing.

    It goes from 0 to 1. A small one, below 0.01 say, means that chance does not explain what was
    found; it does not mean that much was found.

    By the binomial law, where nothing ties and all have the same number of candidates, 1,000 or
    more: true rows are different rows, and of few candidates that tells. Else by drawing other
    truths, which is never below 1 / (draws + 1); and of more than 5,000 records, where that
    takes long, by Poisson's law with a guess's hits as its mean: it varies at least as much.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> links = unveil.attack(people, people, unveil.attacks.Distance(), truth="person")
    >>> p_value(links) < 0.01
    True
    """
    n = int((links.true_rows >= 0).sum())
    if not n:
        return 1.0
    each = hits(links)
    found = float(np.sort(each).sum())
    choices = np.unique(links.finder.n_candidates(links.records[links.true_rows >= 0]))
    if len(choices) == 1 and choices[0] >= MANY and np.isin(each, (0, 1)).all():
        return random_links(n, int(choices[0])).at_least(found)
    if n <= MOST_DRAWN:
        return permutation_law([links], draws=draws).at_least(found)
    from scipy.stats import poisson

    return float(poisson.sf(floor(found + 1e-9) - 1, baseline(links)))


def ceiling(links: Links) -> float:
    """How many right links no attack that sees these attributes only can expect to exceed.

    Released rows that are equal in all of them cannot be told apart: of all links with such rows
    at most one is right on average, whoever makes them. So the most is the number of different
    released rows, and an attack that comes near it could hardly do better.

    When everybody is attacked it is that number; of a sample, each record counts its share of its
    row's class.

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
        return float(np.count_nonzero(np.bincount(classes[links.records[known]])))
    return _shares(np.bincount(classes)[classes[links.true_rows[known]]])


def baseline(links: Links) -> float:
    """How many links are right, on average, for somebody who picks rows at random.

    It is what an attack has to beat. For as many people as there are released rows it is 1,
    however many they are; where records are compared with some of the rows only, each with those
    of its block, it is more.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> baseline(unveil.attack(people, people, unveil.attacks.Distance(), truth="person"))
    1.0
    """
    known = links.true_rows >= 0
    records, true = links.records[known], links.true_rows[known]
    return _shares(links.finder.n_candidates(records)[links.finder.compares(records, true)])


def _shares(sizes: Ints) -> float:
    """The sum of 1 / size, as many of one size at a time: wholes stay whole."""
    each, many = np.unique(sizes, return_counts=True)
    return float((many / each).sum())


def parameters_of(links: Links) -> dict[str, Any]:
    """What was asked for beyond the defaults, in plain values."""
    spec = links.attack
    defaults = {field.name: field.default for field in msgspec.structs.fields(type(spec))}
    given = {name: getattr(spec, name) for name in spec.__struct_fields__}
    kept = {name: value for name, value in given.items() if value != defaults[name]}
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(kept, enc_hook=lambda thing: type(thing).__name__)
    )
    return plain
