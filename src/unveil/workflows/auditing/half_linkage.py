"""Linkage of two halves of the attributes: what a file without a common attribute could do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unveil.attacks import Structural
from unveil.attacks.structural.file_features import LEAST_RECORDS, FileFeatures
from unveil.engines.base import Engine
from unveil.engines.select import AUTO
from unveil.errors import UnveilError
from unveil.measures import forecast, risk
from unveil.support.arrays import Floats, Ints
from unveil.support.memory import in_units
from unveil.support.options import Progress
from unveil.table.encoding.to_arrays import normal_scores
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.results.knowledge import AttributeMatch, Halves
from unveil.wording import count
from unveil.workflows.auditing.attack_runs import AttackRun
from unveil.workflows.auditing.resources import memory_of
from unveil.workflows.inputs.intruder_view import personal_attributes
from unveil.workflows.inputs.scenario import prepare

SAMPLE = 2_000  # people, of whom all pairs are quickly compared
STRONG = 0.7  # absolute correlation from which two attributes are separated
WEAK = 0.25  # an attribute whose correlations are all below is dropped
SMALLEST_HALF = 2  # attributes
NO_VARIANCE = 1e-12  # of scores


@dataclass(frozen=True)
class HalfSplit:
    """The attributes of each half, and those that are dropped."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    dropped: dict[str, str]  # attribute: reason
    together: tuple[tuple[str, str], ...]  # strongly correlated, but in one half

    @property
    def enough(self) -> bool:
        """Whether both halves have enough attributes."""
        return min(len(self.first), len(self.second)) >= SMALLEST_HALF


def link_halves(
    pair: FilePair,
    seed: int,
    progress: Progress,
    *,
    limit: int | None = None,
    engine: str | Engine = AUTO,
) -> Halves | str:
    """Link one half of the originals' attributes with the released other half; or say why not.

    The attack uses at most 2,000 people, sampled by the content of their rows, each among the
    released rows of the same people. The intruder knows the half with more quasi-identifiers.
    `limit` is the memory in bytes.
    """
    if pair.truth is None:
        return "the release is synthetic"
    if len(pair.released) < LEAST_RECORDS:
        return f"{count(len(pair.released), 'pair')} of records; the test needs {LEAST_RECORDS}"
    rows = pair.sample(SAMPLE, seed, "halves")
    sample = FilePair(
        pair.original.take(pair.originals[rows]), pair.release.take(pair.released[rows]), None
    )
    released = personal_attributes(sample.release)
    columns = [name for name in personal_attributes(sample.original) if name in released]
    too_few = (
        f"too few of {count(len(columns), 'attribute')} are associated to form two halves of "
        f"{SMALLEST_HALF} or more"
    )
    try:
        if len(columns) < 2 * SMALLEST_HALF or not (split := _split(sample, columns)).enough:
            return too_few
        return _linked(sample, split, seed, progress, limit, engine)
    except UnveilError as error:
        return str(error)


def _split(pair: FilePair, columns: list[str]) -> HalfSplit:
    """The halves by the originals' correlations, of columns that can be used in both files."""
    unusable = FileFeatures.of(pair.release, columns, "release").left_out
    split = split_attributes(pair.original, [name for name in columns if name not in unusable])
    reasons = {name: f"{reason} in the release" for name, reason in unusable.items()}
    first, second = split.first, split.second
    quasi = set(pair.with_role("quasi"))
    if len(quasi & set(second)) > len(quasi & set(first)):
        first, second = second, first
    return replace(split, first=first, second=second, dropped=split.dropped | reasons)


def _linked(
    pair: FilePair,
    split: HalfSplit,
    seed: int,
    progress: Progress,
    limit: int | None,
    engine: str | Engine,
) -> Halves | str:
    intruder = Intruder(knows=split.first)
    need = memory_of(AttackRun(Structural(), intruder), pair)
    if limit is not None and need > limit:
        return f"it needs about {in_units(need)} of memory, more than {in_units(limit)}"
    scenario = prepare(
        pair.original.select(split.first),
        pair.release.select(split.second),
        intruder=Intruder(),
        truth=np.arange(len(pair.release)),
        seed=seed,
        engine=engine,
    )
    links = replace(scenario.links(Structural(), intruder), progress=progress)
    details = links.finder.details
    return Halves(
        known=split.first,
        released=split.second,
        dropped=split.dropped,
        together=split.together,
        risk=risk(links),
        forecast=forecast(links),
        method=details["method"],
        sure=details["sure"],
        correspondence=tuple(
            AttributeMatch(
                known=one["mine"], released=one["release"], correlation=float(one["correlation"])
            )
            for one in details["correspondence"]
            if one["mine"] in split.first and one["release"] in split.second
        ),
    )


