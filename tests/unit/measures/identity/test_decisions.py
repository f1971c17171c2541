"""Decisions of links: made where error rates were given, whatever the matching."""

import pytest

import unveil
from unveil import attacks, measures
from unveil.errors import UsageError

PEOPLE = unveil.households(40, seed=1)
LIMITS = {"p_link_unmatched": 1e-6, "p_nonlink_matched": 1e-4}


@pytest.mark.parametrize("spec", [attacks.Distance(), attacks.Probabilistic()])
def test_without_error_rates_there_are_none(spec):
    with pytest.raises(UsageError, match="set p_link_unmatched and p_nonlink_matched"):
        measures.decisions(unveil.attack(PEOPLE, PEOPLE, spec))


@pytest.mark.parametrize("matching", ["nearest", "one-to-one", "posterior"])
def test_the_matching_does_not_matter(matching):
    specs = (attacks.Probabilistic(matching=one, **LIMITS) for one in ("nearest", matching))
    first, second = (measures.decisions(unveil.attack(PEOPLE, PEOPLE, spec)) for spec in specs)
    assert first.classes == second.classes


def test_links_of_other_people_have_none():
    links = unveil.attack(PEOPLE, PEOPLE, attacks.Probabilistic(**LIMITS))
    with pytest.raises(UsageError, match="links of other people, by `on`, have no decisions"):
        measures.decisions(links.on(unveil.households(20, seed=2)))
