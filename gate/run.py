"""Running cases: every command in the same process, in a private folder."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import runpy
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from gate.case import OUT, Case, Outcome
from gate.cases import all_cases
from gate.inputs import write_inputs
from gate.leaves import add, add_file, add_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WORKERS = 2


def run_all(names: Sequence[str], workers: int = WORKERS) -> Iterator[tuple[str, Outcome, float]]:
    """Run cases by name, the longest first, and yield each outcome with its seconds."""
    with tempfile.TemporaryDirectory(prefix="gate-") as folder:
        home = Path(folder).resolve()
        os.environ |= {
            "COLUMNS": "100",
            "LINES": "50",
            "NO_COLOR": "1",
            "XDG_CACHE_HOME": str(home / "cache"),
        }
        with contextlib.chdir(home):
            write_inputs()
        cases = {case.name: case for case in all_cases()}
        order = sorted(names, key=lambda name: -cases[name].cost)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, context, os.chdir, (home,)) as pool:
            try:
                yield from pool.map(run_named, order)
            except BaseException:
                for worker in multiprocessing.active_children():
                    worker.kill()  # else the pool waits for the cases that they are at
                raise


def run_named(name: str) -> tuple[str, Outcome, float]:
    """Run the case of this name in the present folder."""
    begun = time.monotonic()
    case = next(case for case in all_cases() if case.name == name)
    return name, run(case), time.monotonic() - begun


def run(case: Case) -> Outcome:
    """Run a case in the present folder, which has the inputs."""
    home, out = str(Path.cwd()), Path("out") / case.name
    out.mkdir(parents=True)
    outcome = Outcome()
    if case.plan is not None:
        (out / "plan.toml").write_text(tomli_w.dumps({"mask": case.plan}))
    if case.function is not None:
        try:
            add(outcome, case.function(), "result", home)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other cases run
            outcome.numbers["failed"] = "True"
            outcome.words["failed"] = f"{type(error).__name__}: {error}"
    for number, command in enumerate(case.commands, start=1):
        words = [word.replace(OUT, str(out)).replace("\t", " ") for word in command.split(" ")]
        code, printed, complaints = unveil_command(words)
        path = f"{number}-{words[0]}"
        outcome.numbers[f"{path}/exit"] = repr(code)
        add_words(outcome, complaints, f"{path}/stderr", home)
        if "--json" in words and printed.startswith(("{", "[")):
            add(outcome, json.loads(printed), f"{path}/json", home)
        else:
            add_words(outcome, printed, f"{path}/stdout", home)
    for file in sorted(out.rglob("*")):
        if file.is_file():
            add_file(outcome, file, str(file.relative_to(out)), home)
    return outcome


def unveil_command(words: Sequence[str]) -> tuple[int, str, str]:
    """Run ``python -m unveil`` in this process; exit code, output, complaints."""
    out, complaints = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    before, sys.argv = sys.argv, ["unveil", *words]
    code: Any = 0
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(complaints),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("default")
            runpy.run_module("unveil", run_name="__main__")
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    texts = []
    for stream in (out, complaints):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    warned = sorted({f"{one.category.__name__}: {one.message}" for one in caught})
    return int(code or 0), texts[0], "\n".join([texts[1], *warned])
