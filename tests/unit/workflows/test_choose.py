"""The whole way of a choice, on small files."""

from hashlib import sha256
from math import inf

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Policy, SearchSpace
from unveil.errors import DataError, SchemaError, SpecError, UsageError
from unveil.values.search_space import Candidate
from unveil.workflows import choose as module
from unveil.workflows.auditing.settings import AuditSettings
from unveil.workflows.choosing import evaluation, job
from unveil.workflows.choosing.default_space import filled_space
from unveil.workflows.choosing.evaluation import Evaluator, Incumbent
from unveil.workflows.choosing.limit_shares import told_of_plans
from unveil.workflows.choosing.rounds import StudyProgress

NOISE = {"method": "additive-noise", "scale": {"from": 0.1, "to": 4.0, "log": True}}
SPACE = SearchSpace(combination=[{"name": "noise", "mask": [NOISE]}])
LIMITS = Policy(intruder=[{"name": "acquaintance", "max_linked": 0.6}])


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    table = {"age": rng.normal(40, 10, 60), "pay": rng.normal(0, 1, 60), "debt": rng.random(60)}
    schema = unveil.Schema(quasi=["age", "pay"], confidential=["debt"])
    return unveil.Microdata(pl.DataFrame(table), schema)


@pytest.fixture(autouse=True)
def few_repetitions(monkeypatch):
    monkeypatch.setattr(job, "ROUND", 3)


def knowing(*names):
    return Policy(intruder=[{"name": "acquaintance", "max_linked": 0.6, "knows": names}])


def choose(people, **options):
    return unveil.choose(
        people, **{"policy": LIMITS, "space": SPACE, "trials": 6, "effort": "quick"} | options
    )


@pytest.fixture(scope="module")
def choice(people):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "ROUND", 3)
        return choose(people)


def test_the_least_loss_that_keeps_the_limit(people, choice):
    study = choice.study
    assert [one.number for one in study.tried] == list(range(1, 7))
    chosen = study[study.chosen]
    assert chosen.risk <= 1
    assert study.confirmation.kept == study.confirmation.repetitions >= 8
    assert study.confirmation.figures[0].bound <= 0.6
    accepted = [one for one in study.confirmations if one.accepted]
    assert study.confirmation.loss == min(one.loss for one in accepted)
    assert choice.passed
    assert choice.audit.evidence.policy["intruder"][0]["plan"] is True  # he knows the plan
    assert study.original == sha256(job.table_bytes(people)).hexdigest()
    figure = study.confirmation.figures[0]
    assert figure.audited == choice.audit.verdict.limits[0].found


def test_the_seed_of_the_release_is_drawn_once(people, tmp_path, monkeypatch):
    study = tmp_path / "study.sqlite"
    first = choose(people, study=study)
    monkeypatch.setattr(module, "random_seed", lambda: 1)
    again = choose(people, study=study)
    assert again.release.plan == first.release.plan
    assert again.study == first.study
    assert choose(people).release.plan.seed != first.release.plan.seed


@pytest.mark.slow
def test_the_study_is_the_same_whoever_works_on_it(people, choice):
    found = choose(people, workers=3).study
    assert found.tried == choice.study.tried
    assert [one.fresh for made in found.confirmations for one in made.figures] == [
        one.fresh for made in choice.study.confirmations for one in made.figures
    ]


def test_more_trials_go_on_with_the_study(people, choice, tmp_path):
    study = tmp_path / "study.sqlite"
    assert choose(people, study=study, trials=3).study.tried == choice.study.tried[:3]
    assert choose(people, study=study).study.tried == choice.study.tried


def test_no_plan_keeps_the_policy(people):
    hard = Policy(intruder=[{"name": "acquaintance", "max_linked": 0.0}])
    weak = SearchSpace(combination=[{"name": "n", "mask": [NOISE | {"scale": 0.01}]}])
    found = choose(people, policy=hard, space=weak)
    assert found.study.chosen is None
    assert found.study.nearest == 1
    assert (found.release, found.audit, found.passed) == (None, None, False)
    assert len(found.study.tried) == 1  # the space has one plan


def test_an_interrupted_search_ends_with_the_best_so_far(people, monkeypatch):
    evaluate = Evaluator.evaluate

    def interrupted(self, number, *rest, **options):
        if number == 3:
            raise KeyboardInterrupt
        return evaluate(self, number, *rest, **options)

    monkeypatch.setattr(evaluation.Evaluator, "evaluate", interrupted)
    found = choose(people)
    assert found.study.stopped
    assert [one.number for one in found.study.tried] == [1, 2]


