"""The steps of an audit: how much of the work is done, and how long the rest takes."""

from unveil.cli.console import time_left
from unveil.files.checkpoints import CheckpointFolder
from unveil.workflows.auditing.checkpoints import Checkpoints


def shown(expected, steps, folder):
    seen = []
    job = Checkpoints(
        expected, progress=lambda *told: seen.append(told),
        folder=CheckpointFolder(folder, "job", resume=True),
    )  # fmt: skip
    for step in steps:
        job.run(step, int, lambda _progress: 1)
    return seen


def test_a_step_that_is_finished_already_is_no_work(tmp_path):
    """It would make the speed too high, and the time left too short."""
    expected = {"a": 60.0, "b": 20.0, "c": 20.0}
    assert shown(expected, "ab", tmp_path / "f") == [("a", 0, 100), ("b", 60, 100)]
    assert shown(expected, "abc", tmp_path / "f") == [("a", 0, 100), ("b", 0, 40), ("c", 0, 20)]


def test_the_time_left_is_told_once_the_speed_is_known():
    """Not one second for a minute's work because the first step was over at once."""
    assert time_left(0, 0, 60) == ""  # how much work there is is not known
    assert time_left(0, 80, 60) == ""
    assert time_left(79, 80, 1) == ""
    assert time_left(0.5, 80, 6) == ""
    assert time_left(20, 80, 10) == "left: 0:00:30"
    assert time_left(80, 80, 10) == "left: 0:00:00"
