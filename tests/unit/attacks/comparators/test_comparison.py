"""The spec of a comparison: levels in order, names of comparators, the same in every form."""

import msgspec
import numpy as np
import pytest

from unveil import attacks
from unveil.attacks.comparators.comparison import COMPARATORS, TextComparison
from unveil.errors import SpecError
from unveil.support.specs import from_texts


@pytest.mark.parametrize("name", COMPARATORS)
def test_default_levels_are_allowed(name):
    TextComparison(name).check("probabilistic", "surname")
    assert len(TextComparison(name).labels) == len(TextComparison(name).ends)


@pytest.mark.parametrize(
    ("by", "levels", "message"),
    [
        ("jaro-winkeler", None, "did you mean 'jaro-winkler'"),
        ("levenstein", None, "did you mean 'damerau-levenshtein'"),
        ("xyz", None, "comparators are: jaro-winkler"),
        ("jaro-winkler", (0.8, 0.9), "descend to above 0, at most 1"),
        ("jaro-winkler", (1, 0), "descend to above 0"),
        ("jaro-winkler", (2.0,), "at most 1"),
        ("jaro-winkler", (float("nan"),), "descend"),
        ("jaro-winkler", (), "such as"),
        ("days", (31, 0), "ascend from 0 or more"),
        ("days", (0.5,), "are whole and ascend"),
        ("damerau-levenshtein", (-1.0,), "ascend from 0"),
    ],
)
def test_wrong_ones_are_refused_with_what_is_right(by, levels, message):
    for method in (attacks.Probabilistic, attacks.Distance):
        with pytest.raises(SpecError, match=message):
            method(comparisons={"surname": {"by": by, "levels": levels}})


def test_keys_are_checked():
    with pytest.raises(SpecError, match="bye: not a key of this table"):
        attacks.Probabilistic(comparisons={"surname": {"by": "soundex", "bye": 1}})
    with pytest.raises(SpecError, match="tolerances and a comparison; give one"):
        attacks.Probabilistic(comparisons={"a": {"by": "days"}}, tolerances={"a": [0]})
    with pytest.raises(SpecError, match="have no levels; leave out levels"):
        attacks.Distance(comparisons={"a": {"by": "days", "levels": [0, 9]}})
    with pytest.raises(SpecError, match="comparisons goes with metric euclid or"):
        attacks.Distance(comparisons={"a": {"by": "days"}}, metric="mahalanobis")


def test_python_json_and_command_are_one():
    spec = attacks.Probabilistic(comparisons={"name": {"by": "tokens", "levels": [1, 0.5]}})
    text = msgspec.json.encode(spec.comparisons).decode()
    again = attacks.Probabilistic(**from_texts(attacks.Probabilistic, {"comparisons": text}))
    assert again == spec
    own = TextComparison("tokens", (1, 0.5))
    assert attacks.Probabilistic(comparisons={"name": own}) == spec


def test_a_score_has_the_first_level_that_it_reaches():
    scores = np.array([1.0, 0.95, 0.92, 0.9199999999999999, 0.91, 0.0])
    assert TextComparison("jaro-winkler").levels_of(scores).tolist() == [0, 1, 1, 1, 2, 3]
    edits = np.array([0.0, 1, 2, 3])
    assert TextComparison("damerau-levenshtein").levels_of(edits).tolist() == [0, 1, 2, 3]
