"""Schema files that people write by hand."""

import pytest

import unveil
from unveil.errors import FileError, SchemaError, UsageError

BY_HAND = """
weightVar = "w"

[attributes.income]
role = ["quasi", "confidential"]
level = "numeric"

[attributes.education]
role = "key"
order = ["primary", "secondary", "tertiary"]
missing = [9, "?"]
labels = { primary = "up to 6 years" }

[attributes.job]
role = "sensitive"
hierarchy = [["nurse", "health", "*"], ["clerk", "office", "*"]]
"""


def test_a_hand_written_schema_is_read(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(BY_HAND)
    schema = unveil.read_schema(path)
    assert schema.with_role("common") == ("income",)
    assert schema.with_role("weight") == ("w",)
    assert schema["education"].level == "ordinal"
    assert schema["education"].missing == ("9", "?")
    assert schema["job"].hierarchy[0] == ("nurse", "health", "*")
    unveil.write(schema, tmp_path / "again.toml")
    assert unveil.read_schema(tmp_path / "again.toml") == schema


def test_a_byte_order_mark_is_no_key(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("quasi = 'age'", encoding="utf-8-sig")
    assert unveil.read_schema(path).with_role("quasi") == ("age",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("quasi = [", "this is not TOML"),
        ("[attributes.x]\nrole = 'quazi'", "attribute 'x': 'quazi' is not a role"),
        ("[attribute.x]\nrole = 'quasi'", "'attribute' is not a key .* mean 'attributes'"),
        ("\xff", "this is not TOML"),
        ("[attributes.x]\nhierarchy = [['a', 'b'], ['b', 'a']]", "attribute 'x': .* above itself"),
    ],
)
def test_a_wrong_file_is_named(tmp_path, text, said):
    path = tmp_path / "s.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SchemaError, match=said) as caught:
        unveil.read_schema(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_schema_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="the schema cannot be read: no such file"):
        unveil.read_schema(tmp_path / "s.toml")
    with pytest.raises(UsageError, match="a schema is a Schema or a path, not dict"):
        unveil.inspect(unveil.households(3).to_frame(), {})
