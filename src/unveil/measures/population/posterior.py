"""What the sample says of the people who share a key: F given f, by a Poisson model.

With lambda people expected and a share pi of them in the sample, F - f of a cell with f records
has a Poisson law with mean a = lambda (1 - pi).
"""

from typing import NamedTuple

import numpy as np

from unveil.support.arrays import Floats

FEW = 200.0  # unseen people: for more, moments of 1 / F are by an expansion


class InverseMoments(NamedTuple):
    """The means of 1 / F and of its square, and the derivative of the first by a."""

    mean: Floats
    square: Floats
    slope: Floats


def inverse_moments(records: Floats, unseen: Floats) -> InverseMoments:
    """The moments of 1 / F, where F is the records and a Poisson number of unseen people.

    >>> inverse_moments(np.ones(1), np.ones(1)).mean  # 1 - exp(-1)
    array([0.6321...])
    """
    out = np.zeros((3, len(records)))  # of 1 / F, 1 / F^2 and 1 / (F + 1)
    many = unseen > FEW
    f, a = records[~many], unseen[~many]
    chance, most = np.exp(-a), float(a.max(initial=0.0))
    found = np.zeros((3, len(f)))
    for n in range(int(most + 12 * most**0.5 + 30)):
        people = f + n
        found += chance / np.stack([people, people**2, people + 1])
        chance = chance * a / (n + 1)
    out[:, ~many] = found
    f, a = records[many], unseen[many]
    out[:, many] = _expanded(f + a, a, 1), _expanded(f + a, a, 2), _expanded(f + a + 1, a, 1)
    return InverseMoments(out[0], out[1], out[2] - out[0])


def _expanded(mean: Floats, a: Floats, power: int) -> Floats:
    """The mean of F^-power by its central moments."""
    third, fourth = a, a + 3 * a**2
    p = float(power)
    terms: Floats = (
        1
        + p * (p + 1) / 2 * a / mean**2
        - p * (p + 1) * (p + 2) / 6 * third / mean**3
        + p * (p + 1) * (p + 2) * (p + 3) / 24 * fourth / mean**4
    )
    return terms / mean**power
