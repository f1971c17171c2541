"""What an intruder knows of the masking, and of several releases."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil import Intruder, Plan, Releases, attacks, masks, measures
from unveil.errors import DataError, SpecError, UnveilError, UsageError
from unveil.values.release.category_channels import Recoding, Transition
from unveil.values.release.channels import Noise, Rounded, Unknown
from unveil.values.release.composition import compose
from unveil.values.release.swap import Swap
from unveil.workflows.auditing.attack_summary import risk_by_releases
from unveil.workflows.inputs import known_masking
from unveil.workflows.inputs.known_masking import masking_of

PEOPLE = unveil.households(300, seed=3)
NUMBERS = ["age", "income", "rent"]
KNOWS = Intruder(knows=NUMBERS)
NOISE = masks.AdditiveNoise(scale=0.2, columns=NUMBERS)
SWAP = masks.RankSwapping(p=10, columns=NUMBERS)


def expected(release, spec=None, intruder=KNOWS, **options):
    spec = spec or attacks.Tailored()
    links = unveil.attack(PEOPLE, release, spec, intruder=intruder, **options)
    return float(measures.hits(links).sum())


def test_a_plan_says_as_much_as_the_release(tmp_path):
    release = unveil.mask(PEOPLE, [SWAP], seed=5)
    unveil.write(release.plan, tmp_path / "plan.toml")
    for channel in (release.plan, tmp_path / "plan.toml", str(tmp_path / "plan.toml")):
        intruder = Intruder(knows=NUMBERS, channel=channel)
        links = unveil.attack(
            PEOPLE, release.data, attacks.Tailored(), intruder=intruder, truth=release.row_map
        )
        assert measures.hits(links).sum() == expected(release)
        assert links.intruder.to_dict()["channel"] is True


def test_masks_without_a_formula_are_simulated_once_for_an_attack(monkeypatch):
    """Not again for each simulation that calibrates it."""
    simulations, calls = known_masking.simulations, []
    monkeypatch.setattr(
        known_masking, "simulations", lambda *args: calls.append(args) or simulations(*args)
    )
    again = masks.RankPermutation(p=10, columns=NUMBERS)
    release = unveil.mask(PEOPLE, [NOISE, again], seed=5)
    spec = attacks.Tailored(matching="posterior")
    links = unveil.attack(PEOPLE, release, spec, intruder=KNOWS)
    assert links.finder.details["simulations"] == 2
    assert len(calls) == 1


def test_no_level_knows_the_seed():
    release = unveil.mask(PEOPLE, [NOISE], seed=5)
    for seed in (5, 6):
        plan = Plan((NOISE,), seed=seed)
        intruder = Intruder(knows=NUMBERS, channel=plan)
        links = unveil.attack(
            PEOPLE, release.data, attacks.Tailored(), intruder=intruder, truth=release.row_map
        )
        assert measures.hits(links).sum() == expected(release)


@pytest.mark.parametrize(
    ("act", "error", "said"),
    [
        (lambda: unveil.attack(PEOPLE, PEOPLE, attacks.Tailored(), intruder=KNOWS), UsageError,
         "needs the masking"),
        (lambda: expected(unveil.mask(PEOPLE, [], seed=1)), UsageError,
         "the plan did not change the known attributes"),
        (lambda: expected(unveil.mask(PEOPLE, [masks.Pram(theta=0.1, columns=["sex"])], seed=1)),
         UsageError, "the plan did not change the known attributes"),
        (lambda: expected(unveil.mask(PEOPLE, [NOISE], seed=1), attacks.Distance(),
                          Intruder(knows=NUMBERS, channel=True)), SpecError, "leave out channel"),
        (lambda: Intruder(channel=3), SpecError, "a plan, or the path of its file"),
        (lambda: Intruder(channel=[]), SpecError, "a plan, or the path of its file"),
        (lambda: expected(unveil.mask(PEOPLE, [NOISE], seed=1), attacks.Tailored(level="original"),
                          Intruder(knows=NUMBERS, records=10)), SpecError, "has all records"),
        (lambda: attacks.Tailored(level="all"), SpecError, "method or parameters or original"),
        (lambda: attacks.Distance(matching="best"), SpecError, "nearest or one-to-one"),
        (lambda: attacks.Combined(attacks=["distance"]), SpecError, "at least two"),
        (lambda: attacks.Combined(attacks=["distance", "nose"]), SpecError, "'nose' is not"),
        (lambda: attacks.Combined(attacks=["distance", "position"]), SpecError, "compares attr"),
        (lambda: attacks.Combined(attacks=["distance", 3]), SpecError, "each must be an attack"),
        (lambda: attacks.Combined(attacks=["rank", attacks.Distance(matching="posterior")]),
         SpecError, "one matching links all records"),
        (lambda: Releases([PEOPLE], key=None), UsageError, "without one, attack each alone"),
        (lambda: Releases([], key="a"), UsageError, "at least one"),
        (lambda: Releases("a.csv", key="a"), UsageError, "a list of them"),
        (lambda: expected(Releases([PEOPLE, PEOPLE], key=True), attacks.Distance(), truth="person"),
         UsageError, "made in this program"),
        (lambda: expected(Releases([PEOPLE, PEOPLE], key="who"), attacks.Distance()), DataError,
         "column 'who' is not in the data"),
        (lambda: expected(Releases([PEOPLE, PEOPLE], key="sex"), attacks.Distance()), DataError,
         "a key identifies one row"),
        (lambda: expected(Releases([unveil.mask(PEOPLE, [NOISE], seed=1)], key=True),
                          intruder=Intruder(knows=NUMBERS, channel=[True, True])), SpecError,
         "2 plans for 1 release"),
        (lambda: measures.in_any([]), UsageError, "at least one"),
        (lambda: measures.certainty(unveil.attack(PEOPLE, PEOPLE, attacks.Distance())), UsageError,
         "matching='posterior' gives every attack probabilities"),
    ],
)  # fmt: skip
def test_bad_input(act, error, said):
    with pytest.raises(UnveilError, match=said) as raised:
        act()
    assert type(raised.value) is error


def test_a_plan_of_another_release_is_refused_with_the_column_and_how_many():
    release = unveil.mask(PEOPLE, [masks.RankSwapping(p=30, columns=NUMBERS)], seed=5)
    wrong = Intruder(knows=NUMBERS, channel=Plan((masks.RankSwapping(p=2, columns=NUMBERS),)))
    with pytest.raises(DataError, match=r"true rows: column age \(\d+\); income \(\d+\)"):
        expected(release.data, intruder=wrong, truth=release.row_map)
    with pytest.raises(DataError, match=r"released rows: column|together, though none alone"):
        expected(release.data, intruder=wrong)
    soft = attacks.Tailored(level="method")  # which excludes nothing
    assert expected(release.data, soft, wrong, truth=release.row_map) > 0


def test_what_several_masks_come_to():
    noise, more = (
        Noise(("a",), np.ones(1), np.eye(1) * size, (unveil.values.release.channels.Slack(),))
        for size in (1.0, 3.0)
    )
    found = compose([noise, more, Rounded(("a",), 10.0)], ["a", "b"])
    (both,) = found.channels
    assert both.mean.tolist() == [2.0]
    assert both.covariance.tolist() == [[4.0]]
    assert both.slack[0].absolute == 5.0
    halved = Noise(
        ("a",),
        np.zeros(1),
        np.eye(1),
        (unveil.values.release.channels.Slack(),),
        0,
        np.array([0.5]),
    )
    (both,) = compose([noise, halved], ["a"]).channels  # what the first added is halved, too
    assert (both.slope.tolist(), both.mean.tolist()) == ([0.5], [0.5])
    assert both.covariance.tolist() == [[1.25]]
    merged = Recoding(("c",), {"x": "y", "y": "y", "z": "z"})
    moved = Transition(("c",), ("y", "z"), np.array([[0.9, 0.1], [0.2, 0.8]]))
    (both,) = compose([merged, moved], ["c"]).channels
    row = dict(zip(both.categories, both.matrix[both.categories.index("x")], strict=True))
    assert row == pytest.approx({"x": 0, "y": 0.9, "z": 0.1})
    twice = compose([merged, Recoding(("c",), {"y": "w", "z": "z"})], ["c"]).channels[0]
    assert twice.table == {"x": "w", "y": "w", "z": "z"}
    assert compose([noise, Swap(("a",), 3)], ["a"]).unsettled == ("a",)
    assert compose([noise, Swap(("a",), 3), more], ["b"]).columns == ()


def test_noise_after_a_swap_is_a_swap_with_noise():
    plan = [SWAP, masks.AdditiveNoise(scale=0.05, columns=["age", "income"])]
    release = unveil.mask(PEOPLE, plan, seed=5)
    channels = {c.columns[0]: c for c in masking_of(release, PEOPLE, NUMBERS, seed=0).channels}
    assert {name: type(one) for name, one in channels.items()} == dict.fromkeys(channels, Swap)
    assert channels["age"].noise > 0 == channels["rent"].noise
    assert channels["age"].noise_after_exchange == channels["age"].noise


def test_masks_without_a_formula_are_simulated():
    plan = [masks.AdditiveNoise(scale=0.05, columns=["age", "income"]), SWAP]
    release = unveil.mask(PEOPLE, plan, seed=5)
    found = masking_of(release, PEOPLE, NUMBERS, seed=0)
    kinds = {channel.columns: type(channel) for channel in found.channels}
    assert kinds == {("rent",): Swap, ("age",): Noise, ("income",): Noise}
    noise = next(channel for channel in found.channels if channel.columns == ("income",))
    gaps = (release.data.column("income") - PEOPLE.column("income")).drop_nulls()
    assert noise.covariance[0, 0] == pytest.approx(gaps.var(), rel=0.3)
    assert noise.runs == 5
    shuffled = masks.Function(
        function=lambda values, rng: rng.permutation(values), columns=["sex"], channel="unknown"
    )
    steps = [masks.Pram(theta=0.2, columns=["sex"]), shuffled]
    assert isinstance(
        masking_of(unveil.mask(PEOPLE, steps, seed=1), PEOPLE, ["sex"], 0).channels[0], Transition
    )
    ranged = [NOISE, masks.GlobalRecoding(intervals=10, columns=["age"])]
    made = masking_of(unveil.mask(PEOPLE, ranged, seed=1), PEOPLE, ["age"], 0)
    assert isinstance(made.channels[0], Unknown)


@pytest.mark.parametrize("more", [{}, {"algorithm": "v-mdav", "gamma": 1.1}])
def test_who_has_the_original_does_microaggregation_again(more):
    mask = masks.Microaggregation(k=4, columns=NUMBERS, **more)
    release = unveil.mask(PEOPLE, [mask], seed=5)
    ceiling = measures.ceiling(unveil.attack(PEOPLE, release, attacks.Distance(), intruder=KNOWS))
    again = expected(release, attacks.Tailored(level="original"))
    assert again == pytest.approx(ceiling, rel=0.02)
    assert again > expected(release, attacks.Tailored())


def test_optimal_groups_are_known_by_positions():
    """They stand where their members stood, so the parameters tell as much as the original."""
    column, sorted_out = NUMBERS[0], Intruder(knows=NUMBERS[:1])
    release = unveil.mask(
        PEOPLE, [masks.Microaggregation(k=4, columns=[column], algorithm="optimal")], seed=5
    )
    plain = expected(release, attacks.Distance(), sorted_out)
    known = expected(release, attacks.Tailored(), sorted_out)
    assert known >= plain
    assert expected(release, attacks.Tailored(level="original"), sorted_out) == known


def test_where_chance_comes_first_nothing_is_done_again(caplog):
    release = unveil.mask(PEOPLE, [NOISE], seed=5)
    assert expected(release, attacks.Tailored(level="original")) == expected(release)
    assert "adds nothing to" in caplog.text


def test_several_releases_add_up():
    made = [unveil.mask(PEOPLE, [NOISE], seed=seed) for seed in range(3)]
    keyed = Releases(made, key=True)
    links = [
        unveil.attack(PEOPLE, keyed.first(many), attacks.Tailored(), intruder=KNOWS)
        for many in (1, 2, 3)
    ]
    assert expected(keyed.first(1)) == expected(made[0])
    linked = [row["expected"] for row in risk_by_releases(links, keyed=True)]
    assert linked[0] < linked[1] < linked[2]
    alone = risk_by_releases([links[0], links[0]], keyed=False)
    assert alone[1]["alone"] == alone[0]["expected"]
    once = measures.hits(links[0])
    assert alone[1]["expected"] == pytest.approx((1 - (1 - once) ** 2).sum())
    back = Intruder(knows=NUMBERS, direction="release-to-original")
    other = made[0].shuffled()
    both = [
        unveil.attack(PEOPLE, one, attacks.Tailored(), intruder=back) for one in (made[0], other)
    ]
    found = risk_by_releases(both, keyed=False)  # the same people, whichever way their rows stand
    once = measures.hits(both[0])
    assert found[1]["expected"] == pytest.approx((1 - (1 - once) ** 2).sum())


@pytest.mark.parametrize("mask", [NOISE, SWAP])
def test_few_records_have_a_posterior_too(mask):
    release = unveil.mask(PEOPLE, [mask], seed=4)
    few = Intruder(knows=NUMBERS, records=40)
    nearest, posterior = (
        expected(release, attacks.Tailored(matching=how), few) for how in ("nearest", "posterior")
    )
    assert posterior > 0.8 * nearest > 0


def test_groups_are_told_by_variances_alone():
    release = unveil.mask(PEOPLE, [masks.Microaggregation(k=4, columns=NUMBERS)], seed=5)
    method, known = (
        expected(release, attacks.Tailored(level=how)) for how in ("method", "parameters")
    )
    assert method > 0.8 * known


def test_strangers_do_not_change_what_is_known_of_the_masking():
    release = unveil.mask(PEOPLE, [SWAP], seed=5)
    links = unveil.attack(PEOPLE, release, attacks.Tailored(level="method"), intruder=KNOWS)
    strangers = links.on(PEOPLE.take(np.arange(20)))
    assert strangers.best.tolist() == links.best[:20].tolist()


def test_claims_are_links_above_a_probability():
    release = unveil.mask(PEOPLE, [NOISE], seed=5)
    links = unveil.attack(PEOPLE, release, attacks.Tailored(matching="posterior"), intruder=KNOWS)
    sure, right = measures.certainty(links), measures.hits(links)
    told = measures.forecast(links, above=float(np.sort(sure)[150]))
    assert told.claimed == int((sure > np.sort(sure)[150]).sum())
    assert told.right == pytest.approx(right[sure > np.sort(sure)[150]].sum())
    assert told.share == pytest.approx(sure.mean())
    assert told.found == pytest.approx(right.mean())


def test_rows_of_files_are_known_by_a_column():
    made = [unveil.mask(PEOPLE, [NOISE], seed=seed) for seed in range(2)]
    tables = []
    for number, release in enumerate(made):
        rows = np.random.default_rng(number).permutation(300)[: 300 - 20 * number]
        frame = release.data.to_frame().with_columns(pl.Series("key", range(300)))
        tables.append(frame[rows])
    both = Releases(tables, key="key")
    row_map = tables[0]["key"].to_numpy()  # those of the first come first, and it has all
    links = unveil.attack(PEOPLE, both, attacks.Distance(), intruder=KNOWS, truth=row_map)
    assert links.finder.columns == (*NUMBERS, *(f"{name} (2)" for name in NUMBERS))
    one = unveil.attack(PEOPLE, tables[0], attacks.Distance(), intruder=KNOWS, truth=row_map)
    assert measures.hits(links).sum() > measures.hits(one).sum()
    strangers = links.on(unveil.households(20, seed=9))
    assert len(strangers.best) == 20
