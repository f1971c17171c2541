"""Link two files about the same people, whether they have attributes in common or not."""

import logging
import os
from typing import Any

import numpy as np

from unveil.attacks import Attack, Structural
from unveil.errors import SchemaError, UsageError
from unveil.files.documents.toml import as_schema
from unveil.measures import forecast, risk
from unveil.measures.identity.forecast import SURE_PROBABILITY
from unveil.measures.identity.risk import parameters_of
from unveil.table.microdata import Microdata
from unveil.table.schema import Schema
from unveil.values.intruder import Intruder
from unveil.values.links import Links
from unveil.values.release.release import Release, Releases
from unveil.values.results.linking import Linkage
from unveil.wording import absent_column
from unveil.workflows.inputs.intruder_view import columns_apart
from unveil.workflows.inputs.link_defaults import (
    check_known,
    chosen,
    common,
    compares,
    like_identifiers,
    nothing_common,
)
from unveil.workflows.inputs.scenario import Scenario, check_kinds, prepare
from unveil.workflows.inputs.sources import as_microdata

EVERYBODY = Intruder()


def link(
    a: Any,
    b: Any,
    spec: Attack | None = None,
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    other_schema: Schema | str | os.PathLike[str] | None = None,
    truth: Any = None,
    seed: int = 0,
) -> Links:
    """Link the records of one file with those of another about (partly) the same people.

    Files that share attributes are compared in these; files that share none are linked by how
    their attributes go together. No truth is needed: `links.pairs()` has a probability for each
    pair, and :func:`unveil.write` writes them. Nothing is searched before it is asked for, and
    the order of the rows means nothing.

    Roles need not be declared. Attributes that both files have are compared; if some of them are
    quasi-identifiers in either schema, those only. Identifiers, weights, households and strata
    are not, nor is the column that tells the truth. To link by fewer, `select` them.

    Parameters
    ----------
    a, b
        Paths, frames or Microdata. For each record of `a` a partner is looked for in `b`, which
        messages call the release; it may be a :class:`~unveil.Release`.
    spec
        The attack, one of :mod:`unveil.attacks`. If not given: `Probabilistic` where three or
        more attributes are common, `Distance` where fewer are, both with probabilities that let
        each row be one record's only; `Structural` where none is.
    schema
        What the columns of `a` are; of both, if `other_schema` is not given, and then either file
        may lack some of them.
    other_schema
        What the columns of `b` are.
    truth
        Who is who, to count right links: the name of an identifier that both files have, the
        path of a row map, the row of `a` of each row of `b` (from 0; -1: none), or "row-order".
    seed
        Of what is drawn.

    Examples
    --------
    >>> import unveil
    >>> people = unveil.households(100, seed=7)
    >>> bank = people.select(["person", "income", "tax", "age"])
    >>> health = people.select(["person", "age", "education", "hours", "savings"])
    >>> unveil.link(bank, health)  # by age, which both have
    Links(distance: 100 records, 100 candidates, truth not known)
    >>> unveil.link(bank.select(["person", "income", "tax"]), health, truth="person")
    Links(structural: 100 records, 100 candidates, truth known)
    """
    first, second = _both(a, b, schema, other_schema)
    scenario = prepare(first, second, intruder=EVERYBODY, truth=truth, seed=seed)
    links = linked(scenario, spec)
    for name, reason in common(scenario).left_out.items() if links.intruder.knows else ():
        logging.getLogger("unveil").warning("column '%s' is not compared: it %s", name, reason)
    return links


def linked(
    scenario: Scenario, spec: Attack | None = None, knows: tuple[str, ...] | None = None
) -> Links:
    """The links of two files that are read; by the attributes named, by what suits if none is.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> scene = prepare(people, people, intruder=EVERYBODY, truth=None, seed=0)
    >>> linked(scene, knows=("age", "rent")).finder.columns
    ('age', 'rent')
    """
    check_known(scenario, knows)
    spec = chosen(scenario, knows) if spec is None else spec
    check_kinds(spec, EVERYBODY, scenario.truth)
    if knows is None and compares(spec):
        knows = common(scenario).columns
        if not knows:
            raise nothing_common(scenario, "leave out the attack, and their structure is compared")
    return scenario.links(spec, Intruder(knows=knows))


