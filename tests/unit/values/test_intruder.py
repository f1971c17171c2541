"""What an intruder may believe of the own cells."""

import math

import pytest

from unveil import Intruder
from unveil.errors import SpecError


@pytest.mark.parametrize("error", [-0.1, 1.1, math.nan, math.inf])
def test_an_error_is_a_share(error):
    with pytest.raises(SpecError, match="intruder: error: a share from 0 to 1"):
        Intruder(error=error)


@pytest.mark.parametrize("error", ["much", None, [0.1]])
def test_an_error_is_a_number(error):
    with pytest.raises(SpecError, match="intruder: error"):
        Intruder(error=error)


def test_an_error_is_recorded_only_if_there_is_one():
    assert "error" not in Intruder().to_dict()
    assert "out of date" not in repr(Intruder(error=0))
    assert Intruder(error=0.1).to_dict()["error"] == 0.1
    assert repr(Intruder(knows=["age"], error=0.1)).endswith(", 0.1 of the cells out of date)")
