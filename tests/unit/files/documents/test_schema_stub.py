"""The schema file to complete: it says what is missing, and reads as it is."""

import msgspec
import polars as pl

import unveil
from unveil import Microdata, Schema
from unveil.files.documents.schema_stub import HEAD, WORDS, schema_stub
from unveil.files.documents.toml import read_schema
from unveil.table.roles import ROLES


def test_every_role_is_offered():
    assert set(WORDS.split(" | ")) == set(ROLES)
    assert all(role in HEAD for role in ROLES)


def test_a_stub_reads_as_the_schema_that_it_is_of(tmp_path):
    odd = 'role = ""\n'  # which no other line may take for its own
    schema = Schema(
        {
            "hid": {"level": "numeric", "question": "a code?"},
            "age": {"role": ["quasi", "confidential"], "level": "numeric"},
            "sex": {"labels": {"1": "f"}, "missing": ["9"]},
            odd: {"role": "other", "label": odd},
        }
    )
    text = schema_stub(schema, {"hid": "household"}).decode()
    path = tmp_path / "s.toml"
    path.write_text(text)
    assert read_schema(path) == schema
    assert f'[attributes.hid]\nrole = ""  # perhaps household; {WORDS}\n' in text
    assert f'[attributes.sex]\nrole = ""  # {WORDS}\n' in text
    assert text.count('role = ""  #') == 2


def test_the_short_form_of_the_head_is_a_schema():
    short = "\n".join(
        line[4:] for line in HEAD.splitlines() if line.startswith("#   ") and "=" in line
    )
    schema = Schema.from_dict(msgspec.toml.decode(short))
    assert schema.role_counts() == ["2 quasi", "1 confidential", "1 weight", "1 household"]
    assert schema["sex"].level == "nominal"


def test_an_empty_role_is_no_role_yet():
    data = Microdata(pl.DataFrame({"age": [1, 2, 3]}), Schema({"age": {"role": ""}}))
    assert data.schema["age"].role == frozenset()
    assert Schema({"age": {"role": ""}}, quasi="age")["age"].role == {"quasi"}
    notes = unveil.inspect(data).notes
    assert any("1 column without a role: age" in note for note in notes)
