"""Every command takes every table by name or URI; what is masked is written back as it came."""

import sqlite3

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

import unveil

PLAN = """
seed = 1
[[mask]]
method = "additive-noise"
scale = 0.5
columns = ["pay"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same people in every format, with the labels that it can hold."""
    schema = unveil.Schema(
        identifier="person",
        quasi="pay",
        missing={"sex": [-9]},
        labels={"sex": {1: "female", 2: "male", -9: "refused"}},
    )
    people = unveil.Microdata(
        pl.DataFrame(
            {
                "person": range(1, 21),
                "pay": [float(i * i) for i in range(20)],
                "sex": [1, 2, -9, None] * 5,
            }
        ),
        schema,
    )
    monkeypatch.chdir(tmp_path)
    for name in ("people.sav", "people.dta", "people.csv", "people.xlsx#who"):
        unveil.write(people, name)
    unveil.write(people, "people.tsv", format=unveil.files.Csv(delimiter=";"))
    unveil.write(people, "sqlite:///people.db?table=people")
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "people.toml").write_text("identifier = 'person'\nquasi = 'pay'")
    return tmp_path


BACK = {
    ("people.sav", None): "people-masked.sav",
    ("people.dta", None): "people-masked.dta",
    ("people.csv", None): "people-masked.csv",
    ("people.xlsx", None): "people-masked.xlsx#who",
    ("sqlite:///people.db?table=people", None): "sqlite:///people.db?table=people_masked",
    ("people.sav", "made"): "made.sav",
    ("people.xlsx", "made.x.xlsx"): "made.x.xlsx#who",
    ("sqlite:///people.db?table=people", "made"): "sqlite:///people.db?table=made",
    ("sqlite:///people.db?query=select * from people", "made"): "sqlite:///people.db?table=made",
    ("people.sav", "made.dta"): "made.dta",
    ("people.sav", "sqlite:///other.db?table=t"): "sqlite:///other.db?table=t",
}


@pytest.mark.parametrize(("source", "out"), BACK)
@pytest.mark.usefixtures("folder")
def test_what_is_masked_is_written_back_as_it_came(unveil_command, source, out):
    more = () if out is None else ("-o", out)
    done = unveil_command("mask", source, "-s", "people.toml", "-p", "plan.toml", *more)
    assert done.code == 0, done.err
    made = unveil.read(BACK[source, out])
    assert made.columns == ("pay", "sex")
    assert len(made) == 20


@pytest.mark.parametrize("ending", ["sav", "dta", "csv", "xpt", "parquet"])
def test_labels_go_into_the_schema_where_the_file_cannot_hold_them(unveil_command, folder, ending):
    done = unveil_command(
        "mask", "people.sav", "-s", "people.toml", "-p", "plan.toml", "-o", f"made.{ending}"
    )
    assert done.code == 0, done.err
    schema = folder / "made.schema.toml"
    assert schema.exists() == (ending not in ("sav", "dta"))
    again = unveil.read(f"made.{ending}", schema if schema.exists() else None)
    assert again.schema["sex"].labels["1"] == "female"
    assert again.column("sex").null_count() == 10


def test_a_csv_needs_no_schema_for_labels_that_it_never_had(unveil_command, folder):
    assert unveil_command("mask", "people.csv", "-p", "plan.toml", "-o", "made.parquet").code == 0
    assert not (folder / "made.schema.toml").exists()


def test_what_can_be_read_only_is_refused_before_any_work(unveil_command, folder):
    for name in ("made.sas7bdat", "made.xls", "made.xyz"):
        done = unveil_command("mask", "people.csv", "-p", "no-plan.toml", "-o", name)
        assert done.code == 3
        assert name in done.err
    unveil.write(unveil.Microdata(pl.DataFrame({"my pay": [1.0, 2.0]})), "spaced.csv")
    (folder / "plan.toml").write_text("[[mask]]\nmethod = 'rounding'\nbase = -1")
    done = unveil_command("mask", "spaced.csv", "-p", "plan.toml", "-o", "made.sav")
    assert "base" in done.err  # which is wrong in the plan itself
    (folder / "plan.toml").write_text("[[mask]]\nmethod = 'microaggregation'\nk = 99")
    done = unveil_command("mask", "spaced.csv", "-p", "plan.toml", "-o", "made.sav")
    assert "column 'my pay': SPSS takes no such name" in done.err


def test_a_database_is_not_overwritten_by_what_is_made_of_it(unveil_command, folder):
    before = (folder / "people.db").read_bytes()
    table = "sqlite:///people.db?table=people"
    mask = ("mask", "people.csv", "-p", "plan.toml", "--force")
    for line in (
        ("inspect", table, "--write-schema", "people.db", "--force"),
        ("mask", table, "-p", "plan.toml", "-o", table, "--force"),
        ("mask", table, "-p", "plan.toml", "-o", "sqlite:///./people.db?table=PEOPLE", "--force"),
        (*mask, "-o", "sqlite:///other.db?table=t", "--row-map", "other.db"),
    ):
        done = unveil_command(*line)
        assert done.code == 2, line
        assert (
            "is an input and cannot be an output" in done.err or "named as two outputs" in done.err
        )
    done = unveil_command(*mask, "-o", "z.csv", "--row-map", "z.csv")
    assert "z.csv is named as two outputs" in done.err
    assert (folder / "people.db").read_bytes() == before


