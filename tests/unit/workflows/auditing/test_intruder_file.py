"""The intruder's own file in an audit: what it finds, of whom, and what is refused."""

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from fixtures import audits
from unveil import Microdata, Policy, Schema, attacks, masks
from unveil.errors import DataError, UnveilError, UsageError
from unveil.files.documents.evidence import evidence_json, read_evidence
from unveil.reports.page import page
from unveil.reports.sections.stress_test import stress_sentence
from unveil.reports.summary import summary
from unveil.support.phrases import plain
from unveil.values.results.evidence import OLDEST_FORMAT
from unveil.workflows.auditing import intruder_file
from unveil.workflows.auditing.inputs import read_inputs
from unveil.workflows.auditing.replay import replay
from unveil.workflows.auditing.settings import AuditSettings

pytestmark = pytest.mark.usefixtures("quick_search")

N, IN_FILE, STRANGERS = 40, 30, 4
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip
SCHEMA = Schema(
    identifier=["person", "ticket"], quasi=["a", "sex"], nominal="sex", other=["b", "c", "d"]
)


def frame():
    rng = np.random.default_rng(4)
    one, two = rng.normal(size=(2, N))
    return pl.DataFrame(
        {
            "person": [f"p{i}" for i in range(N)], "ticket": np.arange(N) + 900,
            "a": one, "b": one * 3 + 0.1 * two, "c": two, "d": 2 * two + 0.1 * one,
            "sex": np.where(rng.random(N) < 0.5, "f", "m"),
        }
    )  # fmt: skip


def own(*columns, key="person", strangers=STRANGERS):
    """Of some of the people, in an order of its own, and of people who are in no other file."""
    known = frame().select(
        key, "a", "sex", x=pl.col("b") + 1, y=-pl.col("d"), z=pl.col("c").round(1)
    )
    some = known.sample(IN_FILE, seed=2, shuffle=True)
    others = known.head(strangers).with_columns(pl.col(key).cast(pl.String) + "?")
    return pl.concat([some.with_columns(pl.col(key).cast(pl.String)), others])[[key, *columns]]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    people = Microdata(frame(), SCHEMA)
    release = unveil.mask(people, [masks.Shuffle()], seed=1)
    unveil.write(people, folder / "o.csv")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    own("x", "y", "z").write_csv(folder / "own.csv")
    return folder


def audited(folder, file, **options):
    given = {"schema": SCHEMA, "truth": folder / "map.csv", "intruder_file": file, **QUICK}
    return audits.audit(folder / "o.csv", folder / "r.csv", **given | options)


@pytest.fixture(scope="module")
def whole(files):
    """With a file that shares nothing, the halves, a policy, and all of it in evidence."""
    return audited(
        files, files / "own.csv", halves=True, policy=Policy(max_risk=0.9),
        evidence=files / "e.json", force=True,
    )  # fmt: skip


def by_file(found):
    return [one for one in found.evidence.attacks if one.by_file]


def test_a_file_that_shares_nothing_is_linked_all_the_same(whole):
    (found,) = by_file(whole)
    assert found.name == "structural-intruder-file"
    risk = found.risk
    assert (risk.n, risk.absent, risk.population) == (IN_FILE, STRANGERS, IN_FILE)
    assert risk.candidates == N
    assert risk.direction == "original-to-release"
    assert risk.attributes == ("x", "y", "z", "a", "b", "c", "d", "sex")
    assert risk.intruder["records"] == "a file of its own"
    assert found.details["method"]
    each = whole.risks["structural-intruder-file original-to-release"]
    there = np.isin(frame()["person"].to_numpy(), own("x")["person"].to_numpy())
    assert np.array_equal(~np.isnan(each), there)
    assert each[there].sum() == pytest.approx(risk.expected)


def test_it_is_among_what_went_in_and_is_run_again(whole, files, tmp_path):
    evidence = read_evidence(files / "e.json")
    assert evidence.inputs["intruder file"].records == IN_FILE + STRANGERS
    assert evidence.halves == whole.evidence.halves
    assert (evidence.halves.risk.n, evidence.settings["halves"]) == (N, True)
    moved = tmp_path / "elsewhere.csv"
    moved.write_bytes((files / "own.csv").read_bytes())
    assert replay(evidence, folder=files, intruder_file=moved).differences == ()


def test_evidence_that_knows_neither_is_read_and_run_again(files, tmp_path):
    """As it was before there were halves and files of intruders."""
    plain = audited(files, None).evidence
    old = msgspec.json.decode(evidence_json(plain))
    del old["halves"], old["settings"]["halves"], old["digest"]
    old["format"] = OLDEST_FORMAT
    for one in old["attacks"]:
        del one["by_file"]
    (tmp_path / "old.json").write_bytes(msgspec.json.encode(old))
    read = read_evidence(tmp_path / "old.json")
    assert read.halves is None
    assert replay(read, folder=files).same
    with pytest.raises(UsageError, match="this audit has none"):
        replay(read, folder=files, intruder_file=files / "own.csv")


def test_the_page_tells_it_and_others_are_told_no_names(whole):
    inside, outside = (page(summary(whole.evidence, external=one)) for one in (False, True))
    for words in ("structural-intruder-file", "without a common attribute"):
        assert words in inside
        assert words in outside
    half = whole.evidence.halves
    told = "".join(f"<bdi>{name}</bdi>" for name in half.known).replace("</bdi><", "</bdi>, <")
    assert told in inside
    assert told not in outside
    assert "own.csv" in inside
    assert "own.csv" not in outside


