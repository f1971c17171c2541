"""SPSS, Stata and SAS files: labels, missing codes and formats go in and come out."""

import base64
import datetime as dt
import gzip
import logging
import os
import subprocess
import sys

import polars as pl
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from unveil.errors import DataError, FileError, MissingPackageError
from unveil.files.formats.sas import Xport
from unveil.files.formats.stata import Stata
from unveil.files.locations import locate

# Three made-up people with a tagged missing income, as a SAS file of haven's.
SAS7BDAT = """
H4sICEPv+moCA3Blb3BsZS5zYXM3YmRhdADt2jtLw1AUB/DTWqU+hhQUHBSDKDhJouJjskErFFocWsHBwUeLFjSB
1oKbOipO/Qx1VnASVEQQR3FzEFycnJxU8FFvkhutl0aLdRH/v1IO9+Scm/RCSgKX6MPJ7fr0XmPg/DDnp9ozdau5
TQr0ErWTh1T6UuOnUUyLyWPhSGhUi2uxUFx2Q98w++2649399LX2EQXmTBKRV0gPdSuqokYVFvtY7I+k9OwKAQAA
AAAAAAAAAAAAAAAA/Ed17EN02WCPuqo+Hz3m+WahK87zi07CYweJ50eFfL6+dH2C54PC/B0u+Zu60vm8Sz7hkgcA
AACAn3t9KljKrZ8if0X9k+SrqL/S6x+kWusJN/BL53+22wuTQt5cJR97UPYLY4mPq62xl5qE463CuBg/VUF5z7Tw
fbUy1dhvADwqfJX7hNUmeilxveKe31SCffU5YylJlE7OpwydaNZI65lkUh8Zj0Y1VenuYXVhq0ZO6fKMvGToywtk
7Qs29xaH4uFo6J5xfmuxB6acte3kscrlePV3E0il0wUB/gXgT/IU3xl3w1Y4yQV1I23di0SbB+zdORieGLhyNubb
79IXj6vvfWvbp2bRxv2OU+S3i44eVzNGls/kdBR3AgAAAAAAAEDl3gBFRN88AEAAAA==
"""
# A table and the catalog of its labels, made by the library that pyreadstat is made of.
CODED_SAS = """
H4sICNTy+moCA3Blb3BsZTIuc2FzN2JkYXQAY2BAgEOvGhM2iwie3zuJg4HzuGGPhLyAoLESg7ExI5MhI0SJCAMD
MyOKuDGjsjGDiAiDAjMjzJxgx2AFN08fVxfHEMdg1xAFXICBAADph6k7Hi43dVfRfUcYjaFYAIIZ0YQt9QxMDAx9
TX0y80orkMSN9QwN9Ax0DQ3NDPQMDfUM0Y2rsDCLNzNB8EH2dksWfoBhdPUzdt35h+xOhlEwCkbBKBgFo2AUjIJR
MApGwSgYBaNgEIGZ0H4rOjjIDmUw8TBwAakbPBCuBjOqugNQcQk0/RlcEDqCCVVcAioeABOAdtjfcEJoHTTxDVBx
GzTxKqi4GZq4FVTcAc09vzjwi6MZAwUf7P1QByocgokZuBgFo2AUjIJRMApGwSAF/37/BwNi1ZswsFKkX4OBBVU/
RPt/JShfCtbgAkJGBiY4D9WGP1BdGmimg5sxLIwMsOYM2K0sqI0vqNb/iLaaCgMztNXFhmbeX6haG4SQCPr8DXh+
J8Q1oDi1giHYNcKtKDU9Mz8PaGqQq7sbuvf/oJoHCwt2GsUuDztqeMHadWxo7Tw2NP8yorkPnf8fTR0rmjpWtNhl
RPMnOh+aiAimol9Eqvv5n7RUOdTBNyCA5BNU8B0IwC14WHpAkxc0gOQ7AXg+ww7QxWG5lBMmIIAqX4uWTv6PsPig
VX+UVMCIFn+MaPEG43Oj8XnQ+Bw08ykHUn0ggmQPD5gtQ6TNLECXMmKU3r9xpl/0Li4AMnsI9gAgAAA=
"""
CATALOG = """
H4sICNTy+moCA3Blb3BsZS5zYXM3YmNhdADt3DFLw0AUwPGXtopuLQTpIBqqqyFHatExaFqE2ELToZuIVBTUYrHQ
1b2T4CdxE0RxcfQjuDk4dXLWIrFt2rQgglj+PwjHe3d5d7w15ER6Ht8uD2701PPd1ZzMP6l2ejmZsjOSyWgxpX0t
0UXi2kDe1lZs0XUx4lpQx3d8I7/judtOxfHdihFFJtj6fN8rFYxqeen6tvHiBOPQwm6lpEgilN40rayldte947Nm
qy9vm8oyrTWlcpaplKnC5Vobub1cthd399UXzzvBE3XeyPMBAAAAAAAAAAAAAAAAAAAAAAAAE1Q9v9wdg39kkj+u
VJr63ixo9AYAAAAAAAAAAADT5nXsrO9W8+Pv8IuFxt+XHpG774Rn+z/mPYRWz8ph7XT/pPadSMhAKPI+9gSrZbeQ
/+MujNq8OHTTojGiG37EfYwzUqw3Lo6kF/v1Zl8MAAAAAPh/PgAof/ziAGAAAA==
"""
DAYS = [dt.date(1980, 1, 2), None, dt.date(1890, 5, 6), dt.date(2000, 2, 29), dt.date(1600, 1, 1)]
TIMES = [dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(1999, 12, 31, 23, 59, 59, 250_000)]
WHEN = [*TIMES, None, *TIMES]


