"""Pseudonyms in a release: apart from other steps, under a secret key, and no identifiers."""

import hashlib
import hmac
from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil import Microdata, Schema, masks, measures
from unveil.errors import SpecError
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


def test_an_audit_of_files_needs_the_schema_of_the_release(key, tmp_path):
    """Without it the column counts as an identifier: a policy fails closed."""
    people = unveil.households(60, seed=7).select(["person", "age", "sex", "income"])
    schema, source = tmp_path / "people.toml", tmp_path / "people.csv"
    unveil.write(people, source)
    unveil.write(people.schema, schema)
    plan = [masks.Pseudonymisation(key_file=key)]
    settings = MaskSettings(row_map=tmp_path / "rows.csv", output=tmp_path / "release.csv")
    done = mask_file(source, plan, schema=schema, settings=settings, seed=1)
    original = unveil.read(source, schema)
    assert identifiers_in(original, unveil.read(done.output, done.schema)) == ()
    assert identifiers_in(original, unveil.read(done.output, schema)) == ("person",)
    links = unveil.attack(
        original, unveil.read(done.output, done.schema), "distance", truth=tmp_path / "rows.csv"
    )
    assert measures.risk(links).n == 60
    with pytest.raises(unveil.UnveilError, match="give a row map if the release has pseudonyms"):
        unveil.attack(original, unveil.read(done.output, done.schema), "distance", truth="person")
