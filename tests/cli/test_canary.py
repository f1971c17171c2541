"""Canaries: a file full of unmistakable values; none may sing where nobody asked.

Every command and every error path adds its scene here. A scene runs in its own folder and
temporary folder; what it prints, logs or raises, and every file that it leaves beside the
ones it was asked for, is searched for the canaries.
"""

import io
import logging
import shutil
import sqlite3
import traceback
import zipfile

import adbc_driver_manager.dbapi
import polars as pl
import pyreadstat
import pytest
import xlsxwriter

import unveil
from unveil import Microdata, Schema, measures
from unveil.files import Csv

pytestmark = pytest.mark.usefixtures("quick_search", "few_trees", "quick_learning")

TEXT = "Canarybird"
NUMBER = 7701339.25
WHOLE = 88077013
SONGS = ("anarybird", "7701339", "88077013")


def _frame():
    return pl.DataFrame(
        {
            "name": [f"{TEXT}{i}" for i in range(8)],
            "kind": [TEXT, TEXT + "2"] * 4,
            "pay": [NUMBER + i for i in range(8)],
            "age": [WHOLE] * 4 + [None] * 4,
        }
    )


def _crowd():
    """Enough of a kind for every measure to have something to say."""
    return pl.DataFrame(
        {
            "name": [f"{TEXT}{i}" for i in range(24)],
            "kind": [TEXT, TEXT + "2"] * 12,
            "pay": [NUMBER + i * i for i in range(24)],
            "age": [WHOLE + i % 3 for i in range(24)],
            "born": pl.Series([f"77-01-{1 + i}" for i in range(24)]).str.to_date("%y-%m-%d"),
            "home": [f"{TEXT}{i // 2}" for i in range(24)],
            "weight": [WHOLE * 1.0] * 24,
        }
    )


def _alike():
    """Attributes that correspond, enough for two halves."""
    part = [f"{TEXT}{i // 8}" for i in range(24)]
    return _crowd().with_columns(tax=pl.col("pay") * 2, due=pl.col("born"), part=pl.Series(part))


def _csv(rows=None, header="name,kind,pay,age"):
    rows = rows or [f"{TEXT}{i},{TEXT},{NUMBER},{WHOLE}" for i in range(8)]
    return "\n".join([header, *rows, ""])


def _workbook(**sheets):
    """A workbook of sheets, each a list of rows."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return made.getvalue()


def _damaged(workbook):
    """A workbook whose cells end in the midst of one."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part[: part.rindex(b"</v>")] if "sheet1" in name else part)
    return made.getvalue()


SHEET = [
    ("name", "kind", "pay", "age"),
    *[(f"{TEXT}{i}", TEXT, NUMBER + i, WHOLE) for i in range(8)],
]


def _answers(*rows):
    return "\n".join(["unique_id_l,unique_id_r,answer", *rows, ""])


def plan(*steps):
    return "\n".join(f"[[mask]]\n{step}\n" for step in steps)