def as_told(path):
    """Cells and metadata as pyreadstat reads them, nothing converted."""
    reader = {".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport}.get(path.suffix)
    more = {} if path.suffix == ".xpt" else {"user_missing": True}
    return (reader or pyreadstat.read_sav)(
        path, output_format="dict", disable_datetime_conversion=True, **more
    )


@pytest.fixture
def sav(tmp_path):
    """Every kind of column, label, missing code and format that SPSS has."""
    path = tmp_path / "survey.sav"
    frame = pl.DataFrame(
        {
            "id": [1.0, 2, 3, 4, 5],
            "sex": [1.0, 2, -9, None, 1],
            "income": [1000.5, -99, -98, 20.25, 7.125],
            "hours": [40.0, 99, 38, None, 97],
            "name": ["ann" + 17 * " ", "bo", "", None, "Zoë"],
            "region": ["N", "S", "X", "N", "S"],
            "class": [3.0, 1, 2, 3, 1],
            "born": DAYS,
            "seen": WHEN,
            "took": [dt.time(1, 2, 3), None, dt.time(4), dt.time(0), dt.time(23)],
        }
    )
    pyreadstat.write_sav(
        frame,
        path,
        file_label="A survey",
        note=["asked by mail", "and by telephone"],
        column_labels={"sex": "Sex of the respondent", "income": "Income, in a month"},
        variable_value_labels={
            "sex": {1: "female", 2: "male", -9: "refused"},
            "hours": {97: "no work", 99: "refused"},
            "region": {"N": "North", "S": "South", "X": "nowhere"},
            "class": {1: "low", 2: "middle", 3: "high"},
        },
        missing_ranges={
            "sex": [-9],
            "income": [{"lo": -99, "hi": -90}, -1],
            "hours": [97, 98, 99],
            "region": ["X"],
        },
        variable_display_width={"id": 12},
        variable_measure={"sex": "nominal", "income": "scale", "class": "ordinal"},
        variable_format={"id": "N8", "income": "DOLLAR10.2", "hours": "F3.0", "name": "A20"}
        | {"born": "EDATE10", "seen": "YMDHMS19", "took": "TIME8"},
    )
    return path


@pytest.fixture
def dta(tmp_path):
    """Every kind of column, label, missing code and format that Stata has."""
    path = tmp_path / "survey.dta"
    frame = pl.DataFrame(
        [
            pl.Series("id", [1, 2, 3, 4, 5], dtype=pl.Int32),
            pl.Series("sex", [1, 2, "a", None, 1], dtype=pl.Object),
            pl.Series("income", [1000.5, "b", "z", 20.25, 7.125], dtype=pl.Object),
            pl.Series("Income", [1.0, None, 3, 4, 5]),
            pl.Series("name", ["ann", "bo", "", "x" * 3000, "Zoë"]),
            pl.Series("born", DAYS),
            pl.Series("seen", WHEN),
            pl.Series("month", [720.0, 721, 722, None, 723]),
            pl.Series("clock", [0.0, 3_600_000, None, 1, 2]),
        ]
    )
    pyreadstat.write_dta(
        frame,
        path,
        version=14,
        file_label="A survey",
        column_labels={"sex": "Sex of the respondent", "income": "Income, in a month"},
        variable_value_labels={"sex": {1: "female", 2: "male", "a": "refused"}},
        missing_user_values={"sex": ["a"], "income": ["b", "z"]},
        variable_format={"id": "%12.0g", "income": "%10.2fc", "name": "%30s", "month": "%tm"}
        | {"clock": "%tcHH:MM:SS"}
        | {"born": "%tdD_m_Y", "seen": "%tc"},
    )
    return path


NOISE = unveil.masks.AdditiveNoise(scale=0.5, columns=["income"])
# The name of a set of labels, of which Stata makes no other use; when the file was written; and
# how SPSS packed it.
NOT_KEPT = {"value_labels", "variable_to_label", "creation_time", "modification_time"}


def check_kept(before, after, masked=()):
    """The same to pyreadstat, but for the numbers of what was masked: its codes are the same."""
    (cells, told), (made, said) = as_told(before), as_told(after)
    assert list(made) == list(cells)
    for name, column in cells.items():
        if name in masked:
            codes = [cell for cell in column if _is_code(cell, told.missing_ranges.get(name))]
            assert [c for c in made[name] if _is_code(c, told.missing_ranges.get(name))] == codes
            assert made[name] != column
        else:
            assert made[name] == column, name
    for name, value in vars(told).items():
        if name not in NOT_KEPT:
            assert getattr(said, name) == value, name


def _is_code(cell, ranges):
    if cell is None or isinstance(cell, str):
        return True
    return any(one["lo"] <= cell <= one["hi"] for one in ranges or ())


@pytest.mark.parametrize("ending", [".sav", ".zsav"])
def test_an_spss_file_comes_back_with_all_that_it_says(sav, ending):
    release = unveil.mask(sav, [NOISE], seed=7)
    made = sav.with_name(f"made{ending}")
    unveil.write(release, made, keep_order=True)
    check_kept(sav, made, masked=["income"])
    assert (made.read_bytes()[:4] == b"$FL3") == (ending == ".zsav")


def test_a_stata_file_comes_back_with_all_that_it_says(dta):
    release = unveil.mask(dta, [NOISE], seed=7)
    made = dta.with_name("made.dta")
    unveil.write(release, made, keep_order=True)
    check_kept(dta, made, masked=["income"])


@pytest.mark.parametrize("version", [5, 8])
def test_a_sas_transport_file_comes_back(tmp_path, version):
    path, made = tmp_path / "a.xpt", tmp_path / "b.xpt"
    pyreadstat.write_xport(
        pl.DataFrame({"ID": [1.0, 2], "INCOME": [0.1, None], "NAME": ["ann", "Bo"]}),
        path,
        file_format_version=version,
        table_name="PEOPLE",
        column_labels={"INCOME": "Income, in a month"},
        variable_format={"INCOME": "COMMA10.2"},
        variable_informat={"INCOME": "COMMA12.2"},
    )
    kind = Xport().detect(path)
    assert kind.version == version
    unveil.write(unveil.read(path), made, format=Xport().adopt(kind))
    check_kept(path, made)
    assert Xport().detect(made).version == version


def test_a_sas_file_is_read(tmp_path):
    path = tmp_path / "people.sas7bdat"
    path.write_bytes(unpacked(SAS7BDAT))
    data = unveil.read(path)
    assert data.to_frame().to_dict(as_series=False) == {
        "id": [1, 2, 3],
        "income": [1200.5, None, None],
        "region": ["north", None, "south"],
        "born": [dt.date(1980, 1, 2), dt.date(1990, 5, 6), None],
        "seen": [dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(2021, 1, 2, 3, 4, 5), None],
    }
    assert data.schema["income"].label == "Income in a month"
    assert data.missing_code("income").to_list() == [None, None, ".A"]
    with pytest.raises(FileError, match=r"people.sas7bdat: .* write .xpt"):
        unveil.write(data, path, force=True)
    assert path.read_bytes() == unpacked(SAS7BDAT)


def unpacked(text):
    return gzip.decompress(base64.b64decode(text))


def test_labels_of_a_sas_file_are_in_its_catalog(tmp_path):
    from unveil.files.formats.sas import Sas

    path, elsewhere = tmp_path / "people.sas7bdat", tmp_path / "labels"
    path.write_bytes(unpacked(CODED_SAS))
    assert unveil.read(path).schema["sex"].labels == {}
    elsewhere.write_bytes(unpacked(CATALOG))
    labels = {"sex": {"1": "female", "2": "male"}, "region": {"N": "North", "S": "South"}}
    kinds = [None, None, Sas(catalog=str(elsewhere))]
    for beside, kind in zip(("people", "formats", "other"), kinds, strict=True):
        catalog = tmp_path / f"{beside}.sas7bcat"
        catalog.write_bytes(unpacked(CATALOG))
        schema = unveil.read(path, format=kind).schema
        assert {name: schema[name].labels for name in schema} == labels
        catalog.write_bytes(unpacked(CATALOG)[:3000])
        if kind is None:
            with pytest.raises(FileError, match="not a whole SAS file"):
                unveil.read(path)
        catalog.unlink()
    with pytest.raises(FileError, match="there is no such catalog"):
        unveil.read(path, format=Sas(catalog="nowhere"))


def test_the_schema_is_inferred(sav):
    schema = unveil.read(sav).schema
    assert {name: schema[name].level for name in schema} == {
        "sex": "nominal",
        "income": "numeric",
        "hours": "numeric",
        "region": "nominal",
        "class": "ordinal",
    }
    assert schema["sex"].label == "Sex of the respondent"
    assert schema["sex"].labels == {"1": "female", "2": "male", "-9": "refused"}
    assert schema["sex"].missing == ("-9",)
    assert schema["income"].missing == ("-99", "-98", "-1")
    assert schema["hours"].missing == ("97", "98", "99")
    assert schema.questions.keys() == {"hours", "region"}
    assert "is there an order" in schema["region"].question


def test_labels_raise_a_question(tmp_path):
    frame = pl.DataFrame({name: [1.0, 2, 3, 9] for name in ("a", "b", "c", "d")})
    every = {1: "one", 2: "two", 3: "three", 9: "unknown"}
    pyreadstat.write_sav(
        frame,
        tmp_path / "t.sav",
        variable_value_labels={"a": every, "b": {3: "three and over"}, "c": {9: "unknown"}}
        | {"d": {1: "one", 2: "two", 3: "three"}},
        missing_ranges={"c": [9], "d": [9]},
    )
    schema = unveil.read(tmp_path / "t.sav").schema
    levels = [schema[name].level for name in "abcd"]
    assert levels == ["nominal", "numeric", "numeric", "nominal"]
    assert "(ordinal)" in schema["a"].question
    assert "some values have labels" in schema["b"].question
    assert "distinct whole numbers" in schema["c"].question  # of the cells, not of the label


def test_what_is_declared_comes_first(sav):
    schema = unveil.Schema(
        quasi=["sex", "class"],
        numeric=["class"],
        missing={"sex": [2]},
        labels={"sex": {1: "woman"}},
    )
    data = unveil.read(sav, schema)
    assert data.level("class") == "numeric"
    assert data.schema["sex"].missing == ("2", "-9")
    assert data.schema["sex"].labels == {"1": "woman", "2": "male", "-9": "refused"}
    assert data.column("sex").null_count() == 3
    kept = unveil.read(sav, unveil.Schema(ordinal={"sex": [-9, 1, 2]}))
    assert kept.schema["sex"].missing == ()
    assert kept.column("sex").null_count() == 1


def test_dates_are_those_that_pyreadstat_finds(sav, dta):
    for path, reader in ((sav, pyreadstat.read_sav), (dta, pyreadstat.read_dta)):
        data = unveil.read(path)
        theirs, _ = reader(path, output_format="polars", usecols=["born"])
        assert data.column("born").to_list() == theirs["born"].to_list() == DAYS
        assert data.column("seen").to_list() == WHEN
    assert data.column("clock").dtype == data.column("month").dtype == pl.Float64


def test_what_is_shown_as_a_date_and_is_none_stays_a_number(tmp_path):
    """Noon, which no date is; a day that is a code for missing."""
    day = 86_400.0
    frame = pl.DataFrame({"a": [day, 2.5 * day], "b": [day, 9 * day], "c": [day, 3 * day]})
    ranges = {"b": [9 * day]}
    shown = dict.fromkeys("abc", "DATE11")
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(frame, path, missing_ranges=ranges, variable_format=shown)
    data = unveil.read(path)
    assert [data.column(name).dtype for name in "abc"] == [pl.Float64, pl.Float64, pl.Date]
    assert data.column("b").to_list() == [day, None]
    unveil.write(data, tmp_path / "made.sav")
    check_kept(path, tmp_path / "made.sav")


def test_what_can_be_read_only_is_written_as_its_kin():
    assert locate("a/b.sas7bdat").sibling("masked") == "a/b-masked.xpt"
    assert locate("b.XLSM").with_stem("c") == "c.xlsx"


def test_whole_numbers_are_those_shown_without_decimals(sav):
    data = unveil.read(sav)
    kinds = {name: data.column(name).dtype for name in ("id", "hours", "sex", "took")}
    assert kinds == {"id": pl.Int64, "hours": pl.Int64, "sex": pl.Float64, "took": pl.Int64}


def test_whole_numbers_stay_whole(tmp_path):
    data = unveil.Microdata(pl.DataFrame({"age": [31, 54], "pay": [1.0, 2.0]}))
    unveil.write(data, tmp_path / "t.sav")
    again = unveil.read(tmp_path / "t.sav")
    assert again.column("age").dtype == pl.Int64
    assert again.column("pay").dtype == pl.Float64


def test_spss_codes_become_stata_letters(sav, tmp_path):
    unveil.write(unveil.read(sav), tmp_path / "made.dta")
    cells, said = as_told(tmp_path / "made.dta")
    assert cells["sex"] == [1.0, 2.0, "a", None, 1.0]
    assert cells["income"] == [1000.5, "a", "b", 20.25, 7.125]
    assert said.variable_value_labels["sex"] == {1: "female", 2: "male", "a": "refused"}
    assert said.variable_value_labels["income"] == {"a": "-99", "b": "-98", "c": "-1"}
    assert unveil.read(tmp_path / "made.dta").column("born").to_list() == DAYS


def test_a_code_that_no_cell_has_keeps_its_label(tmp_path):
    schema = unveil.Schema(missing={"a": [-9]}, labels={"a": {-9: "refused"}})
    for cells in ([1.5, 2], [1, None], [None, -9]):
        data = unveil.Microdata(pl.DataFrame({"a": cells}), schema)
        unveil.write(data, tmp_path / "made.dta", force=True)
        said = as_told(tmp_path / "made.dta")[1]
        assert said.variable_value_labels == {"a": {"a": "refused"}}


def test_a_code_that_has_no_place_is_missing_and_no_value(tmp_path, caplog):
    schema = unveil.Schema(
        nominal="c",
        missing={"a": [-9], "c": ["NA"], "d": ["2021-01-01"], "t": ["2021-01-01 00:00:00"]},
    )
    day, moment = dt.date(2021, 1, 1), dt.datetime(2021, 1, 1)
    frame = pl.DataFrame(
        {"a": [1, -9], "c": ["x", "NA"], "d": [DAYS[0], day], "t": [WHEN[0], moment]}
    )
    data = unveil.Microdata(frame, schema)
    for ending, lost in {"xpt": "a, c, d, t", "sav": "d, t", "dta": "c"}.items():
        caplog.clear()
        unveil.write(data, tmp_path / f"t.{ending}")
        again = unveil.read(tmp_path / f"t.{ending}")
        assert [again.column(name).null_count() for name in "acdt"] == [1, 1, 1, 1], ending
        assert f"{lost}: missing codes are written as missing" in caplog.text


AWAY = "import sys, unveil; [unveil.write(unveil.households(20), one) for one in sys.argv[1:]]"


def test_the_same_table_is_the_same_bytes_at_any_time(tmp_path):
    """Another process, in another time zone: the clock is not what a file is made of."""
    here = [tmp_path / f"here.{ending}" for ending in ENDINGS]
    away = [tmp_path / f"away.{ending}" for ending in ENDINGS]
    zone = {"TZ": "Pacific/Kiritimati", "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", AWAY, *map(str, away)], check=True, env=zone)
    for one, other in zip(here, away, strict=True):
        unveil.write(unveil.households(20), one)
        assert one.read_bytes() == other.read_bytes(), one.suffix
    for version in (8, 10, 12, 13):
        path = tmp_path / f"{version}.dta"
        unveil.write(unveil.households(20), path, format=Stata(version=version))
        assert b"01 Jan 1980 00:00" in path.read_bytes()
        assert len(unveil.read(path)) == 20


