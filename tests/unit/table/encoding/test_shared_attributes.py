"""One attribute in two files."""

import polars as pl

from unveil.table.encoding.shared_attributes import common_cells, recode_like_release
from unveil.table.microdata import Microdata
from unveil.table.sample import households
from unveil.table.schema import Schema


def test_equal_cells_are_equal_integers():
    sample = households(4)
    cells = common_cells(sample, sample.take([3, 1]), column="age")
    assert [column.tolist() for column in cells] == [[61, 15, 17, 0], [0, 15]]


def test_merged_categories_are_recoded_as_in_the_release():
    records = Microdata(pl.DataFrame({"job": ["nurse", "clerk"]}))
    schema = Schema({"job": {"level": "nominal", "merged": {"care": ["nurse", "doctor"]}}})
    release = Microdata(pl.DataFrame({"job": ["care", "clerk"]}), schema)
    recoded = recode_like_release(release, records, ["job"])
    assert recoded.column("job").to_list() == ["care", "clerk"]
    assert recode_like_release(release, recoded, ["job"]) is recoded
