"""The papers' data sets are what they should be, or the error says what to do."""

import pytest

from unveil.errors import FileError, UsageError
from unveil_papers.datasets import DATASETS, DataSetMissingError, dataset, dataset_path


@pytest.mark.parametrize("name", DATASETS)
def test_a_data_set_has_its_size(paper_data, name):
    paper_data(name)
    data = dataset(name)
    assert (len(data), len(data.columns)) == (DATASETS[name].rows, DATASETS[name].columns)


@pytest.mark.parametrize(("name", "gaps"), [("water-treatment", 591), ("dermatology", 8)])
def test_question_marks_are_missing(paper_data, name, gaps):
    paper_data(name)
    data = dataset(name)
    assert sum(data.column(column).null_count() for column in data.columns) == gaps


def test_an_absent_data_set_says_what_to_get_and_where_to_put_it(tmp_path, monkeypatch):
    monkeypatch.delenv("UNVEIL_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(DataSetMissingError) as caught:
        dataset("census")
    for part in ("census.csv", "1,080 rows", "13 columns", "sdcMicro", "UNVEIL_DATA",
                 str(tmp_path / "unveil"), DATASETS["census"].sha256):  # fmt: skip
        assert part in str(caught.value)


def test_the_named_folder_comes_before_the_cache(paper_data, tmp_path, monkeypatch):
    paper_data("iris")
    content = dataset_path("iris").read_bytes()
    for folder in (tmp_path / "cache" / "unveil", tmp_path / "named"):
        folder.mkdir(parents=True)
        (folder / "iris.csv").write_bytes(content)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path / "named"))
    assert dataset_path("iris").parent == tmp_path / "named"
    monkeypatch.delenv("UNVEIL_DATA")
    assert dataset_path("iris").parent == tmp_path / "cache" / "unveil"


def test_a_file_with_another_hash_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("UNVEIL_DATA", str(tmp_path))
    (tmp_path / "census.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="not the data set 'census': its SHA-256 should be 40fb91"):
        dataset("census")


def test_an_unknown_data_set_is_suggested():
    with pytest.raises(UsageError, match="mean 'census'"):
        dataset("cencus")
