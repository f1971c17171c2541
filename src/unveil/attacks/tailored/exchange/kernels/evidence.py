"""The evidence of one column for every listed pair."""

from unveil.support.arrays import Floats, Floats32, Ints32
from unveil.support.compile import kernel


@kernel()
def pass_on(
    own: Ints32, supply: Floats, probability: Floats, factor: Floats32, totals: Floats
) -> None:
    """Add up the matched records of each group, each pair without its own column's factor.

    Otherwise two pairs that imply each other would confirm each other by their own echo.
    """
    for e in range(len(own)):
        odds = probability[e] / (max(1.0 - probability[e], 1e-12) * factor[e])
        totals[own[e]] += supply[e] * odds / (1.0 + odds)


@kernel()
def weigh(
    implied: Ints32,
    totals: Floats,
    unseen: Floats32,
    by_chance: Floats32,
    wrong: float,
    damped: bool,
    factor: Floats32,
    product: Floats,
) -> None:
    """Odds factor of each pair: matched implied pairs relative to chance.

    A cell is wrong with probability `wrong` and then carries no evidence. If `damped`, the factor
    is half-way between the last factor and the new one. `product` is multiplied by the factor.
    """
    for e in range(len(implied)):
        ratio = (totals[implied[e]] + unseen[e]) / by_chance[e]
        new = (1.0 - wrong) * ratio + wrong
        factor[e] = (factor[e] * new) ** 0.5 if damped else new
        product[e] *= factor[e]
