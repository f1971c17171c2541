"""Every public function, class and method meets values of the wrong type with a sentence."""

import inspect

import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pytest

import unveil
from unveil import aggregation, attacks, files, masks, measures, models
from unveil.table.schema import Schema

PEOPLE = unveil.households(60)
RELEASE = unveil.mask(PEOPLE, [masks.RankSwapping(p=5)], seed=1)
LINKS = unveil.attack(PEOPLE, RELEASE, "distance", intruder=unveil.Intruder(knows=["age", "rent"]))
PAIR = measures.FilePair.of(PEOPLE, RELEASE.data, np.arange(60))
GROUPS = measures.subgroups(PEOPLE, ["sex"])
MEASURE = aggregation.FuzzyMeasure.additive([0.5, 0.5])
QUICK = unveil.AuditSettings(
    knows=["age", "rent"], sweep=False, remedies=False, worst_case=False, errors=[0.0], remask=0
)
AUDIT = unveil.audit(PEOPLE, RELEASE, attacks=["distance"], settings=QUICK)
PATTERNS = masks.AntiUnification(k=2, columns=["sex", "region"]).patterns(PEOPLE)
ALWAYS = {  # the last to be looked at
    unveil.audit: {"attacks": ["nothing"], "settings": QUICK},
    unveil.choose: {"study": "mysql://host/database", "trials": 1, "effort": "quick"},
}

DEEP = []
for _ in range(5000):
    DEEP = [DEEP]
WRONG = {
    "None": None,
    "5": 5,
    "-1": -1,
    "0": 0,
    "nan": float("nan"),
    "huge": 10**5000,
    "true": True,
    "text": "x",
    "blank": "",
    "long": "x" * 10_000,
    "half a letter": "\udcff",
    "zero byte": "a\0b",
    "bytes": b"x",
    "list": [],
    "list of None": [None],
    "list of text": ["x"],
    "deep list": DEEP,
    "table": {},
    "table of text": {"x": "x"},
    "set": {1, 2},
    "object": object(),
    "class": int,
    "function": len,
    "frame": pl.DataFrame({"x": [1]}),
    "pandas": pd.DataFrame({"x": [1]}),
    "array": np.array([]),
    "array of numbers": np.array([1.0, np.nan]),
    "array of text": np.array(["x"]),
    "complex": 1j,
}

# Right values by the name of a parameter, and where a name means several things, by function.
RIGHT = {
    "original": PEOPLE, "data": PEOPLE, "source": PEOPLE, "a": PEOPLE, "b": RELEASE.data,
    "release": RELEASE, "spec": "distance", "links": LINKS, "pair": PAIR,
    "frame": PEOPLE.to_frame(), "masks": ["shuffle"], "measure": MEASURE, "costs": [0.1, 0.2],
    "values": [0.1, 0.2], "weights": [0.5, 0.5], "masses": [0.0, 0.5, 0.5, 0.0],
    "attributes": [0, 1], "family": "exponent", "alpha": 2.0,
    "quantifier": aggregation.Quantifier("exponent", 2.0), "evidence": [AUDIT, AUDIT],
    "groups": GROUPS[0], "columns": ["age", "sex"], "weight": "weight",
    "hits": measures.hits(LINKS), "households": np.arange(60), "n": 60, "kept": np.arange(50),
    "seed": 1, "attacks": [LINKS], "records": 60, "candidates": 60, "measures": (), "most": 3,
    "steps": 3, "draws": 9, "sample": 20,
    "risks": {"distance original-to-release": measures.hits(LINKS)}, "attack": "distance",
    "direction": "original-to-release", "sampled": 10, "population": 60, "result": AUDIT,
    "suppression": measures.suppression(PAIR), "information_loss": 0.1,
    "interval_disclosure": 0.1, "distance": 0.1, "probabilistic": 0.1,
    "models": [models.KAnonymity(k=2)], "value": PEOPLE, "name": "age", "role": "quasi",
    "rows": [0, 1], "row_map": None, "k": 2, "people": PEOPLE, "column": "age", "truth": None,
    "file_schema": Schema(), "stop_at": 2, "table": {}, "key": True,
    "releases": (RELEASE, RELEASE), "by_size": [0.5, 1.0],
    "policy": unveil.Policy(intruder=[{"name": "acquaintance", "max_linked": 1.0}]),
    "probability": [0.5, 0.5], "least": 10, "counts": [1, 4], "changes": [[1, 0], [0, 1]],
    "fraction": 0.1, "patterns": PATTERNS, "results": None,
    "train": PEOPLE.select(["sex", "region", "education"]), "target": "sex",
}  # fmt: skip

