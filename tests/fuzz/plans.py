"""Masks, plans, models, policies, attacks and settings as plain values; some with a fault.

A parameter is drawn from its options, or by a function of the draw and the table; None leaves it
out.
"""

from tests.fuzz.draw import spoilt
from tests.fuzz.tables import GRADES

FAULTY = 0.05
SIZES = (1, 2, 2, 3, 3, 5, 10, 50)
BOTH, SHARES, SCALES = (True, False), (0, 0.1, 0.5, 0.913, 1), (0, 0.01, 0.5, 1)
NUMERIC, ORDERED, CATEGORIES, ANY = (
    ("numeric",), ("numeric", "ordinal"), ("nominal", "ordinal"), ("numeric", "ordinal", "nominal")
)  # fmt: skip


def size(draw, table, least=1):
    """The size of a group, mostly no more than there are records."""
    fitting = [k for k in SIZES if k <= table.frame.height]
    return max(draw.one(fitting if draw.chance(0.97) else SIZES), least)


def group(draw, table):
    return size(draw, table, 2)


def sets(draw, table):
    names = draw.some(table.columns, 1, 4)
    cut = draw.whole(1, len(names))
    parts = [part for part in (names[:cut], names[cut:]) if part]
    return [{"columns": part, "k": group(draw, table)} for part in parts]


def names(draw, table):
    return draw.some(table.columns, 1, 4)


def value(draw, table):
    """What may be a threshold: a cell that a user could know."""
    return draw.one([0, 1.5, "mid", "2001-05-01", *table.labels(draw.one(table.columns))])


def merged(draw, table):
    values = draw.some(table.labels(draw.one(table.columns)) or GRADES, 1, 3)
    return {draw.one(("new", values[0])): values}


def matrix(draw, _table):
    m = draw.whole(2, 4)
    return [[0.7 if i == j else 0.3 / (m - 1) for j in range(m)] for i in range(m)]


def by_column(*options):
    def drawn_by_column(draw, table):
        return {name: draw.one(options) for name in draw.some(table.columns, 1, 2)}

    return drawn_by_column


def some_models(draw, table):
    return [a_model(draw, table)] if draw.chance(0.15) else None


def a_function(draw, _table):
    def turned(values, rng):
        return rng.permutation(values)

    return draw.one((turned, turned, lambda values, _rng: values[:1], lambda: None, "f"))


