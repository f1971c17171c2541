"""Releases compared by their evidence: who is better, at what, and how sure that is."""

import msgspec
import numpy as np
import pytest

from fixtures.evidence import evidence, finding, made, of_households, verdict
from unveil.errors import DataError, SpecError, UsageError
from unveil.files.documents.evidence import read_evidence, write_evidence, write_records
from unveil.reports.summary import comparison_summary
from unveil.support.phrases import plain as in_words
from unveil.values.results.comparison import Comparison
from unveil.values.results.evidence import Audit
from unveil.values.results.loss import UseLoss
from unveil.values.results.policy import Limit, Policy, Verdict
from unveil.values.results.risk import Claims, Interval
from unveil.values.results.scenarios import ScenarioResult, SharedCount
from unveil.workflows.compare import compare

COLUMN = "distance original-to-release"


def three():
    return [
        evidence("a.csv", risk=0.3, loss=0.1, subgroup=0.4, inside={"age": 0.6, "income": 0.9}),
        evidence("b.csv", risk=0.1, loss=0.2, subgroup=0.5, inside={"age": 0.7}),
        evidence("c.csv", risk=0.3, loss=0.2, unchanged=("sex", "region")),
    ]


def hits(share, n=100, seed=0):
    """The risk of each record, so many of which are linked rightly."""
    each = (np.arange(n) < round(share * n)).astype(float)
    return {COLUMN: np.random.default_rng(seed).permutation(each)}


def basis_of(found):
    """What each difference is based on, as the page says it."""
    table = comparison_summary(found)["differences"].exhibits[0].table
    return [in_words(row[-1]) for row in table.rows]


def test_who_is_dominated_and_who_is_best_at_what():
    found = compare(three())
    assert [(one.release, one.by) for one in found.dominated] == [("c.csv", ("a.csv", "b.csv"))]
    assert (found.front, found.not_placed) == (("b.csv", "a.csv"), ())
    best = {one.criterion: (one.value, one.releases, one.not_measured) for one in found.best}
    assert best == {
        "risk": (0.1, ("b.csv",), ()),
        "subgroup_risk": (0.4, ("a.csv",), ("c.csv",)),
        "interval_disclosure": (pytest.approx(0.625), ("b.csv",), ("c.csv",)),
        "loss": (0.1, ("a.csv",), ()),
    }
    assert found["a.csv"].interval_disclosure == pytest.approx(0.875)  # beyond chance, 0.2
    assert found["a.csv"].interval_column == "income"
    assert found["c.csv"].unchanged == 2
    assert (found.records, found.notes) == (100, ())


def test_ties_dominate_nobody_and_share_the_first_place():
    same = [evidence(name, risk=0.1, loss=0.2) for name in ("a.csv", "b.csv")]
    found = compare(same)
    assert (found.dominated, found.front) == ((), ("a.csv", "b.csv"))
    assert all(one.releases == ("a.csv", "b.csv") for one in found.best)
    near = [same[0], evidence("b.csv", risk=0.1 + 1e-14, loss=0.2 - 1e-14)]
    assert compare(near).dominated == ()


def test_all_orders_say_the_same():
    given, turned = three(), three()[::-1]
    found, other = compare(given), compare(turned)
    assert found.front == other.front
    assert {(one.release, frozenset(one.by)) for one in found.dominated} == {
        (one.release, frozenset(one.by)) for one in other.dominated
    }
    assert found.differences[0].share == pytest.approx(-other.differences[-1].share)


def test_what_is_said_of_one_release():
    sampled = Interval(0.05, 0.2, 0.95)
    attacks = (
        finding("rank", 0.11, interval=sampled, confirmed=Claims(50, 9, 2.0)),
        finding("distance", 0.1, confirmed=Claims(20, 4, 4.0)),
    )
    rich = evidence("a.csv", attacks=attacks, verdict=verdict(passed=False), policy={"max_risk": 1})
    one = compare([rich, evidence("b.csv")])["a.csv"]
    assert (one.worst.name, one.worst.share, one.worst.interval) == ("rank", 0.11, sampled)
    assert (one.worst.n, one.worst.ceiling) == (100, 50.0)
    assert one.confirmed == 0.2  # by any attack
    assert (one.passed, one.broken) == (False, ("max_risk",))
    other = compare([rich, evidence("b.csv")])["b.csv"]
    assert (other.passed, other.broken, other.confirmed, other.subgroup_risk) == (
        None, (), None, None,
    )  # fmt: skip


