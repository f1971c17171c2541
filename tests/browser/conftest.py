"""Pages of every kind."""

from __future__ import annotations

import msgspec
import pytest

import unveil
from fixtures import audits, choices
from fixtures.command_line import learning_little
from unveil import masks
from unveil.values.search_space import Candidate

RECORDS = 120
LIMITS = unveil.Policy(max_risk=0.05, k_anonymity=3, may_stay_unchanged=("sex",), max_loss=0.9)

HACK = "<script>window.hacked=1</script>"
HOSTILE = {  # what columns are called that mean harm
    "region": HACK,
    "sex": "</script><img src=x onerror=window.hacked=1>",
    "age": "\"'`${window.hacked=1}{{ 7 * 7 }}",
    "education": "<!-- & \u202egnp.exe\u202c",
    "income": "W" * 300,
    "tax": "a.b[0]\\'] datum.kind",
    "savings": "ten words that go on and on " * 10,
    "hours": "constructor",  # which every object of JavaScript has
    "rent": "__proto__",
}


@pytest.fixture(scope="session")
def page_of(tmp_path_factory):
    """A function that writes a page of a kind, once."""
    folder, written, found = tmp_path_factory.mktemp("pages"), {}, {}

    def audit_of(kind):
        if kind not in found:
            found[kind] = AUDITS[kind]()
        return found[kind]

    def written_page(kind):
        if kind not in written:
            path = folder / f"{kind}.html"
            what, options = PAGES[kind](audit_of)
            unveil.report(what, path, **options)
            written[kind] = path
        return written[kind]

    return written_page


def _plain():
    people = unveil.households(RECORDS, seed=7)
    release = unveil.mask(people, [masks.RankSwapping(p=5)], seed=7)
    return _audit(people, release, policy=LIMITS)


def _light():
    """The same people once more, microaggregated, and only attacked."""
    people = unveil.households(RECORDS, seed=7)
    release = unveil.mask(people, [masks.Microaggregation(k=5)], seed=7)
    return _audit(people, release, sweep=False, remedies=False, worst_case=False)


def _hostile():
    people = unveil.households(RECORDS, seed=7)
    given = people.schema.to_dict()["attributes"]
    frame = people.to_frame().rename(HOSTILE)
    schema = {HOSTILE.get(name, name): attribute for name, attribute in given.items()}
    order = schema[HOSTILE["education"]]["order"]
    schema[HOSTILE["education"]]["labels"] = {one: f"{one} {HACK}" for one in order}
    people = unveil.Microdata(frame, unveil.Schema.from_dict({"attributes": schema}))
    release = unveil.mask(people, [masks.RankSwapping(p=5)], seed=7)
    return _audit(people, release, remedies=False)  # whose names are those of the columns


def _audit(people, release, **given):
    with learning_little():
        return audits.audit(people, release, attacks=["distance", "rank-max"], remask=0, **given)


def _beside(audit_of, names):
    return unveil.compare([audit_of("plain"), audit_of("light")], names=names), {}


def _hostile_study():
    """Combinations, columns and notes that mean harm."""
    swap = {"method": HACK, "columns": [*HOSTILE.values()], "p": 5, "by": HOSTILE["sex"]}
    names = dict(zip(("swapping", "noise", "groups"), [*HOSTILE.values()][4:], strict=False))
    tried = [
        msgspec.structs.replace(
            one,
            candidate=Candidate(names[one.candidate.combination], one.candidate.point),
            masks=(swap,),
            note=one.note and HOSTILE["sex"],
            risk=None if one.number == 1 else one.risk,
        )
        for one in choices.study().tried
    ]
    reach = [
        msgspec.structs.replace(one, combination=names[one.combination])
        for one in choices.study().reach
    ]
    return choices.study(tried=tuple(tried), reach=tuple(reach), notes=(HACK, HOSTILE["age"]))


AUDITS = {"plain": _plain, "light": _light, "hostile": _hostile}
PAGES = {
    "audit": lambda audit_of: (audit_of("plain"), {}),
    "external": lambda audit_of: (audit_of("light"), {"external": True}),
    "comparison": lambda audit_of: _beside(audit_of, ["swapped", "microaggregated"]),
    "hostile": lambda audit_of: (audit_of("hostile"), {}),
    "hostile-comparison": lambda audit_of: _beside(audit_of, [HACK, HOSTILE["income"]]),
    "choice": lambda _: (choices.study(), {}),
    "hostile-choice": lambda _: (_hostile_study(), {}),
}
