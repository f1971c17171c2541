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
    """How much more of what each pair implies is matched than by chance: a factor of its odds.

    Cells are wrong with a probability, and then say nothing. If damped, it is half-way from the
    last factor to the new one. `product` is multiplied by it.
    """
    for e in range(len(implied)):
        ratio = (totals[implied[e]] + unseen[e]) / by_chance[e]
        new = (1.0 - wrong) * ratio + wrong
        factor[e] = (factor[e] * new) ** 0.5 if damped else new
        product[e] *= factor[e]
