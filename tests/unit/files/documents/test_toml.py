"""Schemas and policies as files that people write by hand."""

import pytest

import unveil
from unveil import Policy
from unveil.errors import FileError, SchemaError, UsageError
from unveil.files.documents.toml import as_policy, as_space, to_toml
from unveil.values.search_space import SearchSpace

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
    schema = unveil.files.read_schema(path)
    assert schema.with_role("common") == ("income",)
    assert schema.with_role("weight") == ("w",)
    assert schema["education"].level == "ordinal"
    assert schema["education"].missing == ("9", "?")
    assert schema["job"].hierarchy[0] == ("nurse", "health", "*")
    unveil.write(schema, tmp_path / "again.toml")
    assert unveil.files.read_schema(tmp_path / "again.toml") == schema


def test_a_byte_order_mark_is_no_key(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("quasi = 'age'", encoding="utf-8-sig")
    assert unveil.files.read_schema(path).with_role("quasi") == ("age",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("quasi = [", "this is not TOML"),
        ("[attributes.x]\nrole = 'quazi'", "attribute 'x': 'quazi' is not a role"),
        ("[attribute.x]\nrole = 'quasi'", "'attribute' is not a key .* mean 'attributes'"),
        ("\xff", "this is not TOML"),
        (
            "[attributes.x]\nhierarchy = [['a', 'b'], ['b', 'a']]",
            "attribute 'x': .* its own ancestor",
        ),
    ],
)
def test_a_wrong_file_is_named(tmp_path, text, said):
    path = tmp_path / "s.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SchemaError, match=said) as caught:
        unveil.files.read_schema(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_schema_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="the schema cannot be read: no such file"):
        unveil.files.read_schema(tmp_path / "s.toml")
    with pytest.raises(UsageError, match="a schema is a Schema or a path, not dict"):
        unveil.inspect(unveil.households(3).to_frame(), {})


EVERY = {
    "max_risk": 0.05, "max_subgroup_risk": 0.1, "max_confirmed": 0.0,
    "max_interval_disclosure": 0.4, "k_anonymity": 3, "l_diversity": 2, "max_loss": 0.3,
    "forbid_row_order": True, "may_stay_unchanged": ("sex",),
}  # fmt: skip


def test_a_policy_is_a_line_for_each_limit(tmp_path):
    path = tmp_path / "p.toml"
    for limits in (EVERY, *({name: value} for name, value in EVERY.items())):
        path.write_bytes(to_toml(Policy(**limits)))
        assert unveil.files.read_policy(path) == as_policy(path) == Policy(**limits)
        assert Policy(**limits).to_dict() == limits
    path.write_text("may_stay_unchanged = []")
    assert unveil.files.read_policy(path).to_dict() == {"may_stay_unchanged": ()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_rsik = 0.05", "did you mean 'max_risk'"),
        ("max_risk = 1.5", "max_risk"),
        ("max_risk = nan", "max_risk"),
        ("max_risk = '5 %'", "max_risk"),
        ("k_anonymity = 0", "k_anonymity"),
        ("k_anonymity = 2.5", "k_anonymity"),
        ("forbid_row_order = 1", "forbid_row_order"),
        ("forbid_row_order = false", "it sets no limit; give one, such as max_risk"),
        ("", "it sets no limit"),
        ("max_risk = ", "this is not TOML"),
        ("[limits]\nmax_risk = 0.1", "'limits' is not a parameter"),
    ],
)
def test_what_is_no_policy_is_refused(tmp_path, text, said):
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(unveil.UnveilError, match=said) as refused:
        unveil.files.read_policy(path)
    assert str(refused.value).startswith(str(path))
    assert refused.value.exit_code == 3


def test_a_policy_that_is_not_there(tmp_path):
    with pytest.raises(unveil.UnveilError, match="cannot be read"):
        as_policy(tmp_path / "no.toml")


SPACE = """
unchanged = ["region"]
forbid = ["pram"]

[[fixed]]
method = "top-coding"
columns = ["age"]
share = 0.01

[[combination]]
name = "swapping"
[[combination.mask]]
method = "rank-permutation"
columns = ["income"]
p = { from = 1, to = 41 }
[[combination.mask]]
method = "additive-noise"
columns = ["age"]
scale = { from = 0.1, to = 1.0, log = true, or_none = true }

[[combination]]
name = "groups"
[[combination.mask]]
method = "microaggregation"
columns = ["age", "income"]
k = { any = [3, 5, 10] }
"""