def test_households_are_compared_where_they_were_attacked():
    sampled = Interval(0.3, 0.7, 0.95)
    attacks = (finding(share=0.3), of_households(0.25), of_households(0.5, interval=sampled))
    limited = evidence("a.csv", attacks=attacks, policy={"max_household_risk": 0.05})
    given = [limited, evidence("b.csv", attacks=(of_households(0.2, n=39),)), evidence("c.csv")]
    found = compare(given)
    homes = found["a.csv"].households
    assert (homes.attack, homes.direction, homes.grouping) == (
        "households-posterior", "original-to-release", "shown",
    )  # fmt: skip
    assert (homes.expected, homes.n, homes.share, homes.interval) == (20, 40, 0.5, sampled)
    assert [one.household_risk for one in found.releases] == [0.5, 0.2, None]
    assert [one.max_household_risk for one in found.releases] == [0.05, None, None]
    best = {one.criterion: one for one in found.best}["household_risk"]
    assert (best.value, best.releases, best.not_measured) == (0.2, ("b.csv",), ("c.csv",))
    alone = compare(given[1:])
    assert "household_risk" not in [one.criterion for one in alone.best]


def test_a_release_whose_rows_are_nobodys_has_no_risk():
    found = compare([evidence("a.csv", risk=0.2), evidence("s.csv", risk=None, loss=0.01)])
    assert (found["s.csv"].worst, found["s.csv"].risk) == (None, None)
    assert (found.front, found.not_placed, found.dominated) == (("a.csv",), ("s.csv",), ())
    assert found.differences == ()
    assert [one.criterion for one in found.best] == ["loss"]
    assert "no attack was made on s.csv, whose rows are synthetic" in found.notes[-1]
    nobody = compare([evidence(name, risk=None, loss=None) for name in ("r.csv", "s.csv")])
    assert (nobody.front, nobody.best, nobody.not_placed) == ((), (), ("r.csv", "s.csv"))


def test_differences_over_the_same_records():
    given = [evidence("a.csv", risk=0.4), evidence("b.csv", risk=0.1)]
    found = compare(given, records=[hits(0.4), hits(0.1)])
    (one,) = found.differences
    assert (one.share, one.paired.difference) == pytest.approx((0.3, 0.3))
    assert one.paired.n == 100
    assert 0.1 < one.paired.interval.low < 0.3 < one.paired.interval.high < 0.5
    assert one.note == ""
    assert basis_of(found) == [
        (
            "100 records attacked in both; the interval takes them for a sample of more people; "
            "exact for these records"
        )
    ]
    chances = [{COLUMN: np.linspace(0, most, 100)} for most in (0.8, 0.2)]  # none like another
    once, twice, other = (
        compare(given, records=chances, seed=seed).differences[0].paired for seed in (0, 0, 1)
    )
    assert once == twice
    assert once.interval != other.interval


def test_an_audit_brings_its_records():
    given = [
        Audit(evidence("a.csv", risk=0.4), hits(0.4)),
        Audit(evidence("b.csv", risk=0.1), hits(0.1, seed=1)),
        evidence("c.csv", risk=0.2),
    ]
    found = compare(given)
    assert [one.paired is None for one in found.differences] == [False, True, True]
    told = [given[0].risks, given[1].risks, hits(0.2)]
    assert all(one.paired for one in compare(given, records=told).differences)
    nobody = [*given[:2], Audit(evidence("s.csv", risk=None), {})]
    assert compare(nobody).differences == compare(nobody, records=[*told[:2], {}]).differences


def test_without_records_no_interval_and_why():
    plain = [evidence("a.csv", risk=0.4), evidence("b.csv", risk=0.1)]
    (one,) = compare(plain).differences
    assert (one.paired, one.share) == (None, pytest.approx(0.3))
    assert one.note == "the risk of each record is not given (records, --records)"
    assert basis_of(compare(plain)) == [f"no interval: {one.note}; exact for these records"]
    sampled = [
        evidence(name, attacks=(finding(interval=Interval(low, low + 0.1, 0.95)),))
        for name, low in (("a.csv", 0.1), ("b.csv", 0.2))
    ]
    assert basis_of(compare(sampled)) == [f"no interval: {one.note}"]
    (note,) = comparison_summary(compare([sampled[0], plain[1]]))["notes"].points
    assert "The risk of a.csv is estimated from a sample." in in_words(note)