def test_stopped_before_a_plan_is_confirmed(people, monkeypatch):
    evaluate = Evaluator.evaluate

    def interrupted(self, *rest, repetition=0):
        if repetition:
            raise KeyboardInterrupt
        return evaluate(self, *rest)

    monkeypatch.setattr(evaluation.Evaluator, "evaluate", interrupted)
    found = choose(people)
    study = found.study
    assert (study.stopped, study.chosen, study.confirmations) == (True, None, ())
    assert (found.release, found.audit) == (None, None)
    kept = [one for one in study.tried if one.complete and all(x.kept for x in one.limits)]
    assert study[study.nearest] in kept


def test_stopping_keeps_the_confirmations_that_were_made(people, choice, monkeypatch, tmp_path):
    study, decide = tmp_path / "study.sqlite", job.next_to_confirm

    def interrupted(tried, confirmed):
        if confirmed and confirmed[-1].accepted:
            raise KeyboardInterrupt
        return decide(tried, confirmed)

    with monkeypatch.context() as patch:
        patch.setattr(job, "next_to_confirm", interrupted)
        found = choose(people, study=study).study
    assert found.stopped
    made = len(found.confirmations)
    assert made
    assert [one.number for one in found.confirmations] == [
        one.number for one in choice.study.confirmations[:made]
    ]
    assert found.chosen == found.confirmations[-1].number  # the best so far
    again = choose(people, study=study).study
    assert not again.stopped
    assert again.confirmations[: made - 1] == found.confirmations[: made - 1]


def test_stopped_during_the_audit(people, choice, monkeypatch, tmp_path):
    study = tmp_path / "study.sqlite"

    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "audit", interrupted)
        found = choose(people, study=study)
    assert found.study.stopped
    assert found.study.chosen == choice.study.chosen
    assert (found.release, found.audit, found.passed) == (None, None, False)
    assert choose(people, study=study).passed


@pytest.mark.parametrize(("done", "under_way", "total"), [(0, 0, 8), (5, 2, 8), (8, 1, 16)])
def test_the_time_left_of_a_confirmation_is_that_of_its_round(people, done, under_way, total):
    shown = []
    choosing = module.Choosing(
        original=people, policy=LIMITS, space=SPACE, trials=6, seed=0,
        settings=AuditSettings(), progress=lambda *told: shown.append(told),
    )  # fmt: skip
    tell = choosing._shown(module.REPEATING, searching=False)
    tell(StudyProgress(done, under_way, 144, []))
    assert shown[0][1:] == (done, total)
    assert shown[0][0].endswith(f"{total} in rounds so far, at most 144")


def test_a_plan_that_no_attack_can_judge_is_not_chosen(people):
    space = SearchSpace(combination=[
        {"name": "noise", "mask": [NOISE | {"scale": 3.0}]},
        {"name": "made up", "mask": [{"method": "synthesis"}]},
    ])  # fmt: skip
    found = choose(people, space=space)
    by_name = {one.candidate.combination: one for one in found.study.tried}
    unmeasured = by_name["made up"]
    assert (unmeasured.stage, unmeasured.risk) == ("dropped", inf)
    assert unmeasured.note.startswith("acquaintance max_linked: not measured: no attack")
    assert [one.kept for one in unmeasured.limits] == [False]
    assert found.study.chosen == by_name["noise"].number
    only = SearchSpace(combination=[{"name": "made up", "mask": [{"method": "synthesis"}]}])
    alone = choose(people, space=only).study
    assert (alone.chosen, alone.nearest, alone.confirmations) == (None, None, ())


def test_a_limit_that_one_attack_cannot_measure_another_may(people):
    limits = Policy(intruder=[{"name": "register", "max_confirmed": 0.9}])
    evaluator = Evaluator(people, told_of_plans(limits), SPACE, 0)
    found = evaluator.evaluate(1, Candidate("noise", (0.5,)))
    assert found.stage == "attacked"
    assert isinstance(found.limits[0].found, float)


def test_a_plan_that_loses_too_much_is_attacked_on_fresh_seeds_only(people):
    limits = msgspec.structs.replace(told_of_plans(LIMITS), max_loss=0.01)
    evaluator = Evaluator(people, limits, SPACE, 0)
    searched = evaluator.evaluate(1, Candidate("noise", (0.5,)))
    assert (searched.stage, searched.risk) == ("dropped", None)
    assert searched.loss > 0.01
    fresh = evaluator.evaluate(1, Candidate("noise", (0.5,)), repetition=1)
    assert (fresh.stage, {one.limit for one in fresh.limits}) == (
        "attacked", {"max_linked", "max_loss"}
    )  # fmt: skip
    assert 0 < fresh.risk < inf


