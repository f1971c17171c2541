"""The polynomial kernel as what it is: Euclid on products of attributes."""

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike

from unveil.engines.records import Records, as_records
from unveil.errors import SpecError
from unveil.support.options import whole_number

MOST, MOST_DEGREE = 2000, 20  # features, degree


def polynomial(records: Records | ArrayLike, degree: int) -> Records:
    """Features whose Euclidean distance is that of the kernel (1 + a.b) ** degree.

    One for each product of up to `degree` attributes, times the square root of its
    multinomial coefficient; the constant, the same for all, is left out. A product with
    a missing attribute is missing.

    >>> import numpy as np
    >>> polynomial(np.array([[3.0, 2.0]]), 1).values.tolist()
    [[3.0, 2.0]]
    """
    given = as_records(records)
    degree = whole_number(degree, "degree", 1, MOST_DEGREE)
    many = comb(given.width + degree, degree) - 1
    if many > MOST:
        raise SpecError(
            f"a polynomial kernel of degree {degree} over {given.width} attributes has "
            f"{many:,} features; at most {MOST:,} are searched"
        )
    cells = given.cells()
    values = np.empty((len(given), many))
    products = (
        chosen
        for size in range(1, degree + 1)
        for chosen in combinations_with_replacement(range(given.width), size)
    )
    for column, chosen in enumerate(products):
        repeats = [factorial(times) for times in Counter(chosen).values()]
        ways = factorial(degree) // prod(repeats) // factorial(degree - len(chosen))
        values[:, column] = ways**0.5 * np.prod(cells[:, list(chosen)], axis=1)
    missing = np.isnan(values)
    return Records(np.where(missing, 0.0, values), ~missing, given.offset)
