"""Public calls in which any argument may be anything."""

from functools import partial

import unveil
from tests.fuzz.draw import JUNK
from tests.fuzz.plans import QUICK
from unveil import attacks, files, masks, measures, models


def a_call(draw, table):
    """What is called, with which value, and the call itself."""
    data, mask, spec, model = (
        table.data(), masks.Shuffle(), attacks.Distance(), models.KAnonymity(k=2)
    )  # fmt: skip
    release = unveil.mask(data, mask, seed=1)
    links = unveil.attack(data, release, spec)
    path, quick = "made.csv", unveil.AuditSettings(**QUICK)
    calls = (  # each with good arguments, one of which is replaced
        (unveil.Microdata, (table.frame, data.schema), {}),
        (unveil.Schema, ({},), {"quasi": (), "missing": {}, "ordinal": {}, "hierarchy": {}}),
        (unveil.Schema.infer, (table.frame,), {}),
        (data.schema.__getitem__, ("x",), {}),
        (data.schema.with_role, ("quasi",), {}),
        (data.schema.only, (["x"],), {}),
        (data.select, (data.columns,), {}),
        (data.column, (data.columns[0],), {}),
        (data.take, ([0],), {}),
        (data.level, (data.columns[0],), {}),
        (data.require, ("quasi",), {}),
        (data.missing_code, (data.columns[0],), {}),
        (data.to_frame, ("polars",), {}),
        (data.to_text_frame, (".",), {}),
        (unveil.households, (5,), {"seed": 1}),
        (unveil.read, ("no.csv", data.schema), {"format": None}),
        (unveil.write, (data, path), {"format": None, "force": True}),
        (unveil.write, (release, path), {"row_map": "rows.csv", "keep_order": True}),
        (files.read_plan, ("no.toml",), {}),
        (files.read_evidence, ("no.json",), {}),
        (files.Csv, (), {"delimiter": ";", "encoding": "utf-8", "decimal": ".", "missing": ()}),
        (unveil.inspect, (data, data.schema), {"write_schema": None, "show_values": False}),
        (unveil.mask, (data, [mask]), {"seed": 1, "schema": None}),
        (unveil.Plan, ([mask],), {"seed": 1, "keep_order": False}),
        (unveil.Policy, (), {"max_risk": 0.1, "k_anonymity": 3, "may_stay_unchanged": ()}),
        (unveil.attack, (data, release, spec), {"seed": 1, "engine": "auto", "truth": None}),
        (unveil.attack, (data, data, spec), {"truth": "row-order", "intruder": unveil.Intruder()}),
        (unveil.Intruder, (), {"knows": None, "records": None, "blocks": (), "channel": False}),
        (unveil.Releases, ([release],), {"key": True}),
        (links.sample, (2,), {}),
        (links.on, (data,), {}),
        (links.pairs, (2,), {}),
        (unveil.link, (data, data), {"seed": 1, "truth": None}),
        (unveil.audit, (data, data), {"settings": quick, "truth": "none", "policy": None}),
        (unveil.compare, ([],), {"seed": 0}),
        (unveil.report, (None, "page.html"), {"figures": None}),
        (models.check, (data, [model]), {"keys": list(data.columns)}),
        (measures.risk, (links,), {"outsiders": None}),
        (measures.hits, (links,), {"ties": "expected"}),
        (measures.top_k, (links, 2), {"sample": 2}),
        (measures.at_risk, (links, 0.2), {}),
        (measures.loss, (None,), {}),
        (measures.uniqueness, (data, list(data.columns)), {}),
    )
    function, args, given = draw.one(calls)
    place, junk = draw.one([*range(len(args)), *given]), draw.one(JUNK)
    if isinstance(place, int) and function in (unveil.households, unveil.write, files.read_plan):
        junk = "x" if isinstance(junk, int) else junk  # a path may be an open file; 10**9 people
    args = [junk if number == place else one for number, one in enumerate(args)]
    given = {name: junk if name == place else one for name, one in given.items()}
    name = getattr(function, "__qualname__", str(function))
    return f"{name} {place}", junk, partial(function, *args, **given)