def test_categories_and_truth_values_are_written(tmp_path):
    frame = pl.DataFrame(
        {"c": pl.Series(["x", "y"], dtype=pl.Categorical), "b": [True, False]}
    ).with_columns(e=pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])))
    schema = unveil.Schema(nominal="b", labels={"b": {True: "yes", False: "no"}})
    for ending in ("sav", "dta", "xpt"):
        unveil.write(unveil.Microdata(frame, schema), tmp_path / f"t.{ending}")
        again = unveil.read(tmp_path / f"t.{ending}")
        assert again.column("c").to_list() == ["x", "y"]
        assert again.column("e").to_list() == ["lo", "hi"]
        if ending != "xpt":
            assert again.schema["b"].labels == {"1": "yes", "0": "no"}


def test_letters_of_two_packages_are_kept_apart(tmp_path):
    cells = pl.DataFrame({"a": ["1", ".a", ".A", ".B"]})
    schema = unveil.Schema(numeric="a", missing={"a": [".A", ".a", ".B"]})
    unveil.write(unveil.Microdata(cells, schema), tmp_path / "t.dta")
    found, said = as_told(tmp_path / "t.dta")
    assert found["a"] == [1.0, "a", "c", "b"]
    assert said.variable_value_labels["a"] == {"b": ".B", "c": ".A"}


