"""Masks, plans, models, policies, attacks and settings as plain values; some with a fault."""

from tests.fuzz.draw import PLAIN_JUNK, spoilt
from tests.fuzz.tables import GRADES

SIZES = (1, 2, 2, 3, 3, 5, 10, 50)
FAULTY = 0.1


def _columns(draw, table, *levels):
    """A part of a mask's table: which columns; by default those with a role."""
    suitable = table.of(*levels) if levels and draw.chance(0.95) else table.columns
    if not suitable or draw.chance(0.2):
        return {}
    return {"columns": draw.some(suitable, 1, 3)}


def _noise(draw, table):
    scale = draw.one((0, 0.01, 0.5, 1, 2))
    return {"scale": scale, "keep_type": draw.chance(0.8)} | _columns(draw, table, "numeric")


def _swapping(draw, table):
    return {"p": draw.one((0, 5, 20, 50, 100))} | _columns(draw, table, "numeric", "ordinal")


def _reading(draw, table):
    return _swapping(draw, table) | {"reading": draw.one(("table", "text"))}


def _ranking(draw, table):
    chosen = _columns(draw, table, "numeric", "ordinal")
    return {"k": draw.one(SIZES[1:]), "keep_type": draw.chance(0.8)} | chosen


def _sets(draw, table, least):
    """Sets of columns, each with a size of its own; or one size for all."""
    names = draw.some(table.columns, 1, 4)
    if draw.chance(0.2):
        cut = draw.whole(1, len(names))
        parts = [part for part in (names[:cut], names[cut:]) if part]
        return {"groups": [{"columns": one, "k": max(draw.one(SIZES), least)} for one in parts]}
    return {"k": max(draw.one(SIZES), least)} | _columns(draw, table)


def _microaggregation(draw, table):
    algorithm = draw.one(("mdav", "mdav", "v-mdav", "optimal"))
    made = _sets(draw, table, 2) | {"algorithm": algorithm, "standardise": draw.chance(0.7)}
    if algorithm == "v-mdav" and draw.chance(0.5):
        made["gamma"] = draw.one((0, 0.5, 3))
    if algorithm == "optimal" and "columns" in made:
        made["columns"] = made["columns"][:1]
    return made


def _models(draw, table):
    return {"models": draw.some([a_model(draw, table)], 1, 1)} if draw.chance(0.15) else {}


def _anti_unification(draw, table):
    return {
        **_sets(draw, table, 1),
        "stars": draw.whole(0, 3),
        "order": draw.one(("><", "<>")),
        "unknown": draw.one(("value", "wildcard")),
        "by_confidential": draw.chance(0.5),
        "assignment": draw.one(("disjoint", "disjoint", "overlapping")),
    } | _models(draw, table)


def _mondrian(draw, table):
    made = {"relaxed": draw.chance(0.5), "cells": draw.one(("ranges", "means", "stars"))}
    return {"k": draw.one(SIZES), **made} | _columns(draw, table) | _models(draw, table)


def _local_suppression(draw, table):
    made = {"k": draw.one(SIZES), "stars": draw.one(("value", "value", "wildcard"))}
    if draw.chance(0.2):
        made["importance"] = {name: draw.one((0.5, 1, 9)) for name in draw.some(table.columns)}
    return made | _columns(draw, table) | _models(draw, table)


def _full_domain(draw, table):
    losses = ("value-set", "precision", "height", "discernibility", "class-size")
    made = {"k": draw.one(SIZES), "suppress": draw.share(), "loss": draw.one(losses)}
    made |= {"star": draw.chance(0.8)}
    if draw.chance(0.3):
        ways = ({"prefix": True}, {"intervals": [2.5, 5, 100]}, {"star": False}, {"prefix": [2, 1]})
        made["hierarchies"] = {name: draw.one(ways) for name in draw.some(table.columns, 1, 2)}
    return made | _columns(draw, table) | _models(draw, table)


def _coding(draw, table):
    chosen = _columns(draw, table, "numeric", "ordinal")
    values = table.labels(chosen["columns"][0]) if "columns" in chosen else []
    way = draw.one(("categories", "threshold", "share"))
    options = {
        "categories": (1, 2, 5),
        "threshold": (0, 1.5, "mid", "2001-05-01", *values),
        "share": (0, 0.1, 0.5, 1),
    }
    return {way: draw.one(options[way])} | chosen


