"""What an audit reads: attacks meet the release with the cells filled in that can be read off."""

import msgspec
import pytest

import unveil
from fixtures.surveys import by_persons
from unveil import attacks, masks, measures
from unveil.values.results.evidence import Evidence
from unveil.workflows.auditing.inputs import read_inputs

KEYS = ("region", "sex", "age", "household_size")
QUICK = unveil.AuditSettings(
    knows=KEYS, sweep=False, errors=(), remask=1, remedies=False, worst_case=False
)


@pytest.fixture(scope="module")
def people():
    return by_persons(400)


@pytest.fixture(scope="module")
def release(people):
    stars = masks.LocalSuppression(k=3, columns=KEYS, importance={"age": 5, "sex": 5})
    return unveil.mask(people, stars, household="keep", seed=1)


@pytest.fixture(scope="module")
def found(people, release):
    limits = unveil.Policy(k_anonymity={"k": 3, "keys": list(KEYS)})
    attacks = ["distance", "compatible", "tailored"]
    return unveil.audit(people, release, attacks=attacks, settings=QUICK, policy=limits)


def linked(people, file, truth):
    knows = unveil.Intruder(knows=KEYS)
    links = unveil.attack(people, file, unveil.attacks.Distance(), intruder=knows, truth=truth)
    return measures.risk(links).expected


def test_attacks_use_the_filled_file_and_claims_the_released_one(people, release, found):
    pair = measures.FilePair.of(people, release.data, release.row_map)
    filled = measures.read_off(pair)
    evidence = found.evidence
    assert evidence.read_off == filled.found
    assert evidence.read_off.returned > 100
    by_distance = next(
        one.risk.expected
        for one in evidence.attacks
        if one.name == "distance" and one.risk.direction == "original-to-release"
    )
    before, after = (linked(people, file, release.row_map) for file in (release.data, filled.data))
    assert by_distance == after > 1.5 * before
    assert evidence.loss.overall == measures.loss(pair, groupings=(), seed=0).overall
    assert evidence.policy_classes[0].release.smallest == 3
    assert evidence.policy_classes[0].filled == 1
    assert "1 after derivable cells are filled in" in found.verdict.limits[0].reason
    assert evidence.remasking.mean > before / len(people)


def test_no_person_is_excluded_by_a_filled_cell(found):
    """The compatible rows of everybody, and the ranks of the method-aware attack."""
    assert found.evidence.compatible.none == 0
    tailored = [one for one in found.evidence.attacks if one.name == "tailored"]
    assert all(one.risk.expected > 0 for one in tailored)


def test_older_evidence_says_nothing_of_it(found):
    plain = msgspec.to_builtins(found.evidence)
    del plain["read_off"]
    del plain["policy_classes"][0]["filled"]
    older = msgspec.convert(plain, Evidence)
    assert older.read_off is None
    assert older.policy_classes[0].filled is None


def test_a_file_without_suppressed_cells_is_audited_as_it_is(people):
    quick = msgspec.structs.replace(QUICK, remask=0)
    found = unveil.audit(people, people, truth="person", attacks=["distance"], settings=quick)
    assert found.evidence.read_off is None


def test_the_intruders_own_file_is_linked_to_the_filled_release(people, release):
    own = people.select(["person", *KEYS])
    settings = msgspec.structs.replace(QUICK, intruder_file=own, remask=0)
    again = unveil.audit(people, release, attacks=["distance"], settings=settings)
    before = linked(people, release.data, release.row_map)
    shares = [one.risk.expected for one in again.evidence.attacks if one.by_file]
    assert min(shares) > 1.5 * before


def test_attacks_that_know_how_each_mask_works(people):
    """A mask on cells of which nothing is known is known to simulation only."""

    def shuffled(values, rng):
        return rng.permutation(values)

    steps = [
        masks.RankSwapping(p=5, columns=["age"]),
        masks.Pram(theta=0.1, columns=["sex"]),
        masks.Function(function=shuffled, channel="unknown", columns=["region"]),
        masks.AdditiveNoise(scale=0.1, columns=["income"]),  # which nobody knows
    ]
    made = unveil.mask(people, steps, seed=1)
    settings = msgspec.structs.replace(QUICK, remask=0)
    inputs = read_inputs(people, made, None, None, settings, 0)
    by_name = {
        "distance": attacks.Distance(),
        "tailored": attacks.Tailored(),
        "households": attacks.Households(score="tailored"),
        "combined": attacks.Combined(attacks=["distance", "tailored"]),
        "simulated": attacks.Simulated(),
    }
    aware = ("tailored", "households", "combined", "simulated")
    found = inputs.mask_knowledge(by_name)
    assert [(one.mask, one.columns, one.attacks) for one in found] == [
        ("rank-swapping", ("age",), aware),
        ("pram", ("sex",), aware),
        ("function", ("region",), ("simulated",)),
    ]
    assert inputs.mask_knowledge({"distance": attacks.Distance()})[0].attacks == ()
    alone = read_inputs(people, made.data, None, "none", settings, 0)
    assert alone.mask_knowledge(by_name) == alone.channels == ()