def split_attributes(data: Microdata, columns: Sequence[str]) -> HalfSplit:
    """Split the attributes of a file in two halves, to test linkage without a common attribute.

    The rule is that of Torra and others' paper on fuzzy integrals (section 4.2): attributes that
    are correlated by at least 0.7 are separated, those with low correlations are dropped. The
    strongest pairs are separated first; where chains of pairs make that impossible, or leave a
    half with one attribute, a pair stays together and is listed. The remaining attributes make
    the halves equal, and go to the half with which they correlate less.

    The paper does not define low: wdbc lost attributes below 0.7 (Pearson), iris kept sepal width
    with 0.43. Here it is below 0.25. Correlations are of normal scores over the records that have
    both cells, 10 at least. An ordinal attribute counts by its order, a nominal one by its most
    correlated frequent category. The order of the rows means nothing; earlier columns win ties.
    """
    side = FileFeatures.of(data, columns, "file")
    side.check("file")
    names, correlations = side.columns, _correlations(side)
    strongest = correlations.max(1, initial=0.0)
    kept = np.flatnonzero(strongest >= WEAK)
    signs = _signs(correlations[np.ix_(kept, kept)])
    sides = {names[place]: sign for place, sign in zip(kept.tolist(), signs.tolist(), strict=True)}
    weak = {
        name: "is associated with no other attribute"
        for name, highest in zip(names, strongest.tolist(), strict=True)
        if highest < WEAK
    }
    reasons = side.left_out | weak
    return HalfSplit(
        first=tuple(name for name in columns if sides.get(name) == 1),
        second=tuple(name for name in columns if sides.get(name) == -1),
        dropped={name: reasons[name] for name in columns if name in reasons},
        together=tuple(
            (names[i], names[j])
            for i, j in _strong_pairs(correlations)
            if sides.get(names[i]) == sides.get(names[j])
        ),
    )


def _correlations(side: FileFeatures) -> Floats:
    """The absolute correlation of each two attributes; 0 with itself."""
    values = side.values[side.order]  # the same digits in every order of the rows
    scores = np.column_stack([normal_scores(column) for column in values.T])
    between = np.abs(_correlations_of_scores(scores))
    owner = np.array([side.columns.index(feature.column) for feature in side.features])
    correlations = np.zeros((len(side.columns), len(side.columns)))
    np.maximum.at(correlations, (owner[:, None], owner[None, :]), between)
    np.fill_diagonal(correlations, 0.0)
    return correlations


def _correlations_of_scores(scores: Floats) -> Floats:
    """Correlations over the records that have both scores; 0 where these are few."""
    present = (~np.isnan(scores)).astype(np.float64)
    known = np.nan_to_num(scores)
    n = np.maximum(present.T @ present, 1.0)
    total = known.T @ present  # of each feature, over the records that have the other
    variance = (known**2).T @ present - total**2 / n
    covariance = known.T @ known - total * total.T / n
    size = variance * variance.T
    enough = (size > NO_VARIANCE) & (n >= LEAST_RECORDS)
    found: Floats = np.where(enough, covariance / np.sqrt(np.where(enough, size, 1.0)), 0.0)
    return found


def _strong_pairs(correlations: Floats) -> list[tuple[int, int]]:
    """The pairs to separate, the strongest first."""
    rows, columns = np.triu_indices(len(correlations), 1)
    size = correlations[rows, columns]
    order = np.argsort(-size, kind="stable")
    return [(int(rows[k]), int(columns[k])) for k in order[: int((size >= STRONG).sum())]]


def _signs(correlations: Floats) -> Ints:
    """The half of each attribute, 1 or -1; that of the first is 1."""
    signs, group = np.ones(len(correlations), np.int64), np.arange(len(correlations))
    for i, j in _strong_pairs(correlations):
        if group[i] == group[j]:
            continue  # stronger pairs have placed both
        moved = group == group[j]
        if signs[i] == signs[j]:
            signs[moved] *= -1
        group[moved] = group[i]
    signs = _two_each(_balanced(signs, group, correlations), correlations)
    return signs * signs[:1]


def _balanced(signs: Ints, group: Ints, correlations: Floats) -> Ints:
    """Turn whole groups so that the halves are equal, and correlated with each other."""
    groups = [np.flatnonzero(group == one) for one in np.unique(group)]
    groups.sort(key=lambda one: (-abs(signs[one].sum()), -correlations[one].max(), one[0]))
    placed = np.zeros(len(signs), np.int64)
    for members in groups:
        own = signs[members]
        within = float(own @ correlations[members] @ placed)  # correlation within the halves
        turn = -1 if within > 0 else 1
        if abs(placed.sum() + turn * own.sum()) > abs(placed.sum() - turn * own.sum()):
            turn = -turn
        placed[members] = turn * own
    return placed


def _two_each(signs: Ints, correlations: Floats) -> Ints:
    """Give a half with one attribute the one that is least correlated with it."""
    for sign in (1, -1):
        alone, others = np.flatnonzero(signs == sign), np.flatnonzero(signs != sign)
        if len(alone) == 1 and len(others) > SMALLEST_HALF:
            least = others[np.argmin(correlations[alone[0], others])]
            signs = np.where(np.arange(len(signs)) == least, sign, signs)
    return signs
