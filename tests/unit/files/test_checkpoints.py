"""The finished steps of a job that was stopped."""

import numpy as np
import pytest

import unveil
from unveil.files.checkpoints import CheckpointFolder


def test_what_is_finished_is_kept(tmp_path):
    folder = tmp_path / "job"
    kept = CheckpointFolder(folder, "a", resume=False)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert kept.find("some step", int) is None
    kept.keep("some step", 3, np.array([0.5, np.nan]))
    kept.keep("other", {"x": 1.5}, None)
    again = CheckpointFolder(folder, "a", resume=True)
    value, each = again.find("some step", int)
    assert value == 3
    assert np.array_equal(each, [0.5, np.nan], equal_nan=True)
    assert again.find("other", dict) == ({"x": 1.5}, None)
    with pytest.raises(unveil.UnveilError, match="other files, settings, policy, seed or version"):
        CheckpointFolder(folder, "b", resume=True)
    (folder / "other.json").write_text("{")
    with pytest.raises(unveil.UnveilError, match="was changed; start again"):
        again.find("other", dict)
    anew = CheckpointFolder(folder, "b", resume=False)
    assert anew.find("some step", int) is None
    anew.remove()
    assert not folder.exists()


def test_a_folder_that_is_something_else_is_left_alone(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "precious").write_text("mine")
    for name in ("file", "folder"):
        for resume in (False, True):
            with pytest.raises(unveil.UnveilError, match="not the folder of an unfinished audit"):
                CheckpointFolder(tmp_path / name, "a", resume=resume)
    assert (tmp_path / "folder" / "precious").read_text() == "mine"
    with pytest.raises(unveil.UnveilError, match="the folder cannot be made"):
        CheckpointFolder(tmp_path / "no" / "where", "a", resume=False)