FILES = {
    "adult.data": f"39, {TEXT}, >50K\n",
    "EIA.rda": f"RDX2\nX\n{TEXT}",
    "good.csv": _csv(),
    "ragged.csv": _csv([f"{TEXT},{TEXT},{NUMBER},{WHOLE}", f"{TEXT},{NUMBER}"]),
    "quotes.csv": _csv([f'{TEXT},"{TEXT},{NUMBER},{WHOLE}']),
    "quoted.csv": _csv([f'"{TEXT}" {TEXT},{TEXT},{NUMBER},{WHOLE}']),
    "headless.csv": f"{NUMBER},{WHOLE}\n{NUMBER},{WHOLE}\n",
    "twice.csv": _csv(header=f"{TEXT},{TEXT},pay,age"),
    "blank.csv": _csv(header=f"{TEXT},,pay,age"),
    "latin.csv": _csv().encode() + f"{TEXT},é,{NUMBER},1\n".encode("latin-1"),
    "zero.csv": _csv() + "\0",
    "empty.csv": "",
    "header.csv": "name,kind\n",
    "text.parquet": _csv(),
    "text.xlsx": _csv(),
    "good.xlsx": _workbook(people=SHEET),
    "zip.csv": _workbook(people=SHEET),
    "damaged.xlsx": _damaged(_workbook(people=SHEET)),
    "several.xlsx": _workbook(people=SHEET, more=SHEET),
    "mixed.xlsx": _workbook(people=[*SHEET, (WHOLE, WHOLE, TEXT, f"{TEXT}9")]),
    "twice.xlsx": _workbook(people=[(TEXT, TEXT), (NUMBER, WHOLE)]),
    "blank.xlsx": _workbook(people=[(TEXT, None, TEXT), (NUMBER, WHOLE, TEXT)]),
    "headless.xlsx": _workbook(people=[(NUMBER, WHOLE), (NUMBER, WHOLE)]),
    "long.parquet": _frame().with_columns(name=pl.lit(TEXT * 4000)),
    "huge.parquet": _frame().with_columns(name=pl.lit(WHOLE) * 10**9),
    "text.arrow": _csv(),
    "digits.csv": _csv([f"{TEXT},{TEXT},٣,{WHOLE}"]),
    "enum.parquet": pl.DataFrame({"kind": pl.Series([TEXT], dtype=pl.Enum([TEXT]))}),
    "enum.toml": "quasi = 'kind'",
    "comma.csv": f"name;pay\n{TEXT};7701339,25\n",
    "cells.csv": _csv([f"{{{TEXT},{TEXT},{NUMBER},{WHOLE}"]),
    "nest.parquet": pl.DataFrame({"name": [[TEXT]], "pay": [NUMBER]}),
    "infinite.parquet": pl.DataFrame({"name": [TEXT], "pay": [float("inf")]}),
    "good.parquet": _frame(),
    "good.arrow": _frame(),
    "cases.parquet": _frame().with_columns(Pay=pl.col("pay")),
    "spaces.parquet": _frame().with_columns(pl.col("kind").alias("my kind")),
    "words.toml": "[attributes.name]\nlevel = 'numeric'",
    "order.toml": "[attributes.kind]\norder = ['a', 'b']",
    "hole.toml": "[attributes.kind]\nhierarchy = [['a', 'b'], ['c', 'd']]",
    "loop.toml": f"[attributes.kind]\nhierarchy = [['{TEXT}', 'b'], ['b', '{TEXT}']]",
    "absent.toml": "quasi = ['nmae']",
    "role.toml": "[attributes.name]\nrole = 'quazi'",
    "noorder.toml": "[attributes.kind]\nlevel = 'ordinal'",
    "cells.toml": "[attributes.name]\ngeneralised = true\nlevel = 'nominal'",
    "good.toml": "quasi = ['name', 'pay']\nconfidential = 'age'",
    "broken.toml": "quasi = [",
    "keys.toml": "quasi = ['kind', 'pay']\nidentifier = 'name'\nconfidential = 'age'",
    "elsewhere.plan": plan(
        "method = 'full-domain'\nk = 2\ncolumns = ['kind']\n"
        "models = [{ model = 'k-map', k = 2, population = '/etc/hostname' }]"
    ),
    "noise.plan": plan("method = 'additive-noise'\nscale = 0.5\ncolumns = ['pay']"),
    "many.plan": plan(
        "method = 'microaggregation'\nk = 2\ncolumns = ['pay']",
        "method = 'pram'\ntheta = 1\ncolumns = ['kind']",
        "method = 'additive-noise'\nscale = 9\nname = 'more'\ncolumns = ['pay']",
    ),
    "copula.plan": plan("method = 'synthesis'\nmodel = 'copula'\ncolumns = ['pay']"),
    "same.plan": plan("method = 'rank-swapping'\np = 50\ncolumns = ['age']"),
    "words.plan": plan("method = 'rank-swapping'\np = 50\ncolumns = ['kind']"),
    "repair.plan": plan("method = 'repair'\nshare = 0.3\nk = 2\ncolumns = ['pay', 'kind']"),
    "few.plan": plan("method = 'repair'\nshare = 0.1\nk = 5\ncolumns = ['pay']"),
    "large.plan": plan("method = 'microaggregation'\nk = 99\ncolumns = ['pay']"),
    "optimal.plan": plan(
        "method = 'microaggregation'\nk = 2\nalgorithm = 'optimal'\ncolumns = ['pay', 'age']"
    ),
    "line.plan": plan(
        "method = 'microaggregation'\nk = 2\nalgorithm = 'optimal'\ncolumns = ['kind']"
    ),
    "coarse.plan": plan("method = 'full-domain'\nk = 2\ncolumns = ['kind', 'pay']"),
    "alike.plan": plan("method = 'mondrian'\nk = 2\nunit = 'household'\ncolumns = ['pay']"),
    "alike.toml": "household = 'name'\nquasi = 'pay'\nper_household = 'pay'",
    "varies.toml": "household = 'kind'\nquasi = 'pay'\nper_household = 'pay'",
    "unmet.plan": plan(
        "method = 'full-domain'\nk = 2\ncolumns = ['pay', 'kind']\nstars = false\n"
        "hierarchies = {pay = {intervals = [0.001]}}"
    ),
    "nest.plan": plan("method = 'full-domain'\nk = 2\nhierarchies = {pay = {intervals = [2, 3]}}"),
    "absent.plan": plan("method = 'rounding'\nbase = 5\ncolumns = ['payy']"),
    "secret.plan": plan("method = 'shuffle'", "method = 'synthesis'\ncolumns = ['name']"),
    "hashed.plan": plan("method = 'pseudonymisation'\nkey_file = 'a.key'", "method = 'shuffle'"),
    "a.key": TEXT * 3,
    "short.plan": plan("method = 'pseudonymisation'\nkey_file = 'b.key'"),
    "b.key": TEXT,
    "stray.plan": plan("method = 'pseudonymisation'\nkey_file = '/nowhere/a.key'"),
    "counted.toml": "identifier = 'name'\nnumeric = ['pay', 'age']\nnominal = ['kind', 'home']",
    "named.toml": "identifier = 'name'\nnumeric = ['age']\nnominal = ['kind', 'home', 'pay']",
    "method.plan": plan("method = 'nose'"),
    "key.plan": plan("method = 'rounding'\nbasis = 5"),
    "without.plan": plan("method = 'rounding'"),
    "twice.plan": plan("method = 'shuffle'", "method = 'shuffle'"),
    "function.plan": plan("method = 'function'\nfunction = 'f'"),
    "range.plan": plan("method = 'top-coding'\nthreshold = 'x'\ncolumns = ['pay']"),
    "order.plan": plan(
        "method = 'pram'\nmatrix = [[1, 0], [0, 1]]\ncategories = ['a', 'b']\ncolumns = ['kind']"
    ),
    "answers.csv": _answers("1,1,yes", "2,3,No", "4,4,"),
    "unread.csv": _answers(f"1,1,{TEXT}"),
    "opposed.csv": _answers("1,1,yes", "1,1,no"),
    "beyond.csv": _answers(f"{WHOLE},1,yes"),
    "unnumbered.csv": _answers(f"{TEXT},1,yes"),
    "broken.plan": "[[mask]",
    "nothing.plan": "",
    "seed.plan": "seed = 'x'\n" + plan("method = 'shuffle'"),
    "number.toml": "numeric = ['pay']",
    "other.parquet": _frame().with_columns(pl.col("pay") * 2, kind=pl.lit(TEXT)),
    "rows.csv": f"released,original\n{WHOLE},1\n",
    "crowd.parquet": _crowd(),
    "moved.parquet": _crowd().with_columns(pl.col("pay") * 1.5, kind=pl.col("kind").reverse()),
    "few.parquet": _crowd().filter(pl.col("kind") == TEXT),
    "alike.parquet": _alike(),
    "foreign.parquet": _alike().select("name", song="part", debt="tax", since="due"),
    "typed.parquet": _crowd().with_columns(pay=pl.col("kind")),
    "crowd.toml": "quasi = ['kind', 'pay', 'born']\nidentifier = 'name'\nconfidential = 'age'\n"
    "household = 'home'\nweight = 'weight'\nnominal = ['kind', 'home']",
    "homes.parquet": _alike().with_columns(roof=pl.col("home")),
    "homes.toml": "quasi = ['pay', 'roof']\nidentifier = 'name'\nhousehold = 'home'\n"
    "per_household = ['roof']\nnominal = ['roof', 'home']",
    "apart.homes.toml": "quasi = ['pay', 'kind']\nidentifier = 'kind'\nhousehold = 'home'\n"
    "per_household = ['pay', 'born']\nnominal = ['home']",
    "over.plan": plan(
        "method = 'anti-unification'\nk = 2\nstars = 1\nassignment = 'overlapping'\n"
        "by_confidential = false\ncolumns = ['kind', 'age']"
    ),
    "roof.plan": plan("method = 'pram'\ntheta = 0.9\ncolumns = ['roof']"),
    "homes.plan": plan("method = 'sampling'\nshare = 0.5\nunit = 'household'"),
    "together.plan": plan("method = 'shuffle'\nunit = 'household'"),
    "all.policy": "max_risk = 0\nmax_subgroup_risk = 0\nmax_confirmed = 0\nk_anonymity = 9\n"
    "max_interval_disclosure = 0\nl_diversity = 9\nmax_loss = 0\nforbid_row_order = true\n"
    "may_stay_unchanged = []",
    "near.policy": "max_rsik = 0",
    "row.policy": "max_risk = 0\nmax_loss = 0\nforbid_row_order = true",
    "keys.policy": "k_anonymity = { k = 2, keys = ['knd'] }",
    "empty.policy": "",
    "blind.json": f'{{"format": 2, "version": "{TEXT}"}}',
    "apart.parquet": _crowd().select(
        pl.col("name"),
        pl.col("pay").alias("paid"),
        pl.col("age").alias("years") % 7,
        pl.col("kind").alias("sort"),
        pl.lit(TEXT).alias("flat"),
    ),
    "apart.toml": "identifier = 'name'\nnominal = ['kind', 'sort']",
    "likely.csv": "unique_id_l,unique_id_r,match_probability\n1,1,0.5\n1,2,0.5\n2,2,0.25\n",
    "unlikely.csv": "unique_id_l,unique_id_r,match_probability\n1,1,1.5\n2,2,0.25\n",
    "pairs.csv": f"unique_id_l,unique_id_r,match_weight\n{WHOLE},{TEXT},{NUMBER}\n",
}

