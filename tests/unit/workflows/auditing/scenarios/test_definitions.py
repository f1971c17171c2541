"""Who the scenarios are: by the schema, by the policy, and what is refused."""

import pytest

import unveil
from unveil import AuditSettings, Policy
from unveil.errors import DataError, SpecError
from unveil.values.disclosure_scenario import DisclosureScenario
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.scenarios.definitions import note_on, scenarios_of

KEYS = ("region", "sex", "age", "education", "marital_status", "occupation", "household_size")
VISIBLE = ("region", "sex", "age", "marital_status", "occupation", "household_size")


@pytest.fixture(scope="module")
def inputs():
    people = unveil.households(60)
    return read_inputs(people, people, None, "person", AuditSettings(), 0)


def scenario(inputs, name, policy=None):
    return next(one for one in scenarios_of(inputs, policy) if one.name == name)


def test_defaults_come_from_the_schema(inputs):
    register = scenario(inputs, "register")
    assert register.knows == (*KEYS, "hours")  # income is confidential, too
    assert (register.error, register.member, register.plan) == (0.05, False, False)
    assert register.records > 20_000  # by the weights
    acquaintance = scenario(inputs, "acquaintance")
    assert acquaintance.knows == VISIBLE  # as declared
    assert (acquaintance.coarse, acquaintance.together) == (True, False)
    insider = scenario(inputs, "insider")
    assert insider.knows == (*KEYS, "income", "hours")
    assert (insider.records, insider.plan) == (0.1, True)


def test_without_a_declaration_those_of_fewest_values_are_visible_and_half_are_strangers():
    people = unveil.households(60)
    frame = people.to_frame().drop("weight")
    plain = unveil.Microdata(
        frame,
        unveil.Schema(identifier="person", quasi=[*KEYS, "hours"], other=["household", "income"],
                      confidential=["tax", "savings", "rent"]),
    )  # fmt: skip
    found = read_inputs(plain, plain, None, "person", AuditSettings(), 0)
    assert "hours" not in scenario(found, "acquaintance").knows
    assert len(scenario(found, "acquaintance").knows) == 6
    assert scenario(found, "register").records == 120


def test_a_policy_changes_a_row_and_adds_another(inputs):
    policy = Policy(
        intruder=[
            {"name": "register", "error": 0.2, "max_linked": 0.05},
            {"name": "bank", "knows": ["income", "tax"], "records": 200, "member": False}
            | {"max_risk": 0.01},
        ]
    )
    register, bank = (scenario(inputs, name, policy) for name in ("register", "bank"))
    assert (register.error, register.limits) == (0.2, {"max_linked": 0.05})
    assert (bank.plan, bank.error) == (True, 0.0)  # the method is no secret
    assert (bank.together, bank.knows_households) == (True, False)  # who lives together is one
    assert bank.limits == {"max_linked": 0.01}
    assert [one.name for one in scenarios_of(inputs, policy)][-1] == "bank"


def test_the_usual_attackers_are_known_by_name(inputs):
    policy = Policy(
        intruder=[
            {"name": "prosecutor", "max_linked": 0.05},
            {"name": "journalist", "error": 0.1, "max_confirmed": 0.01},
            {"name": "marketer", "max_linked": 0.05},
        ]
    )
    prosecutor, journalist, marketer = (
        scenario(inputs, one.name, policy) for one in policy.intruder
    )
    assert (prosecutor.knows, prosecutor.member, prosecutor.together) == (
        (*KEYS, "income", "hours"), True, False,
    )  # fmt: skip
    for one, together in ((journalist, False), (marketer, True)):
        assert (one.knows, one.member, one.together) == ((*KEYS, "hours"), False, together)
        assert one.records > 20_000  # people, by the weights
    assert (journalist.error, marketer.error, marketer.plan) == (0.1, 0.0, True)
    assert not {one.name for one in policy.intruder} & {
        one.name for one in scenarios_of(inputs, None)
    }