def test_samples_with_few_or_no_records_in_common():
    given = [
        evidence(name, attacks=(finding(share=0.5, n=50, interval=Interval(0.4, 0.6, 0.95)),))
        for name in ("a.csv", "b.csv")
    ]
    halves = [
        np.where(np.arange(100) < 50, 0.5, np.nan),
        np.where(np.arange(100) < 50, np.nan, 0.5),
    ]
    (one,) = compare(given, records=[{COLUMN: half} for half in halves]).differences
    assert one.paired is None
    assert "no record was attacked in both" in one.note
    halves[1] = np.roll(halves[1], 4)  # four of the first half
    found = compare(given, records=[{COLUMN: half} for half in halves])
    (one,) = found.differences
    assert (one.paired.n, one.paired.interval) == (4, None)
    assert basis_of(found) == ["4 records attacked in both, too few for an interval"]
    found = compare(given, records=[{COLUMN: halves[0]}] * 2)
    (one,) = found.differences
    assert (one.paired.n, one.paired.interval) == (50, None)
    assert basis_of(found) == ["the same difference in each of 50 records attacked in both"]


def test_like_is_not_compared_with_like_and_it_is_said():
    both = (finding("rank", 0.2), finding("distance", 0.1))
    given = {
        "a.csv": evidence("a.csv", known=("age",), attacks=both, policy={"max_risk": 0.1}),
        "b.csv": evidence("b.csv", columns=("age", "sex"), policy={"max_risk": 0.2}, version="2"),
    }
    notes = compare(list(given.values())).notes
    assert len(notes) == 5
    for said in (
        "the intruders know different attributes, so the risks are not comparable",
        ": a.csv: age; b.csv: age, income",
        "not attacked in the same ways, and one with fewer attacks may only look safer",
        ": b.csv without rank original-to-release",
        "the losses cover different columns, so they are not comparable: a.csv: age; b.csv: age, s",
        "the policies differ: a.csv: max_risk = 0.1; b.csv: max_risk = 0.2",
        "different versions of unveil: a.csv: 1; b.csv: 2",
    ):
        assert any(said in note for note in notes), said
    one = evidence("a.csv", seed=1, known=("income", "age"))
    assert compare([one, evidence("b.csv", seed=2)]).notes == ()


def test_losses_of_other_uses_do_not_dominate():
    """The overall loss is the largest of the uses: with fewer uses it may only look smaller."""

    def measured(name, *uses, **place):
        lost = [
            UseLoss(name=use, kind="relations", value=0.1, error=None, n=1, records=5, parts=(),
                    definition="", columns=("age", use))
            for use in uses
        ]  # fmt: skip
        given = evidence(name, **place)
        loss = msgspec.structs.replace(given.loss, uses=tuple(lost))
        return msgspec.structs.replace(given, loss=loss)

    worse = measured("a.csv", "sex", "pay", risk=0.3, loss=0.2)
    fewer = compare([worse, measured("b.csv", "sex", risk=0.1, loss=0.1)])
    assert fewer.dominated == ()
    (note,) = fewer.notes
    assert note.startswith("the losses measure different uses, so they are not comparable: a.csv: ")
    assert note.endswith("pay (relations of age, pay), sex (relations of age, sex); b.csv: sex "
                         "(relations of age, sex)")  # fmt: skip
    same = compare([worse, measured("b.csv", "pay", "sex", risk=0.1, loss=0.1)])
    assert (len(same.dominated), same.notes) == (1, ())