COARSENINGS = by_column({"prefix": True}, {"intervals": [2.5, 5, 100]}, {"star": False})
LOSSES = ("value-set", "precision", "height", "discernibility", "class-size")
PATTERNS = {
    "stars": (0, 1, 2, 3), "order": ("><", "<>", ">", "<"), "unknown": ("value", "wildcard"),
    "by_confidential": BOTH, "assignment": (None, None, None, "overlapping"), "models": some_models,
}  # fmt: skip
UNITS = ("person", "household")
CODING = ({"categories": (1, 2, 5)}, {"threshold": value}, {"share": SHARES})
MASKS = {  # the levels of its columns, alternative sets of parameters, how often it is drawn
    "additive-noise": (NUMERIC, ({"scale": SCALES, "keep_type": BOTH},), 2),
    "correlated-noise": (NUMERIC, ({"scale": SCALES, "keep_type": BOTH},), 1),
    "multiplicative-noise": (NUMERIC, ({"scale": SCALES},), 1),
    "rank-swapping": (ORDERED, ({"p": (0, 5, 20, 50, 100)},), 2),
    "distribution-swapping": (
        ORDERED, ({"p": (0, 20, 50, 100), "reading": ("table", "text")},), 1),
    "rank-permutation": (ORDERED, ({"p": (0, 20, 50, 100)},), 1),
    "individual-ranking": (ORDERED, ({"k": group, "keep_type": BOTH},), 2),
    "microaggregation": (
        ANY, ({"k": group, "standardise": BOTH}, {"groups": sets}, {"k": group},
              {"k": group, "algorithm": ("v-mdav",), "gamma": (None, 0, 3)},
              {"k": group, "algorithm": ("optimal",)}), 4),
    "anti-unification": (ANY, ({"k": size} | PATTERNS, {"groups": sets} | PATTERNS), 3),
    "mondrian": (ANY, ({"k": size, "relaxed": BOTH, "cells": ("ranges", "means", "stars"),
                        "models": some_models},
                       {"k": size, "unit": UNITS, "cells": ("ranges", "means", "stars")}), 5),
    "local-suppression": (
        ANY, ({"k": size, "stars": ("value",), "models": some_models},
              {"k": size, "stars": ("value", "wildcard"), "importance": by_column(0.5, 9)},
              {"k": size, "unit": UNITS}), 4),
    "full-domain": (
        ANY, ({"k": size, "suppress": SHARES, "loss": LOSSES, "star": BOTH, "models": some_models},
              {"k": size, "suppress": SHARES, "hierarchies": COARSENINGS}), 4),
    "top-coding": (ORDERED, CODING, 1.5),
    "bottom-coding": (ORDERED, CODING, 1.5),
    "global-recoding": (
        ANY, ({"groups": merged}, {"rarest": (1, 2, 5), "label": (None, None, "other", "a", "*")},
              {"intervals": (0.1, 1, 2.5, 10, [-5, 0.5, 7], [0, 9])}), 2),
    "pram": (CATEGORIES, ({"theta": SHARES, "invariant": BOTH}, {"theta": SHARES},
                          {"matrix": matrix, "categories": (None, list(GRADES))}), 2),
    "rounding": (NUMERIC, ({"base": (0.1, 0.7, 1, 5, 1000)},), 1.5),
    "record-swapping": ((), (
        {"geography": names, "keys": names, "k": size, "share": (None, 0, 0.3, 1)},
        {"geography": names, "similar": (None, [[]], [["a"], []]), "carry": names}), 1.5),
    "repair": (ANY, ({"share": (0.1, 0.5, 1), "cover": (None, 0, 1, 3), "k": group,
                      "keep_type": BOTH},), 1.5),
    "sampling": ((), ({"share": (0.01, 0.5, 1)}, {"records": (1, 2, 9)},
                      {"share": (0.5, 1), "unit": ("household",)}), 1.5),
    "shuffle": ((), ({}, {"unit": ("record", "household")}), 1),
    "synthesis": (
        ANY, ({"model": ("trees", "copula"), "leaf": (1, 5), "records": (None, 9)},), 0.4),
    "pseudonymisation": ((), ({"key_file": (__file__,)},), 0.5),
    "function": (ANY, ({"function": a_function, "runs": (2,),
                        "channel": ("estimate", "unknown")},), 0.3),
}  # fmt: skip
MASK_WEIGHTS = {name: weight for name, (*_, weight) in MASKS.items()}
MODELS = {
    "k-anonymity": {"k": size, "stars": ("value", "value", "wildcard")},
    "l-diversity": {"l": (1, 2, 3), "kind": ("distinct", "entropy"), "columns": names},
    "alpha-k-anonymity": {"alpha": (0.1, 0.5, 1), "k": size, "columns": names},
    "t-closeness": {"t": SHARES, "columns": (None,)},
    "k-map": {"k": size},
}
LIMITS = {
    **dict.fromkeys(
        (
            "max_risk",
            "max_subgroup_risk",
            "max_confirmed",
            "max_wrong_certainty",
            "max_loss",
            "max_household_risk",
            "max_population_risk",
        ),
        SHARES,
    ),
    **dict.fromkeys(("max_interval_disclosure", "t_closeness"), SHARES),
    "max_expected_matches": (0, 0.5, 20),
    "k_anonymity": lambda d, t: d.one((3, {"k": 3, "keys": names(d, t)})),
    "l_diversity": (1, 2, 4),
    "forbid_row_order": (True,),
    "may_stay_unchanged": names,
}
MATCHINGS = {"matching": (None,) * 8 + ("nearest", "one-to-one", "posterior")}
ATTACKS = {  # parameters, how often it is drawn
    "distance": ({"metric": (None, None, "manhattan", "chebyshev", "mahalanobis", "polynomial"),
                  "scale": (None, None, "own", "original", "release"),
                  "inclusive": (None, None, True),
                  "exclude_impossible": (None,) * 9 + (True,)}, 6),
    "rank": ({"criterion": ("sum", "max"), "ranks": (None, None, "own", "release")}, 3),
    "probabilistic": ({"iterations": (1, 20), "prior": (None, None, "estimated", 0.1),
                       "u": (None, None, "estimated"), "prorated": (None, False),
                       "dependence": (None, None, "log-linear", "latent", "chosen"),
                       "constrained": (None, False), "smoothing": (None, 0, 1)}, 3),
    "compatible": ({}, 2),
    "tailored": ({"level": ("method", "parameters", "original"), "corrected": BOTH}, 1.5),
    "exchange": ({"level": (None, "method", "parameters")}, 1),
    "simulated": ({"simulations": (3, 4)}, 0.5),
    "combined": ({"attacks": (["distance", "rank"], ["distance"], [], "rank")}, 0.3),
    "households": ({"score": (None, "rank", "probabilistic", "tailored"),
                    "grouping": (None, None, "shown", "read-off")}, 1),
    "structural": ({"starts": (1,), "controls": (2,), "method": ("representatives", "ranking")},
                   0.2),
    "supervised": ({"model": ("weights",), "steps": (1,), "splits": (1,)}, 0.1),
    "position": ({}, 0.5),
    "pairs": ({"pairs": ("no.csv", 5)}, 0.1),
}  # fmt: skip
ATTACK_WEIGHTS = {name: weight for name, (_, weight) in ATTACKS.items()}
INTRUDER = {
    "direction": ("original-to-release", "release-to-original"),
    "knows": lambda d, t: d.one((None, names(d, t))),
    "records": (None,) * 20 + (1, 3, 0.5, [0], [0, 1], 10**6),
    "blocks": lambda d, t: names(d, t)[:1] if d.chance(0.1) else (),
    "channel": (False,) * 9 + (True,),
}
QUICK = {"sweep": False, "remedies": False, "worst_case": False, "errors": (), "remask": 0}
SETTINGS = {
    "knows": INTRUDER["knows"],
    "memory": (None,) * 9 + ("4G", 10**9, "x"),
    "seconds": (None,) * 9 + (1e-9, 1, 0),
}