SPECS = {
    attacks.Distances: {"categories": ["a"], "distances": [[0]]},
    models.KConcealment: {"originals": PEOPLE, "k": 2},
    models.NConfusion: {"originals": PEOPLE, "n": 2},
}


def callables():
    """The public functions, classes and methods, by name."""
    for package in (unveil, aggregation, attacks, files, masks, measures, models):
        for name in package.__all__:
            value = getattr(package, name)
            if callable(value) and value is not unveil.UnveilError:
                yield f"{package.__name__}.{name}", value
    objects = {
        "Microdata": PEOPLE, "Schema": PEOPLE.schema, "Links": LINKS, "FilePair": PAIR,
        "Plan": RELEASE.plan, "Intruder": LINKS.intruder, "AuditSettings": unveil.AuditSettings(),
        "Belief": measures.Belief(2, {(0,): 1.0}), "FuzzyMeasure": MEASURE, "Policy":
        unveil.Policy(max_risk=0.1), "Audit": AUDIT, "Release": RELEASE,
    }  # fmt: skip
    for name, value in objects.items():
        for method in dir(value):
            static = inspect.getattr_static(value, method)
            if not (method.startswith("_") or isinstance(static, property)) and callable(
                getattr(value, method)
            ):
                yield f"{name}.{method}", getattr(value, method)


CALLABLES = dict(callables())
NOT_FOR_USERS = {"Microdata.from_labelled", "Microdata.from_text", "Microdata.from_columns",
                 "Microdata.with_column", "Policy.class_limit", "Microdata.replace",
                 "Microdata.new_records", "Release.channels_of", "AuditSettings.resolved",
                 "unveil.Links", "unveil.Release", "unveil.Audit", "unveil.Choice",
                 "Links.progress", "Links.attack_strangers", "Links.finder",
                 "Microdata.remember", "unveil.measures.Decisions",
                 "unveil.measures.Distributions"}  # fmt: skip


def parameters(function):
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one for one in inspect.signature(function).parameters.values() if one.kind not in kinds]


def right(function, name, tmp_path):
    if name == "path":
        return tmp_path / "written.csv"
    if function is unveil.report and name == "result":
        return AUDIT
    return RIGHT[name]


def call(function, name, value, tmp_path):
    """Call a function with one argument wrong and the others right."""
    named, unnamed = dict(ALWAYS.get(function, {})), []
    for one in parameters(function):
        if one.name != name and one.default is not inspect.Parameter.empty:
            continue
        given = value if one.name == name else right(function, one.name, tmp_path)
        if one.kind is inspect.Parameter.POSITIONAL_ONLY:
            unnamed.append(given)
        else:
            named[one.name] = given
    return function(*unnamed, **named)


SLOW = {
    "unveil.choose",
    "unveil.measures.loss",
    "unveil.measures.predictions",
    "unveil.AuditSettings",
}
NAMES = [
    pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
    for name in sorted(CALLABLES.keys() - NOT_FOR_USERS)
]