def _both(
    a: Any,
    b: Any,
    schema: Schema | str | os.PathLike[str] | None,
    other_schema: Schema | str | os.PathLike[str] | None,
) -> tuple[Microdata, Any]:
    """Both files as Microdata, or the second as the Release that it is."""
    made = isinstance(b, Release | Releases)
    if other_schema is not None:
        if made:
            raise UsageError("a Release has a schema already: leave out other_schema=")
        return as_microdata(a, schema), as_microdata(b, other_schema)
    read = isinstance(a, Microdata), made or isinstance(b, Microdata)
    if schema is not None and all(read):
        raise UsageError("these Microdata have a schema already: leave out schema=")
    declared = as_schema(schema)
    for_all = None if declared is None else declared.where_there()
    first = a if read[0] else as_microdata(a, for_all)
    if for_all is None and read[0]:
        for_all = first.schema.where_there()
    second = b if read[1] else as_microdata(b, for_all)
    if declared is not None and not isinstance(second, Releases):
        check_named(declared, first, second.data if isinstance(second, Release) else second)
    return first, second


def check_named(schema: Schema, first: Microdata, second: Microdata) -> None:
    """Refuse a schema for two files that names a column that neither has.

    >>> import unveil
    >>> people = unveil.households(5)
    >>> check_named(people.schema, people.select(["age"]), people)
    """
    every = tuple(dict.fromkeys((*first.columns, *second.columns)))
    for name in schema:
        if name not in every:
            raise SchemaError(f"of both files, {absent_column(name, every)}")


def linkage(links: Links, scenario: Scenario, *, confidence: float = SURE_PROBABILITY) -> Linkage:
    """What the links of two files come to: attributes, claims, and what the truth says.

    >>> import unveil
    >>> people = unveil.households(50)
    >>> scene = prepare(people, people, intruder=EVERYBODY, truth="person", seed=0)
    >>> linkage(linked(scene, knows=("age", "rent")), scene).mine
    ('age', 'rent')
    """
    spec, details = links.attack, links.finder.details
    foreseen = forecast(links, confidence, sample=len(links))
    mine, theirs = links.finder.columns, links.finder.columns
    left_out: dict[str, str] = {}
    if isinstance(spec, Structural):
        mine, theirs = columns_apart(scenario.places.intruder_records, scenario.side.data, links.intruder)
        left_out = details["left_out"]["mine"] | details["left_out"]["release"]
        mine, theirs = (tuple(n for n in names if n not in left_out) for names in (mine, theirs))
    elif mine and set(links.intruder.knows or ()) == set(common(scenario).columns):
        left_out = common(scenario).left_out
    return Linkage(
        attack=links.name,
        parameters=parameters_of(links),
        records=len(links),
        candidates=links.candidates,
        common=bool(mine) and not isinstance(spec, Structural),
        mine=mine,
        release=theirs,
        left_out=left_out,
        like_identifiers=() if isinstance(spec, Structural) else like_identifiers(scenario, mine),
        tied=int(np.count_nonzero(links.n_best > 1)),
        without=int(np.count_nonzero(links.best < 0)),
        confidence=confidence,
        claimed=None if foreseen is None else foreseen.claimed,
        unlinked=None if foreseen is None else foreseen.n - foreseen.claimed,
        expected=None if foreseen is None else foreseen.share * foreseen.n,
        sure=details.get("sure"),
        risk=None if links.truth is None else risk(links),
        right=None if foreseen is None else foreseen.right,
        details=details,
        seed=links.seed,
    )
