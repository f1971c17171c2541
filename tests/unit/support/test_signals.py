"""Ctrl-C that a program waits for."""

import subprocess
import sys

PROGRAM = """
import os, signal, time
from unveil.support.signals import GRACE, ended_by_signals, interrupt_awaited

with ended_by_signals(lambda: None):
    for _ in range(3):
        try:
            with interrupt_awaited():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(9)
        except KeyboardInterrupt:
            time.sleep(1.5 * GRACE)  # what is done with what there is
print("went on")
"""


def test_a_program_goes_on_after_an_awaited_interrupt():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "went on\n", "")