def test_stata_letters_are_plainly_missing_in_spss(dta, tmp_path, caplog):
    data = unveil.read(dta)
    unveil.write(data.select(["id", "sex", "income"]), tmp_path / "made.sav")
    assert "sex, income: missing codes are written as missing" in caplog.text
    cells, said = as_told(tmp_path / "made.sav")
    assert cells["sex"] == [1.0, 2.0, None, None, 1.0]
    assert said.variable_value_labels["sex"] == {1.0: "female", 2.0: "male"}


def test_labels_of_text_are_lost_in_stata_with_a_warning(sav, tmp_path, caplog):
    unveil.write(unveil.read(sav), tmp_path / "made.dta")
    assert "region: labels are left out" in caplog.text


def test_labels_that_stata_cannot_have_are_left_out(tmp_path, caplog):
    labels = {"1": "one", "1.5": "half", "3000000000": "many", "inf": "endless"}
    for name, label in labels.items():
        caplog.clear()
        schema = unveil.Schema(labels={"a": {name: label, "2": "two"}})
        data = unveil.Microdata(pl.DataFrame({"a": [1.0, 2.5]}), schema)
        unveil.write(data, tmp_path / "t.dta", force=True)
        said = as_told(tmp_path / "t.dta")[1]
        expected = {1: "one", 2: "two"} if name == "1" else {2: "two"}
        assert said.variable_value_labels["a"] == expected
        assert ("labels are left out" in caplog.text) == (name in ("1.5", "3000000000"))


