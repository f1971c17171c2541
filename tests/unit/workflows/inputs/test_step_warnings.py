"""Warnings of a step: it changed nothing, covers too little, or discards many."""

import pytest

import unveil
from unveil import masks


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (masks.TopCoding(threshold=10**9, columns=["income"]), "no cell of income changed"),
        (masks.Mondrian(k=3, columns=["age"]), "the guarantee covers only age"),
        (masks.AntiUnification(k=8, stars=0, columns=["region", "education"]), "not released"),
    ],
)
def test_a_step_that_disappoints(mask, said, caplog):
    unveil.mask(unveil.households(300, seed=7), [mask], seed=1)
    assert f"{mask.step}: " in caplog.text
    assert said in caplog.text
