"""Results as distributions over candidates."""

import numpy as np

import unveil
from unveil import attacks, masks, measures


def test_a_calibrated_posterior_gives_no_more_than_1_away():
    people = unveil.households(120, seed=3)
    known = ["age", "income", "hours"]
    release = unveil.mask(people, [masks.AdditiveNoise(scale=0.3, columns=known)], seed=3)
    links = unveil.attack(
        people,
        release,
        attacks.Tailored(matching="posterior"),
        intruder=unveil.Intruder(knows=known, channel=True),
    )
    assert links.finder.details["calibrated"]
    given = measures.distributions(links)
    sums = np.add.reduceat(given.probability, given.starts[:-1])
    assert (sums <= 1 + 1e-9).all()
    best = np.array([given[place][1].max() for place in range(len(given))])
    assert (np.abs(best - measures.certainty(links)) < 0.05).all()