def test_shared_attributes_are_compared_by_what_was_asked_for(files):
    """In both directions; of those in the file who are in the release."""
    found = by_file(audited(files, own("sex", "a", "x"), policy=Policy(max_risk=0.9)))
    assert [(one.name, one.risk.direction) for one in found] == [
        ("distance-intruder-file", "original-to-release"),
        ("distance-intruder-file", "release-to-original"),
    ]
    there, back = (one.risk for one in found)
    assert there.attributes == ("sex", "a")
    assert (there.n, there.absent, there.expected) == (IN_FILE, STRANGERS, IN_FILE)
    assert (back.n, back.absent) == (IN_FILE, N - IN_FILE)


def test_the_policy_counts_what_the_file_finds(files):
    """The original's quasi-identifiers tell nothing; the file knows the rest."""
    found = audited(files, own("a"), knows=["sex"], policy=Policy(max_risk=0.9))
    assert found.worst.by_file
    assert not found.verdict.passed
    assert "distance-intruder-file" in found.verdict.limits[0].reason
    assert plain(stress_sentence(found.evidence)).startswith(
        f"Our strongest attack links {IN_FILE} of {IN_FILE} people (100 %). It assumes an intruder "
        "who holds the intruder's file"
    )
    groups = found.evidence.subgroups
    assert groups.highest.attack.startswith("distance-intruder-file")
    assert groups.highest.n <= IN_FILE


def test_few_in_the_file_are_judged_together(files):
    """Of each sex too few are in the file to be judged alone."""
    groups = audited(files, own("a").head(12), knows=["sex"]).evidence.subgroups
    by_sex = {one.group: one for one in groups.groups if one.column == "sex"}
    pooled = by_sex.pop("fewer than 10 attacked each")
    assert (pooled.n, pooled.size, pooled.small) == (12, 12, False)
    assert pooled.attack.startswith("distance-intruder-file")
    assert sum(one.n for one in by_sex.values()) == N


def test_by_default_what_fits_the_data():
    people, file = Microdata(frame(), SCHEMA), own("a", "sex")
    settings = AuditSettings(intruder_file=file)
    case = read_inputs(people, people, None, "person", settings, 1)
    names = {one.name for one in intruder_file.intruder_file_runs(case.file, None)}
    assert names == {
        "distance-intruder-file", "rank-intruder-file", "rank-max-intruder-file",
        "probabilistic-intruder-file", "distance-posterior-intruder-file",
    }  # fmt: skip


def test_another_identifier_will_do():
    """One that the release lacks, and the truth did not go by."""
    given = {"schema": SCHEMA, "truth": "person", **QUICK}
    release = frame().drop("ticket").sample(N, shuffle=True, seed=3)
    file = own("a", key="ticket").with_columns(pl.col("ticket").str.strip_chars("?").cast(int))
    found = audits.audit(frame(), release, intruder_file=file.head(IN_FILE), **given)
    assert by_file(found)[0].risk.expected == IN_FILE


REFUSED = {
    "no identifier": (own("x", "y").drop("person"), DataError, "none is in both"),
    "nothing but one": (own(), DataError, "it has no attribute beside the identifier"),
    "two identifiers": (frame(), DataError, "person, ticket are in both"),
    "nobody": (
        own("x", "y").tail(STRANGERS),
        DataError,
        "no identifier in column 'person' is in the original",
    ),
    "twice": (pl.concat([own("x")] * 2), DataError, "repeats identifiers"),
    "few": (own("x", "y").head(5), DataError, "needs at least 10"),
    "no such file": ("nowhere.csv", UnveilError, "nowhere.csv"),
    "no table": (3, UnveilError, "int"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused(files, case):
    file, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        audited(files, file)


def test_nobody_of_the_file_is_in_the_release():
    people = frame()
    gone = own("x", "y").filter(pl.col("person").is_in(people["person"].head(20).to_list()))
    with pytest.raises(DataError, match="is in the release, so nobody can be linked"):
        audits.audit(
            people, people.tail(20), schema=SCHEMA, truth="person", intruder_file=gone, **QUICK
        )


def test_nobody_can_be_found_in_rows_that_are_nobodys():
    people = Microdata(frame(), SCHEMA)
    with pytest.raises(UsageError, match="the release is synthetic"):
        audits.audit(people, people, truth="none", intruder_file=own("x"))


def test_halves_of_rows_that_are_nobodys_are_a_note():
    people = Microdata(frame(), SCHEMA)
    found = audits.audit(people, people, truth="none", halves=True).evidence
    assert found.halves is None
    assert any(
        "linkage between two halves of the attributes was not tested" in note
        for note in found.notes
    )


def test_large_files_that_share_nothing_are_refused(files, monkeypatch):
    monkeypatch.setattr(intruder_file, "STRUCTURAL_RECORDS", 20)
    with pytest.raises(UsageError, match="up to 20 records, and one has 40"):
        audited(files, own("x", "y"))


def test_a_schema_of_its_own_need_not_name_the_identifier(files):
    """What names people in the original is no attribute in the file."""
    file = Microdata(own("x", "y", "z"), Schema(quasi="x"))
    found = audited(files, file, attacks=[attacks.Structural(method="ranking")])
    assert "person" not in by_file(found)[0].risk.attributes
    assert by_file(found)[0].name == "structural-ranking-intruder-file"