def _global_recoding(draw, table):
    way = draw.one(("groups", "rarest", "intervals"))
    levels = ("numeric",) if way == "intervals" else ("nominal", "ordinal")
    chosen = _columns(draw, table, *levels)
    if way == "rarest":
        label = {"label": draw.one(("other", "a", "*"))} if draw.chance(0.4) else {}
        return {"rarest": draw.whole(1, 5)} | label | chosen
    if way == "intervals":
        return {"intervals": draw.one((0.1, 1, 2.5, 10, [-5, 0.5, 7], [0, 9]))} | chosen
    values = table.labels(chosen["columns"][0]) if "columns" in chosen else []
    values = draw.some(values or GRADES, 1, 3)
    return {"groups": {draw.one(("new", values[0])): values}} | chosen


def _pram(draw, table):
    chosen = _columns(draw, table, "nominal", "ordinal") | {"invariant": draw.chance(0.5)}
    if draw.chance(0.7):
        return {"theta": draw.share()} | chosen
    size = draw.whole(2, 4)
    matrix = [[0.7 if i == j else 0.3 / (size - 1) for j in range(size)] for i in range(size)]
    named = {"categories": list(GRADES[:size])} if draw.chance(0.5) else {}
    return {"matrix": matrix} | named | chosen


def _rounding(draw, table):
    return {"base": draw.one((0.1, 0.7, 1, 5, 1000))} | _columns(draw, table, "numeric")


def _sampling(draw, table):
    if draw.chance(0.5):
        return {"share": max(draw.share(), 0.01)}
    return {"records": draw.whole(1, max(table.frame.height, 2))}


def _synthesis(draw, table):
    made = {"model": draw.one(("trees", "copula")), "leaf": draw.one((1, 5))}
    if draw.chance(0.3):
        made["records"] = draw.whole(1, 40)
    return made | _columns(draw, table)


MASKS = {  # what each takes, and how often it is drawn
    "additive-noise": (_noise, 2),
    "correlated-noise": (_noise, 1),
    "multiplicative-noise": (_noise, 1),
    "rank-swapping": (_swapping, 2),
    "distribution-swapping": (_reading, 1),
    "individual-ranking": (_ranking, 2),
    "microaggregation": (_microaggregation, 4),
    "anti-unification": (_anti_unification, 3),
    "mondrian": (_mondrian, 5),
    "local-suppression": (_local_suppression, 4),
    "full-domain": (_full_domain, 4),
    "top-coding": (_coding, 1.5),
    "bottom-coding": (_coding, 1.5),
    "global-recoding": (_global_recoding, 2),
    "pram": (_pram, 2),
    "rounding": (_rounding, 1.5),
    "sampling": (_sampling, 1.5),
    "shuffle": (lambda _draw, _table: {}, 1),
    "synthesis": (_synthesis, 0.4),
    "function": (_columns, 0.3),
}
MASK_WEIGHTS = {name: weight for name, (_, weight) in MASKS.items()}


def a_mask(draw, table):
    """The table of one step of a plan."""
    method = draw.one_by_weight(MASK_WEIGHTS)
    made = {"method": method, **MASKS[method][0](draw, table)}
    if method == "function":
        made["function"] = draw.one((_turned, _constant, _broken, "f"))
        made |= {"runs": 2, "channel": draw.one(("estimate", "unknown"))}
    if draw.chance(FAULTY / 2):
        made = spoilt(draw, made, ("columns", "name", "k", "models"))
    return made


def a_plan(draw, table, *, python=True, faulty=True):
    """A plan as in its file: mostly one step."""
    steps = [a_mask(draw, table) for _ in range(draw.one((1, 1, 1, 1, 2, 3)))]
    if not python:
        steps = [step | {"function": "f"} if "function" in step else step for step in steps]
    for number, step in enumerate(steps[1:]):
        step.setdefault("name", f"step {number}")
    plan = {"seed": draw.whole(0, 2**40), "mask": steps}
    if draw.chance(0.15):
        plan["household"] = draw.one(("drop", "renumber", "keep"))
    if draw.chance(0.05):
        plan["keep_order"] = True
    if faulty and draw.chance(FAULTY):
        plan = spoilt(draw, plan, ("seed", "household", "keep_order", "version"))
    return plan


def _turned(values, rng):
    return rng.permutation(values)


def _constant(values, rng):  # noqa: ARG001
    return values[:1]


def _broken(values, rng):
    raise KeyError("of a user")


