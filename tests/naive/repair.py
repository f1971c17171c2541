"""Exposure by every distance."""

import math


def exposures(points, k):
    """The distance of each point to its (k - 1)-th nearest other point."""
    found = []
    for i, point in enumerate(points):
        others = sorted(math.dist(point, other) for j, other in enumerate(points) if j != i)
        found.append(round(others[k - 2], 9))
    return found
