"""``unveil papers``: what it prints and writes, and what it says when there is nothing to read."""

import json
import re

import pytest

from papers.some_papers import some_papers
from unveil_papers import papers


@pytest.fixture
def asked(monkeypatch):
    """What was asked for; papers that nobody wrote are reproduced at once."""
    given = {}

    def reproduce(names, **options):
        options.pop("progress")("noise", 1, 2)
        given.update(options, names=tuple(names))
        return some_papers()

    monkeypatch.setattr(papers, "reproduce", reproduce)
    return given


def test_every_figure_is_printed_with_its_mark(unveil_command, asked):
    ran = unveil_command("papers")
    assert (ran.code, ran.err) == (0, "")
    assert asked == {"names": papers.NAMES, "quick": False, "seed": 0, "fresh": False}
    lines = ran.out.splitlines()
    at = lines.index("Table 1: noise </script><b>& (% linked)")
    assert lines[at + 1 : at + 11] == [
        "    same: equal",
        "                DBRL  RBRL-Sum  RBRL-Max",
        "0.10            98.4      57.4      57.4",
        "  ours  98.4 ± 0.2 =    51.0 ≠    51.0 ∅",
        "0.25                      53.7",
        "  ours    69.1 ± 0.5         ∅",
        "≠ the file is not to be had </script><b>& (2: 0.10 RBRL-Sum, 0.10 RBRL-Max)",
        "∅ lost (1: 0.25 RBRL-Sum)",
        "",
        "Beside: ours (links of 100)",
    ]
    assert "  3. Section 4: Claim 3 </script><b>&." in lines
    assert "     DOES NOT HOLD: In 3 of 9 rows." in lines
    assert [line.split() for line in lines[-7:] if line.startswith("rank")] == [
        ["rank-based", "1", "1", "2"],
        ["rank-based", "1", "1", "1", "1"],
    ]


def test_what_is_asked_for_is_passed_on(unveil_command, asked, tmp_path):
    page, charts = tmp_path / "papers.html", tmp_path / "charts"
    ran = unveil_command("papers", "supervised", "grid", "--quick", "--seed", 4, "--fresh",
                         "--report", page, "--figures", charts)  # fmt: skip
    assert ran.code == 0
    assert asked == {"names": ("supervised", "grid"), "quick": True, "seed": 4, "fresh": True}
    assert "Wrote the page" in ran.out
    assert "Table 1" in page.read_text()
    assert len(list(charts.iterdir())) == 6
    again = unveil_command("papers", "--report", page)
    assert (again.code, asked["quick"]) == (3, True)  # refused before anything is run
    assert "--force" in again.err


@pytest.mark.usefixtures("asked")
def test_json_has_every_cell(unveil_command):
    ran = unveil_command("papers", "--json")
    found = json.loads(ran.out)
    first = found["papers"][0]["tables"][0]["cells"][0]
    assert first == {"row": "0.10", "column": "DBRL", "theirs": "98.4", "ours": 98.43,
                     "error": 0.21, "runs": 0, "mark": "same", "why": ""}  # fmt: skip
    assert (found["seed"], found["quick"]) == (3, True)


@pytest.mark.usefixtures("asked")
def test_columns_go_on_below_where_the_screen_is_narrow(unveil_command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    lines = unveil_command("papers").out.splitlines()
    assert max(len(line) for line in lines if "±" in line) <= 30
    assert sum(line.startswith("0.10") for line in lines) == 2


@pytest.mark.parametrize("name", ["rank-based", "fuzzy-integrals"])
def test_without_the_data_it_says_what_to_get_and_where_to_put_it(
    unveil_command, monkeypatch, tmp_path, name
):
    monkeypatch.delenv("UNVEIL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran = unveil_command("papers", name, "--quick")
    assert ran.code == 3
    assert "UNVEIL_DATA" in ran.err
    assert str(tmp_path / "unveil") in ran.err
    first, *files = ran.err.splitlines()
    assert first.startswith(f"unveil: {len(files)} of the papers' data sets are not in ")
    assert len(files) == (2 if name == "rank-based" else 8)
    (census,) = [line for line in files if line.startswith("  census.csv (1,080 rows and 13 col")]
    assert census.endswith("from data/CASCrefmicrodata.rda of the R package sdcMicro")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["rank-base"], 2, "did you mean 'rank-based'"),
        (["--seed", "-1"], 2, "--seed"),
        (["--report", "papers.pdf"], 2, ".html"),
    ],
)
def test_mistakes(unveil_command, given, code, said):
    ran = unveil_command("papers", *given)
    assert ran.code == code
    assert said in ran.err


@pytest.mark.parametrize("fresh", [[], ["--fresh"]])
def test_stopped(unveil_command, monkeypatch, fresh):
    def reproduce(*_names, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(papers, "reproduce", reproduce)
    ran = unveil_command("papers", *fresh)
    assert ran.code == 130
    again = "without --fresh it" if fresh else "the same command"
    assert f"What was found so far is kept: {again} goes on from here." in ran.err


def test_a_file_that_only_has_the_name_of_a_data_set(unveil_command, monkeypatch, tmp_path):
    """It is refused, and nothing of it is told."""
    (tmp_path / "census.csv").write_text("name,pay\ncanary,1234567\n")
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ran = unveil_command("papers", "supervised", "--report", tmp_path / "page.html")
    assert ran.code == 3
    assert "census.csv: this is not the data set 'census'" in ran.err
    assert not {"canary", "1234567"} & set(re.split(r"\W+", ran.out + ran.err))
    assert [one.name for one in tmp_path.iterdir()] == ["census.csv"]
