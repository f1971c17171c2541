"""Text in two files: what is missing, what is refused, how much is compared."""

import logging

import polars as pl
import pytest

import unveil
from unveil import Intruder, Microdata, Schema, attacks
from unveil.attacks.comparators import text_pairs
from unveil.errors import DataError, MissingPackageError, SchemaError, SpecError

NAMES = ["Anna", "Bert", "Carla", "Dieter"]


def file_of(**columns):
    texts = [name for name, cells in columns.items() if isinstance(cells[0], str)]
    return Microdata(pl.DataFrame(columns), Schema(quasi=list(columns), nominal=texts))


def run(first, second, comparisons, method=attacks.Probabilistic, **how):
    spec = method(comparisons=comparisons)
    return unveil.attack(first, second, spec, truth="row-order", intruder=Intruder(**how))


def both(name=NAMES, other=None, **more):
    return file_of(name=name, age=[30, 41, 52, 63], **more), file_of(
        name=other or name, age=[30, 42, 52, 61], **more
    )


@pytest.mark.parametrize("method", [attacks.Probabilistic, attacks.Distance])
def test_blanks_do_not_count_and_what_is_blank_is_missing(method):
    first, second = both(other=[" Anna", "", "Carla ", "  "])
    costs = run(first, second, {"name": {"by": "jaro-winkler"}}, method, knows=["name", "age"])
    plain = run(*both(other=["Anna", None, "Carla", None]), {"name": {"by": "jaro-winkler"}},
                method, knows=["name", "age"])  # fmt: skip
    rows = [0, 0, 0, 1, 2, 3], [0, 1, 2, 1, 2, 3]
    assert costs.finder.costs(*map(pl.Series, rows)).tolist() == pytest.approx(
        plain.finder.costs(*map(pl.Series, rows)).tolist()
    )


@pytest.mark.parametrize("method", [attacks.Probabilistic, attacks.Distance])
def test_dates_that_do_not_parse_are_named_by_row(method):
    days = ["1980-01-02", "19810304", "1982-01-01", "1983-01-01"]
    wrong = [*days[:2], "31.12.1982", "soon"]
    first = "column 'name' of the release has 2 cells, the first in row 3: no date; write dates as"
    with pytest.raises(DataError, match=first) as raised:
        run(*both(days, wrong), {"name": {"by": "days"}}, method)
    assert "1982" not in str(raised.value)
    assert "by parts" not in str(raised.value)  # which refuses these cells, too
    with pytest.raises(DataError, match="the first in row 3: no date"):
        run(*both(days, wrong), {"name": {"by": "parts"}}, method)
    with pytest.raises(DataError, match="empty what is unknown, or compare by parts"):
        run(*both(days, [*days[:3], "19831399"]), {"name": {"by": "days"}}, method)
    for by in ("days", "parts"):
        with pytest.raises(DataError, match="column 'name' of the original has 2 cells"):
            run(*both(wrong, days), {"name": {"by": by}}, method)
    with pytest.raises(DataError, match="blocks: column 'name' of the release has 2 cells"):
        run(*both(days, wrong), {}, method, blocks=("name:year",))
    run(*both(days, [*days[:3], "19831399"]), {"name": {"by": "parts"}}, method)  # in no calendar
    run(*both(days, [*days[:3], " "]), {"name": {"by": "days"}}, method)
    dated = file_of(name=days).column("name").str.head(4) + "-06-07"
    run(*both(dated.str.to_date().to_list()), {"name": {"by": "days"}}, method)


@pytest.mark.parametrize("method", [attacks.Probabilistic, attacks.Distance])
def test_what_cannot_be_compared_is_refused(method, caplog):
    names = {"name": {"by": "jaro-winkler"}}
    with pytest.raises(SpecError, match="comparisons: column 'nmae' is not in the data; did you"):
        run(*both(), {"nmae": {"by": "soundex"}}, method)
    with pytest.raises(DataError, match="has 1 cell, the first in row 4: longer than 1,000"):
        run(*both(other=[*NAMES[:3], "x" * 1001]), names, method)
    with caplog.at_level(logging.WARNING, "unveil"):
        run(*both(["Anna"] * 4), names, method)
    assert "column 'name' does not vary" in caplog.text
    coarse = Schema({"name": {"generalised": True, "level": "nominal", "role": "quasi"}})
    released = Microdata(pl.DataFrame({"name": ["A*", "B*", "C*", "D*"]}), coarse)
    with pytest.raises(SchemaError, match="column 'name' is generalised"):
        run(both()[0], released, names, method, knows=["name"])


@pytest.mark.parametrize("method", [attacks.Probabilistic, attacks.Distance])
def test_too_many_pairs_are_refused_with_the_remedy(method, monkeypatch):
    names = {"name": {"by": "jaro-winkler", "levels": [1, 0.3]}}
    monkeypatch.setattr(text_pairs, "MOST_COMPARED", 15)
    with pytest.raises(SchemaError, match="16 pairs of different texts .* inside blocks"):
        run(*both(), names, method)
    run(*both(), names, method, blocks=("name:1",))
    monkeypatch.setattr(text_pairs, "MOST_COMPARED", 100)
    monkeypatch.setattr(text_pairs, "MOST_LISTED", 3)
    with pytest.raises(SchemaError, match="more than 3 pairs .* leave that level out"):
        run(*both(), names, method)


def test_text_in_a_method_for_numbers_is_refused():
    spec = attacks.Distance(metric="mahalanobis")
    with pytest.raises(SchemaError, match="mahalanobis compares plain numbers, and name are not"):
        unveil.attack(*both(), spec, truth="row-order", intruder=Intruder(knows=["name"]))


def test_without_the_package_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz", None)
    with pytest.raises(MissingPackageError, match=r"unveil\[text\]"):
        run(*both(), {"name": {"by": "jaro-winkler"}})
    run(*both(), {"name": {"by": "soundex"}})  # which needs none


def test_strangers_are_compared_too():
    first, second = both()
    links = run(first, second, {"name": {"by": "jaro-winkler"}}, knows=["name", "age"])
    people = file_of(name=["Anne", "Zoe"], age=[30, 99])
    others = links.attack_strangers(people)
    assert others.finder.nearest(links.records[:1], 1, None).rows.tolist() == [[0]]
