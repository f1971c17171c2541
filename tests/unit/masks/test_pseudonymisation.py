"""Pseudonyms: the keyed hash of each identifier, its secret, and what an audit makes of it."""

import hashlib
import hmac
from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, measures
from unveil.errors import DataError, FileError, SpecError
from unveil.masks.pseudonymisation import pseudonyms_of
from unveil.table.attribute import Attribute
from unveil.workflows.auditing.checks import identifiers_in
from unveil.workflows.mask import MaskSettings, mask_again, mask_file

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


def test_the_key_is_in_no_plan_and_no_words(people, key, caplog, tmp_path):
    source = tmp_path / "people.csv"
    unveil.write(people, source)
    unveil.write(people.schema, tmp_path / "people.toml")
    plan = [masks.Pseudonymisation(key_file=key), masks.Rounding(base=10, columns=["age"])]
    done = mask_file(source, plan, schema=tmp_path / "people.toml")
    told = [repr(done.release), repr(done.release.plan), str(done.to_dict()), caplog.text]
    told += [path.read_text() for path in (done.plan, done.schema)]
    for shown in told:
        assert KEY.hex() not in shown
        assert "defgh" not in shown  # how the key begins, as text
    assert "releases under the same key can be joined by person, mother" in caplog.text
    assert 'role = "other"' in done.schema.read_text()
    assert done.left_out == []
    released = unveil.read(done.output, done.schema)
    assert identifiers_in(people, released) == ()


def test_other_steps_see_no_identifier_and_draw_the_same(people, key):
    steps = [masks.Sampling(records=3), masks.RankPermutation(p=60, columns=["age"])]
    alone = unveil.mask(people, steps, seed=5)
    for place in range(3):
        plan = [*steps[:place], masks.Pseudonymisation(key_file=key), *steps[place:]]
        both = unveil.mask(people, plan, seed=5)
        assert both.data.select(["age", "sex"]).to_frame().equals(alone.data.to_frame())
        assert both.data.columns == ("person", "mother", "age", "sex")
        back = people.column("person").gather(both.row_map)
        expected = [None if one is None else digest(str(one)) for one in back]
        assert both.data.column("person").to_list() == expected


def test_who_masks_again_has_no_key(people, key):
    release = unveil.mask(people, [masks.Pseudonymisation(key_file=key)], seed=1)
    Path(key).unlink()
    assert mask_again(people, release.plan).data.columns == ("age", "sex")


def test_an_audit_sees_pseudonyms_and_no_identifiers(key):
    people = unveil.households(60, seed=7).select(["person", "age", "sex", "income"])
    release = unveil.mask(people, [masks.Pseudonymisation(key_file=key)], seed=1)
    assert identifiers_in(people, release.data) == ()
    links = unveil.attack(people, release, "distance")
    assert "person" not in links.compared
    with pytest.raises(SpecError, match="'person' is an identifier, which cannot be known"):
        unveil.attack(
            people, release, "distance", intruder=unveil.Intruder(knows=["age", "person"])
        )
    assert measures.risk(links).n == 60


def test_an_identifier_that_is_declared_another_role_still_is_one(people):
    """Its cells decide, not what a schema says of them."""
    schema = people.schema.updated({"person": Attribute(role="other")})
    released = Microdata(people.to_frame(), schema)
    assert identifiers_in(people, released) == ("person", "mother")


def test_two_releases_under_one_key_can_be_joined(key):
    people = unveil.households(60, seed=7).select(["person", "age", "income"])
    steps = [masks.Pseudonymisation(key_file=key), masks.Sampling(records=40)]
    files = [unveil.mask(people, steps, seed=seed) for seed in (1, 2)]
    first, second = (set(one.data.column("person")) for one in files)
    both = set(files[0].row_map) & set(files[1].row_map)
    assert len(first & second) == len(both) > 0


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


def test_a_key_that_a_plan_file_names(people, key, tmp_path):
    """It is read beside the plan, and elsewhere only if the user allows it."""
    folder = tmp_path / "plans"
    folder.mkdir()
    plan = folder / "plan.toml"
    plan.write_text('seed = 1\n[[mask]]\nmethod = "pseudonymisation"\nkey_file = "key.bin"\n')
    (folder / "key.bin").write_bytes(KEY)
    assert unveil.mask(people, plan).data.column("person")[0] == digest("11")
    plan.write_text(plan.read_text().replace("key.bin", key))
    with pytest.raises(unveil.UnveilError, match="which is not in its folder"):
        unveil.mask(people, plan)
    source = tmp_path / "people.csv"
    unveil.write(people, source)
    unveil.write(people.schema, tmp_path / "people.toml")
    settings = MaskSettings(allow=[key])
    done = mask_file(source, plan, schema=tmp_path / "people.toml", settings=settings)
    assert done.release.data.column("person")[0] == digest("11")
