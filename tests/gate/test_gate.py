"""The gate can fail: what it compares, and what it reads through the table of renamed names."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gate import record
from gate.case import Case, Outcome
from gate.cases import all_cases
from gate.cases.functions import missing
from gate.cases.words import METHODS
from gate.comparison import compare_numbers, compare_words, read_renamed, renamed
from gate.inputs import ENDINGS
from gate.leaves import add, add_file, leaves
from gate.run import run
from unveil.files.formats.base import formats

OLD = {"audit/full": {"json/risk/share": "0.5", "json/n": "10"}, "help": {"1/exit": "0"}}


def changed(case, path, leaf):
    return OLD | {case: {**OLD.get(case, {}), path: leaf}}


def test_equal_numbers_do_not_differ():
    assert compare_numbers(OLD, json.loads(json.dumps(OLD)), {}) == []


def test_a_number_that_differs_is_told_but_for_the_last_digits_of_a_processor():
    (found,) = compare_numbers(OLD, changed("audit/full", "json/risk/share", "0.500001"), {})
    assert str(found) == "audit/full/json/risk/share: 0.5 -> 0.500001"
    same = changed("audit/full", "json/risk/share", "0.5000003")
    assert compare_numbers(OLD, same, {}) == []
    assert len(compare_numbers(OLD, changed("audit/full", "json/n", "11"), {})) == 1


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (OLD, {"help": OLD["help"]}, "audit/full/json/n: 10 -> nothing"),
        (OLD, changed("new", "exit", "0"), "new/exit: nothing -> 0"),
        (changed("help", "2/exit", "0"), OLD, "help/2/exit: 0 -> nothing"),
    ],
)
def test_a_case_or_a_number_that_is_gone_or_not_recorded_is_told(old, new, line):
    assert line in map(str, compare_numbers(old, new, {}))


def test_renamed_fields_and_cases_are_equal():
    new = {"audit/whole": {"json/risk/linked": "0.5", "json/n": "10"}, "help": {"1/exit": "0"}}
    table = {"risk/share": "risk/linked", "audit/full": "audit/whole"}
    assert compare_numbers(OLD, new, table) == []
    assert len(compare_numbers(OLD, new, {"share": "linked"})) == 4  # the case is not renamed
    new["audit/whole"]["json/risk/linked"] = "0.6"
    (found,) = compare_numbers(OLD, new, table)
    assert (found.old, found.new) == ("0.5", "0.6")


def test_names_can_be_exchanged_and_the_longest_rule_is_used():
    assert renamed("x/a/b", {"a": "b", "b": "a"}) == "x/b/a"
    assert renamed("x/a/3/b", {"b": "c", "a/*/b": "a/*/d"}) == "x/a/3/d"


def test_the_committed_table_can_be_read_and_one_with_other_stars_cannot(tmp_path):
    read_renamed()
    (tmp_path / "renamed.toml").write_text('[renamed]\n"a/*" = "b"\n')
    with pytest.raises(ValueError, match="each \\*"):
        read_renamed(tmp_path / "renamed.toml")


def test_words_are_listed_with_their_lines():
    ((path, lines),) = compare_words({"help": {"a": "one\ntwo"}}, {"help": {"a": "one\n2"}}, {})
    assert path == "help/a"
    assert "-two" in lines
    assert "+2" in lines


def test_leaves_of_arrays_and_texts():
    found = dict(leaves({"few": np.arange(2), "many": np.arange(100.0), "none": None}, "x"))
    assert (found["x/few/1"], found["x/many/shape"]) == (1, "(100,)")
    other = np.arange(100.0)
    other[7] = np.nextafter(7.0, 8)
    assert found["x/many/sha256"] == dict(leaves(other, "x/many"))["x/many/sha256"]
    other[7] = 7.0000001
    assert found["x/many/sha256"] != dict(leaves(other, "x/many"))["x/many/sha256"]
    outcome = Outcome()
    add(outcome, {"share": 0.1, "name": "rank", "kept": True, "version": "3"}, "json")
    assert outcome.numbers == {"json/share": "0.1", "json/kept": "True"}
    assert outcome.words == {"json": "name: rank"}


def test_one_changed_cell_changes_the_digest_of_its_column(tmp_path):
    found = []
    for cell in ("3", "4"):
        (tmp_path / "records.csv").write_text(f"row,risk\n1,2\n2,{cell}\n")
        found.append(Outcome())
        add_file(found[-1], tmp_path / "records.csv", "records.csv")
    one, other = (outcome.numbers for outcome in found)
    assert one["records.csv/row"] == other["records.csv/row"]
    assert one["records.csv/risk"] != other["records.csv/risk"]


def test_a_case_that_fails_is_part_of_the_outcome(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run(Case("python/none", function=lambda: 1 / 0))
    assert outcome.numbers == {"failed": "True"}
    outcome = run(Case("wrong", ("inspect nowhere.csv", "methods --json")))
    assert (outcome.numbers["1-inspect/exit"], outcome.numbers["2-methods/exit"]) == ("3", "0")
    assert "nowhere.csv" in outcome.words["1-inspect/stderr"]


def test_the_record_is_the_same_bytes_when_it_is_written_again(tmp_path):
    outcomes = {name: Outcome(numbers, {"a": "text"}) for name, numbers in OLD.items()}
    record.write_record(outcomes, tmp_path)
    before = [(tmp_path / name).read_bytes() for name in (record.NUMBERS, record.INDEX)]
    assert record.read_record(record.NUMBERS, tmp_path) == OLD
    record.write_record(outcomes, tmp_path)
    assert before == [(tmp_path / name).read_bytes() for name in (record.NUMBERS, record.INDEX)]
    assert gzip.decompress(before[0]).startswith(b"{")


def test_some_cases_are_recorded_and_the_others_kept(tmp_path):
    record.write_record({"a": Outcome({"n": "1"}), "c": Outcome({"n": "3"})}, tmp_path)
    record.write_record({"b": Outcome({"n": "2"}), "c": Outcome({"n": "4"})}, tmp_path, keep=True)
    kept = {
        name: leaves["n"] for name, leaves in record.read_record(record.NUMBERS, tmp_path).items()
    }
    assert kept == {"a": "1", "b": "2", "c": "4"}
    lines = (tmp_path / record.INDEX).read_text().splitlines()
    assert [line.split()[-1] for line in lines] == ["a", "b", "c"]


def test_every_public_function_has_a_case():
    assert missing() == []


def test_every_mask_and_every_attack_has_a_case(unveil_command):
    methods = json.loads(unveil_command("methods", "--json").out)
    assert {*METHODS} == {method["name"] for method in methods if method["kind"] != "loss"}
    names = " ".join(case.name for case in all_cases())
    for method in methods:
        if method["kind"] in ("mask", "attack"):
            places = ("mask/", "attack/", "link/", "python/")
            assert any(f"{place}{method['name']}" in names for place in places), method["name"]


def test_every_format_has_a_case():
    endings = {f".{ending}" for ending in ENDINGS}
    left = [kind.__name__ for kind in formats() if not endings & {*kind.suffixes}]
    assert left == ["Sas"]  # which can only be read


def test_the_command_says_what_it_can_do():
    done = subprocess.run(
        [sys.executable, "-m", "gate", "--help"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--record" in done.stdout
