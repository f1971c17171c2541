"""The Pareto frontier and its hypervolume by comparing every pair, and by counting cells."""

from itertools import pairwise


def frontier(risks, losses):
    """Places of the plans that no other beats, by ascending risk; the first of equal plans."""
    plans = list(zip(risks, losses, strict=True))

    def beaten(i):
        risk, loss = plans[i]
        return any(
            other_risk <= risk
            and other_loss <= loss
            and ((other_risk, other_loss) != plans[i] or j < i)
            for j, (other_risk, other_loss) in enumerate(plans)
            if j != i
        )

    return sorted((i for i in range(len(plans)) if not beaten(i)), key=lambda i: plans[i])


def hypervolume(risks, losses, reference):
    """The area that at least one plan dominates: cells between all coordinates, added up."""
    plans = list(zip(risks, losses, strict=True))
    across = sorted({risk for risk in risks if risk < reference[0]} | {reference[0]})
    up = sorted({loss for loss in losses if loss < reference[1]} | {reference[1]})
    return sum(
        (right - left) * (top - bottom)
        for left, right in pairwise(across)
        for bottom, top in pairwise(up)
        if any(risk <= left and loss <= bottom for risk, loss in plans)
    )
