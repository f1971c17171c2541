"""pMSE: how well released records can be told from originals."""

import numpy as np

from unveil.measures.information_loss.catalogue import MeasuredLoss, measured
from unveil.measures.information_loss.paired_sample import PairedSampler
from unveil.measures.information_loss.predictors import LEAST, boosted, predictors
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.values.file_pair import FilePair

MOST, FOLDS = 10_000, 3


def propensity(
    both: FilePair, *, seed: int = 0, draws: PairedSampler | None = None
) -> MeasuredLoss:
    """PMSE / (c (1 - c)): 0 where nobody can tell released records from originals, 1 where one can.

    Boosted trees learn which records are released, from two folds of three, and say of those in
    the third how likely each is, p; c is the share of released records. A record and its twin are
    in the same fold: what is learned of the one must not tell the other. Trees, because a linear
    model takes a release that keeps means for the original; not a deep model, because a steward
    waits. After Snoke, Raab, Nowok, Dibben and Slavkovic, General and specific utility measures
    for synthetic data (2018), who fit and predict on the same records.

    "pMSE" is the mean of (p - c)^2 over c (1 - c). It counts what trees imagine to see as well:
    of two samples of the same people it is not 0, but some hundredths, less the more records
    there are. "told apart" is 1 - mean (y - p)^2 / (c (1 - c)), at least 0: the same for a
    classifier that knows how much it knows, and 0 for one that imagines. On an unchanged file,
    each fold holds everybody twice, once as released, so that no split gains anything: both are 0.
    Shuffled columns are seen as far as attributes depend on each other.

    At most 10,000 records of each file, drawn by their contents; the released twins of the drawn
    originals first. So neither grows with the number of records beyond that; below, more records
    teach trees more, and told apart grows towards what can be told.

    >>> from unveil.values.file_pair import FilePair
    >>> from unveil.table.sample import households
    >>> sample = households(100)
    >>> [one.value for one in propensity(FilePair(sample, sample, np.arange(100))).measures]
    [0.0, 0.0]
    """
    names = ("pMSE", "told apart")
    fewest = FOLDS * LEAST
    why = ""
    if not both.columns:
        why = "no attribute"
    elif min(len(both.original), len(both.release)) < fewest:
        why = f"fewer than {fewest} records"
    if why:
        return MeasuredLoss(tuple(measured(name, None, n=0, note=why) for name in names), {})
    draws = draws or PairedSampler(both, seed)
    mine = draws.originals(MOST, "propensity")
    some = draws.taken(mine, draws.released(mine, MOST, "propensity"))
    likely, released = _cross_fitted(some, seed)
    c = released.mean()
    scale = c * (1 - c) * len(likely)
    spread = float(np.sort((likely - c) ** 2).sum() / scale)
    skill = 1 - float(np.sort((released - likely) ** 2).sum() / scale)
    values = np.clip([spread, skill], 0, 1)
    found = (measured(name, float(v), n=len(likely)) for name, v in zip(names, values, strict=True))
    return MeasuredLoss(tuple(found), {})


def _cross_fitted(some: FilePair, seed: int) -> tuple[Floats, Floats]:
    """How likely each record is released, by who did not learn from it; and whether it is."""
    known = predictors(some)
    x = np.concatenate([known.original, known.release])
    released = np.repeat([0, 1], [len(known.original), len(known.release)])
    folds = _folds(some, stream(seed, "measure", "propensity folds"))
    likely = np.empty(len(x))
    for fold in range(FOLDS):
        here = folds == fold
        said = boosted(x[~here], released[~here], x[here], nominal=known.nominal, classes=True)
        likely[here] = said[:, 1]
    return likely, released.astype(np.float64)


def _folds(some: FilePair, rng: np.random.Generator) -> Ints:
    """The fold of each original, then of each released row: that of its twin, if it has one."""
    mine = rng.permutation(len(some.original)) % FOLDS
    other = rng.permutation(len(some.release)) % FOLDS
    other[some.released] = mine[some.originals]
    return np.concatenate([mine, other])