def a_model(draw, table):
    """A privacy model as the table of a plan."""
    name = draw.one(("k-anonymity", "l-diversity", "alpha-k-anonymity", "t-closeness", "k-map"))
    made = {
        "k-anonymity": {"k": draw.one(SIZES), "stars": draw.one(("value", "value", "wildcard"))},
        "l-diversity": {"l": draw.one((1, 2, 3)), "kind": draw.one(("distinct", "entropy"))},
        "alpha-k-anonymity": {"alpha": draw.one((0.1, 0.5, 1)), "k": draw.one(SIZES)},
        "t-closeness": {"t": draw.share()},
        "k-map": {"k": draw.one(SIZES)},
    }[name]
    if name not in ("k-anonymity", "k-map") and draw.chance(0.6):
        made["columns"] = draw.some(table.columns, 1, 2)
    made = {"model": name, **made}
    return spoilt(draw, made, ("k", "columns")) if draw.chance(FAULTY / 2) else made


def a_policy(draw, table):
    """The limits of a policy."""
    limits = {
        "max_risk": draw.share(),
        "max_subgroup_risk": draw.share(),
        "max_confirmed": draw.share(),
        "max_interval_disclosure": draw.share(),
        "k_anonymity": draw.one((3, {"k": 3, "keys": draw.some(table.columns, 1, 3)})),
        "l_diversity": draw.whole(1, 4),
        "t_closeness": draw.share(),
        "max_loss": draw.share(),
        "forbid_row_order": True,
        "may_stay_unchanged": draw.some(table.columns, 1, 3),
    }
    made = {name: limits[name] for name in draw.some(list(limits), 1, 5)}
    return spoilt(draw, made, list(limits)) if draw.chance(2 * FAULTY) else made


ATTACKS = {
    "distance": ({"metric": ("euclid", "manhattan", "chebyshev", "mahalanobis", "polynomial"),
                  "scale": ("own", "original", "release"), "inclusive": (True, False),
                  "degree": (2,)}, 6),
    "rank": ({"criterion": ("sum", "max"), "ranks": ("own", "release")}, 3),
    "probabilistic": ({"iterations": (1, 20), "prior": ("fixed", "estimated", 0.1),
                       "u": ("counted", "estimated"), "prorated": (True, False),
                       "constrained": (True, False), "smoothing": (0, 1)}, 3),
    "compatible": ({}, 2),
    "tailored": ({"level": ("method", "parameters", "original"), "corrected": (True, False)}, 1.5),
    "combined": ({"attacks": (["distance", "rank"], ["distance"], [], "rank")}, 0.5),
    "structural": ({"starts": (1,), "controls": (1,), "method": ("representatives", "ranking")},
                   0.2),
    "supervised": ({"model": ("weights",), "steps": (1,), "splits": (1,)}, 0.1),
    "position": ({}, 0.5),
    "pairs": ({"pairs": ("no.csv", 5)}, 0.1),
}  # fmt: skip
ATTACK_WEIGHTS = {name: weight for name, (_, weight) in ATTACKS.items()}
ALWAYS = ("attacks", "pairs", "starts", "controls", "model", "steps", "splits", "iterations")


def an_attack(draw, weights=None):
    """An attack as the table of its method and parameters."""
    method = draw.one_by_weight(weights or ATTACK_WEIGHTS)
    options = ATTACKS[method][0]
    made = {n: draw.one(v) for n, v in options.items() if n in ALWAYS or draw.chance(0.25)}
    if draw.chance(0.2):
        made["matching"] = draw.one(("nearest", "one-to-one", "posterior"))
    made = {"method": method, **made}
    return spoilt(draw, made, ("weights", "scale", "x")) if draw.chance(FAULTY / 2) else made


def an_intruder(draw, table):
    """What an intruder knows, and of whom."""
    made = {"direction": draw.one(("original-to-release", "release-to-original"))}
    if draw.chance(0.5):
        made["knows"] = draw.some(table.columns, 1, 4)
    if draw.chance(0.15):
        made["records"] = draw.one((1, 3, 0.5, [0], [0, 1], 10**6))
    if draw.chance(0.1):
        made["blocks"] = draw.some(table.columns, 1, 1)
    if draw.chance(0.3):
        made["channel"] = True
    return spoilt(draw, made, ("records", "channel")) if draw.chance(FAULTY / 2) else made


QUICK = {"sweep": False, "remedies": False, "worst_case": False, "errors": (), "remask": 0}


def some_settings(draw, table):
    """Settings of a cheap audit, some with a fault."""
    made = dict(QUICK)
    if draw.chance(0.4):
        made["knows"] = draw.some(table.columns, 1, 4)
    if draw.chance(0.1):
        made["memory"] = draw.one(("4G", "500M", 10**9, "x", "-1", "1e400"))
    if draw.chance(0.1):
        made["seconds"] = draw.one((1e-9, 1, 1e9, 0))
    if draw.chance(FAULTY):
        made = spoilt(draw, made, ("rename", "engine", "measures"), PLAIN_JUNK) | QUICK
    return made
