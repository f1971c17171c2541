"""Limits on classes of equal records: the keys that are counted, and when they mean nothing."""

import msgspec
import pytest

import unveil
from fixtures import audits
from unveil import Policy, masks
from unveil.files.documents.toml import read_policy, to_toml
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.values.results.evidence import OLDEST_FORMAT
from unveil.workflows.auditing.replay import replay

pytestmark = pytest.mark.usefixtures("few_trees")

KEYS = ("region", "sex", "education")
NOISY = ("age", "hours")
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip
SUPPRESSION = masks.LocalSuppression(k=3, columns=KEYS)
NOISE = masks.AdditiveNoise(scale=0.3, columns=NOISY)
PERTURBED = [NOISE, masks.Pram(theta=0.5, columns=KEYS)]  # every quasi-identifier


@pytest.fixture(scope="module")
def people():
    names = ("person", *KEYS, *NOISY, "tax", "rent")
    return unveil.households(300, seed=7).select(names)


@pytest.fixture(scope="module")
def release(people):
    """3-anonymous in the keys; in numbers with noise, everybody is alone."""
    return unveil.mask(people, [NOISE, SUPPRESSION], seed=7)


def limits(people, release, **policy):
    found = audits.audit(people, release, policy=Policy(**policy), **QUICK)
    return found.evidence


def only(evidence):
    (limit,) = evidence.verdict.limits
    return limit


def test_a_limit_is_counted_on_the_keys_that_it_names(people, release):
    found = only(limits(people, release, k_anonymity={"k": 3, "keys": KEYS[:2]}))
    counted = unveil.measures.uniqueness(release.data, KEYS[:2])
    assert (found.keys, found.found, found.kept) == (KEYS[:2], counted.smallest, True)
    assert "keys by the policy" in found.reason
    assert "also knows education, age, hours is not covered" in found.reason


def test_without_keys_it_is_counted_on_those_that_a_mask_promised(people, release):
    """Counted on the noisy numbers, too, it was broken: 1 record in the smallest class."""
    evidence = limits(people, release, k_anonymity=3)
    found = only(evidence)
    assert evidence.uniqueness.release.smallest == 1  # on all quasi-identifiers
    assert (found.keys, found.allowed, found.kept) == (KEYS, 3, True)
    assert found.found >= 3
    assert "keys by local-suppression" in found.reason
    (classes,) = evidence.policy_classes
    assert (classes.keys, classes.left_out, classes.release.smallest) == (KEYS, NOISY, found.found)


def test_without_a_promise_it_is_counted_on_what_was_not_perturbed(people):
    noisy = unveil.mask(people, [NOISE], seed=7)
    found = only(limits(people, noisy, k_anonymity=2))
    assert (found.keys, found.found) == (KEYS, unveil.measures.uniqueness(people, KEYS).smallest)


def test_other_models_take_their_own_keys_else_those_of_k_anonymity(people, release):
    policy = {
        "k_anonymity": {"k": 2, "keys": ["region"]},
        "l_diversity": 2,
        "t_closeness": {"t": 1, "keys": ["sex"]},
    }
    verdict = limits(people, release, **policy).verdict
    assert [limit.keys for limit in verdict.limits] == [("region",), ("region",), ("sex",)]
    found = unveil.measures.diversity(release.data, ["region"])
    assert verdict.limits[1].found == min(one.fewest for one in found)


@pytest.mark.parametrize(
    ("steps", "policy", "reason"),
    [
        ([NOISE], {"k_anonymity": {"k": 2, "keys": ["sex", "age"]}}, "age: perturbed.*name keys"),
        (PERTURBED, {"k_anonymity": 2}, "perturbed, so that equal rows"),
        (PERTURBED, {"l_diversity": 2}, "policy: l_diversity: "),
        ([masks.Synthesis()], {"t_closeness": 1}, "the release is synthetic.*leave the limit out"),
        (
            [
                masks.LocalSuppression(k=2, columns=["region", "sex"]),
                masks.Mondrian(k=3, columns=["education"]),
            ],
            {"k_anonymity": 2},
            "different keys \\(region, sex; education\\); name the keys",
        ),
        ([NOISE], {"k_anonymity": {"k": 2, "keys": ["sx"]}}, "'sx' is not.*did you mean 'sex'"),
    ],
)
def test_a_limit_that_means_nothing_is_refused_with_the_reason(people, steps, policy, reason):
    masked = unveil.mask(people, steps, seed=7)
    with pytest.raises(unveil.UnveilError, match=reason):
        limits(people, masked, **policy)


def test_rows_that_microaggregation_made_equal_are_counted(people):
    """They cannot be told apart, so that k is true of them, though their numbers are others."""
    grouped = unveil.mask(people, [masks.Microaggregation(k=10, columns=["age"])], seed=7)
    found = only(limits(people, grouped, k_anonymity={"k": 10, "keys": ["age"]}))
    assert (found.kept, found.found >= 10) == (True, True)


def test_the_page_and_the_terminal_name_the_keys(people, release):
    evidence = limits(people, release, k_anonymity=3)
    for external, words in ((False, "k-anonymity of region, sex, education"), (True, "of 3 keys")):
        table = summary(evidence, external=external)["limits"].exhibits[0].table
        assert words in plain(table.rows[0][1])
    assert "not mean much" not in str(summary(evidence).to_dict())


def test_a_policy_with_keys_is_written_and_read_as_it_is(tmp_path):
    policy = Policy(k_anonymity={"k": 3, "keys": ["age"]}, l_diversity={"l": 2}, t_closeness=0.5)
    (tmp_path / "p.toml").write_bytes(to_toml(policy))
    assert read_policy(tmp_path / "p.toml") == policy
    (tmp_path / "q.toml").write_text("[k_anonymity]\nk = 3\nkeys = ['age']")
    assert read_policy(tmp_path / "q.toml").k_anonymity == policy.k_anonymity
    for wrong, words in (
        ({"k": 3, "key": ["age"]}, "did you mean 'keys'"),
        ({"keys": ["age"]}, "k: not given"),
        ({"k": 0}, "k_anonymity"),
        ({"k": 3, "keys": []}, "keys"),
        ({1: 2}, "k_anonymity"),
    ):
        with pytest.raises(unveil.UnveilError, match=words):
            Policy(k_anonymity=wrong)


def test_older_evidence_with_a_limit_that_means_nothing_is_replayed(people, tmp_path):
    """The limit is then not kept, for the reason for which it would be refused today."""
    masked = unveil.mask(people, PERTURBED, seed=7)
    unveil.write(people, tmp_path / "o.csv")
    unveil.write(people.schema, tmp_path / "s.toml")
    unveil.write(masked, tmp_path / "r.csv", row_map=tmp_path / "m.csv")
    evidence = audits.audit(
        tmp_path / "o.csv", tmp_path / "r.csv", schema=tmp_path / "s.toml",
        truth=tmp_path / "m.csv", policy=Policy(max_risk=1), **QUICK,
    ).evidence  # fmt: skip
    older = msgspec.structs.replace(
        evidence, policy={"max_risk": 1.0, "k_anonymity": 3}, digest=None, format=OLDEST_FORMAT
    )
    again = replay(older, folder=tmp_path)
    assert {one.where.split(".")[0] for one in again.differences} == {"verdict", "policy_classes"}
