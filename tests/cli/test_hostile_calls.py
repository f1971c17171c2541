"""Closed streams, bytes that are no text, encodings of no file, nested documents, signals."""

import os
import signal
import subprocess
import sys

import pytest

import unveil

UNVEIL = [sys.executable, "-m", "unveil"]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    unveil.write(unveil.households(40), path)
    return path


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize("command", ["inspect {}", "inspect {} --json", "--help"])
def test_a_closed_stream_is_no_internal_error(survey, closed, command):
    line = f"{sys.executable} -m unveil {command.format(survey)} {closed}"
    assert subprocess.run(line, shell=True, check=False).returncode == 0  # noqa: S602


def test_a_full_device_is_an_error_of_the_help_too():
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    line = f"{sys.executable} -m unveil --help > /dev/full"
    done = subprocess.run(line, shell=True, check=False, capture_output=True)  # noqa: S602
    assert done.returncode == 3
    assert b"the result cannot be printed" in done.stderr


@pytest.mark.parametrize("option", ["--decimal", "--missing", "--encoding", "--schema"])
def test_bytes_that_are_no_text_are_refused(unveil_command, survey, option):
    done = unveil_command("inspect", survey, option, os.fsdecode(b"\xff\xfe"))
    assert done.code == 2
    assert done.err == (
        "unveil: argument 4 has bytes that are not UTF-8 text; retype it, or rename the file\n"
    )


@pytest.mark.parametrize(
    "encoding",
    ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "base64", "rot13"],
)
@pytest.mark.parametrize("ending", ["csv", "sav"])
def test_an_encoding_of_no_text_file_is_refused(unveil_command, survey, encoding, ending):
    path = survey.with_suffix(f".{ending}")
    path.touch()
    done = unveil_command("inspect", path, "--encoding", encoding)
    assert done.code in (2, 3)
    assert f"'{encoding}' is not an encoding of text files; try utf-8 or latin-1" in done.err


@pytest.mark.parametrize("option", ["--encoding", "--seed", "--delimiter"])
def test_a_long_echo_is_cut(unveil_command, survey, option):
    done = unveil_command("demo" if option == "--seed" else "inspect", survey, option, "9" * 10_000)
    assert done.code in (2, 3)
    assert len(done.err) < 1500


@pytest.mark.parametrize("text", ["x = " + "[" * 5000 + "]" * 5000, "x = " + "{a=" * 5000])
@pytest.mark.parametrize("read", ["read_schema", "read_plan", "read_policy"])
def test_a_document_nested_by_the_thousand_is_refused(tmp_path, text, read):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    with pytest.raises(unveil.UnveilError, match="nested too deeply"):
        getattr(unveil.files, read)(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_evidence_nested_by_the_thousand_is_refused(tmp_path, text):
    path = tmp_path / "deep.json"
    path.write_text(text)
    with pytest.raises(unveil.UnveilError, match="this is not the complete evidence of an audit"):
        unveil.files.read_evidence(path)


def test_a_number_of_thousands_of_digits_is_refused(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("seed = " + "9" * 5000)
    with pytest.raises(unveil.UnveilError, match="thousands of digits"):
        unveil.files.read_plan(path)


def test_a_nested_option_is_refused(unveil_command, survey):
    done = unveil_command(
        "attack", "distance", survey, survey, "--weights", "[" * 100_000, "--truth", "row-order"
    )
    assert (done.code, "not valid JSON" in done.err) == (2, True)


def test_warnings_of_libraries_do_not_reach_the_user():
    people = unveil.households(40)
    release = unveil.mask(people, ["synthesis"], seed=1)  # warnings are errors in tests
    assert len(release.data) == 40


# A command whose work does not come back to Python, in the middle of writing a file.
STUCK = """
import ctypes, os, sys, click
from pathlib import Path
from unveil.cli import demo, main
from unveil.files.atomic_write import write_atomically
target = Path(sys.argv[1])
def save(part):
    os.write(1, b"x")
    import numpy
    numpy.linalg.eigh(numpy.ones((5_000, 5_000)))
@click.command()
def command():
    write_atomically(target, save)
demo.command = command
sys.argv = ["unveil", "demo"]
main.main()
"""

WORK = {
    "mdav": "unveil.mask(unveil.households(150_000), [masks.Microaggregation(k=3)])",
    "local suppression": "unveil.mask(unveil.households(400_000), [masks.LocalSuppression(k=50)])",
    "one-to-one": "attack(30_000, attacks.Distance(matching='one-to-one'))",
    "posterior": "attack(30_000, attacks.Distance(matching='posterior'))",
    "bilinear": "attack(3_000, attacks.Supervised(model='bilinear', budget=None))",
    "search": "attack(400_000, attacks.Distance())",
    "a library": "np.linalg.eigh(np.ones((5_000, 5_000)))",
}
LONG = """
import os, sys, click, numpy as np, unveil
from unveil import attacks, masks
from unveil.cli import demo, main
def attack(n, spec):
    people = unveil.households(n)
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.5)], seed=1)
    os.write(1, b"x")
    unveil.attack(people, release, spec).n_closer.sum()
@click.command()
def command():
    os.write(1, b"x")
    {work}
demo.command = command
sys.argv = ["unveil", "demo"]
main.main()
"""


def ended_by(number, code, *args, after=1.0):
    """The exit code of a program that gets a signal while it works."""
    command = [sys.executable, "-c", code, *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.read(1)  # it has begun
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(number)
        try:
            return process.wait(10)  # two seconds; a busy machine takes longer
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_work_that_does_not_come_back(tmp_path, number):
    assert ended_by(number, STUCK, str(tmp_path / "release.csv"), after=0.2) == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_every_long_computation(work, number):
    assert ended_by(number, LONG.format(work=WORK[work]), after=3.0) == 128 + number
