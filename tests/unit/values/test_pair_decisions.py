"""Decisions on pairs: their lists, reviews, files and charts."""

import polars as pl
import pytest

import unveil
from unveil import Intruder, attacks, masks, measures
from unveil.errors import UsageError
from unveil.values import pair_decisions

KNOWS = ["region", "sex", "education", "occupation"]


@pytest.fixture(scope="module")
def decisions():
    people = unveil.households(150, seed=7)
    release = unveil.mask(people, [masks.Pram(theta=0.2, columns=KNOWS)], seed=7)
    spec = attacks.Probabilistic(p_link_unmatched=0.005, p_nonlink_matched=0.05)
    links = unveil.attack(people, release, spec, intruder=Intruder(knows=KNOWS))
    return measures.decisions(links)


def test_they_say_how_many_pairs_each_class_has(decisions):
    sizes = {one.name: one.pairs for one in decisions.classes.classes}
    assert sum(sizes.values()) == 150 * 150
    assert repr(decisions).startswith(f"Decisions(probabilistic: {sizes['linked']:,} linked, ")
    assert f"{sizes['clerical']:,}" in decisions._repr_html_()


def test_expected_matches_and_rates_go_together(decisions):
    classes = decisions.classes
    linked, _, unlinked = classes.classes
    wrong, missed = classes.errors
    others = sum(one.pairs - one.expected for one in classes.classes)
    assert wrong.estimate == pytest.approx((linked.pairs - linked.expected) / others)
    assert missed.estimate == pytest.approx(unlinked.expected / classes.expected)
    for error in classes.errors:
        assert error.low <= error.high
        assert error.estimate <= error.allowed
        assert 0 <= error.found <= 1
    assert sum(one.pairs for one in classes.weights) == pytest.approx(150 * 150)
    assert sum(one.expected for one in classes.weights) == pytest.approx(classes.expected)


def test_before_em_converges_error_rates_have_no_interval():
    people = unveil.households(150, seed=7)
    release = unveil.mask(people, [masks.Pram(theta=0.2, columns=KNOWS)], seed=7)
    spec = attacks.Probabilistic(iterations=2, p_link_unmatched=0.005, p_nonlink_matched=0.05)
    found = measures.decisions(unveil.attack(people, release, spec, intruder=Intruder(knows=KNOWS)))
    assert not found.classes.converged
    assert found.classes.simulations == 0
    assert {(one.low, one.high) for one in found.classes.errors} == {(None, None)}
    assert "The model has not converged" in found._repr_html_()


def test_lists_are_of_the_classes_asked_for(decisions):
    listed = decisions.pairs(["linked", "clerical"])
    assert listed.equals(decisions.pairs())
    link, nonlink = decisions.classes.link_threshold, decisions.classes.nonlink_threshold
    for name, weights in listed.group_by("class"):
        least, most = weights["match_weight"].min(), weights["match_weight"].max()
        assert (least >= link - 1e-6) if name[0] == "linked" else (nonlink < least <= most < link)
    assert 0 < listed["match_probability"].min() <= listed["match_probability"].max() < 1
    for wrong in ("linked", [], ["link"]):
        with pytest.raises(UsageError, match="a list of some of linked, clerical, non-linked"):
            decisions.pairs(wrong)


def test_too_many_pairs_are_not_listed(decisions, monkeypatch):
    monkeypatch.setattr(pair_decisions, "MOST_PAIRS", 10)
    with pytest.raises(UsageError, match="at most 10 are, of at most 20,000,000,000: use blocks"):
        decisions.pairs(["non-linked"])


def test_a_review_shows_cells_on_request_only(decisions):
    plain, shown = decisions.review(9), decisions.review(9, show_values=True)
    ids = ["unique_id_l", "unique_id_r"]
    assert plain.columns == [*ids, "match_weight", "match_probability", "answer"]
    assert plain.select(ids).equals(shown.select(ids))
    assert plain["answer"].null_count() == 9
    first = shown.row(0, named=True)
    for file, side in ((decisions.links.pair.original, "l"), (decisions.links.pair.release, "r")):
        row = first[f"unique_id_{side}"] - 1
        assert all(first[f"{name}_{side}"] == file.column(name)[row] for name in KNOWS)


def test_a_column_unique_id_does_not_take_the_place_of_the_rows():
    people = unveil.households(40, seed=1).to_frame()
    named = people.with_columns(unique_id=people["region"] + people["sex"])
    spec = attacks.Probabilistic(p_link_unmatched=1e-6, p_nonlink_matched=1e-4)
    knows = Intruder(knows=["unique_id", "age", "education"])
    found = measures.decisions(unveil.attack(named, named, spec, intruder=knows, truth="person"))
    review = found.review(5, show_values=True)
    assert review.select("unique_id_l", "unique_id_r").equals(
        found.review(5).select("unique_id_l", "unique_id_r")
    )
    assert "unique_id_cell_l" in review.columns


def test_decisions_are_written_as_their_pairs(decisions, tmp_path):
    unveil.write(decisions, tmp_path / "pairs.csv")
    assert len(pl.read_csv(tmp_path / "pairs.csv")) == len(decisions.pairs())


def test_a_waterfall_adds_up_to_the_weight_of_its_pair(decisions):
    *pair, weight, chance, _ = decisions.pairs(["clerical"]).row(0)
    steps = decisions.of_pair(*pair).classes.example
    assert [step.part for step in steps] == ["prior", *KNOWS]
    assert sum(step.weight for step in steps[1:]) == pytest.approx(weight)
    odds = 2 ** sum(step.weight for step in steps)
    assert odds / (1 + odds) == pytest.approx(chance)
    for row in (0, 151):
        with pytest.raises(UsageError, match=f"row {row} of the original is none of the 150 rows"):
            decisions.of_pair(row, 1)
        with pytest.raises(
            UsageError, match=f"row {row} of the release is out of range: it has 150"
        ):
            decisions.of_pair(1, row)


def test_charts_are_altairs(decisions):
    for name, pair in (("match-weights", None), ("waterfall", None), ("waterfall", (3, 5))):
        assert decisions.chart(name, pair=pair).to_dict(validate=False)["layer"]
    with pytest.raises(UsageError, match="names are: match-weights, waterfall"):
        decisions.chart("risk")
