"""An audit run again from its evidence: the same numbers from the same files, or a sentence."""

import contextlib
import shutil
import socket

import msgspec
import pytest

import unveil
from fixtures import audits
from fixtures import evidence as some_evidence
from unveil import Policy, Schema, masks
from unveil.errors import UsageError
from unveil.files import Csv
from unveil.values.results.remedies import Remasking
from unveil.workflows.auditing import attack_runs
from unveil.workflows.auditing.replay import _differences, _sample_sizes, replay

pytestmark = pytest.mark.usefixtures("quick_learning")

SCHEMA = Schema(
    quasi=["age", "hours", "region"], confidential="rent", identifier="person", nominal="region"
)
STEPS = [masks.AdditiveNoise(scale=0.3, columns=["age", "hours"])]
QUICK = {
    "attacks": ["distance"], "sweep": False, "errors": (), "remask": 0, "remedies": False,
    "worst_case": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An original, a release and its row map, as files; levels that nobody declared."""
    folder = tmp_path_factory.mktemp("files")
    people = unveil.households(50, seed=4)
    columns = ["person", "age", "hours", "region", "rent"]
    data = unveil.Microdata(people.to_frame().select(columns), SCHEMA)
    release = unveil.mask(data, STEPS, seed=2)
    unveil.write(data, folder / "o.csv")
    unveil.write(release, folder / "r.csv", row_map=folder / "map.csv")
    unveil.write(release.plan, folder / "plan.toml")
    return folder


def audited(folder, **options):
    given = {"schema": SCHEMA, "truth": folder / "map.csv"} | options
    return audits.audit(folder / "o.csv", folder / "r.csv", **given).evidence


@pytest.fixture(scope="module")
def evidence(files):
    return audited(
        files, attacks=["distance", "tailored"], plan=files / "plan.toml", remask=1,
        errors=[0.2], policy=Policy(max_risk=0, k_anonymity=3),
    )  # fmt: skip


def test_the_same_files_give_the_same_numbers(evidence, files):
    told = []
    again = replay(evidence, folder=files, progress=lambda *step: told.append(step))
    assert (again.same, again.differences, again.notes) == (True, (), ())
    assert again.numbers > 500
    assert told


def test_evidence_from_a_file_is_as_good(evidence, files, tmp_path):
    from unveil.files.documents.evidence import evidence_json, write_evidence

    write_evidence(evidence, tmp_path / "e.json")
    read = unveil.files.read_evidence(tmp_path / "e.json")
    assert evidence_json(read) == evidence_json(evidence)
    assert replay(read, folder=files).same


def test_a_number_that_is_not_what_it_was_is_named(files):
    evidence = audited(files, **QUICK)
    worst = evidence.attacks[0]
    risk = msgspec.structs.replace(worst.risk, expected=worst.risk.expected + 1)
    findings = (msgspec.structs.replace(worst, risk=risk), *evidence.attacks[1:])
    again = replay(msgspec.structs.replace(evidence, attacks=findings, pairs=None), folder=files)
    assert not again.same
    assert {(one.where, one.before, one.now) for one in again.differences} == {
        ("attacks[0].risk.expected", risk.expected, worst.risk.expected),
        ("pairs", None, 50),
    }


def test_samples_are_as_large_as_they_were(files, monkeypatch):
    """However fast this machine is."""
    with monkeypatch.context() as patch:
        patch.setattr(attack_runs, "PILOT", 10)
        slow = {"plan": files / "plan.toml", "remask": 2, "errors": (), "attacks": ["distance"]}
        evidence = audited(files, seconds=1e-9, worst_case=False, sweep=True, **slow)
    assert evidence.attacks[0].risk.n == evidence.knowledge.worst.n == 10
    assert evidence.remasking.attacked == 10
    assert 10 <= evidence.remasking.n <= 20
    assert replay(evidence, folder=files).same


def test_each_step_is_of_as_many_records_as_it_was():
    """Those whose true row is not there were attacked, too."""
    found = some_evidence.evidence(
        attacks=(some_evidence.finding("rank", n=20, absent=5),),
        remasking=some_evidence.made(Remasking, attacked=7, tried=2),
    )
    assert _sample_sizes(found) == {
        "attack rank original-to-release": 25, "masking again": 7, "seeds": 2
    }  # fmt: skip


def test_what_is_there_in_one_only_is_a_difference():
    """An attack that is made no more, or only now, is not the same."""
    before = {"attacks": [{"n": 1}, {"n": 2}], "loss": {"value": 0.5, "old": 1}}
    now = {"attacks": [{"n": 1}], "loss": {"value": 0.5, "new": 2}}
    for a, b in ((before, now), (now, before)):
        found = {one.where: (one.before, one.now) for one in _differences("", a, b)}
        assert found == {
            "attacks": (a["attacks"], b["attacks"]),
            "loss.old": (a["loss"].get("old"), b["loss"].get("old")),
            "loss.new": (a["loss"].get("new"), b["loss"].get("new")),
        }
    assert not list(_differences("", before, before))


def test_what_was_asked_for_is_asked_for_again(files, tmp_path):
    """Names, dialects, a schema of the release: as they were."""
    for name in ("o", "r"):
        text = (files / f"{name}.csv").read_text().replace(",", ";")
        (tmp_path / f"{name}.csv").write_text(text.replace("age", "years") if name == "r" else text)
    evidence = audits.audit(
        tmp_path / "o.csv", tmp_path / "r.csv", schema=SCHEMA, truth=str(files / "map.csv"),
        rename={"years": "age"}, format=Csv(delimiter=";"), knows=["age", "hours"],
        release_schema=Schema(quasi=["years", "hours"]), **QUICK,
    ).evidence  # fmt: skip
    assert replay(evidence, folder=tmp_path, truth=files / "map.csv").same
    by_id = audits.audit(
        files / "o.csv", files / "o.csv", schema=SCHEMA, truth="person", **QUICK
    ).evidence
    assert sorted(by_id.inputs) == ["original", "release"]
    assert replay(by_id, folder=files).same


def test_files_may_have_moved(files, tmp_path):
    for name in ("o.csv", "r.csv", "map.csv"):
        shutil.copy(files / name, tmp_path / name)
    evidence = audited(tmp_path, **QUICK)
    for name in ("o.csv", "r.csv", "map.csv"):
        (tmp_path / name).rename(tmp_path / f"new-{name}")
    with pytest.raises(unveil.UnveilError, match=r"original: the evidence names .*o\.csv"):
        replay(evidence, folder=tmp_path)
    new = {
        "original": tmp_path / "new-o.csv",
        "release": str(tmp_path / "new-r.csv"),
        "truth": tmp_path / "new-map.csv",
    }
    assert replay(evidence, **new).same
    with new["original"].open("a") as file:
        file.write("\n")
    with pytest.raises(unveil.UnveilError, match=r"new-o\.csv: this is not the original that"):
        replay(evidence, **new)


def test_other_versions_are_noted(files):
    evidence = audited(files, **QUICK)
    older = msgspec.structs.replace(
        evidence,
        version="0.0.9",
        software=evidence.software | {"numpy": "1.0"},
        digest=None,
        format=2,
    )
    again = replay(older, folder=files)
    assert again.same
    assert len(again.notes) == 4
    assert "no digest" in again.notes[0]
    assert "have another meaning now" in again.notes[1]
    assert "0.0.9" in again.notes[2]
    assert "numpy" in again.notes[3]


def test_a_digest_that_was_removed_is_a_difference(files):
    evidence = audited(files, **QUICK)
    again = replay(msgspec.structs.replace(evidence, digest=None), folder=files)
    assert not again.same
    assert [one.where for one in again.differences] == ["digest"]
    assert again.notes == ("the evidence was changed after it was written: its digest was removed",)


def test_what_was_in_memory_is_replayed_from_a_file_that_is_the_same(files):
    data = unveil.read(files / "o.csv", SCHEMA)
    inside = audits.audit(data, data, truth="person", **QUICK).evidence
    with pytest.raises(unveil.UnveilError, match="a table in memory"):
        replay(inside)
    assert replay(inside, original=files / "o.csv", release=files / "o.csv").same
    with pytest.raises(unveil.UnveilError, match="its SHA-256 differs"):
        replay(inside, original=files / "o.csv", release=files / "map.csv")
    knowing = audits.audit(data, unveil.mask(data, STEPS, seed=2), **QUICK).evidence
    with pytest.raises(unveil.UnveilError, match="with its plan and row map"):
        replay(knowing)
    by_rows = audited(files, **QUICK | {"truth": list(range(50))})
    with pytest.raises(unveil.UnveilError, match="numbers in memory"):
        replay(by_rows, folder=files)
    by_id = audits.audit(files / "o.csv", files / "o.csv", schema=SCHEMA, truth="person", **QUICK)
    with pytest.raises(unveil.UnveilError, match="has no truth file"):
        replay(by_id.evidence, truth=files / "map.csv")


def names_elsewhere(evidence, **inputs):
    """The evidence with other places of its inputs."""
    moved = {
        name: msgspec.structs.replace(one, file=inputs.get(name, one.file))
        for name, one in evidence.inputs.items()
    }
    return msgspec.structs.replace(evidence, inputs=moved)


@pytest.fixture
def listener():
    """A server that nobody may call: its port, and the connections that it had."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        calls = []

        def called():
            with contextlib.suppress(TimeoutError):
                calls.append(server.accept())
            return calls

        yield server.getsockname()[1], called


DATABASE = "postgresql://127.0.0.1:{port}/survey?table=people&connect_timeout=1&sslmode=disable"


@pytest.mark.parametrize("name", ["original", "release", "truth", "by truth alone"])
def test_a_server_that_evidence_names_is_not_called(files, listener, monkeypatch, name):
    """And gets no password, whatever the field."""
    port, called = listener
    monkeypatch.setenv("PGPASSWORD", "secret")
    place = DATABASE.format(port=port)
    evidence = audited(files, **QUICK)
    if name == "by truth alone":
        inputs = {key: one for key, one in evidence.inputs.items() if key != "truth"}
        tampered = msgspec.structs.replace(evidence, inputs=inputs, truth=place)
        with pytest.raises(unveil.UnveilError, match="without its SHA-256"):
            replay(tampered, folder=files)
        schema = {**evidence.schema, "attributes": {**evidence.schema["attributes"], place: {}}}
        with pytest.raises(unveil.UnveilError):
            replay(msgspec.structs.replace(tampered, schema=schema), folder=files)
    else:
        with pytest.raises(UsageError) as refused:
            replay(names_elsewhere(evidence, **{name: place}), folder=files)
        said = str(refused.value)
        assert (
            f"{name}: the evidence names postgresql://127.0.0.1:{port}/survey, which is a database"
            in said
        )
        assert "connect_timeout" not in said
        assert "RELEASE" in said or "ORIGINAL" in said or "--truth" in said
    assert not called()


def test_a_server_of_pairs_or_of_a_population_is_not_called(files, listener):
    port, called = listener
    place = DATABASE.format(port=port)
    pairs = [{"method": "pairs", "pairs": place}]
    evidence = audited(files, **QUICK)
    with pytest.raises(UsageError, match=r"attack: the evidence names .*--allow"):
        replay(msgspec.structs.replace(evidence, asked=pairs), folder=files)
    plan = {
        "seed": 1,
        "mask": [{
            "method": "mondrian", "k": 2, "columns": ["age"],
            "models": [{"model": "k-map", "k": 2, "population": place}],
        }],
    }  # fmt: skip
    settings = evidence.settings | {"plan": plan}
    with pytest.raises(UsageError, match=r"plan: the evidence names .*--allow"):
        replay(msgspec.structs.replace(evidence, settings=settings), folder=files)
    assert not called()


def test_what_is_given_again_is_opened(files, tmp_path):
    """Pairs outside of the evidence's folder, by `allow`; inputs, by their names."""
    from unveil.attacks import Pairs

    pairs = tmp_path / "pairs.csv"
    pairs.write_text("unique_id_l,unique_id_r,match_weight\n1,1,1\n2,2,1\n")
    evidence = audited(files, **QUICK | {"attacks": [Pairs(pairs=str(pairs))]})
    with pytest.raises(UsageError, match=r"attack: the evidence names .*pairs\.csv, which is not"):
        replay(evidence, folder=files)
    assert replay(evidence, folder=files, allow=[str(pairs)]).same
    given = {"original": files / "o.csv", "release": files / "r.csv", "truth": files / "map.csv"}
    assert replay(evidence, **given, allow=[str(pairs)]).same
    with pytest.raises(UsageError, match="allow: a list"):
        replay(evidence, **given, allow=str(pairs))


def test_the_truth_and_the_version_cannot_be_exchanged(files):
    evidence = audited(files, **QUICK)
    inputs = {name: one for name, one in evidence.inputs.items() if name != "truth"}
    other = msgspec.structs.replace(evidence.inputs["truth"], sha256="0" * 64)

    def changed(**fields):
        again = replay(msgspec.structs.replace(evidence, **fields), folder=files)
        assert not again.same
        assert "changed after it was written" in again.notes[0]
        return {one.where for one in again.differences}

    assert changed(truth="row-order") == {"digest", "truth"}
    assert changed(version="9.9.9") == {"digest"}
    assert changed(inputs=evidence.inputs | {"more": other}) == {"digest", "inputs.more"}
    assert changed(truth="row-order", inputs=inputs) > {"digest", "attacks[0].risk.expected"}
    looser = evidence.settings | {"seconds": 61.0}
    assert changed(settings=looser) == {"digest"}
    with pytest.raises(unveil.UnveilError, match="not the truth that was audited"):
        replay(msgspec.structs.replace(evidence, inputs=inputs | {"truth": other}), folder=files)
    sizes = msgspec.structs.replace(evidence.inputs["original"], records=49)
    assert changed(inputs=evidence.inputs | {"original": sizes}) == {
        "digest", "inputs.original.records"
    }  # fmt: skip


def test_evidence_without_an_effort_is_replayed(files):
    """Its seconds were those of each attack, and learning was not limited by work."""
    few = {"plan": files / "plan.toml", "remask": 1, "errors": (0.1,), "sweep": False}
    evidence = audited(files, remedies=False, worst_case=False, **few)
    older = {**evidence.settings, "seconds": 60.0, "worst_case": True}
    del older["effort"]
    older = msgspec.structs.replace(evidence, settings=older, digest=None, format=2)
    assert replay(older, folder=files).same