BOTH = "good.parquet other.parquet --schema keys.toml"
AUDIT = "audit crowd.parquet moved.parquet --schema crowd.toml"
FEW = (
    "audit crowd.parquet few.parquet --schema crowd.toml --truth name --attack distance --no-sweep "
    "--errors= --no-remedies --no-worst-case"
)
RATES = "--p-link-unmatched 1e-9 --p-nonlink-matched 1e-9"
DECIDED = f"--knows pay,kind {RATES}"
CROSSED = "crowd.parquet crowd.parquet --p-link-unmatched 0.9 --p-nonlink-matched 0.9"
APART = "link crowd.parquet apart.parquet --schema apart.toml"
MIXED = "link crowd.parquet typed.parquet --schema counted.toml --other-schema named.toml"
PAGE = "--report page.html --figures figures"
ALIKE = "audit alike.parquet alike.parquet --schema crowd.toml --truth name --attack distance"
SCENES = [
    (3, "papers --import adult.data"),
    (3, "papers --import EIA.rda"),
    (0, "inspect good.csv"),
    (0, "inspect good.csv --json"),
    (0, "inspect good.csv --schema good.toml --write-schema new.toml"),
    (0, "inspect good.parquet --schema good.toml"),
    (0, "inspect good.arrow"),
    (0, "inspect good.xlsx"),
    (0, "inspect good.sav --write-schema new.toml"),
    (0, "inspect good.dta --json"),
    (0, "inspect coded.sav"),
    (0, "inspect several.xlsx#more"),
    (0, "inspect mixed.xlsx"),
    (0, "inspect comma.csv"),
    (0, "inspect cells.csv"),
    (0, "inspect digits.csv"),
    (3, "inspect digits.csv --schema number.toml"),
    (0, "inspect enum.parquet --write-schema new.toml"),
    (0, "inspect enum.parquet --schema enum.toml --write-schema new.toml --json"),
    (2, "inspect good.csv --write-schema good.csv --force"),
    (2, "inspect good.parquet --delimiter ;"),
    (3, "inspect good.csv --write-schema good.toml"),
    (3, "inspect good.csv --write-schema no/new.toml"),
    *((3, f"inspect {name}") for name in (
        "ragged.csv", "quotes.csv", "quoted.csv", "headless.csv", "twice.csv", "blank.csv",
        "latin.csv", "zero.csv", "empty.csv", "header.csv", "text.parquet", "text.arrow",
        "nest.parquet", "infinite.parquet", "cut.parquet", "cut.arrow", "no.csv", ".",
        "text.xlsx", "zip.csv", "damaged.xlsx", "several.xlsx", "several.xlsx#mroe", "twice.xlsx",
        "blank.xlsx", "headless.xlsx", "cut.xlsx", "cut.sav", "cut.dta", "good.sav#x",
    )),
    *((3, f"inspect good.{ending} --schema {name}") for ending in ("csv", "parquet") for name in (
        "words.toml", "order.toml", "hole.toml", "loop.toml", "absent.toml", "role.toml",
        "noorder.toml", "broken.toml",
    )),
    (3, "inspect mixed.xlsx --schema number.toml"),
    (3, "inspect cells.csv --schema cells.toml"),
    (3, "inspect comma.csv --schema number.toml"),
    (3, "inspect good.csv --encoding utf-16"),
    (3, "inspect good.csv --delimiter ;;"),
    (2, "inspect good.csv --nothing"),
    (0, "mask good.parquet --schema keys.toml --plan noise.plan -o made.parquet"),
    (0, "inspect homes.parquet --schema homes.toml --write-schema new.toml"),
    (0, "inspect homes.parquet --schema apart.homes.toml"),
    *((0, f"mask homes.parquet --schema {schema}.toml --plan {plan}.plan -o made.parquet --json")
      for schema, plan in (("homes", "roof"), ("crowd", "roof"), ("homes", "homes"))),
    (3, "mask homes.parquet --schema apart.homes.toml --plan noise.plan -o made.parquet"),
    (3, "mask homes.parquet --schema homes.toml --plan together.plan -o made.parquet"),
    (3, "mask good.parquet --schema keys.toml --plan homes.plan -o made.parquet"),
    (0, "mask good.parquet --schema keys.toml --plan noise.plan -o made.parquet --json --seed 3"),
    (0, "mask good.parquet --schema keys.toml --plan over.plan --patterns made.parquet"),
    (0, "mask good.parquet --schema keys.toml --plan over.plan --patterns made.csv --json"),
    (2, "mask good.parquet --schema keys.toml --plan over.plan --patterns made.csv -o new.csv"),
    (3, "mask good.parquet --schema keys.toml --plan over.plan"),
    (3, "mask good.parquet --schema keys.toml --plan noise.plan --patterns made.csv"),
    (0, "mask good.parquet --schema keys.toml --plan copula.plan -o made.parquet"),
    (0, "mask good.parquet --schema keys.toml --plan repair.plan -o made.parquet"),
    (0, "mask good.parquet --schema keys.toml --plan coarse.plan -o made.parquet"),
    (0, "mask good.parquet --schema alike.toml --plan alike.plan -o made.parquet"),
    (3, "mask good.parquet --schema varies.toml --plan alike.plan -o made.parquet"),
    *((3, f"mask good.parquet --schema keys.toml --plan {name}.plan -o made.parquet") for name in (
        "same", "words", "large", "absent", "secret", "method", "key", "without", "twice",
        "function", "range", "order", "broken", "nothing", "seed", "no", "optimal", "line", "unmet",
        "nest", "homes", "few",
    )),
    (0, "mask crowd.parquet --schema crowd.toml --plan hashed.plan --allow a.key -o made.parquet"),
    (3, "mask crowd.parquet --schema crowd.toml --plan short.plan --allow b.key -o made.csv"),
    (2, "mask crowd.parquet --schema crowd.toml --plan stray.plan -o made.csv"),
    (0, "mask good.xlsx --schema keys.toml --plan noise.plan -o made.xlsx#release"),
    *((0, f"mask good.{one} --schema keys.toml --plan noise.plan -o made.{to}") for one, to in (
        ("sav", "sav"), ("sav", "dta"), ("sav", "csv"), ("dta", "dta"), ("dta", "zsav"),
        ("dta", "xpt"), ("parquet", "sav"),
    )),
    *((3, f"mask {one}.parquet --plan noise.plan -o made.{ending}") for one, ending in (
        ("cases", "sav"), ("cases", "xpt"), ("spaces", "dta"), ("spaces", "sav"),
        ("good", "sas7bdat"), ("long", "sav"),
    )),
    *((3, f"mask {file} --plan noise.plan -o made.{ending}") for file, ending in (
        ("long.parquet", "xlsx"), ("huge.parquet", "xlsx"), ("good.csv", "ods"),
        ("good.csv", "xlsx#a:b"),
    )),
    (3, "mask good.csv --plan noise.plan -o no/made.csv"),
    (3, "mask good.csv --plan noise.plan -o made.xyz"),
    (2, "mask good.csv --plan noise.plan -o good.csv --force"),
    (2, "mask good.csv --plan noise.plan -o made.csv --row-map made.csv"),
    (2, "mask good.csv --output made.csv"),
    (2, "mask good.parquet --schema keys.toml --plan copula.plan -o made.csv --row-map map.csv"),
    *((0, f"attack distance {more} {BOTH}") for more in (
        "", "--truth name", "--truth row-order --json", "--knows pay --records 3 --truth row-order",
        "--blocks kind --truth row-order", "--links made.links.csv", "--sample 4 --truth name",
        "--metric mahalanobis --knows pay --truth row-order",
        "--outsiders other.parquet --truth row-order", "--records other.parquet --truth name",
        "--knows pay,age --truth row-order --direction release-to-original",
        "--blocks kind:soundex --truth row-order",
        '--comparisons {"kind":{"by":"tokens"}} --truth name',
    )),
    (0, f"attack rank --knows pay --truth name {BOTH}"),
    (0, f"attack compatible --knows pay,kind --truth name {BOTH}"),
    *((0, f"attack supervised --truth name --knows pay,age --splits 1 {more} {BOTH}") for more in (
        "", "--model choquet --json", "--model bilinear --direction release-to-original",
    )),
    *((0, f"attack probabilistic {more} {BOTH}") for more in (
        "--truth name", "--truth row-order --json --iterations 1", "--links made.links.csv",
        "--knows pay,kind --truth name --json --p-link-unmatched 1e-9 --p-nonlink-matched 1e-9",
        f"{DECIDED} --links made.links.csv --review made.review.csv --pair 1,2",
        f"{DECIDED} --review made.review.csv --show-values --review-pairs 3",
        f"{DECIDED} --answers answers.csv --truth name",
        '--truth name --json --comparisons {"kind":{"by":"jaro-winkler"}}',
        '--truth row-order --knows age,kind --comparisons {"age":{"by":"prefix"}}',
    )),
    (0, f"link crowd.parquet moved.parquet --links made.links.csv {RATES}"),
    *((3, f"attack probabilistic {DECIDED} --answers {one}.csv {BOTH}") for one in (
        "unread", "opposed", "beyond", "unnumbered", "good",
    )),
    *((2, f"attack probabilistic {more} {BOTH}") for more in (
        "--review made.csv", f"{DECIDED} --pair 1,x", f"{DECIDED} --pair 1,99",
        f"{DECIDED} --link-classes bird --links made.csv",
        f"{DECIDED} --answers good.csv --review good.csv --force",
    )),
    (2, f"attack probabilistic {CROSSED} --schema crowd.toml"),
    (0, "attack position good.parquet other.parquet --truth name"),
    *((0, f"attack distance --matching {more} {BOTH}") for more in (
        "posterior --truth name", "one-to-one --truth row-order --json",
        "posterior --links made.links.csv", "one-to-one --knows pay --links made.links.csv",
    )),
    *((0, f"attack tailored --knows pay --plan {more} {BOTH}") for more in (
        "noise.plan --truth row-order", "noise.plan --matching posterior --truth name --json",
        "many.plan --level original --truth name", "many.plan --level method --truth row-order",
        "noise.plan --links made.links.csv", "noise.plan --matching one-to-one",
    )),
    (0, f"attack tailored --plan noise.plan {BOTH}"),
    (0, f"attack combined --attacks distance,probabilistic --truth name {BOTH}"),
    (0, f"attack distance --also good.parquet --truth row-order --knows pay {BOTH}"),
    (0, f"attack distance --also good.parquet --key name --truth row-order --json --knows pay {BOTH}"),  # noqa: E501
    *((3, f"attack {more} {BOTH}") for more in (
        "rank", "distance --knows payy", "distance --truth kind",
        "distance --knows age", "distance --blocks bird", "distance --truth rows.csv",
        "distance --records no.csv",
        "pairs --pairs good.csv", "pairs --pairs pairs.csv",
        "distance --release-schema words.toml", "distance --release-schema order.toml",
        "distance --metric mahalanobis",
        'probabilistic --no-constrained --knows pay --tolerances {"pay":[0]}',
        'probabilistic --comparisons {"kind":{"by":"days"}}', "distance --blocks kind:year",
        'distance --comparisons {"kind":{"by":"parts"}}',
        *(f"probabilistic --dependence {how} --truth name" for how in ("latent", "chosen")),
        "tailored --plan noise.plan --truth name", "tailored --plan same.plan",
        "tailored --plan no.plan", "tailored --plan method.plan", "tailored --plan absent.plan",
        "distance --also good.parquet --key nmae", "distance --also good.parquet --key kind",
    )),
    (3, "attack distance good.parquet cells.csv --release-schema cells.toml --knows name"),
    (2, "attack distance good.parquet other.parquet --knows pay --truth nobody"),
    (2, "attack distance good.parquet other.parquet --knows pay --records 99"),
    (0, f"attack pairs --pairs likely.csv --left release --formal --truth name {BOTH}"),
    (2, f"attack pairs --pairs likely.csv --formal {BOTH}"),
    (3, f"attack pairs --pairs unlikely.csv --formal --truth name {BOTH}"),
    (0, f"attack distance --exclude-impossible --plan noise.plan --knows pay {BOTH}"),
    (3, f"attack distance --exclude-impossible --plan same.plan --knows pay {BOTH}"),
    (2, f"attack distance --exclude-impossible --truth name {BOTH}"),
    *((2, f"attack {more} {BOTH}") for more in (
        "nose", "rank --metric euclid", "distance --records 99.5", "distance --tables {}x",
        "distance --weights pay=x", "distance --weights pay=-1", "distance --knows name",
        "position --truth row-order", "pairs --pairs pairs.csv --blocks kind",
        "position --truth name --outsiders other.parquet",
        "probabilistic --no-constrained", "probabilistic --tolerances payy=1",
        "probabilistic --p-link-unmatched 0.9", "tailored", "distance --blocks kind:sound",
        'probabilistic --comparisons {"kind":{"by":"jaro"}}',
        "tailored --plan noise.plan --level original --records 3", "distance --key name",
        "distance --plan noise.plan", "tailored --plan noise.plan --plan noise.plan",
        "combined", "combined --attacks distance,nose", "distance --matching best",
    )),
    *((0, f"{APART} {more}") for more in (
        "", "--truth name", "--truth row-order --json", "--links made.links.csv",
        "--method representatives --matching nearest", "--knows pay,age --confidence 0",
    )),
    *((0, f"link crowd.parquet moved.parquet {more}") for more in (
        "--truth name", "--json", "--schema crowd.toml --links made.links.csv",
        "--attack rank --knows pay", "--attack position --truth name", "--knows age",
        "--blocks kind --truth name", "--blocks kind --truth row-order --json",
    )),
    *((0, f"{MIXED} {more}") for more in ("--attack distance", "", "--truth name --json")),
    (3, f"{MIXED} --attack distance --knows pay,age --truth name"),  # age shows no order
    (3, "link crowd.parquet moved.parquet --blocks kindd"),
    (0, "link crowd.parquet moved.parquet --blocks kind:soundex,born:year --truth name"),
    (3, "link crowd.parquet moved.parquet --blocks kind:day"),
    (2, "link crowd.parquet moved.parquet --blocks kind --knows kind"),
    (0, "link crowd.parquet typed.parquet --truth name"),
    (0, "link good.csv good.csv"),
    *((3, f"{APART} {more}") for more in (
        "--knows payy", "--knows kind,sort", "--truth kind", "--truth rows.csv",
        "--attack distance", "--other-schema words.toml", "--links good.csv",
    )),
    (3, "link good.parquet apart.parquet --truth name"),
    (3, "link crowd.parquet apart.parquet --schema absent.toml"),
    (3, "link good.parquet header.csv"),
    *((2, f"{APART} {more}") for more in (
        "--attack nose", "--truth nobody", "--knows name", "--criterion max", "--confidence 1",
        "--links crowd.parquet --force", "--method nose", "--knows ,",
    )),
    (2, "compare good.csv"),
    (3, "compare good.csv good.csv"),
    (3, "compare no.json good.csv --records good.csv"),
    *((1, f"{AUDIT} {more} --evidence evidence.json --policy all.policy") for more in (
        "--truth name --plan noise.plan --remask 1 --per-record each.csv",
        "--truth row-order --attack distance --json",
    )),
    (1, f"{AUDIT} --truth none --json --evidence evidence.json --policy row.policy"),
    (0, f"{AUDIT} --truth name --knows pay --attack rank-max --rename born=born"),
    (0, f"{FEW} --report page.html"),  # it warns of those who are left out
    (0, "audit good.parquet other.parquet --schema keys.toml --truth name --errors 0.5 --json"),
    *((3, f"{AUDIT} {more}") for more in (
        "", "--truth kind", "--truth rows.csv", "--truth name --knows payy",
        "--truth name --rename x=pay", "--truth name --rename kind=payy",
        "--truth none --policy all.policy", "--truth name --policy keys.policy",
        "--truth name --policy near.policy", "--truth name --policy empty.policy",
        "--truth name --policy broken.toml", "--truth name --plan broken.plan",
        "--truth name --plan key.plan",
        "--truth name --plan absent.plan --attack tailored",
        "--truth name --release-schema words.toml", "--truth name --release-schema order.toml",
        "--truth name --evidence good.csv", "--truth name --per-record each.xyz",
    )),
    *((0, f"{ALIKE} --no-sweep --errors= --no-remedies --no-worst-case {more}") for more in (
        "--halves --intruder-file foreign.parquet --evidence e.json --report page.html",
        "--intruder-file good.csv --json --halves",
    )),
    *((3, f"{ALIKE} --intruder-file {name}") for name in ("no.csv", "rows.csv", "twice.csv")),
    (2, f"{AUDIT} --truth none --intruder-file foreign.parquet"),
    (3, "audit crowd.parquet typed.parquet --schema crowd.toml --truth name"),
    (3, "audit crowd.parquet good.parquet --schema crowd.toml --truth age"),
    (3, "audit good.parquet crowd.parquet --schema keys.toml --truth name"),
    (3, "audit good.parquet other.parquet --truth name"),
    *((3, f"audit --replay {name}") for name in ("blind.json", "good.csv", "no.json", ".")),
    *((2, f"{AUDIT} --truth name {more}") for more in (
        "--resume", "--attack nose", "--attack rank-mean", "--attack tailored", "--errors x",
        "--memory x", "--rename x", "--seconds nan", "--knows ,",
    )),
    (2, f"{AUDIT} --truth nobody"),
    (1, f"{AUDIT} --truth name --plan noise.plan --attack distance --policy all.policy {PAGE}"),
    (0, f"{AUDIT} --truth name --attack distance --external {PAGE}"),
    (0, f"{AUDIT} --truth none --report page.html"),
    *((2, f"{AUDIT} --truth name {more}") for more in (
        "--external", "--report page.txt", "--figures good.csv", "--report good.csv --force",
    )),
    (3, f"{AUDIT} --truth name --report no/page.html"),
    *((3, f"report {name} --report page.html") for name in ("blind.json", "good.csv", "no.json")),
    (2, "report blind.json"),
    (2, "audit --replay blind.json --seed 3"),
    (2, "mask good.csv --schema good.toml --plan elsewhere.plan --output new.csv"),
    (0, "methods"),
    (0, "methods pram"),
    (3, "demo --folder good.csv"),
]  # fmt: skip


