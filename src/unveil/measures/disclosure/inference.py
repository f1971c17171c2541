"""Attribute disclosure by links: what a followed link reveals beyond what is known without it."""

from collections.abc import Sequence

import numpy as np

from unveil.errors import UsageError
from unveil.measures.disclosure.baseline_guess import ReleaseModel, best_guess, is_right
from unveil.measures.disclosure.followed_links import FollowedLinks, LinkedRows, follow
from unveil.measures.identity.confidence_interval import paired_difference
from unveil.measures.identity.hits import SAMPLE_SIZE
from unveil.support.arrays import Bools, Floats
from unveil.table.encoding.to_arrays import ROUNDING_SLACK, spread
from unveil.values.block_keys import block_columns
from unveil.values.file_pair import FilePair
from unveil.values.links import Links
from unveil.values.results.disclosure import Inference
from unveil.values.single_values import single_values

TOLERANCE = 0.05  # of a standard deviation


def linked_disclosure(
    links: Links,
    pair: FilePair,
    *,
    seed: int,
    columns: Sequence[str] | None = None,
    model: bool = True,
) -> tuple[Inference, ...]:
    """The disclosure of each unknown confidential attribute by links.

    The intruder reads the cell of the rows that a record is linked to; where several tie, each
    is read with the same probability. A category is right if it is the original's; a number, if
    it is within 5 % of the original's standard deviation (with n - 1) of it. Three baselines
    stand beside it: the same without the person's own row; one guess for everybody; and a
    decision tree that predicts the attribute from what the attack compares, fitted to at most
    20,000 released rows, never the person's own. What a link reveals beyond these, it reveals of
    the person.

    At most 2,000 records are sampled. A person whose original cell is missing does not count; a
    missing released cell is never right. Confidential attributes that are generalised in either
    file are left out. The result is empty for links from release to original, which ask only
    whose a row is, and where the truth is not known.

    Parameters
    ----------
    links
        Of an attack on this release.
    pair
        The original and the release, with the pairs known.
    seed
        Random seed of the model's folds, and of the intervals.
    columns
        Attributes to look at, in place of the confidential ones.
    model
        Whether the decision tree is fitted, the dearest of the baselines.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> release = unveil.mask(sample, [unveil.masks.RankSwapping(p=2, columns=["age"])], seed=7)
    >>> links = unveil.attack(sample, release, unveil.attacks.Distance())
    >>> pair = FilePair.of(sample, release.data, release.row_map)
    >>> for one in linked_disclosure(links, pair, seed=7):
    ...     assert one.linked > max(one.control, one.guess, one.inferred), one.column
    """
    if links.intruder.reverse or links.truth is None or pair.truth is None:
        return ()
    if links.candidates != len(pair.release):
        raise UsageError("the links and the pair of files are of different releases")
    blocks = block_columns(links.intruder.blocks, pair.release.columns)
    compared = tuple(dict.fromkeys((*links.finder.columns, *blocks)))
    knows = {*(links.intruder.knows or pair.with_role("quasi")), *compared}
    wanted = pair.with_role("confidential") if columns is None else columns
    targets = [name for name in wanted if name not in knows and not pair.generalised(name)]
    followed = follow(links, pair.truth.record_of_row) if targets else None
    if followed is None:
        return ()
    fitted = ReleaseModel.of(pair, compared, followed.people, seed) if model else None
    results = (_inference(links, pair, followed, fitted, column) for column in targets)
    return tuple(one for one in results if one is not None)


def _inference(
    links: Links, pair: FilePair, followed: FollowedLinks, model: ReleaseModel | None, column: str
) -> Inference | None:
    numeric = pair.level(column) == "numeric"
    original, released = single_values(pair, column)
    width = TOLERANCE * spread(original)[1] * (1 + ROUNDING_SLACK) if numeric else 0.0
    truth = original[followed.people]
    known = np.flatnonzero(~np.isnan(truth))
    if not len(known):
        return None
    cells_of_class: dict[int, Floats] = {}
    guess = is_right(best_guess(released, width), truth[known], width)
    linked, control, homogeneous = np.zeros((3, len(known)))
    for at, place in enumerate(known.tolist()):
        bounds = truth[place] - width, truth[place] + width
        linked[at], cell_range = _read(followed.linked[place], bounds, released, cells_of_class)
        homogeneous[at] = linked[at] == 1 and cell_range <= width
        other = followed.control[place]
        if len(other.rows) > (other.excluded >= 0):
            control[at], _ = _read(other, bounds, released, cells_of_class)
        elif len(followed.linked[place].rows):  # the attack names no other row: a guess is left
            control[at] = guess[at]
    paired = paired_difference(linked, control, seed=links.seed, names=("learned", column))
    inferred = None
    if model is not None:
        guesses = model.guesses(released, followed.own_rows, ordered=numeric, tolerance=width)
        inferred = _mean(is_right(guesses, truth, width)[known])
    return Inference(
        column=column,
        attack=links.name,
        known=() if model is None else model.known,
        n=len(known),
        left_out=followed.left_out,
        population=links.population,
        tolerance=TOLERANCE if numeric else None,
        linked=_mean(linked),
        control=_mean(control),
        guess=_mean(guess),
        inferred=inferred,
        homogeneous=_mean(homogeneous),
        learned=max(_mean(linked) - _mean(control), 0.0),
        gain=None if paired is None else paired.interval,
        sampled=min(links.n_with_truth, SAMPLE_SIZE) < links.population,
    )


def _read(
    linked: LinkedRows,
    bounds: tuple[float, float],
    released: Floats,
    cells_of_class: dict[int, Floats],
) -> tuple[float, float]:
    """The share of the linked rows whose cell is within the bounds, and the range of the cells.

    The cells of a class are sorted once and kept.
    """
    cells = cells_of_class.get(linked.class_id)
    if cells is None:
        cells = np.sort(released[linked.rows])  # missing ones last
        if linked.class_id >= 0:
            cells_of_class[linked.class_id] = cells
    excluded = linked.excluded >= 0
    n = len(cells) - excluded
    if n <= 0:
        return 0.0, np.nan
    low, high = bounds
    within = np.searchsorted(cells, high, "right") - np.searchsorted(cells, low, "left")
    if excluded:
        within -= low <= released[linked.excluded] <= high
    return float(within) / n, float(cells[-1] - cells[0])


def _mean(right: Floats | Bools) -> float:
    """The mean, summed in an order that does not depend on the order of the rows."""
    return float(np.sort(right).sum()) / len(right)
