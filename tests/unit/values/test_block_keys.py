"""Names of blocks: a column, or a column and a key."""

import pytest

from unveil.errors import SpecError
from unveil.values.block_keys import block_columns, split_block


def test_a_column_that_looks_like_a_key_is_a_column():
    assert split_block("a:b", ["a:b"]) == ("a:b", "")
    assert split_block("a:b:2", ["a:b"]) == ("a:b", "2")
    assert block_columns(["name:soundex", "name:2", "sex"], ["name", "sex"]) == ("name", "sex")


@pytest.mark.parametrize("block", ["name:sondex", "name:0", "name:", "name:-1", "name:2000"])
def test_an_unknown_key_is_refused(block):
    with pytest.raises(SpecError, match="is not a key; (keys are a number of|did you)"):
        split_block(block, ["name"])


def test_the_nearest_key_is_named():
    with pytest.raises(SpecError, match="did you mean 'soundex'"):
        split_block("name:sondex", ["name"])
