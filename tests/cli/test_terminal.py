"""Colours and progress: on a terminal only, and without colours if NO_COLOR is set."""

import os
import pty
import re
import subprocess
import sys

import pytest

TABLE = (
    "from unveil.cli.console import print_table; "
    "print_table(['limit', 'kept'], [['max_risk', 'BROKEN'], ['max_loss', 'kept']])"
)
DEMO = "from unveil.cli.main import main; main()"
COLOUR = re.compile(r"\x1b\[[\d;]*3[0-7]")


def shown(code, *arguments, **environment):
    """What a program prints on a terminal, both streams."""
    leader, follower = pty.openpty()
    call = [sys.executable, "-c", code, *map(str, arguments)]
    others = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = others | {"TERM": "xterm-256color", "COLUMNS": "80"} | environment
    process = subprocess.Popen(call, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    parts = []
    try:
        while part := os.read(leader, 65_536):
            parts.append(part)
    except OSError:  # Linux: the other end is closed
        pass
    os.close(leader)
    assert process.wait() == 0
    return b"".join(parts).decode()


def test_a_broken_limit_is_coloured_on_a_terminal_only():
    assert re.search(r"\x1b\[1;31mBROKEN", shown(TABLE))
    piped = subprocess.run([sys.executable, "-c", TABLE], capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout


def test_no_color_is_honoured():
    plain = shown(TABLE, NO_COLOR="1")
    assert "BROKEN" in plain
    assert not COLOUR.search(plain)


@pytest.mark.parametrize(("flags", "bar"), [([], True), (["-q"], False)])
def test_progress_is_shown_unless_quiet_and_without_colours_on_request(tmp_path, flags, bar):
    file = tmp_path / "a.csv"
    file.write_text("age,pay\n1,2\n3,4\n")
    seen = shown(DEMO, "inspect", file, *flags, NO_COLOR="1")
    assert not COLOUR.search(seen)
    assert ("reading" in seen) is bar
    assert "2 records" in seen
