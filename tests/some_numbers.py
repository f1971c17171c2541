"""Evidence in which every number is another one, so that a page can be read by where they stand.

A value is made up of what its types ask for: each whole number is the next prime, each share the
next one below 1, and each text says where it stands. `given` has what cannot be anything: by the
path of a field, with `*` for any place in a list, a value, or types that are to be filled in.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import count

import msgspec
from msgspec import inspect

from unveil import __version__
from unveil.data.audit import FORMAT, Evidence
from unveil.data.comparison import Comparison
from unveil.data.phrases import Figure, Name, Term

MANY = ("expected", "right", "baseline", "ceiling", "population", "population_uniques")
DIRECTIONS = ("original-to-release", "release-to-original")
AT_RISK = {"above": float, "threshold": float, "highest": float, "mean": float}
TOP = {"share": [float] * 10, "n": int}
MARGINS = {key: [float] * 2 for key in ("margin", "coverage", "precision", "control")}
ORDER = {"correlation": float, "p_value": 0.0002, "neighbours": int, "neighbours_p_value": float}
NAMES = (
    "distance", "distance", "tailored-posterior", "position", "rank-max-knowing-2",
    "structural-intruder-file",
)  # fmt: skip
LIMITS = ("max_risk", "max_loss", "k_anonymity", "may_stay_unchanged", "forbid_row_order")
LOSSES = ("IL1s", "change", "pMSE", "single tables")

GIVEN = {
    "format": FORMAT,
    "attacks": [None] * 6,
    **{f"attacks.{place}.name": name for place, name in enumerate(NAMES)},
    "attacks.*.spec": {},
    "attacks.*.details": {},
    "attacks.*.risk.parameters": {},
    "attacks.*.risk.intruder": {},
    "attacks.*.top": TOP,
    "attacks.*.at_risk": AT_RISK,
    "attacks.*.precision": MARGINS,
    "attacks.[01245].row_order": None,
    "attacks.3.row_order": ORDER,
    "attacks.3.risk.attributes": (),
    "attacks.[345].forecast": None,
    "attacks.[345].risk.confirmed": None,
    "attacks.[12345].risk.interval": None,
    "attacks.2.risk.control": None,
    "attacks.2.risk.confirmed": None,
    "attacks.2.forecast.right": 4001.5,  # the most of all: what is claimed is not by the first
    "attacks.0.forecast.right": None,
    "attacks.[01235].sweeping": False,
    "attacks.4.sweeping": True,
    "attacks.[01234].by_file": False,
    "attacks.5.by_file": True,
    "attacks.5.risk.direction": "original-to-release",
    "attacks.0.risk.attributes": [None] * 6,
    "known": [None] * 4,
    "released": 90_001,  # more than the attacks for advice looked at
    "left_out.0.name": "rank-max",
    "left_out.1.name": "position",
    "verdict.passed": False,
    "verdict.limits": [None] * 5,
    **{f"verdict.limits.{place}.limit": limit for place, limit in enumerate(LIMITS)},
    "verdict.limits.[02].kept": True,
    "verdict.limits.[134].kept": False,
    "verdict.limits.[01].allowed": float,
    "verdict.limits.[01].found": float,
    "verdict.limits.2.allowed": int,
    "verdict.limits.2.found": None,
    "verdict.limits.3.allowed": ("can stay", "may stay"),
    "verdict.limits.3.found": ("stayed",),
    "verdict.limits.4.allowed": False,
    "verdict.limits.4.found": True,
    "knowledge.steps": [None] * 3,
    "knowledge.steps.0.attributes": ("age",),
    "knowledge.steps.1.attributes": ("age", "sex"),
    "knowledge.steps.2.attributes": ("age", "sex", "region"),
    "knowledge.steps.0.share": 0.1001,
    "knowledge.steps.1.share": 0.4001,
    "knowledge.steps.2.share": 0.6001,
    "knowledge.steps.2.highest": 0.7001,  # half of it is first reached by two
    "knowledge.worst": None,
    "remasking.attack": "distance",
    "remasking.direction": "release-to-original",
    "remasking.shares": [None] * 7,
    "remasking.at_risk": {},
    "attribute_risks.without": [None] * 4,  # of which three are named
    "halves.risk.parameters": {},
    "halves.risk.intruder": {},
    "halves.risk.interval": None,
    "halves.dropped": {"halves.dropped.name": "halves.dropped.reason"},
    "halves.together": (("halves.together.0", "halves.together.1"),),
    "worst_cases": [None] * 3,
    "worst_cases.0.model": "bilinear",
    "worst_cases.1.model": "choquet",
    "worst_cases.2.model": "bilinear",  # in the other direction, where it links less
    "worst_cases.*.direction": "original-to-release",
    "worst_cases.1.direction": "release-to-original",
    "worst_cases.*.attributes": ("hours", "wages"),
    "attacks.1.risk.attributes": ("wages", "hours"),  # the same, so that it has the same ceiling
    "worst_cases.*.importance": {"hours": float, "wages": float},
    "worst_cases.0.importance": {"wages": 0.0301, "hours": 0.9701},  # the most is drawn first
    "worst_cases.0.ended": "steps",
    "worst_cases.1.ended": "proven",
    "worst_cases.1.gap": 0.0,
    "worst_cases.2.ended": "unclear",
    "worst_cases.0.held_out.linked": 0.0701,
    "worst_cases.1.held_out.linked": 0.9901,  # more than without the truth
    "worst_cases.2.held_out": None,
    "remedies.loss": 0.311,
    "remedies.tried.0.loss": 0.322,
    "remedies.tried.1.loss": 0.333,
    "remedies.tried.*.plan": (),
    "record_risks.bins.0.low": 0.0111,
    "record_risks.bins.0.high": 0.1111,
    "record_risks.bins.1.low": 0.1112,
    "record_risks.bins.1.high": 0.2111,
    "record_risks.above": [None] * 3,
    "record_risks.above.0.threshold": 0.0501,
    "record_risks.above.1.threshold": 0.5001,
    "record_risks.above.2.threshold": 0.9001,
    "record_risks.carried.*.part": float,
    "record_risks.carried.1.part": 0.0502,
    "subgroups.highest.share": 0.9992,
    "subgroups.groups.0.small": False,
    "subgroups.groups.1.small": True,
    "intervals.average.column": None,
    "intervals.together.column": None,
    "uniqueness.meaningful": False,
    "unchanged.known": True,
    "unchanged.columns.0.share": 0.0001,  # less than the next
    "loss.measures": [None] * 4,
    **{f"loss.measures.{place}.name": name for place, name in enumerate(LOSSES)},
    "loss.measures.0.family": "numbers",
    "loss.measures.1.family": "categories",
    "loss.measures.2.family": "records",
    "loss.measures.3.family": "tables",
    "loss.measures.0.worst": None,
    "loss.measures.1.worst": 1.0,
    "loss.measures.2.worst": 1.0,
    "loss.measures.3.value": None,
    "loss.suppression.groups": [None] * 5,
    "loss.suppression.groups.*.chance": float,
    **{f"loss.suppression.groups.{place}.chance": (place + 1) / 10**6 for place in range(4)},
    "loss.suppression.groups.*.discarded_ratio": float,
    **{f"loss.suppression.groups.{place}.discarded_ratio": 2.01 + place for place in range(4)},
    "loss.predictions": [None] * 3,
    "loss.predictions.1.original": None,
    "loss.attributes": (),
    "shapes.0.bars": [None] * 3,
    "shapes.2.bars": (),
    "shapes": [None] * 3,
    "settings": {},
    "schema": {},
    "asked": None,
    "policy": None,
    "software": {"unveil": "1", "python": "3"},
    "inputs": {"original": None, "release": None},
    "inputs.release.file": None,
    "plan": {
        "seed": int,
        "mask": [
            {"method": "additive-noise", "name": "n", "columns": ["age", "pay"], "scale": float},
            {"method": "somebody-elses", "k": int, "on": True, "by": "x", "of": {"y": "z"}},
        ],
    },
}

COMPARED = {
    "releases": [None] * 4,
    **{f"releases.{place}.name": f"{one}.csv" for place, one in enumerate("abcd")},
    "releases.0.worst.name": "distance",
    "releases.1.worst.name": "position",  # which others are not told of
    "releases.1.attacks.1.name": "position",
    "releases.3.worst": None,
    "releases.[123].worst.interval": None,
    "releases.[02].passed": False,
    "releases.1.passed": True,
    "releases.3.passed": None,
    "releases.0.loss": 0.15,
    "releases.1.loss": 0.3,
    "releases.2.loss": 0.4,
    "releases.*.broken": ("max_risk", "max_loss"),
    "releases.*.losses.0.name": "IL1s",
    "releases.*.losses.1.name": "pMSE",
    "releases.*.losses.0.worst": 1.0,
    "releases.*.losses.1.worst": None,
    "releases.1.losses.0.value": None,
    "best.0.criterion": "risk",
    "best.1.criterion": "loss",
    "best.0.releases": ("a.csv",),
    "best.1.releases": ("b.csv", "c.csv"),
    "best.0.not_measured": ("d.csv",),
    "best.1.not_measured": (),
    "front": ("a.csv", "b.csv"),
    "dominated": [None],
    "dominated.0.release": "c.csv",
    "dominated.0.by": ("a.csv", "b.csv"),
    "not_placed": ("d.csv",),
    "differences.0.first": "a.csv",
    "differences.*.second": "b.csv",
    "differences.1.first": "c.csv",
    "differences.1.paired": None,
}

# What is not known, not asked for or not there: the same pages with as little as there can be.
BARE = {
    "attacks": [None],
    "attacks.0.risk.interval": None,
    "attacks.0.risk.confirmed": None,
    "attacks.0.forecast": None,
    "sampling_fraction": None,
    "truth": None,
    "left_out": (),
    "notes": (),
    "identifiers": (),
    "verdict": None,
    "knowledge.steps": [None],
    "knowledge.steps.0.interval": None,
    "noisy_knowledge": None,
    "remasking": None,
    "attribute_risks.without": (),
    "halves.dropped": {},
    "halves.together": (),
    "halves.forecast": None,
    "halves.sure": None,
    "halves.correspondence": (),
    "halves.risk.candidates": 99_991,
    "worst_cases": [None],
    "worst_cases.0.held_out": None,
    "worst_cases.0.together": (),
    "remedies": None,
    "compatible": None,
    "record_risks.carried": (),
    "record_risks.above": [None],
    "record_risks.riskiest": (),
    "subgroups.highest": None,
    "subgroups.groups.*.interval": None,
    "subgroups.groups.*.small": False,
    "households.share": None,
    "intervals.attributes": (),
    "uniqueness.meaningful": True,
    "uniqueness.unperturbed": None,
    "population": None,
    "diversity": (),
    "inference": (),
    "unchanged.known": False,
    "unchanged.unchanged": (),
    "unchanged.columns.0.unchanged": True,
    "unchanged.columns.1.unchanged": False,
    "unchanged.columns.0.share": None,
    "unchanged.columns.1.share": None,
    "unchanged.singled_out_quasi": 0,
    "loss.overall.value": None,
    "loss.measures.[12].worst": None,
    "loss.suppression.discarded": None,
    "loss.suppression.suppressed": None,
    "loss.suppression.generalisation": None,
    "loss.suppression.groups": (),
    "loss.predictions.*.original": None,
    "loss.predictions.1.original": None,
    "score": None,
    "shapes": (),
    "plan": None,
    "inputs.*.records": None,
}
COMPARED_BARE = {
    "releases": [None] * 2,
    "releases.*.worst.interval": None,
    "releases.0.interval_disclosure": None,
    "releases.0.unchanged": None,
    "releases.1.loss": None,
    "releases.1.unchanged": None,
    "releases.*.attacks": (),
    "releases.*.losses": (),
    "best": (),
    "front": ("a.csv",),
    "dominated": (),
    "not_placed": ("b.csv",),
    "differences": (),
    "notes": (),
}


class _Numbers:
    """The numbers that are left."""

    def __init__(self, given):
        self.given = given
        self.primes = (n for n in count(101) if all(n % d for d in range(2, int(n**0.5) + 1)))
        self.shares = (round(0.999 - place / 1000, 3) for place in count())
        self.turns = count()

    def at(self, path, kind):
        """What stands at a path, of some type or by what is given for it."""
        found = [key for key in self.given if fnmatchcase(path, key)]
        if found:
            # The most exact one; a list says only how many there are, and of which type is known.
            template = self.given[max(found, key=lambda key: (key.count("*") == 0, len(key)))]
            if not _only_a_length(template):
                return self.filled(path, template)
            return self.several(path, kind, template)
        return self.typed(path, kind)

    def several(self, path, kind, template):
        info = _info(kind)
        if isinstance(template, dict):
            return {key: self.at(f"{path}.{key}", info.value_type) for key in template}
        return tuple(self.at(f"{path}.{place}", info.item_type) for place in range(len(template)))

    def filled(self, path, template):
        if isinstance(template, dict):
            return {key: self.filled(f"{path}.{key}", one) for key, one in template.items()}
        if isinstance(template, list):
            return [self.filled(f"{path}.{place}", one) for place, one in enumerate(template)]
        return self.typed(path, template) if isinstance(template, type) else template

    def typed(self, path, kind):
        info = _info(kind)
        last = path.rpartition(".")[2]
        if isinstance(info, inspect.StructType):
            fields = {
                one.name: self.at(f"{path}.{one.name}".lstrip("."), one.type) for one in info.fields
            }
            return info.cls(**fields)
        if isinstance(info, inspect.VarTupleType | inspect.ListType):
            return tuple(self.at(f"{path}.{place}", info.item_type) for place in range(2))
        if isinstance(info, inspect.BoolType):
            return True
        if isinstance(info, inspect.FloatType):
            return next(self.primes) + 0.25 if last in MANY else next(self.shares)
        if isinstance(info, inspect.IntType):
            return next(self.primes)
        assert isinstance(info, inspect.StrType), (path, info)
        return DIRECTIONS[next(self.turns) % 2] if last == "direction" else path


def _only_a_length(template):
    if not isinstance(template, dict | list) or not template:
        return False
    every = template.values() if isinstance(template, dict) else template
    return all(one is None for one in every)


def _info(kind):
    info = kind if isinstance(kind, inspect.Type) else inspect.type_info(kind)
    if isinstance(info, inspect.Metadata):
        return _info(info.type)
    if isinstance(info, inspect.UnionType):
        return _info(next(one for one in info.types if not isinstance(one, inspect.NoneType)))
    return info


def numbered(given=None):
    """Evidence in which every number is another one."""
    return _Numbers(GIVEN | (given or {})).typed("", Evidence)


def numbered_comparison(given=None):
    """A comparison in which every number is another one."""
    return _Numbers(COMPARED | (given or {})).typed("", Comparison)


def places(value):
    """Where each number of a value stands; an end of a range has no place."""
    found = {}
    for path, number in _leaves("", msgspec.to_builtins(value)):
        if number not in (FORMAT, 1):
            assert found.setdefault(number, path) == path, "a number is there twice"
    return found


def _leaves(path, value):
    if isinstance(value, dict | list | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _leaves(f"{path}.{key}".lstrip("."), one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def told(said, where):
    """A summary in lines: each number by where it stands, each term by its key."""
    return "\n".join(_lines(said, where)) + "\n"


def _lines(said, where):
    def spoken(cell):
        return _spoken(cell, where)

    yield f"# {said.title}"
    yield f"of: {spoken(said.subject)}"
    yield f"verdict: {spoken(said.verdict)}"
    version = "ours" if said.version == __version__ else said.version
    yield f"passed: {said.passed}, version: {version}, external: {said.external}"
    yield from (f"fact: {spoken(one.label)} = {spoken(one.value)}" for one in said.facts)
    for section in said.sections:
        yield f"\n## {section.key}: {section.title}"
        yield from (spoken(one) for one in section.paragraphs)
        for shown in section.exhibits:
            yield f"\n### {shown.name}: {shown.title} ({shown.chart}, {shown.about})"
            yield from (spoken(one) for one in shown.lead)
            heads = [(one.key, "#" * one.number, spoken(one.head)) for one in shown.table.columns]
            yield "| " + " | ".join(f"{key}{sign}: {head}" for key, sign, head in heads)
            for row in shown.table.rows:
                pairs = zip(shown.table.columns, row, strict=True)
                yield "  - " + " | ".join(f"{one.key}={spoken(cell)}" for one, cell in pairs)
            yield f"seen: {spoken(shown.says)}"
            yield from (f"note: {spoken(one)}" for one in shown.notes)
        yield from (f"* {spoken(one)}" for one in section.points)
    yield "\n## limits of validity"
    yield from (f"* {spoken(one)}" for one in said.limits)


def _spoken(cell, where):
    if isinstance(cell, tuple):
        return "".join(_spoken(one, where) for one in cell)
    if isinstance(cell, Figure):
        return f"<{where.get(cell.value, cell.value)} as {cell.form}>"
    if isinstance(cell, Term):
        return f"[{cell.text}]({cell.key})"
    return f"'{cell.text}'" if isinstance(cell, Name) else str(cell)
