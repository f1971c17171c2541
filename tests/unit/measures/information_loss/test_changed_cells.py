"""Changed cells by column, counted by hand and on the text of both files."""

import numpy as np
import polars as pl

import unveil
from unveil import Microdata, Schema, masks, measures
from unveil.values.file_pair import FilePair
from unveil.values.results.loss import ColumnChanges


def counts(pair):
    return {
        one.column: (one.changed, one.suppressed, one.generalised, one.replaced)
        for one in measures.changed_cells(pair)
    }


def test_by_hand():
    before = pl.DataFrame(
        {
            "age": [20, 30, 40, None, 50],
            "town": ["a", "b", "c", "c", None],
            "pay": [1.0, 2.0, 3.0, 4.0, None],
            "same": [1, 2, 3, 4, 5],
        }
    )
    after = pl.DataFrame(
        {
            "age": ["20", "30..40", "*", "*", None],  # the fourth was missing: no change
            "town": ["south", "south", "c", None, "c"],
            "pay": [1.0, 2.5, None, 4.0, 7.0],
            "same": [1, 2, 3, 4, 5],
        }
    )
    merged = {"town": {"level": "nominal", "merged": {"south": ["a", "b"]}}}
    released = Schema(merged | {"age": {"level": "numeric", "generalised": True}})
    data = Microdata(before, Schema(nominal="town"))
    pair = FilePair.of(data, Microdata(after, released), np.arange(5))
    assert counts(pair) == {
        "age": (3, 2, 1, 0),
        "town": (4, 1, 2, 1),
        "pay": (3, 1, 0, 2),
        "same": (0, 0, 0, 0),
    }
    assert measures.changed_cells(pair)[0] == ColumnChanges(
        column="age", n=5, changed=3, suppressed=2, generalised=1, replaced=0
    )
    rows = [4, 0, 2]
    fewer = FilePair.of(data, Microdata(after, released).take(rows), np.array([4, 0, -1]))
    assert counts(fewer)["age"] == (1, 1, 0, 0)  # what is nobody's does not count
    assert measures.changed_cells(FilePair.of(data, data, None)) == ()


def test_stars_are_those_of_the_released_text():
    """What `print(sdc, "ls")` prints of sdcMicro: stars, column by column."""
    people = unveil.households(400, seed=3)
    keys = ("region", "sex", "marital_status", "occupation")
    release = unveil.mask(people, [masks.LocalSuppression(k=3, columns=keys)], seed=3)
    found = counts(FilePair.of(people, release.data, release.row_map))
    before, after = people.to_text_frame(), release.data.to_text_frame()
    assert sum(found[name][1] for name in keys) > 20
    for name in keys:
        known = people.column(name).is_not_null()
        stars = int(((after[name] == "*") & known).sum())
        assert found[name][:2] == (stars, stars)
    assert all(
        found[name] == (0, 0, 0, 0) for name in before.columns if name in found.keys() - keys
    )


def test_mask_reports_them(unveil_command, tmp_path, monkeypatch):
    import json

    monkeypatch.chdir(tmp_path)
    people = unveil.households(120, seed=3)
    unveil.write(people, "o.csv")
    unveil.write(people.schema, "s.toml")
    plan = "[[mask]]\nmethod = 'local-suppression'\nk = 3\ncolumns = ['region', 'sex']\n"
    (tmp_path / "p.toml").write_text(f"seed = 1\n{plan}")
    arguments = ("mask", "o.csv", "--schema", "s.toml", "--plan", "p.toml")
    said = unveil_command(*arguments, "--output", "a.csv").out
    told = json.loads(unveil_command(*arguments, "--output", "b.csv", "--json").out)["changes"]
    region = next(one for one in told if one["column"] == "region")
    assert region["changed"] == region["suppressed"] > 0
    (line,) = [line for line in said.splitlines() if line.startswith("region")]
    assert line.split() == ["region", "120", *[str(region["suppressed"])] * 2, "0", "0"]
    assert "Unchanged: " in said


def test_another_missing_code_is_another_value(unveil_command, tmp_path, monkeypatch):
    """A mask with a promise writes one code: 40 cells of a and 40 of b are written anew."""
    monkeypatch.chdir(tmp_path)
    cells = [-9] * 40 + [-8] * 40 + [1, 2] * 20
    schema = Schema(numeric=["a", "b"], quasi=["a", "b"], missing={"a": [-9, -8], "b": [-9, -8]})
    data = Microdata(pl.DataFrame({"a": cells, "b": cells}), schema)
    release = unveil.mask(data, [masks.LocalSuppression(k=5)], seed=1)
    found = counts(FilePair.of(data, release.data, release.row_map))
    assert found == {"a": (40, 0, 0, 40), "b": (40, 0, 0, 40)}
    unveil.write(data, "o.csv")
    unveil.write(schema, "s.toml")
    (tmp_path / "p.toml").write_text("seed = 1\n[[mask]]\nmethod = 'local-suppression'\nk = 5\n")
    arguments = ("--schema", "s.toml", "--plan", "p.toml", "--output", "m.csv")
    said = unveil_command("mask", "o.csv", *arguments).out
    assert "Unchanged" not in said
    assert said.count("Missing cells of a are now all written as -9: 80.") == 1
    assert "Missing cells of b are now all written as -9: 80." in said


def test_numbers_too_large_to_compute_with_are_counted():
    ranges = Schema(numeric="x", generalised="x")
    before = Microdata(pl.DataFrame({"x": [0.0, 1e300, 1e300]}), Schema(numeric="x"))
    after = Microdata(pl.DataFrame({"x": ["0", "*", "0..1e300"]}), ranges)
    assert counts(FilePair.of(before, after, np.arange(3))) == {"x": (2, 1, 1, 0)}