@pytest.fixture(scope="module")
def birds(tmp_path_factory):
    """The files, once."""
    folder = tmp_path_factory.mktemp("birds")
    for name, content in FILES.items():
        path = folder / name
        if isinstance(content, pl.DataFrame):
            content.write_parquet(path) if name.endswith("parquet") else content.write_ipc(path)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    for ending, write in {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}.items():
        write(_frame(), folder / f"good.{ending}", column_labels={"pay": "In a month"})
    pyreadstat.write_sav(
        _frame(), folder / "coded.sav", missing_ranges={"pay": [{"lo": NUMBER, "hi": NUMBER + 3}]}
    )
    for ending in ("parquet", "arrow", "xlsx", "sav", "dta"):
        whole = (folder / f"good.{ending}").read_bytes()
        (folder / f"cut.{ending}").write_bytes(whole[:-40])
    return folder


@pytest.fixture
def line(birds):
    """The files that a test needs: all, unless it has a line that names them."""
    return " ".join(path.name for path in birds.iterdir())


@pytest.fixture
def cage(birds, line, tmp_path, monkeypatch):
    """A folder with the files, and a temporary folder of its own."""
    folder, temporary = tmp_path / "work", tmp_path / "tmp"
    folder.mkdir()
    temporary.mkdir()
    for name in {word.partition("#")[0] for word in line.split()}:
        if (birds / name).is_file():
            shutil.copy(birds / name, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def _bare(text):
    """Without the commas that part thousands."""
    return text.replace(",", "")


def _check_silence(place, *, given, texts):
    """No song in the texts, nor in any file that was not given; commas hide none."""
    heard = [song for song in SONGS for text in texts if song in text or song in _bare(text)]
    assert not heard
    for path in place.rglob("*"):
        if path.is_file() and path not in given:
            content = path.read_bytes()
            both = content, content.replace(b",", b"")
            assert not [song for song in SONGS for one in both if song.encode() in one], path
            assert not path.name.startswith(".unveil-"), f"{path} was left behind"


@pytest.mark.parametrize(("code", "line"), SCENES, ids=[line for _, line in SCENES])
def test_no_command_sings(cage, unveil_command, caplog, code, line):
    caplog.set_level(logging.DEBUG)
    given = set(cage.rglob("*"))
    done = unveil_command(*line.split())
    assert done.code == code, done.err
    released = {*cage.rglob("made.*")} - {*cage.rglob("*.toml")} if code == 0 else set()
    _check_silence(cage, given=given | released, texts=[done.out, done.err, caplog.text])


def test_no_page_of_evidence_sings(cage, unveil_command):
    """Of an audit and of a comparison, for oneself and for others."""
    given = set(cage.rglob("*"))
    quick = "--attack distance --no-sweep --errors= --no-remedies --knows pay,age --evidence"
    lines = [
        f"{AUDIT} --truth name {quick} a.json",
        f"{AUDIT} --truth row-order {quick} b.json",
        "report a.json --report a.html",
        "report a.json --report others.html --external",
        "compare a.json b.json --report c.html --figures c",
        "compare a.json b.json --report d.html --external",
    ]
    done = [unveil_command(*line.split()) for line in lines]
    assert [one.code for one in done] == [0] * len(lines)
    assert len(list(cage.rglob("*.html"))) == 4
    _check_silence(cage, given=given, texts=[text for one in done for text in one[1:]])


def test_the_canaries_do_sing_when_asked(cage, unveil_command):
    done = unveil_command("inspect", "good.csv", "--show-values")
    assert all(song in done.out for song in SONGS)
    assert list((cage / "tmp").iterdir()) == []


@pytest.mark.parametrize("kind", [ValueError, pl.exceptions.PanicException])
def test_an_internal_error_holds_its_message_back(cage, unveil_command, monkeypatch, kind):
    def fail(*_args, **_options):
        raise kind(TEXT)

    monkeypatch.setattr("unveil.workflows.inspect.inspect", fail)
    given = set(cage.rglob("*"))
    done = unveil_command("inspect", "good.csv")
    assert done.code == 70
    assert f"internal error, {kind.__name__}" in done.err
    _check_silence(cage, given=given, texts=[done.out, done.err])


def _raises(act):
    with pytest.raises(unveil.UnveilError) as caught:
        act()
    return "".join(traceback.format_exception(caught.value))


def test_no_traceback_sings(cage):
    """What a Python user sees when an error is not caught."""
    given = set(cage.rglob("*"))
    bad = [line.split()[1] for code, line in SCENES if code == 3 and line.count(" ") == 1]
    texts = [_raises(lambda name=name: unveil.read(name)) for name in bad]
    schemas = ("words", "order", "hole", "absent", "role", "noorder", "broken")
    texts += [
        _raises(lambda s=s, e=e: unveil.read(f"good.{e}", f"{s}.toml"))
        for s in schemas
        for e in ("csv", "parquet")
    ]
    data = Microdata(_frame(), Schema(nominal=["name", "kind"], generalised="name"))
    from unveil.table.encoding.generalised import bounds
    from unveil.table.encoding.to_arrays import codes, numbers, scale_of, standardise

    ages = numbers(data, ["age"])
    texts += [
        _raises(lambda: codes(data, "kind", ["x"])),
        _raises(lambda: numbers(data, ["kind"])),
        _raises(lambda: bounds(data, "name")),
        _raises(lambda: codes(data, "kind", (c for c in "ab"))),
        _raises(lambda: data.take([99])),
        _raises(lambda: Microdata(_frame().lazy().select(pl.col("name").cast(pl.Int64)))),
        _raises(lambda: standardise(ages, scale_of(ages))),
        _raises(lambda: data.require("weight")),
        _raises(lambda: data.column("nmae")),
        _raises(lambda: unveil.write(data, "x.csv", format=Csv(missing=[TEXT]))),
        _raises(lambda: unveil.write(data, "x.csv", format=Csv(quote="", delimiter="a"))),
        _raises(lambda: unveil.write(data, "no/x.csv")),
    ]
    _check_silence(cage, given=given, texts=texts)


def test_no_measure_of_the_population_sings(cage):
    """Neither what is found of unique records nor what is refused holds a cell."""
    given, keys = set(cage.rglob("*")), ["name", "kind"]
    data = Microdata(_frame(), Schema(quasi=keys, nominal=keys, numeric="age", weight="age"))
    numbers = pl.DataFrame({"pay": [NUMBER + i for i in range(200)]})
    many = Microdata(numbers, Schema(quasi="pay", numeric="pay"))
    light = Microdata(numbers.select(pay=-pl.col("pay")), Schema(quasi="pay", weight="pay"))
    found = [
        measures.suda(data, keys, fraction=0.5).summary,
        measures.suda(data, keys, fraction=0.5),
        measures.super_population(data, keys, fraction=0.5),
        measures.attackers(data, data, columns=keys),
    ]
    calls = (measures.suda, measures.super_population, measures.attackers)
    texts = [_raises(lambda c=c, d=d: c(d)) for c in calls for d in (many, light, data)]
    texts += [_raises(lambda c=c: c(data, columns=keys)) for c in calls]
    _check_silence(cage, given=given, texts=[*map(repr, found), *texts])


@pytest.fixture
def bird_base(cage):
    """An SQLite file of canaries, and one that is damaged."""
    path = cage / "work" / "birds.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table good (name, kind, pay, age)")
        connection.executemany("insert into good values (?, ?, ?, ?)", _frame().rows())
        connection.execute("create view seen as select * from good")
        for column, cell in {"mixed": WHOLE, "bytes": TEXT.encode(), "huge": 9e999}.items():
            connection.execute(f"create table {column} ({column})")
            first = [NUMBER] if column == "huge" else [TEXT]
            connection.executemany(f"insert into {column} values (?)", [first, [cell]])
        connection.execute("create table latin (name)")
        connection.execute(f"insert into latin values (cast('{TEXT}' || x'ff' as text))")
    connection.close()
    path.with_name("cut.db").write_bytes(path.read_bytes()[:-9000])
    return "sqlite:///birds.db"


