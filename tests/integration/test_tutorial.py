"""The tutorial works as it is written: its files, its commands in order, and what they print."""

import re
import runpy
import shlex
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
FILE = r"as `([\w.]+)`:\n\n```\w+\n(.*?)```"
COMMAND = r"```console\n\$ (\w+) (.*?)\n```(?:\n\n```text\n(.*?)```)?"


@pytest.mark.slow
def test_the_tutorial_runs_and_shows_what_is_printed(unveil_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = TUTORIAL.read_text()
    for name, content in re.findall(FILE, text, re.DOTALL):
        Path(name).write_text(content)
    codes = {}
    for program, words, shown in re.findall(COMMAND, text, re.DOTALL):
        if program == "python":
            runpy.run_path(words, run_name="__main__")
            continue
        command, *arguments = shlex.split(words)
        result = unveil_command(command, *arguments)
        codes.setdefault(command, []).append(result.code)
        printed = _words(result.out)
        for line in filter(None, shown.splitlines()):
            assert _words(line.removesuffix("...")) in printed, (words, result.err)
    assert codes == {
        "inspect": [0, 0], "mask": [0], "audit": [1], "report": [0], "choose": [0], "compare": [0]
    }  # fmt: skip
    table = text.partition("The folder `chosen` has")[2]
    for name in re.findall(r"`([\w.]+/?)`", table.partition("\n\nOpen")[0]):
        assert Path("chosen", name).exists(), name


def _words(text):
    """The text with single blanks between words."""
    return " ".join(text.split())
