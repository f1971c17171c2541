"""The results of audits and attacks as frames of the kind that came in."""

import narwhals as nw
import numpy as np
import pytest

import unveil
from fixtures import audits
from fixtures.evidence import evidence
from fixtures.shown import CANARIES, KINDS, QUICK, SCRIPT, N, people
from unveil.files.documents.evidence import read_records, write_records
from unveil.values.results.audit_frames import SCHEMA
from unveil.values.results.evidence import Audit
from unveil.workflows.auditing import attack_runs

ONE = "distance original-to-release"


@pytest.fixture(scope="module", params=KINDS)
def made(request):
    """The kind of a frame, an audit and links of data that came in it."""
    data = people(request.param)
    release = unveil.mask(data, [unveil.masks.RankSwapping(p=10, columns=[SCRIPT])], seed=1)
    links = unveil.attack(data, release, "distance", intruder=unveil.Intruder(knows=[SCRIPT]))
    return request.param, audits.audit(data, release, seed=1, **QUICK), links


def test_frames_are_of_the_kind_that_came_in(made):
    kind, audit, links = made
    for frame in (audit.to_frame(), audit.per_record, links.to_frame()):
        assert type(frame).__module__.split(".")[0] == kind
        assert not any(canary in str(frame) for canary in CANARIES)


def test_one_row_for_each_attack(made):
    _, audit, _ = made
    frame = nw.from_native(audit.to_frame())
    assert frame.columns == list(SCHEMA)
    assert frame["attack"].to_list() == [one.name for one in audit.evidence.attacks]
    for name in set(SCHEMA) - {"attack", "low", "high"}:
        assert frame[name].to_list() == [getattr(one.risk, name) for one in audit.evidence.attacks]
    assert all(frame[end].is_null().all() or frame[end].is_nan().all() for end in ("low", "high"))


def test_one_row_for_each_record(made, tmp_path):
    _, audit, _ = made
    frame = nw.from_native(audit.per_record)
    assert frame.columns == ["row", *audit.risks]
    assert frame["row"].to_list() == list(range(1, N + 1))
    assert np.array_equal(frame[ONE].to_numpy(), audit.risks[ONE])
    write_records(audit, tmp_path / "records.csv")
    assert np.array_equal(read_records(tmp_path / "records.csv")[ONE], audit.risks[ONE])


def test_one_row_for_each_record_and_its_best_candidates(made):
    _, _, links = made
    frame, pairs = nw.from_native(links.to_frame()), links.pairs(1)
    assert frame.columns == pairs.columns
    assert frame["unique_id_r"].to_list() == pairs["unique_id_r"].to_list()
    assert set(frame["unique_id_l"].to_list()) == set(range(1, N + 1))
    assert len(nw.from_native(links.to_frame(3))) >= 3 * N


def test_files_give_polars_and_samples_have_intervals(tmp_path, monkeypatch):
    monkeypatch.setattr(attack_runs, "PILOT", 20)
    data = people("pandas")
    release = unveil.mask(data, [unveil.masks.RankSwapping(p=10, columns=[SCRIPT])], seed=1)
    unveil.write(data, tmp_path / "o.csv")
    unveil.write(data.schema, tmp_path / "o.toml")
    unveil.write(release, tmp_path / "r.csv", row_map=tmp_path / "map.csv")
    settings = QUICK | {"seconds": 1e-9, "evidence": tmp_path / "audit.json"}
    files = (tmp_path / "o.csv", tmp_path / "r.csv")
    given = {"schema": tmp_path / "o.toml", "truth": tmp_path / "map.csv", "seed": 1}
    audit = audits.audit(*files, **given, **settings)
    frame = audit.to_frame()
    assert frame["low"].null_count() == 0
    assert (frame["low"] <= frame["share"]).all()
    assert audit.per_record[ONE].null_count() == N - 20
    again = audits.audit(data, release, seed=1, **settings | {"force": True})
    assert KINDS["pandas"] is type(again.to_frame())


def test_nobody_attacked_is_an_empty_frame():
    audit = Audit(evidence(risk=None), {})
    assert audit.to_frame().shape == (0, len(SCHEMA))
    assert audit.per_record.columns == ["row"]