def test_codes_come_back_through_csv_and_a_schema(dta, tmp_path):
    data = unveil.read(dta).select(["sex", "income"])
    unveil.write(data, tmp_path / "made.csv")
    unveil.write(data.schema, tmp_path / "made.toml")
    again = unveil.read(tmp_path / "made.csv", tmp_path / "made.toml")
    assert again == data
    assert again.missing_code("income").to_list() == [None, ".b", ".z", None, None]
    unveil.write(again, tmp_path / "made.dta")
    cells, said = as_told(tmp_path / "made.dta")
    assert cells["income"] == as_told(dta)[0]["income"]
    assert said.column_names_to_labels["sex"] == "Sex of the respondent"


def test_generalised_cells_are_text_without_labels(sav, tmp_path):
    schema = unveil.Schema(quasi="class")
    release = unveil.mask(sav, [unveil.masks.Mondrian(k=5)], schema=schema, seed=1)
    unveil.write(release, tmp_path / "made.sav")
    cells, said = as_told(tmp_path / "made.sav")
    assert cells["class"] == ["1..3"] * 5
    assert "class" not in said.variable_value_labels
    assert "sex" in said.variable_value_labels


def test_what_has_become_another_kind_of_number_has_another_format(sav, tmp_path):
    plan = unveil.masks.AdditiveNoise(scale=0.5, columns=["id"], keep_type=False)
    unveil.write(unveil.mask(sav, [plan], seed=1), tmp_path / "made.sav")
    assert as_told(tmp_path / "made.sav")[1].original_variable_types["id"] == "F8.2"


