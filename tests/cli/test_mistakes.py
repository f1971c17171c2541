"""Mistakes on the command line: each is answered in three lines, with the remedy and no cell."""

import re
import textwrap

import pytest

PLAN = '[[mask]]\nmethod = "{}"\np = 10\ncolumns = ["{}"]\n'
FILES = {
    "s.toml": 'identifier = ["person"]\nquasi = ["age", "sex"]\nconfidential = ["income"]',
    "key.toml": 'quasy = ["age"]',
    "role.toml": '[attributes.age]\nrole = "quassi"',
    "column.toml": 'quasi = ["agee"]',
    "number.toml": 'identifier = ["person"]\nquasi = ["age"]\nnumeric = ["age"]',
    "plan.toml": PLAN.format("rank-swapping", "age"),
    "method.toml": PLAN.format("rank-swaping", "age"),
    "unlike.toml": PLAN.format("zzz", "age"),
    "target.toml": PLAN.format("rank-swapping", "incme"),
    "limit.toml": "max_rsk = 0.1",
    "intruder.toml": '[[intruder]]\nname = "register"\nmax_linkd = 0.1',
    "none.toml": "forbid_row_order = false",
    "syntax.toml": "max_risk = ",
}
AUDIT = "audit a.csv a.csv -s s.toml --truth person"
ATTACK = "attack rank a.csv a.csv -s s.toml --truth person"
DISTANCE = ATTACK.replace("rank", "distance")
CELL = "s3cret"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = [f"p{n},{20 + n},{'mf'[n % 2]},{1000 + 7 * n}" for n in range(30)]
    bad = [*people[:3], people[3].replace("23", CELL), *people[4:]]
    ragged = [*people[:5], people[5] + ",1", *people[6:]]
    for name, rows in (("a", people), ("bad", bad), ("ragged", ragged)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["person,age,sex,income", *rows, ""]))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize(
    ("code", "call", "words"),
    [
        (2, "inspekt a.csv", "mean 'inspect'"),
        (2, "inspect a.csv --delimeter x", "'--delimiter'.* --help` lists the options"),
        (2, "mask a.csv", "'--plan'.*`unveil mask --help`"),
        (3, "inspect b.csv", "b.csv: .* mean 'bad.csv'"),
        (3, "inspect ragged.csv", "ragged.csv: row 6 has 5 cells .*correct the rows"),
        (3, "inspect a.csv -s key.toml", "key.toml: 'quasy' .* mean 'quasi'"),
        (3, "inspect a.csv -s role.toml", "role.toml: attribute 'age': .* mean 'quasi'"),
        (3, "inspect a.csv -s column.toml", "a.csv: column 'agee' .* mean 'age'"),
        (3, "inspect bad.csv -s number.toml", "bad.csv: column 'age' .* row 4; correct them"),
        (3, "mask bad.csv -s s.toml -p plan.toml", "bad.csv: plan.toml: step 1: .*'age'.* row 4"),
        (3, "mask a.csv -s s.toml -p method.toml", "method.toml: step 1: .*mean 'rank-swapping'"),
        (3, "mask a.csv -s s.toml -p unlike.toml", "methods are: additive-noise, .* more$"),
        (3, "mask a.csv -s s.toml -p target.toml", "target.toml: step 1: .*'incme'.* 'income'"),
        (2, "mask a.csv -p plan.toml -o a.csv", "a.csv is an input .* name another file"),
        (2, "methods mondrain", "mean 'mondrian'"),
        (2, "attack rnak a.csv a.csv", "mean 'rank'"),
        (2, f"{ATTACK} --criterion mx", "mean 'max'"),
        (3, f"{ATTACK} --knows agee", "mean 'age'"),
        (3, ATTACK.replace("a.csv -s", "bad.csv -s"), "column 'age' .*release.* row 4.*; declare"),
        (3, AUDIT.replace("a.csv -s", "bad.csv -s"), "age .* row 4.*; correct the cells"),
        (3, f"{AUDIT} --policy limit.toml", "limit.toml: .*'max_rsk'.* mean 'max_risk'"),
        (3, f"{AUDIT} --policy intruder.toml", "'register': .*mean 'max_linked'"),
        (3, f"{AUDIT} --policy none.toml", "none.toml: .*no limit; give one, such as max_risk"),
        (3, f"{AUDIT} --policy syntax.toml", "syntax.toml: .*not TOML.*; correct it"),
        (2, f"{AUDIT} --effort quik", "--effort: .*mean 'quick'"),
        (3, "audit a.csv a.csv -s s.toml", r"give truth= \(--truth\)"),
        (2, "compare a.json", "give the evidence of two or more"),
        (2, "audit --shema s.toml", "No such option '--shema'; did you mean '--schema'[?] `"),
        (2, "audit --figres x", "; did you mean '--figures'[?] `"),
        (2, "attack structural --level x", "No such option '--level'[.] `"),
        (2, "completion bsh", "; did you mean 'bash'[?] `"),
        (2, f"{ATTACK} --direction release-to-orig", "mean 'release-to-original'[?] `"),
        (2, f"{AUDIT} --measures PLI", "not a further loss measure; did you mean 'PIL', which is"),
        (2, f"{AUDIT} --measures IL1s", "'IL1s' is in every audit; name only further measures"),
        (2, f"{AUDIT} --measures zzz", "further loss measure; no installed package has any"),
        (2, f"{DISTANCE} --weights {{age:2}}", 'weights: .*not valid JSON; .*, as in {"age": 2}'),
        (2, DISTANCE + ' --comparisons {"sex":"jaro"}', "'sex': table of by, levels, not text"),
        (3, "inspect nofile.xyz", "there is no such file; check its name and its folder"),
    ],
)
def test_a_mistake_is_answered_in_three_lines(unveil_command, code, call, words):
    done = unveil_command(*call.split())
    said = done.err.strip()
    assert (done.code, done.out) == (code, "")
    assert re.search(words, said), said
    assert said.count("\n") == 0
    assert len(textwrap.wrap(said, 100)) <= 3, said
    assert CELL not in said
    for listed in ("person, age, sex", "rank-swapping, distribution"):
        assert "mean" not in said or listed not in said
