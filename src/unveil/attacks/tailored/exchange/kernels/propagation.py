"""Follow a guessed pair through the columns: each pair implies one in every column."""

from unveil.support.arrays import Ints
from unveil.support.compile import kernel, part

CONFIRMED = 30  # implied pairs that were there already, from which on a guess is accepted
TOLERATED = 2  # contradictions of a guess, whatever it confirms
PER_CONTRADICTION = 5  # further pairs that make up for one more


@part()
def refuted(confirmed: int, contradicted: int) -> bool:
    """Whether a guess contradicts itself more often than wrong cells explain."""
    return contradicted > TOLERATED and contradicted * PER_CONTRADICTION > confirmed


@part()
def follow(
    record: int,
    candidate: int,
    shows: Ints,
    owner: Ints,
    match: Ints,
    partner: Ints,
    queue: Ints,
    via: Ints,
    whole: bool,
) -> tuple[int, int, int]:
    """Follow a pair until it is refuted or, unless `whole`, accepted.

    `shows[i, j]` is the candidate that shows the value of record i in column j, `owner[l, j]` the
    record whose value candidate l shows; -1 where none, or several, do. Fills `match`, `partner`,
    and `queue` with the records reached. Returns their number, and the implied pairs that were
    there already, with another partner or with the same.
    """
    match[record], partner[candidate], queue[0], via[0] = candidate, record, record, -1
    head, tail, confirmed, contradicted = 0, 1, 0, 0
    while head < tail:
        a, arrived = queue[head], via[head]
        b = match[a]
        head += 1
        for j in range(shows.shape[1]):
            k, m = owner[b, j], shows[a, j]
            if k < 0 or m < 0 or j == arrived:  # the column by which it came leads back
                continue
            if match[k] < 0 and partner[m] < 0:
                match[k], partner[m], queue[tail], via[tail] = m, k, k, j
                tail += 1
            elif match[k] == m:
                confirmed += 1
            else:
                contradicted += 1
        if refuted(confirmed, contradicted):
            break
        if not whole and confirmed >= CONFIRMED:
            break
    return tail, confirmed, contradicted


@part()
def forget(reached: int, match: Ints, partner: Ints, queue: Ints) -> None:
    """Take back what a guess filled in."""
    for place in range(reached):
        partner[match[queue[place]]] = -1
        match[queue[place]] = -1


@kernel()
def grow_from(
    record: int,
    shows: Ints,
    owner: Ints,
    least: int,
    match: Ints,
    partner: Ints,
    queue: Ints,
    via: Ints,
) -> int:
    """Guess each free candidate of a record, and keep all that the first accepted guess implies.

    A guess is accepted if it confirms at least `least` implied pairs and is not refuted. Returns
    the number of pairs kept, 0 if no guess is accepted.
    """
    for candidate in range(len(owner)):
        if partner[candidate] >= 0:
            continue
        guess = record, candidate, shows, owner, match, partner, queue, via
        reached, confirmed, contradicted = follow(*guess, False)
        forget(reached, match, partner, queue)
        if confirmed >= least and not refuted(confirmed, contradicted):
            return follow(*guess, True)[0]
    return 0