def test_names(tmp_path):
    def named(*files, **options):
        return [one.name for one in compare(list(files), **options).releases]

    assert named(evidence("x/a.csv"), evidence("b.csv")) == ["a.csv", "b.csv"]
    assert named(evidence("r.csv"), evidence("r.csv")) == ["release 1", "release 2"]
    assert named(evidence(None), evidence("b.csv")) == ["release 1", "release 2"]
    assert named(evidence(), evidence(), names=["x", "y"]) == ["x", "y"]
    for folder, name in (("", "a"), ("", "b"), ("more", "a")):
        (tmp_path / folder).mkdir(exist_ok=True)
        write_evidence(evidence("r.csv"), tmp_path / folder / f"{name}.json")
    a, b, more = (tmp_path / name for name in ("a.json", "b.json", "more/a.json"))
    assert named(a, b) == ["a.json", "b.json"]
    assert named(a, str(more)) == [str(a), str(more)]
    assert named(a, a) == ["release 1", "release 2"]


def test_files_and_values_say_the_same(tmp_path):
    audits = [Audit(evidence(f"{p}.csv", risk=p, loss=1 - p), hits(p)) for p in (0.2, 0.5)]
    for place, one in enumerate(audits):
        write_evidence(one.evidence, tmp_path / f"{place}.json")
        write_records(one, tmp_path / f"{place}.csv")
        assert read_evidence(tmp_path / f"{place}.json") == one.evidence
    found = compare(
        [tmp_path / "0.json", tmp_path / "1.json"],
        records=[tmp_path / "0.csv", str(tmp_path / "1.csv")],
    )
    assert found == compare(audits)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


@pytest.mark.parametrize(
    ("given", "options", "kind", "said"),
    [
        ([], {}, UsageError, "0 releases cannot be compared: give the evidence of two or more"),
        ([evidence()], {}, UsageError, "1 release cannot be compared"),
        ("a.json", {}, UsageError, "evidence: give a list"),
        (evidence(), {}, UsageError, "evidence: give a list"),
        ([evidence(), 3], {}, UsageError, "path"),
        ([evidence(), evidence(original="01")], {}, DataError, "audit every release"),
        ([evidence(), evidence(records=99)], {}, DataError, "originals with different contents"),
        ([evidence()] * 2, {"names": ["a"]}, UsageError, "names: one for each release, 2"),
        ([evidence()] * 2, {"names": ["a", "a"]}, UsageError, "no name twice"),
        ([evidence()] * 2, {"names": ["a", "b", "b"]}, UsageError, "no name twice"),
        ([evidence()] * 2, {"names": "ab"}, UsageError, "names"),
        ([evidence()] * 2, {"names": [1, 2]}, UsageError, "names"),
        ([evidence()] * 2, {"seed": -1}, SpecError, "seed"),
        ([evidence()] * 2, {"records": [hits(0.1)]}, UsageError, "in the same order: 2, not 1"),
        ([evidence()] * 2, {"records": "a.csv"}, UsageError, "records: a list of tables"),
        ([evidence()] * 2, {"records": [3, 4]}, UsageError, "not int"),
        ([evidence()] * 2, {"records": [{"rank": np.ones(100)}] * 2}, DataError, "column 'dist"),
        ([evidence()] * 2, {"records": [hits(0.1, 90)] * 2}, DataError, "90 rows, but"),
        ([evidence()] * 2, {"records": [hits(0.2)] * 2}, DataError, "differ in sum"),
        ([evidence()] * 2, {"records": [{COLUMN: np.full(100, np.inf)}] * 2}, DataError,
         "differ in sum"),
        ([evidence()] * 2, {"records": [{COLUMN: np.tile([3, -1.0, 0, 0, 0], 20)}] * 2},
         DataError, "differ in sum"),
    ],
)  # fmt: skip
def test_refusals(given, options, kind, said):
    with pytest.raises(kind, match=said):
        compare(given, **options)


def test_a_table_is_refused_by_its_file(tmp_path):
    audit = Audit(evidence(risk=0.2), hits(0.2))
    write_records(audit, tmp_path / "records.csv")
    with pytest.raises(DataError, match=r"records.csv: records: the risks by distance"):
        compare([evidence(), evidence()], records=[tmp_path / "records.csv"] * 2)


def test_who_keeps_the_policy_comes_first_the_least_loss_first():
    given = [
        evidence("a.csv", risk=0.3, loss=0.1),
        evidence("b.csv", risk=0.1, loss=0.3),
        evidence("c.csv", risk=0.05, loss=0.2),
        evidence("d.csv", risk=0.2, loss=0.2),
    ]
    assert compare(given).recommendation is None  # nobody has set a limit
    found = compare(given, policy=Policy(max_risk=0.1)).recommendation
    assert (found.kept, found.nearest) == (("c.csv", "b.csv"), ())
    strict = compare(given, policy=Policy(max_risk=0.04)).recommendation
    assert (strict.kept, strict.nearest) == ((), ("c.csv",))


