"""Blocks by keys of text: equal keys are one block, and what is missing fits every one."""

import numpy as np
import polars as pl
import pytest

import unveil
from naive import text as naive
from unveil import Microdata, Schema, attacks
from unveil.attacks.blocking import block_records

NAMES = ["Robert", "Rupert", "rubin", "Ashcraft", "", None, "Ashcroft", "李明"]
DAYS = ["1980-01-02", "19800302", "1981-01-02", "19800199", "", None, "1981-02-01", "1980-01-03"]


def people(names=NAMES, days=DAYS):
    return Microdata(pl.DataFrame({"name": names, "born": days}), Schema(nominal=["name", "born"]))


KEYS = {
    "name:soundex": naive.soundex,
    "name:2": lambda text: text[:2],
    "born:year": lambda text: text[:4],
    "born:month": lambda text: text.replace("-", "")[4:6],
    "born:day": lambda text: text.replace("-", "")[6:],
}


@pytest.mark.parametrize("block", KEYS)
def test_records_of_equal_keys_are_compared(block):
    data, other = people(), people(NAMES[::-1], DAYS[::-1])
    blocks = block_records(data, other, [block])
    column = block.split(":")[0]
    left, right = np.indices((len(data), len(data))).reshape(2, -1)
    compared = blocks.between.compares(left, right)
    cells = [file.column(column).to_list() for file in (data, other)]
    for i, j, yes in zip(left.tolist(), right.tolist(), compared.tolist(), strict=True):
        one, two = cells[0][i], cells[1][j]
        assert yes == (not one or not two or KEYS[block](one) == KEYS[block](two))
    assert blocks.attributes == (column,)


def test_a_keyed_column_is_compared_as_well():
    first, second = unveil.registers(60, seed=3)
    spec = attacks.Probabilistic(comparisons={"surname": {"by": "jaro-winkler"}})
    links = unveil.link(first, second, spec, blocks=["surname:1", "postcode:2"], truth="person")
    assert "surname" in links.finder.columns
    assert links.compared.count("surname") == 1
    assert unveil.measures.risk(links).expected > 40