def test_no_database_sings(cage, bird_base, unveil_command, monkeypatch, capfd):
    given = set(cage.rglob("*"))
    queries = [
        "select nmae from good", "select name, name from good", "select * from bad",
        "with x as (select 1) delete from good", "select name from good; delete from good",
        "select name from", "select abs(-9223372036854775807 - age / age) from good",
        "select json(name) from good",
    ]  # fmt: skip
    names = ["god", "mixed", "bytes", "huge", "latin"]
    reads = [f"{bird_base}?query={query}" for query in queries]
    reads += [f"{bird_base}?table={name}" for name in names]
    reads += [
        "sqlite:///cut.db?table=good",
        "sqlite:///good.csv?table=good",
        "sqlite:///no.db?table=t",
    ]
    reads += [
        f"postgresql://me:{TEXT}@127.0.0.1:1/db?table=t",
        f"postgresql://me:{WHOLE}/{TEXT}@127.0.0.1:1/db?table=t",
        f"postgresql://127.0.0.1:1/db?password={TEXT}&table=t",
        f"mysql://me:{TEXT}@127.0.0.1:1/db?table=t",
        "postgresql://127.0.0.1:1/db?table=t",
    ]
    monkeypatch.setenv("PGPASSWORD", TEXT)
    texts = [_raises(lambda uri=uri: unveil.read(uri)) for uri in reads]
    commands = [unveil_command("inspect", uri) for uri in reads]
    assert {done.code for done in commands} == {2, 3}
    texts += [text for done in commands for text in (done.out, done.err)]
    table = f"{bird_base}?table=good"
    texts += [
        _raises(lambda s=s: unveil.read(table, f"{s}.toml")) for s in ("words", "order", "hole")
    ]
    frames = [
        pl.DataFrame({"Name": [TEXT], "nAME": [TEXT]}),
        pl.DataFrame({"age": pl.Series([WHOLE, 2**63], dtype=pl.UInt64)}),
        pl.DataFrame({"name\0": [TEXT]}),
    ]
    texts += [
        _raises(lambda f=f: unveil.write(Microdata(f), f"{bird_base}?table=new")) for f in frames
    ]
    texts += [
        _raises(lambda uri=uri, force=force: unveil.write(Microdata(_frame()), uri, force=force))
        for uri, force in [
            (table, False), (f"{bird_base}?table=seen", True), (reads[0], True),
            ("sqlite:///cut.db?table=good", True), ("sqlite:///no/x.db?table=t", True),
            ("postgresql://127.0.0.1:1/db?table=t", True),
        ]
    ]  # fmt: skip

    def fail(*_args, **_options):
        raise adbc_driver_manager.dbapi.DataError(TEXT, status_code=7)

    monkeypatch.setattr(adbc_driver_manager.dbapi.Cursor, "adbc_ingest", fail)
    for uri in (table, "sqlite:///new.db?table=t"):
        texts.append(_raises(lambda uri=uri: unveil.write(Microdata(_frame()), uri, force=True)))
    assert unveil.read(table) == Microdata(_frame())
    _check_silence(cage, given=given, texts=[*texts, *capfd.readouterr()])


