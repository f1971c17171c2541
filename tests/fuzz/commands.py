"""Arguments of the command line, and the files that they name."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import click
import msgspec

import unveil
from tests.fuzz.draw import TEXT_JUNK
from tests.fuzz.plans import QUICK, a_plan, a_policy
from tests.fuzz.tables import a_schema
from unveil.cli.main import cli, main

DOCUMENTED = (0, 1, 2, 3, 4, 130)
ENDINGS = ("csv", "csv", "csv", "parquet", "arrow", "tsv", "xlsx", "sav", "dta", "xpt", "db")
QUICK_AUDIT = ("--no-sweep", "--no-remedies", "--no-worst-case", "--errors=", "--attack=distance")
WEIGHTS = {
    "mask": 6, "inspect": 4, "attack": 4, "audit": 1, "link": 1, "report": 1.5, "compare": 1.5,
    "methods": 1, "demo": 0.5, "choose": 0.5, "completion": 0.3, "papers": 0.3,
}  # fmt: skip
OUTPUTS = {  # options that write, with the files to name
    "--output": ("made.csv", "made.parquet", "survey.csv", "made", "made.xlsx", "no/made.csv", "."),
    "--row-map": ("rows.csv", "made.csv", "rows.parquet"),
    "--patterns": ("patterns.csv", "made.csv", "survey.csv", "no/patterns.csv"),
    "--write-schema": ("new.toml", "survey.toml", "survey.csv", "no/new.toml"),
    "--review": ("review.csv", "review.xlsx", "survey.csv", "no/review.csv"),
    "--links": ("links.csv", "links.parquet", "survey.csv"),
    "--evidence": ("new.json", "survey.csv", "audit.json", "no/new.json", "."),
    "--per-record": ("each.csv", "each.parquet", "each.dta"),
    "--report": ("page.html", "page.txt", "survey.csv", "no/page.html"),
    "--figures": ("figures", "survey.csv"),
    "--folder": ("survey.csv", "no/no"),
}
INPUTS = {
    "--schema": ("survey.toml", "policy.toml", "no.toml", "survey.csv", "."),
    "--plan": ("plan.toml", "survey.toml", "no.toml"),
    "--policy": ("policy.toml", "plan.toml"),
    "--truth": ("who", "row-order", "rows.csv", "age", "none", "no.csv"),
    "--replay": ("audit.json", "policy.toml"),
    "--records": ("0.5", "3", "each.csv", "survey.csv", "0"),
    "--knows": ("age", "sex,pay", "who", "age,age", "nobody"),
    "--attack": ("distance", "rank-max", "rank", "distnace", "tailored"),
    "--delimiter": (";", ",", "tab", ";;", ""),
    "--encoding": ("utf-8", "utf-16", "idna", "latin-1", "punycode", "hex", "x"),
    "--missing": ("NA", "-9", ""),
    "--answers": ("review.csv", "survey.csv", "no.csv"),
    "--p-link-unmatched": ("0.001", "1e-9", "0.9", "x"),
    "--p-nonlink-matched": ("0.05", "0.5", "0"),
    "--pair": ("1,1", "3,99999", "x"),
    "--link-classes": ("linked", "non-linked,clerical", "x"),
    "--seed": ("1", "-1", "99999999999999999999", "x"),
    "--direction": ("release-to-original", "up"),
    "--rename": ("a=b", "age=age", "x"),
    "--engine": ("local", "auto", "spark", "x"),
    "--memory": ("4G", "1", "x"),
}


def an_audit(draw, number=5):
    """A small audit that the evidence of command lines is made by; few, and each made once."""
    return _audit(draw.whole(0, number - 1))


@cache
def _audit(seed):
    people = unveil.households(24, seed=seed).select(["person", "region", "sex", "age", "income"])
    release = unveil.mask(people, [unveil.masks.Microaggregation(k=3, columns=["income"])], seed=1)
    settings = unveil.AuditSettings(**QUICK)
    return unveil.audit(people, release, attacks=["distance"], settings=settings)


def written(value):
    """Plain values as the bytes of a TOML file; what has no place in one is left out."""

    def plain(one):
        if isinstance(one, dict):
            return {str(k): plain(v) for k, v in one.items() if v is not None}
        if isinstance(one, list | tuple):
            return [plain(v) for v in one]
        return one if isinstance(one, str | int | float) else str(one)

    return msgspec.toml.encode(plain(value))


def some_files(draw, table, folder):
    """Write a survey with what belongs to it; returns the name of the survey."""
    data = table.data()
    ending = draw.one(ENDINGS)
    survey = "sqlite:///survey.db?table=people" if ending == "db" else f"survey.{ending}"
    unveil.write(data, survey)
    schema = a_schema(draw, table) if draw.chance(0.1) else table.schema
    files = {
        "survey.toml": written(schema),
        "plan.toml": written(a_plan(draw, table, python=False)),
        "policy.toml": written(a_policy(draw, table)),
    }
    if draw.chance(0.3):
        audit = an_audit(draw)
        unveil.write(audit, "audit.json")
    if draw.chance(0.1):  # a file that is not what it was
        name = draw.one([*files, f"survey.{ending}", "audit.json"])
        there = files.get(name) or (Path(name).read_bytes() if Path(name).is_file() else b"")
        cut = draw.whole(0, len(there))
        files[name] = draw.one((
            there[:cut], b"", b"\xff\xfe\x00", there[:cut] + b"\x00" + there[cut:], there[::-1],
            b"[" * 5000, b'{"a":' * 5000, b"x = " + b"[" * 5000, there * 2, b"x = " + b"9" * 999,
        ))  # fmt: skip
    for name, content in files.items():
        Path(folder, name).write_bytes(content)
    return survey


def a_release(draw, table, folder):
    """Mask the survey, and write the release with its row map."""
    release = unveil.mask(table.data(), [{"method": "shuffle"}], seed=draw.whole(0, 99))
    unveil.write(release, Path(folder, "release.csv"), row_map=Path(folder, "rows.csv"))
    return "release.csv"


@cache
def options_of(command, *more):
    """Every option of a command, and whether it takes a value."""
    context = click.Context(cli)
    found = cli.get_command(context, command)
    for name in more:
        found = found.get_command(context, name)
    with click.Context(found, info_name=command) as context:
        listed = [one for one in found.get_params(context) if isinstance(one, click.Option)]
    return {
        flag: not one.is_flag
        for one in listed
        for flag in (*one.opts, *one.secondary_opts)
        if flag not in ("-h", "--help")
    }


def a_command(draw, table, folder):
    """The arguments of one command: right ones, then a few of any option."""
    name = draw.one_by_weight(WEIGHTS)
    survey = some_files(draw, table, folder)
    schema = ["--schema", "survey.toml"]
    args = [name, *_arguments(draw, name, table, folder, survey)]
    if name in ("mask", "inspect", "attack", "audit", "link", "choose") and draw.chance(0.9):
        args += schema
    known = options_of(name, *([args[1]] if name == "attack" else []))
    for flag in draw.some(list(known), 0, draw.one((0, 1, 3))) if known else []:
        args += [flag, _value(draw, flag)] if known[flag] else [flag]
    if draw.chance(0.07):
        args.insert(draw.whole(0, len(args)), draw.one(TEXT_JUNK))
    if draw.chance(0.03):
        args.pop(draw.whole(0, len(args) - 1))
    if args[:1] == ["audit"] and "--replay" not in args:
        args += QUICK_AUDIT
    if args[:1] == ["choose"]:
        args += ["--trials", draw.one(("0", "x", "-1"))]  # a search takes minutes
    if args[:1] == ["demo"]:
        args += ["--records", draw.one(("5", "0", "x", "-1"))]  # the demo takes a minute
    return [one for one in args if one not in ("--halves", "--exact")]


def _arguments(draw, name, table, folder, survey):
    """What a command needs."""
    if name == "mask":
        return [survey, "--plan", "plan.toml", "--output", draw.one(("made.csv", "made", "m.dta"))]
    if name == "inspect":
        return [survey]
    if name in ("attack", "audit", "link"):
        try:
            release = a_release(draw, table, folder)
        except unveil.UnveilError:
            release = survey
        attack = draw.one(("distance", "rank", "rank-max", "probabilistic", "compatible", "pairs"))
        first = [attack] if name == "attack" else []
        return [*first, survey, release, "--truth", "rows.csv"]
    if name == "choose":
        return [survey, "--policy", "policy.toml", "--output", draw.one(("made", "survey.csv"))]
    if name in ("report", "compare"):
        files = ["audit.json"] * (1 if name == "report" else draw.whole(1, 2))
        return [*files, "--report", "page.html"] if draw.chance(0.7) else [*files, "--json"]
    return draw.some(("rank", "mondrian", "bash", "l-diversity", "x"), 0, 1)


def _value(draw, flag):
    listed = OUTPUTS.get(flag, ()) + INPUTS.get(flag, ())
    return draw.one(listed) if listed and draw.chance(0.7) else draw.one(TEXT_JUNK)


class Outcome:
    """The end of a command: its exit code, what it printed, and an error that it did not expect."""

    def __init__(self, args):
        screen, errors = (_terminal(way) for way in ("strict", "backslashreplace"))
        before, sys.argv = sys.argv, ["unveil", *args]
        self.error = None
        try:
            with redirect_stdout(screen), redirect_stderr(errors):
                main()
            self.code = 0
        except SystemExit as end:
            self.code, self.error = end.code or 0, end.__context__
        finally:
            sys.argv = before
        self.printed, self.complained = (_text(one) for one in (screen, errors))


def _terminal(errors):
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, write_through=True)


def _text(stream):
    return stream.buffer.getvalue().decode(errors="replace")