def test_a_release_without_records_is_refused(people):
    few = {"method": "full-domain", "k": 500, "suppress": 1.0}
    space = SearchSpace(combination=[{"name": "none", "mask": [few]}])
    found = Evaluator(people, told_of_plans(LIMITS), space, 0)
    assert found.evaluate(1, Candidate("none")).stage == "refused"


def test_a_study_of_another_original(people, tmp_path):
    study = tmp_path / "study.sqlite"
    choose(people, study=study, trials=3)
    others = {"seed": 5, "policy": Policy(max_risk=0.5), "space": None}
    for name, other in others.items():
        with pytest.raises(UsageError, match=f"another {name}; name another place"):
            choose(people, study=study, trials=3, **{name: other})
    with pytest.raises(UsageError, match="another original; name another place"):
        choose(people.take(np.arange(50)), study=study, trials=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"policy": Policy(max_loss=0.5)}, "it sets no limit on risk"),
        ({"trials": 0}, "0 is too few; give 1 or more .* A trial masks the file by one plan"),
        ({"trials": -1}, "attacks it: about 1 second of processor time for 60 records, estimated"),
        ({"policy": knowing("wages")}, "intruder 'acquaintance': knows: .* column 'wages' is not"),
        (
            {
                "policy": Policy(
                    max_risk=0.5, use=[{"name": "a", "kind": "model", "target": "wages"}]
                )
            },
            "policy: use 'a': in the original, column 'wages' is not in the data",
        ),
        ({"trials": 10**6}, "trials: a whole number from 1 to 100,000"),
        ({"space": SearchSpace(forbid=["prem"])}, "forbid: 'prem' is not .*did you mean 'pram'"),
        ({"trials": 2.5}, "trials: a whole number"),
        ({"workers": 0}, "workers: a whole number from 1"),
        ({"space": SearchSpace(unchanged=["age", "pay", "debt"])}, "no mask suits the columns"),
        ({"space": SearchSpace(unchanged=["shoe"])}, "unchanged: column 'shoe' is not in the data"),
        ({"study": "mysql://host/db"}, "postgresql"),
    ],
)
def test_refused(people, options, said):
    with pytest.raises((UsageError, SpecError, DataError), match=said):
        choose(people, **options)


def test_workers_get_the_missing_codes_of_every_cell():
    cells = pl.DataFrame({"age": ["31", "NA", "-9", "", "50"], "job": ["a", "b", "?", "a", "?"]})
    schema = unveil.Schema(
        quasi=["age", "job"], numeric=["age"], missing={"age": ["NA", "-9"], "job": ["?"]}
    )
    data = unveil.Microdata.from_text(cells, schema)
    sent = job.StudyJob(
        place="", table=job.table_bytes(data), schema=schema.to_dict(), policy={}, space={}, seed=0,
        effort="quick", engine="auto", trials=1,
    )  # fmt: skip
    assert sent.original == data
    for name in data.columns:
        assert sent.original.missing_code(name).to_list() == data.missing_code(name).to_list()


def test_a_column_without_a_role_is_refused(people):
    loose = unveil.Microdata(people.to_frame("polars"), unveil.Schema(quasi=["age", "pay"]))
    with pytest.raises(SchemaError, match="debt: released columns without a role"):
        choose(loose)


def test_attacks_stop_at_a_dominated_plan(people):
    evaluator = Evaluator(people, told_of_plans(LIMITS), SPACE, 0)
    candidate = Candidate("noise", (0.5,))
    whole = evaluator.evaluate(1, candidate)
    dropped = evaluator.evaluate(1, candidate, [Incumbent(0.0, 0.0)])
    assert (whole.stage, dropped.stage) == ("attacked", "dropped")
    assert dropped.risk <= whole.risk
    kept = evaluator.evaluate(1, candidate, [Incumbent(0.0, 2.0), Incumbent(99.0, 0.0)])
    assert kept == whole


@pytest.mark.slow
def test_every_plan_of_the_default_space_can_be_carried_out():
    people = unveil.households(120, seed=7)
    space = filled_space(people)
    for combination in space.combination:
        for place in (0.0, 0.5, 1.0):
            point = (place,) * len(combination.dimensions)
            tables = space.tables(Candidate(combination.name, point))
            assert len(unveil.mask(people, list(tables), seed=1).data)