def test_no_repr_sings(cage):
    from unveil.table.encoding.generalised import bounds, code_sets
    from unveil.table.encoding.to_arrays import codes, numbers, scale_of, tied_blocks

    data = Microdata(_frame(), Schema(nominal=["name", "kind"], numeric="pay"))
    encoded = numbers(data, ["pay"])
    release = unveil.mask(
        data,
        [
            unveil.masks.TopCoding(share=0.5, columns=["pay"]),
            unveil.masks.Pram(theta=0.5, columns=["kind"]),
            unveil.masks.GlobalRecoding(rarest=1, columns=["name"]),
        ],
    )
    things = [
        data,
        data.schema,
        unveil.inspect(data),
        encoded,
        codes(data, "kind"),
        scale_of(encoded),
        tied_blocks(encoded.values[:, 0]),
        bounds(data, "pay"),
        code_sets(data, "kind"),
        Schema.infer(data).to_dict(),
        release,
        *release.channels,
        release.plan,
    ]
    _check_silence(cage / "tmp", given=set(), texts=[f"{thing!r} {thing}" for thing in things])


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "tempfile.mkstemp"])
def test_a_failed_write_leaves_no_bird(cage, monkeypatch, step):
    data = Microdata(_frame())

    def fail(*_args, **_options):
        raise OSError(28, "No space left on device")

    given = set(cage.rglob("*"))
    monkeypatch.setattr(step, fail)
    texts = [
        _raises(lambda e=e: unveil.write(data, f"out.{e}")) for e in ("csv", "parquet", "xlsx")
    ]
    _check_silence(cage, given=given, texts=texts)