def test_many_codes_become_a_range(tmp_path):
    codes = [-1, -2, -3, -4]
    data = unveil.Microdata(
        pl.DataFrame({"a": [1, -2, -4, 5], "b": [1, -2, -4, -3]}),
        unveil.Schema(missing={"a": codes, "b": [-1, -2, -4, 9]}),
    )
    unveil.write(data.select(["a"]), tmp_path / "a.sav")
    said = as_told(tmp_path / "a.sav")[1]
    assert said.missing_ranges == {"a": [{"lo": -4.0, "hi": -1.0}]}
    assert unveil.read(tmp_path / "a.sav").column("a").to_list() == [1, None, None, 5]
    with pytest.raises(DataError, match="more codes for missing than SPSS takes"):
        unveil.write(data.select(["b"]), tmp_path / "b.sav")


def test_a_wide_range_of_missing_values_is_refused(tmp_path):
    frame = pl.DataFrame({"a": [float(-i) for i in range(1, 1003)]})
    ranges = {"a": [{"lo": float("-inf"), "hi": -1}]}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", missing_ranges=ranges)
    with pytest.raises(DataError, match="1,002 different values in a range of missing"):
        unveil.read(tmp_path / "t.sav")


LONG = "x" * 70
REFUSED = {
    "differ in case only, and SPSS": (".sav", {"age": [1], "Age": [2]}, {}),
    "differ in case only, and SAS": (".xpt", {"age": [1], "AGE": [2]}, {}),
    "'my age': SPSS takes no such name": (".sav", {"my age": [1]}, {}),
    "'with': SPSS takes no such name": (".sav", {"with": [1]}, {}),
    "'in': Stata takes no such name": (".dta", {"in": [1]}, {}),
    "'a.b': Stata takes no such name": (".dta", {"a.b": [1]}, {}),
    "'str7': Stata takes no such name": (".dta", {"str7": [1]}, {}),
    "x': Stata takes no such name": (".dta", {LONG[:33]: [1]}, {}),
    "its name has more than the 64 bytes": (".sav", {LONG: [1]}, {}),
    "its label has more than the 256": (".sav", {"a": [1]}, {"a": {"label": LONG * 4}}),
    "a label of a value has more than the 120": (
        ".sav",
        {"a": [1]},
        {"a": {"labels": {"1": LONG * 2}}},
    ),
    "1 text of more than the 32,767 bytes": (".sav", {"a": ["x" * 40_000]}, {}),
    "beyond 2\\^53": (".sav", {"a": [2**53 + 1]}, {}),
    "1 number larger or smaller than SPSS": (".sav", {"a": [1.79e308]}, {}),
    "1 number larger or smaller than Stata": (".dta", {"a": [-9e307]}, {}),
    "2 numbers larger or smaller than SAS": (".xpt", {"a": [1e100, 1e-100, 0.0]}, {}),
    "after the last second of 9999": (
        ".dta",
        {"a": [dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)]},
        {},
    ),
    "'Ⅷ': Stata takes no such name": (".dta", {"Ⅷ": [1]}, {}),
    "1 text with a zero byte": (".dta", {"a": ["x\0y"]}, {}),
    "a code for missing of more than the 8": (
        ".sav",
        {"a": ["unanswered", "y"]},
        {"a": {"missing": ["unanswered"]}},
    ),
    "more codes for missing than Stata has letters": (
        ".dta",
        {"a": [1]},
        {"a": {"missing": list(range(100, 130))}},
    ),
}


