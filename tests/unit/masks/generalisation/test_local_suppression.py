"""The order in which local suppression tries stars."""

import numpy as np

from unveil.masks.generalisation.local_suppression import cheapest_subsets


def test_subsets_come_in_order_of_the_cost_of_their_stars():
    subsets = cheapest_subsets(np.array([1.0, 2.0]))
    assert subsets == [(0.0, 0b11), (1.0, 0b10), (2.0, 0b01), (3.0, 0b00)]