REFUSED = {
    "a scenario that knows nothing": ({"name": "bank", "knows": []}, "knows is empty"),
    "an error above 1": ({"name": "register", "error": 1.5}, "error"),
    "a scenario that does not exist": ({"name": "acquaintence", "max_linked": 0.1}, "acquaintance"),
    "a column twice": ({"name": "bank", "knows": ["age", "age"]}, "twice"),
    "a stress test that knows less": ({"name": "stress test", "knows": ["age"]}, "everything"),
    "two words of one limit": (
        {"name": "register", "max_risk": 0.1, "max_linked": 0.1}, "another word",
    ),
    "a fraction of a file with others": (
        {"name": "bank", "knows": ["age"], "member": False, "records": 0.5}, "number of people",
    ),
    "a fraction of a register": ({"name": "register", "records": 0.5}, "number of people"),
    "no name": ({"name": " "}, "name"),
    "a name that is no file's": ({"name": "bank/insurer", "knows": ["age"]}, "letters"),
    "a name that is too long": ({"name": "x" * 300, "knows": ["age"]}, "up to 60"),
    "a name like another": ({"name": "Register", "knows": ["age"], "max_linked": 1}, "register"),
    "a name like a usual attacker": ({"name": "Marketer", "max_linked": 0.1}, "marketer"),
    "an unknown key": ({"name": "register", "max_linkd": 0.1}, "max_linked"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_intruder_can_be_is_refused(case):
    table, named = REFUSED[case]
    with pytest.raises(SpecError, match=named):
        Policy(intruder=[table])


def test_a_policy_without_a_limit_is_told_what_would_be_judged():
    with pytest.raises(SpecError, match=r"(?s)no limit.*max_risk.*stress test.*bank.*max_learned"):
        Policy(intruder=[{"name": "bank", "knows": ["age"]}])
    with pytest.raises(SpecError, match="no limit"):
        Policy()


def test_an_error_names_the_intruder():
    with pytest.raises(SpecError, match="policy: intruder 'bank': error"):
        Policy(intruder=[{"name": "bank", "knows": ["age"], "error": 2}])


def test_names_that_would_be_one_file_are_refused():
    tables = [{"name": n, "knows": ["age"], "max_linked": 1} for n in ("big bank", "big-bank")]
    with pytest.raises(SpecError, match="twice"):
        Policy(intruder=tables)


def test_weights_that_cannot_be_used_are_noted():
    people = unveil.households(60)
    frame = people.to_frame()
    zero = unveil.Microdata(frame.with_columns(weight=frame["weight"] * 0), people.schema)
    found = read_inputs(zero, zero, None, "person", AuditSettings(), 0)
    register = scenario(found, "register")
    assert register.records == 120
    assert "weights do not tell" in note_on(register, (), found)
    assert note_on(register, ("records",), found) == ""


def with_schema(**roles):
    """Some people under a schema without weights."""
    frame = unveil.households(60).to_frame().select("person", "sex", "age", "region", "education")
    people = unveil.Microdata(frame, unveil.Schema(identifier="person", **roles))
    return read_inputs(people, people, None, "person", AuditSettings(), 0)


def test_fewer_than_three_visible_keys_are_made_up_to_three():
    quasi = ["sex", "age", "region", "education"]
    found = with_schema(quasi=quasi, visible=["age"])
    acquaintance = scenario(found, "acquaintance")
    assert len(acquaintance.knows) == 3
    assert "age" in acquaintance.knows
    note = note_on(acquaintance, (), found)
    assert "declares 1 quasi-identifier visible, so that others" in note
    found = with_schema(quasi=quasi, visible=["sex", "age", "region"])
    acquaintance = scenario(found, "acquaintance")
    assert acquaintance.knows == ("sex", "age", "region")
    assert note_on(acquaintance, (), found) == ""


def test_visible_keys_beyond_six_are_named():
    """Those with the most values were dropped without a word, so that the risk fell."""
    names = ["sex", "region", "education", "age", "income", "hours", "weight", "household_size"]
    frame = unveil.households(60).to_frame().select("person", *names)
    people = unveil.Microdata(frame, unveil.Schema(identifier="person", quasi=names, visible=names))
    found = read_inputs(people, people, None, "person", AuditSettings(), 0)
    acquaintance = scenario(found, "acquaintance")
    left_out = [name for name in names if name not in acquaintance.knows]
    assert len(left_out) == 2
    note = note_on(acquaintance, (), found)
    assert "declares 8 quasi-identifiers visible" in note
    assert f"the 6 with the fewest values, and not {', '.join(left_out)}" in note
    assert "taken for visible" not in note
    assert note_on(acquaintance, ("knows",), found) == ""


def test_an_intruder_who_knows_more_than_the_stress_test_is_noted(inputs):
    policy = Policy(intruder=[{"name": "bank", "knows": ["age", "weight"], "max_linked": 1}])
    bank = scenario(inputs, "bank", policy)
    note = note_on(bank, ("knows",), inputs)
    assert "knows weight, which the stress test does not know" in note
    assert "not to know who lives together (knows_households = true" in note
    assert "who lives together" not in note_on(bank, ("knows", "knows_households"), inputs)
    assert note_on(scenario(inputs, "insider"), (), inputs) == ""


def test_a_register_of_confidential_keys_is_noted():
    both = ["sex", "age"]
    found = with_schema(quasi=both, confidential=both, other=["region", "education"])
    register = scenario(found, "register")
    assert register.knows == ("sex", "age")
    assert "every quasi-identifier is confidential" in note_on(register, (), found)
    assert "confidential" not in note_on(register, ("knows",), found)


@pytest.mark.parametrize("table", [{"max_linked": 5}, {"max_risk": 5.0}])
def test_a_limit_above_1_is_told_how_percents_are_written(table):
    with pytest.raises(SpecError, match=r"at most 1 \(5 % is 0.05\)"):
        Policy(intruder=[{"name": "register"} | table])


def test_one_name_is_one_intruder():
    with pytest.raises(SpecError, match="twice"):
        Policy(intruder=[{"name": "register", "max_linked": 0.1}] * 2)


@pytest.mark.parametrize(
    ("table", "error", "named"),
    [
        ({"name": "bank", "knows": ["incom"]}, DataError, "income"),
        ({"name": "bank", "knows": ["person"]}, SpecError, "identifier"),
        ({"name": "register", "records": 59}, DataError, "smaller than the original"),
        ({"name": "insider", "records": 61}, DataError, "at most"),
        ({"name": "register", "records": 0.5}, SpecError, "number of people"),
        ({"name": "register", "records": 10**20}, DataError, "at most"),
    ],
)
def test_what_these_files_cannot_have_is_refused_before_any_attack(inputs, table, error, named):
    with pytest.raises(error, match=named) as refused:
        scenarios_of(inputs, Policy(intruder=[{"max_linked": 0.5} | table]))
    assert refused.value.exit_code == 3


def test_a_scenario_is_written_as_it_is_read(tmp_path):
    from unveil.files.documents.toml import read_policy, to_toml

    policy = Policy(max_loss=0.3, intruder=[DisclosureScenario(name="register", max_learned=0.0)])
    (tmp_path / "policy.toml").write_bytes(to_toml(policy))
    assert read_policy(tmp_path / "policy.toml") == policy