def test_a_space_of_a_search(tmp_path):
    path = tmp_path / "space.toml"
    path.write_text(SPACE)
    space = unveil.files.read_space(path)
    assert [one.name for one in space.combination] == ["swapping", "groups"]
    assert space["swapping"].tables((0.5, 0.0)) == (
        {"method": "rank-permutation", "columns": ["income"], "p": 21},
    )
    assert (space.unchanged, space.forbid) == (("region",), ("pram",))
    path.write_bytes(to_toml(space))
    assert as_space(path) == as_space(space) == space
    assert as_space(None) is None
    path.write_text("")
    assert as_space(path) == SearchSpace()


COMBINATION = '[[combination]]\nname = "a"\n[[combination.mask]]\n'
NOISE = f'{COMBINATION}method = "additive-noise"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unchanged = [", "this is not TOML"),
        ("unchangd = ['age']", "'unchangd' is not a parameter.*did you mean 'unchanged'"),
        ("unchanged = 3", "search-space: unchanged"),
        ("forbid = [3]", "search-space: forbid"),
        ("combination = 3", r"a table \[\[combination\]\] for each combination"),
        ("[combination]\nname = 'a'", r"a table \[\[combination\]\] for each combination"),
        ("[[combination]]\nname = 'a'", "combination: mask: not given"),
        ("[[combination]]\nname = 'a'\nmask = 3", r"\[\[combination.mask\]\] for each mask"),
        ("[[combination]]\nname = 'a'\nmask = []", "mask"),
        (f"{NOISE}scale = {{ from = 2, to = 1 }}", "a: scale: from 2 to 1: the wrong way round"),
        (f"{NOISE}scale = {{ from = 1 }}", "a: scale: a range has from and to"),
        (f"{NOISE}scale = {{ from = 'x', to = 2 }}", "a: scale: from: a finite number"),
        (f"{NOISE}scale = {{ from = 1, to = 2, lgo = true }}", "'lgo' is not a parameter"),
        (f"{NOISE}scale = {{ any = [] }}", "a: scale: any lists at least one value"),
        (f"{NOISE}scale = {{ from = 0, to = 2, log = true }}", "log needs a range above 0"),
        (f"{NOISE}scale = {{ from = -2, to = 2 }}", "combination 'a': additive-noise: scale"),
        (f"{NOISE}scale = {{ from = 1, to = 2 }}\nsclae = 3", "combination 'a': .*'sclae'"),
        (f"{NOISE}scale = 1\ncolumns = 5", "combination 'a': additive-noise: columns"),
        (f'{COMBINATION}method = "additiv-noise"', "did you mean 'additive-noise'"),
        (f"{COMBINATION}p = 3", "method: not given"),
        (f'{COMBINATION}method = {{ any = ["pram", "shuffle"] }}', "method cannot have a range"),
        ("[[fixed]]\nmethod = 'pram'\ntheta = 7", "fixed step 1: pram: theta"),
        ("fixed = ['pram']", r"a table \[\[fixed\]\] for each fixed"),
        (f"forbid = ['additive-noise']\n{NOISE}scale = 1", "every combination uses additive-noise"),
        (f"{NOISE}scale = 1\n{NOISE}scale = 2", "two combinations have one name"),
        (
            f"unchanged = ['age']\n{NOISE}scale = 1\ncolumns = ['age']",
            "masks age, which must stay unchanged",
        ),
    ],
)
def test_what_is_no_space_is_refused(tmp_path, text, said):
    path = tmp_path / "space.toml"
    path.write_text(text)
    with pytest.raises(unveil.UnveilError, match=said) as refused:
        unveil.files.read_space(path)
    assert str(refused.value).startswith(str(path))
    assert refused.value.exit_code == 3


def test_a_space_is_a_value_or_a_path():
    with pytest.raises(UsageError, match="a search space is a SearchSpace or a path, not dict"):
        as_space({})
