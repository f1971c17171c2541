"""Risk: expected correct links of an attack, with their baseline, ceiling, interval and p-value."""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
import numpy as np

from unveil.measures.identity.chance import baseline, sum_of_quotients
from unveil.measures.identity.claims import claims, control
from unveil.measures.identity.confidence_interval import wilson
from unveil.measures.identity.hits import SAMPLE_SIZE, hits
from unveil.measures.identity.significance import significance
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Ints
from unveil.support.specs import fields_of
from unveil.values.links import Links, TrueLinks
from unveil.values.results.risk import Risk


def risk(links: Links, *, outsiders: Links | None = None) -> Risk:
    """The identity disclosure risk of one attack, in numbers.

    For its control, `outsiders` are links of the same attack on people who are known not to be in
    the release, from `links.on(people)`; by default each record is attacked without its own row.

    >>> import unveil
    >>> sample = unveil.households(500, seed=7)
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=5, columns=["age"])], seed=7)
    >>> knows = unveil.Intruder(knows=["age"])
    >>> print(risk(unveil.attack(sample, swapped, unveil.attacks.Rank(), intruder=knows)))
    rank links ... of 500 (...%, all of them attacked; a guess links 1, no attack ... than ...)
    """
    per_record = hits(links)
    n = links.n_with_truth
    expected = float(np.sort(per_record).sum())  # the same digits for every order of the rows
    sampled = links.sample(SAMPLE_SIZE) if links.finder.margins else None
    others = None if outsiders is None else outsiders.sample(SAMPLE_SIZE)
    by_chance = significance(links)
    return Risk(
        attack=links.name,
        parameters=parameters_of(links),
        direction=links.intruder.direction,
        intruder=links.intruder.to_dict(),
        attributes=links.finder.columns,
        expected=expected,
        unique=int((per_record == 1).sum()),
        confirmed=None if sampled is None else claims(sampled),
        n=n,
        absent=int((links.true_rows < 0).sum()),
        population=links.population,
        candidates=links.candidates,
        share=expected / n if n else 0.0,
        ceiling=None if hides_grouping(links) else ceiling(links),
        interval=wilson(expected, n, links.population) if n else None,
        baseline=baseline(links),
        control=None if sampled is None else control(sampled, outsiders=others),
        p_value=by_chance.p_value,
        law_of_chance=by_chance.law,
        supervised=links.finder.supervised,
        seed=links.seed,
    )


def hides_grouping(links: Links) -> bool:
    """Whether the release shows who lives together, and the attack does not use it all."""
    return links.pair.shows_households and not getattr(links.finder, "uses_grouping", False)


def ceiling(links: Links, known: Sequence[str] = ()) -> float:
    """The most correct links that any attack can expect of an intruder who knows these attributes.

    Released rows that are written alike in all of them cannot be distinguished: of all links to
    such a class, one is right on average. So the ceiling is the number of different released rows,
    and an attack that comes near it can hardly be improved.

    `known` are attributes that the intruder knows and the attack does not compare. If only a
    sample is attacked, each record counts its share of its row's class. A household finds most
    where the class of one of its groups has the largest share of its members.

    >>> import unveil
    >>> people = unveil.households(100)
    >>> intruder = unveil.Intruder(knows=["sex"])
    >>> attack = unveil.attacks.Distance()
    >>> round(ceiling(unveil.attack(people, people, attack, intruder=intruder, truth="person")))
    2
    """
    return expected_of_classes(
        _written_classes(links, known), links.true_links, reverse=links.intruder.reverse
    )


def expected_of_classes(classes: Ints, true: TrueLinks, *, reverse: bool = False) -> float:
    """The most correct links that can be expected if no row can be told from its class."""
    if reverse:  # all rows of one class are linked to the same record
        of, to = classes[true.records], true.rows
    else:
        of, to = true.records, classes[true.rows]
    keys, place = np.unique(of * (int(to.max(initial=0)) + 1) + to, return_inverse=True)
    counts = np.asarray(np.bincount(place, true.counts), np.float64)
    of, to = np.divmod(keys, int(to.max(initial=0)) + 1)
    sizes = np.ones(len(of), np.int64) if reverse else np.bincount(classes)[to]
    order = np.lexsort((counts / sizes, of))
    best = order[np.diff(of[order], append=-1) != 0]
    return sum_of_quotients(counts[best], sizes[best])


def _written_classes(links: Links, known: Sequence[str]) -> Ints:
    """The class of each released row: written alike in all columns, and alike to the attack."""
    classes, release = links.finder.classes(), links.pair.release
    columns = [n for n in dict.fromkeys((*links.compared, *known)) if n in release.columns]
    if not columns or not links.attack.needs_common_attributes:
        return classes
    written = classes_of(release, columns)
    both = written.scatter(np.arange(len(written.sizes))) * (int(classes.max()) + 1) + classes
    return np.unique(both, return_inverse=True)[1]


def parameters_of(links: Links) -> dict[str, Any]:
    """The attack's parameters that are not the defaults, in plain values."""
    spec = cast("msgspec.Struct", links.attack)
    changed = {
        field.name: getattr(spec, field.name)
        for field in fields_of(type(spec))
        if getattr(spec, field.name) != field.default
    }
    plain: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(changed, enc_hook=lambda value: type(value).__name__)
    )
    return plain