@pytest.mark.parametrize("named", NAMES)
def test_a_wrong_value_is_refused_in_a_sentence(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, foreign = CALLABLES[named], []
    is_spec = inspect.isclass(function) and issubclass(function, msgspec.Struct)
    for one in parameters(function):
        for kind, value in WRONG.items():
            if one.name == "progress" and callable(value):
                continue  # a function of other arguments is still a function
            try:
                if is_spec:
                    function(**SPECS.get(function, {}) | {one.name: value})
                else:
                    call(function, one.name, value, tmp_path)
            except unveil.UnveilError as error:
                if len(str(error)) > 3000:
                    foreign.append(f"{one.name} = {kind}: {len(str(error))} letters")
            except Exception as error:  # noqa: BLE001 - the very fault that is looked for
                frame = inspect.getinnerframes(error.__traceback__)[-1]
                where = f"{frame.filename[-40:]}:{frame.lineno}"
                foreign.append(
                    f"{one.name} = {kind}: {type(error).__name__}: {error!s:.60} {where}"
                )
    assert not foreign, ascii("\n".join([named, *foreign]))


def test_the_index_of_a_column_is_no_name():
    for call in (PEOPLE.column, PEOPLE.level, PEOPLE.check, PEOPLE.missing_code):
        with pytest.raises(unveil.UnveilError):
            call(0)
    with pytest.raises(unveil.UnveilError, match="columns: list of text, not a whole number"):
        PEOPLE.select(5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: masks.RankSwapping(5),
            "parameters are given by name, such as RankSwapping(p=...)",
        ),
        (lambda: masks.Microaggregation(aggr=3), "; here it is 'k'"),
        (lambda: masks.AdditiveNoise(noise=3), "; here it is 'scale'"),
        (lambda: masks.RankSwapping(p=5, variables=["age"]), "; here it is 'columns'"),
        (lambda: masks.Microaggregation(k=3, method="mdav"), "; here it is 'algorithm'"),
        (lambda: masks.RankSwapping(p=5, random_state=1), "the seed goes to unveil.mask"),
        (lambda: unveil.mask(PEOPLE, ["shuffle"], random_state=1), "; here it is 'seed'"),
        (lambda: unveil.households("x"), "households: n: whole number, not text"),
        (lambda: unveil.mask(PEOPLE), "mask: masks: not given"),
        (unveil.report, "report: result: not given"),
        (lambda: measures.loss(PEOPLE, RELEASE), "loss: 2 arguments are given, and it takes 1 "),
        (lambda: measures.risk(LINKS, links=LINKS), "given twice: by its place and by its name"),
        (
            lambda: unveil.audit(PEOPLE, RELEASE, sweep=False),
            "it is one of the settings: settings=AuditSettings(sweep=...)",
        ),
        (
            lambda: unveil.mask(PEOPLE, "rank-swapping"),
            "the mask with its parameters, masks.RankSwapping(p=...), or a plan file",
        ),
        (
            lambda: unveil.mask(PEOPLE, masks.RankSwapping),
            "not the class RankSwapping; call it: RankSwapping(...)",
        ),
        (lambda: masks.Microaggregation(k="3"), "microaggregation: k: a whole number, not text"),
        (lambda: masks.RankSwapping(p=500), "rank-swapping: p: a number of at most 100"),
        (
            lambda: masks.Microaggregation(groups=[{"columns": ["age"], "k": 1}]),
            "microaggregation: groups, entry 1, k: a whole number of at least 2",
        ),
        (
            lambda: masks.Microaggregation(groups=[{"columns": ["age"]}]),
            "microaggregation: groups, entry 1, k: not given",
        ),
        (
            lambda: masks.RankSwapping(p=5, columns=[7]),
            "columns, entry 1: text, not a whole number",
        ),
        (masks.Mask, "Mask is an abstract method"),
        (lambda: files.read_plan(b"plan.toml"), "read_plan: path: text or path, not bytes"),
    ],
)
def test_a_wrong_call_names_the_rule_and_the_remedy(call, sentence):
    with pytest.raises(unveil.UnveilError) as refused:
        call()
    assert sentence in str(refused.value)
    assert "`" not in str(refused.value)


def test_a_checked_function_is_pickled_and_keeps_its_signature():
    import pickle

    assert pickle.loads(pickle.dumps(measures.risk)) is measures.risk  # noqa: S301
    assert list(inspect.signature(unveil.households).parameters) == ["n", "seed"]


def test_a_long_echo_is_cut():
    with pytest.raises(unveil.UnveilError) as refused:
        unveil.mask(PEOPLE, ["x" * 10_000])
    assert "x" * 60 + "\u2026" in str(refused.value)
    assert len(str(refused.value)) < 1000