@pytest.mark.parametrize(
    ("limits", "nearest", "missed"),
    [
        # One limit missed by far is nearer than two missed by little.
        ({"max_risk": 0.04, "max_loss": 0.15}, "a.csv", ["max_risk"]),
        # Each misses both: the largest miss relative to its limit decides.
        ({"max_risk": 0.04, "max_loss": 0.05}, "b.csv", ["max_loss", "max_risk"]),
        # What was not measured is missed beyond every number.
        ({"max_risk": 0.35, "max_confirmed": 0.5, "max_loss": 0.15}, "a.csv", ["max_confirmed"]),
    ],
)
def test_nearest_misses_the_fewest_limits_then_by_the_least(limits, nearest, missed):
    given = [evidence("a.csv", risk=0.3, loss=0.1), evidence("b.csv", risk=0.05, loss=0.2)]
    found = compare(given, policy=Policy(**limits))
    assert found.recommendation.nearest == (nearest,)
    assert [one.limit for one in found[nearest].missed] == missed
    turned = compare(given[::-1], policy=Policy(**limits))
    assert turned.recommendation == found.recommendation


def test_releases_that_miss_alike_are_both_nearest():
    given = [evidence(name, risk=0.3, loss=0.1) for name in ("a.csv", "b.csv")]
    found = compare(given, policy=Policy(max_risk=0.1)).recommendation
    assert found.nearest == ("a.csv", "b.csv")


def of_two_limits(name, register, insider):
    """A release of which a register and an insider link so much."""
    rows = [
        made(ScenarioResult, name=who, linked=SharedCount(count=100 * share, of=100, share=share))
        for who, share in (("register", register), ("insider", insider))
    ]
    return evidence(f"{name}.csv", scenarios=tuple(rows))


@pytest.mark.parametrize(
    ("shares", "nearest"),
    [
        # The relative misses of a limit of 0 are all infinite: the other limit decides.
        ([(0.832, 0.9), (0.293, 0.5), (0.014, 0.1)], "c.csv"),
        ([(0.014, 0.9), (0.293, 0.5), (0.832, 0.1)], "c.csv"),
        # It is missed alike, too, so that the figures themselves decide.
        ([(0.832, 0.1), (0.014, 0.1), (0.293, 0.1)], "b.csv"),
        ([(0.832, 0.02), (0.014, 0.02), (0.293, 0.02)], "b.csv"),  # the other one is kept
    ],
)
def test_releases_that_miss_a_limit_of_0_do_not_tie(shares, nearest):
    policy = Policy(
        intruder=[{"name": "register", "max_linked": 0.0}, {"name": "insider", "max_linked": 0.03}]
    )
    given = [of_two_limits(name, *of) for name, of in zip("abc", shares, strict=True)]
    assert compare(given, policy=policy).recommendation.nearest == (nearest,)
    assert compare(given[::-1], policy=policy).recommendation.nearest == (nearest,)


def test_of_two_limits_of_0_the_larger_figure_is_the_largest_miss():
    of = {"allowed": 0.0, "kept": False, "reason": ""}
    small, large = (Limit(limit="max_linked", found=found, **of) for found in (0.1, 0.4))
    assert Verdict(passed=False, limits=(small, large)).misses == (large, small)


@pytest.mark.parametrize(
    ("allowed", "found", "kept", "miss"),
    [
        (0.05, 0.088, False, 0.76),
        (0.05, 0.01, True, 0),
        (3, 1, False, 2 / 3),
        (0.0, 0.1, False, np.inf),
        (0.05, None, False, np.inf),
        (True, True, False, np.inf),
        (("age",), ("sex",), False, np.inf),
    ],
)
def test_a_miss_is_relative_to_its_limit(allowed, found, kept, miss):
    limit = Limit(limit="max_risk", allowed=allowed, found=found, kept=kept, reason="")
    assert limit.miss == pytest.approx(miss)