def test_what_is_kept_in_files_is_not_kept_in_databases(unveil_command, folder):
    for line in (
        ("inspect", "people.csv", "--write-schema", "sqlite:///people.db?table=s"),
        ("mask", "people.csv", "-p", "sqlite:///people.db?table=s"),
        ("mask", "people.csv", "-p", "plan.toml", "-o", "-"),
        ("inspect", "postgres:/u:topsecret@h/db?table=t"),
    ):
        done = unveil_command(*line)
        assert done.code == 2, done.err
        assert "topsecret" not in done.err
    assert not list(folder.glob("-*"))


def test_two_sheets_are_two_tables_of_one_file(unveil_command, folder):
    with xlsxwriter.Workbook(folder / "both.xlsx") as book:
        for name in ("a", "b"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["person", "pay", "age"])
            for row in range(1, 13):
                sheet.write_row(row, 0, [row, row * row, 30 + row])
    said = "A and B are the same file"
    line = ("link", "both.xlsx#a", "both.xlsx#b", "--truth", "person", "--attack", "distance")
    assert said not in unveil_command(*line).out
    assert said in unveil_command(*line[:2], *line[1:2], *line[3:]).out
    mask = ("mask", "both.xlsx#a", "-p", "plan.toml", "--force", "-o")
    assert "is an input and cannot be an output" in unveil_command(*mask, "both.xlsx#c").err
    done = unveil_command(*mask, "new.xlsx#a", "--row-map", "new.xlsx#b")
    assert "is named as two outputs" in done.err


def test_an_encoding_may_be_named(unveil_command, folder):
    pyreadstat.write_dta(pl.DataFrame({"a": ["Zoé"]}), folder / "old.dta", version=12)
    whole = (folder / "old.dta").read_bytes()
    (folder / "old.dta").write_bytes(whole.replace("é".encode(), b"\xe9\0"))
    for name in ("latin-1", "cp1252"):
        done = unveil_command("inspect", "old.dta", "--show-values", "--encoding", name)
        assert "Zoé" in done.out
    done = unveil_command("inspect", "old.dta", "--encoding", "nonsense")
    assert (done.code, "try utf-8 or latin-1" in done.err) == (3, True)
    assert unveil_command("inspect", "old.dta", "--delimiter", ";").code == 2


@pytest.mark.usefixtures("folder")
def test_tables_go_in_and_out_by_uri(unveil_command):
    """Originals, releases, row maps, links, risks of each record: all of them are tables."""
    table, place = "sqlite:///people.db?table=people", "sqlite:///made.db?table="
    mask = ("mask", table, "-s", "people.toml", "-p", "plan.toml", "-o", f"{place}release")
    assert unveil_command(*mask, "--row-map", f"{place}map").code == 0
    both = (table, f"{place}release", "-s", "people.toml", "--truth", f"{place}map")
    assert unveil_command("attack", "distance", *both, "--links", f"{place}links").code == 0
    quick = ("--no-sweep", "--errors=", "--no-remedies", "--no-worst-case", "--attack", "distance")
    for name in ("one", "two"):
        outputs = ("--evidence", f"{name}.json", "--per-record", f"{place}{name}")
        done = unveil_command("audit", *both, *quick, *outputs)
        assert done.code == 0, done.err
    with sqlite3.connect("made.db") as made:
        tables = {name for (name,) in made.execute("select name from sqlite_schema")}
    made.close()
    assert tables == {"release", "map", "links", "one", "two"}
    records = ("--records", f"{place}one", "--records", f"{place}two")
    assert unveil_command("compare", "one.json", "two.json", *records).code == 0
    refused = unveil_command("audit", "--replay", "one.json")
    assert refused.code == 2
    assert "original: the evidence names sqlite:///people.db, which is a database" in refused.err
    given = ("audit", "--replay", "one.json", *both[:2], "--truth", f"{place}map")
    assert unveil_command(*given).code == 0
    assert unveil_command("link", "people.sav", "people.xlsx#who", "--truth", "person").code == 0
    done = unveil_command("audit", *both, *quick, "--per-record", "each.sav")
    assert "SPSS takes no such name" in done.err
    with sqlite3.connect("made.db") as made:
        made.execute("update release set sex = 2")
    made.close()
    done = unveil_command(*given)
    assert "its SHA-256 differs" in done.err


def test_a_release_is_what_the_file_of_the_original_says(unveil_command, folder):
    """SPSS says that a column is ordinal; Stata cannot."""
    rows = {
        "person": list(range(40)),
        "pay": [1.0, 2.0, 3.0, 4.0] * 10,
        "class": [1.0, 2, 3, 2] * 10,
    }
    pyreadstat.write_sav(
        pl.DataFrame(rows),
        folder / "class.sav",
        variable_value_labels={"class": {1: "low", 2: "mid", 3: "high"}},
        variable_measure={"class": "ordinal"},
    )
    (folder / "class.toml").write_text("identifier = 'person'\nquasi = ['pay', 'class']")
    mask = ("mask", "class.sav", "-s", "class.toml", "-p", "plan.toml", "-o", "made.dta")
    assert unveil_command(*mask, "--row-map", "map.csv").code == 0
    both = ("class.sav", "made.dta", "-s", "class.toml", "--truth", "map.csv")
    quick = ("--no-sweep", "--errors=", "--no-remedies", "--no-worst-case")
    for command in (["attack", "distance"], ["audit", "--attack", "distance", *quick]):
        done = unveil_command(*command, *both)
        assert done.code == 0, done.err
    attack = unveil.attacks.Distance()
    links = unveil.attack("class.sav", "made.dta", attack, schema="class.toml", truth="map.csv")
    assert unveil.measures.risk(links).n == 40