@pytest.mark.parametrize("match", REFUSED)
def test_what_a_package_cannot_hold_is_refused(tmp_path, match):
    ending, cells, schema = REFUSED[match]
    data = unveil.Microdata(pl.DataFrame(cells), unveil.Schema(schema))
    with pytest.raises(DataError, match=match):
        unveil.write(data, tmp_path / f"made{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "xpt"])
def test_a_file_that_is_cut_short_is_refused(tmp_path, share, ending):
    path = tmp_path / f"t.{ending}"
    unveil.write(unveil.households(20), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(FileError, match=r"is not a whole (SPSS|Stata|SAS) file"):
        unveil.read(path)


ENDINGS = ("sav", "zsav", "dta", "xpt", "xlsx", "parquet", "arrow", "csv")
FULL = """
import resource, signal, sys, unveil
table = unveil.households(3000)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for path in sys.argv[1:]:
    try:
        unveil.write(table, path)
    except unveil.UnveilError as error:
        print(type(error).__name__, error)
"""


def test_a_full_disk_leaves_nothing(tmp_path):
    """No file may grow beyond a few bytes, in a process of its own."""
    paths = [str(tmp_path / f"made.{ending}") for ending in ENDINGS]
    paths.append(f"sqlite:///{tmp_path}/made.db?table=t")
    run = [sys.executable, "-c", FULL, *paths]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    for path, line in zip(paths, said, strict=True):
        refused = "cannot be written" if "://" not in path else "SQLite could not write"
        assert line.startswith(f"FileError {path}: {refused}")
    assert list(tmp_path.iterdir()) == []


def test_the_package_is_asked_for(sav, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(MissingPackageError, match=r"a file of SPSS needs .* 'unveil\[stat\]'"):
        unveil.read(sav)


def test_what_pyreadstat_refuses_is_told_without_its_words(tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise pyreadstat.PyreadstatError("the value secret")

    monkeypatch.setattr(pyreadstat, "write_sav", refuse)
    with pytest.raises(DataError, match="SPSS cannot store this table") as caught:
        unveil.write(unveil.households(5), tmp_path / "made.sav")
    assert "secret" not in str(caught.value)


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def full(*_args, **_options):
        raise pyreadstat.ReadstatError("Unable to write data")

    monkeypatch.setattr(pyreadstat, "write_dta", full)
    with pytest.raises(FileError, match="the disk is full"):
        unveil.write(unveil.households(5), tmp_path / "made.dta")


def test_times_with_a_zone_are_written_as_in_utc(tmp_path, caplog):
    noon = dt.datetime(2020, 7, 1, 12, tzinfo=dt.UTC)
    moment = pl.Series("t", [noon]).dt.convert_time_zone("Europe/Berlin")
    caplog.set_level(logging.WARNING)
    unveil.write(unveil.Microdata(pl.DataFrame(moment)), tmp_path / "made.dta")
    assert "times are written in UTC" in caplog.text
    read = unveil.read(tmp_path / "made.dta").column("t").item()
    assert read == noon.replace(tzinfo=None)


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
COLUMNS = st.sampled_from(
    [
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300),
        st.integers(-(2**53), 2**53),
        st.booleans(),
        TEXT.filter(lambda text: text == text.strip(" ")),
        st.dates(dt.date(1583, 1, 1)),
        st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(
            lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        ),
    ]
).flatmap(lambda cells: st.lists(st.none() | cells, min_size=3, max_size=3))


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
@given(columns=st.lists(COLUMNS, min_size=1, max_size=4))
def test_any_table_comes_back(tmp_path, ending, columns):
    frame = pl.DataFrame({f"c{i}": cells for i, cells in enumerate(columns)})
    path = tmp_path / f"t.{ending}"
    unveil.write(unveil.Microdata(frame), path, force=True)
    again = unveil.read(path)
    for name in frame.columns:
        before, after = frame[name], again.column(name)
        if before.dtype == pl.String:
            before = before.set(before == "", None)
        elif before.dtype in (pl.Boolean, pl.Int64):
            before, after = before.cast(pl.Float64), after.cast(pl.Float64)
        elif before.dtype == pl.Null:
            after = after.cast(pl.Null)
        assert after.to_list() == before.to_list()


CODES = {"a": [-9, -8], "b": [-9.5], "c": ["x", "?"]}
CODED = st.lists(
    st.tuples(
        st.none() | st.integers(-9, 5),
        st.none() | st.sampled_from([-9.5, 0.5, 2.25]),
        st.none() | st.sampled_from(["x", "?", "y", "Ä z"]),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("ending", ["sav", "dta"])
@given(rows=CODED)
def test_missing_codes_come_back(tmp_path, ending, rows):
    schema = unveil.Schema(numeric=["a", "b"], nominal="c", missing=CODES)
    types = {"a": pl.Int64, "b": pl.Float64, "c": pl.String}
    data = unveil.Microdata(pl.DataFrame(rows, schema=types, orient="row"), schema)
    path = tmp_path / f"t.{ending}"
    unveil.write(data, path, force=True)
    again = unveil.read(path, unveil.Schema(missing={"c": CODES["c"]}))
    # Text has no letters in Stata: it is plainly missing.
    stata = {"-9": ".a", "-8": ".b", "-9.5": ".a", "x": None, "?": None}
    letters = {"sav": {}, "dta": stata}[ending]
    for name in data.columns:
        assert again.column(name).to_list() == data.column(name).to_list()
        codes = [letters.get(code, code) for code in data.missing_code(name)]
        assert again.missing_code(name).to_list() == codes