def drawn(draw, table, parameters):
    """A value for each parameter, without those that are left out."""
    made = {
        name: options(draw, table) if callable(options) else draw.one(options)
        for name, options in parameters.items()
    }
    return {name: one for name, one in made.items() if one is not None}


def _or_spoilt(draw, made, fields=("x",), chance=FAULTY):
    return spoilt(draw, made, fields) if draw.chance(chance) else made


def a_mask(draw, table):
    """The table of one step of a plan."""
    method = draw.one_by_weight(MASK_WEIGHTS)
    levels, ways, _ = MASKS[method]
    made = {"method": method, **drawn(draw, table, draw.one(ways))}
    suitable = table.of(*levels) if draw.chance(0.95) else table.columns
    if levels and suitable and "groups" not in made and draw.chance(0.8):
        most = 1 if made.get("algorithm") == "optimal" else 3
        made["columns"] = draw.some(suitable, 1, most)
    return _or_spoilt(draw, made, ("columns", "name", "k", "models"))


def a_plan(draw, table, *, python=True, faulty=True):
    """A plan as in its file: mostly one step."""
    steps = [a_mask(draw, table) for _ in range(draw.one((1, 1, 1, 1, 2, 3)))]
    for number, step in enumerate(steps[1:]):
        step.setdefault("name", f"step {number}")
    if not python:  # a file has no functions
        steps = [step | {"function": "f"} if "function" in step else step for step in steps]
    plan = {"seed": draw.whole(0, 2**40), "mask": steps}
    if draw.chance(0.5 if "home" in table.frame.columns else 0.02):
        plan["household"] = draw.one(("drop", "renumber", "keep"))
    if draw.chance(0.05):
        plan["keep_order"] = True
    return _or_spoilt(draw, plan, ("seed", "household", "version"), 2 * FAULTY * faulty)


def a_model(draw, table):
    """A privacy model as the table of a plan."""
    name = draw.one(list(MODELS))
    return _or_spoilt(draw, {"model": name, **drawn(draw, table, MODELS[name])})


def a_policy(draw, table):
    """The limits of a policy."""
    made = drawn(draw, table, {name: LIMITS[name] for name in draw.some(list(LIMITS), 1, 5)})
    return _or_spoilt(draw, made, list(LIMITS), 4 * FAULTY)


def an_attack(draw, table, weights=None):
    """An attack as the table of its method and parameters."""
    method = draw.one_by_weight(weights or ATTACK_WEIGHTS)
    made = {"method": method, **drawn(draw, table, ATTACKS[method][0] | MATCHINGS)}
    return _or_spoilt(draw, made, ("weights", "scale"))


def an_intruder(draw, table):
    """What an intruder knows, and of whom."""
    return _or_spoilt(draw, drawn(draw, table, INTRUDER), ("records", "channel"))


def some_settings(draw, table):
    """Settings of a cheap audit."""
    made = _or_spoilt(draw, drawn(draw, table, SETTINGS), ("rename", "engine", "measures"))
    return made | QUICK
