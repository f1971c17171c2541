"""Pseudonyms: the keyed hash of each identifier."""

import hashlib
import hmac

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks
from unveil.errors import DataError, FileError, SpecError
from unveil.masks.pseudonymisation import pseudonyms_of

KEY = bytes(range(100, 132))


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.bin"
    path.write_bytes(KEY)
    return str(path)


@pytest.fixture
def people():
    frame = pl.DataFrame(
        {
            "person": [11, 12, None, 11, 14],
            "mother": ["14", None, "11", "14", "?"],
            "age": [20, 30, 40, 50, 60],
            "sex": ["f", "m", "f", "m", "f"],
        }
    )
    roles = {"identifier": ["person", "mother"], "quasi": ["age", "sex"]}
    return Microdata(frame, Schema(**roles, missing={"mother": ["?"]}))


def digest(text, key=KEY):
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:32]


def test_cells_are_the_keyed_hash_of_their_text(people, key):
    release = unveil.mask(people, [masks.Pseudonymisation(key_file=key)], seed=1)
    person, mother = (release.data.column(name).to_list() for name in ("person", "mother"))
    assert person == [digest("11"), digest("12"), None, digest("11"), digest("14")]
    assert mother == [digest("14"), None, digest("11"), digest("14"), None]
    assert release.data.columns == ("person", "mother", "age", "sex")
    for name in ("person", "mother"):
        assert (release.schema[name].role, release.schema[name].level) == ({"other"}, "nominal")
    counts = release.details["pseudonymisation"]
    assert counts.sentence == ("person: 3 pseudonyms in 4 cells; mother: 2 pseudonyms in 3 cells")
    assert [repr(one) for one in release.channels] == ["Unknown(person)", "Unknown(mother)"]


def test_hashes_of_a_published_test_vector():
    """RFC 4231, test case 2: the key "Jefe" (too short for a key file)."""
    cells = pl.Series("x", ["what do ya want for nothing?"])
    assert pseudonyms_of(cells, b"Jefe").to_list() == ["5bdcc146bf60754e6a042426089575c7"]


def test_some_identifiers_and_none_of_the_others(people, key):
    release = unveil.mask(people, [masks.Pseudonymisation(key_file=key, columns=["mother"])])
    assert release.data.columns == ("mother", "age", "sex")


def test_a_drawn_key_is_another_each_time_and_nowhere(people):
    plan = unveil.Plan((masks.Pseudonymisation(columns=["person"]),), seed=1)
    first, second = (unveil.mask(people, plan).data.column("person") for _ in range(2))
    known = first.drop_nulls()
    assert set(known).isdisjoint(second.drop_nulls())
    assert known.str.len_chars().unique().to_list() == [32]
    assert "key" not in str(plan.to_dict())


def test_all_missing(key):
    data = Microdata(
        pl.DataFrame({"id": pl.Series([None, None], dtype=pl.String), "x": [1, 2]}),
        Schema(identifier="id", quasi="x"),
    )
    release = unveil.mask(data, [masks.Pseudonymisation(key_file=key)])
    assert release.data.column("id").to_list() == [None, None]


def test_two_identifiers_with_one_pseudonym(people, key, monkeypatch):
    monkeypatch.setattr("unveil.masks.pseudonymisation.LENGTH", 0)
    with pytest.raises(DataError, match="column 'person': two identifiers have the same pseudonym"):
        unveil.mask(people, [masks.Pseudonymisation(key_file=key)])


@pytest.mark.parametrize(
    ("more", "kind", "said"),
    [
        ({"columns": ["age"]}, SpecError, "'age' is not an identifier"),
        ({"columns": ["persn"]}, DataError, "did you mean 'person'"),
        ({"columns": ["person", "person"]}, SpecError, "name at least one, and none twice"),
        ({"columns": []}, SpecError, "name at least one, and none twice"),
        ({"key_file": "nowhere.bin"}, FileError, "key_file: no such file"),
        ({"key_file": "short.bin"}, SpecError, "at least 16 random bytes"),
    ],
)
def test_refusals(people, more, kind, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.bin").write_bytes(b"secret")
    with pytest.raises(kind, match=said):
        unveil.mask(people, [masks.Pseudonymisation(**more)])


def test_a_table_without_identifiers_and_synthetic_people(people, key):
    with pytest.raises(SpecError, match="no column is an identifier"):
        unveil.mask(people.select(["age", "sex"]), [masks.Pseudonymisation()])
    with pytest.raises(SpecError, match="synthetic records belong to nobody"):
        unveil.mask(people, [masks.Synthesis(), masks.Pseudonymisation(key_file=key)])
    twice = [masks.Pseudonymisation(name=name, key_file=key) for name in ("one", "two")]
    with pytest.raises(SpecError, match="two: no column is an identifier"):
        unveil.mask(people, twice)
