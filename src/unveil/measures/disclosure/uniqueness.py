"""Uniqueness: records that nobody else looks like."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from unveil.errors import UsageError
from unveil.grouping.classes import class_values
from unveil.models import AlphaKAnonymity, LDiversity, Model, TCloseness
from unveil.models import row_counts as fitting
from unveil.models.base import compile_rules
from unveil.support.arrays import Ints
from unveil.support.threads import on_all_cores
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Diversity, ReleaseUniqueness, Uniqueness
from unveil.values.single_values import star_cells
from unveil.wording import listing

MOST_FITTED = 50_000  # classes whose stars are held against each other
MADE_UP = 0.1  # of the released numbers are not in the original: they were perturbed


def classes_of(data: Microdata, columns: Sequence[str]) -> Ints:
    """The class of each record: records with the same values in all columns share one.

    A missing cell is a value of its own, a generalised cell its text.

    >>> from unveil.table.sample import households
    >>> len(set(classes_of(households(100), ["sex"]).tolist()))
    2
    """
    if not columns:
        raise UsageError("columns: at least one, or nobody differs from anybody")
    data.check(*columns)
    found = fitting.classes_of(data, columns)
    return found.scatter(np.arange(len(found.sizes)))


def uniqueness(data: Microdata, columns: Sequence[str]) -> Uniqueness:
    """How many records are alone, or nearly so, with their combination of values.

    A record that nobody else looks like can be picked out by whoever knows these values. Counted
    are the records that share theirs with no other, with fewer than two and with fewer than four
    others: they violate 2-, 3- and 5-anonymity. It goes from 0, which is best, to all records.

    A missing cell is a value of its own, which only those share who miss it too; a
    generalised cell is its text.

    >>> import unveil
    >>> found = uniqueness(unveil.households(1000, seed=7), ["region", "sex", "age"])
    >>> found.uniques < found.below_3 < found.below_5
    True
    """
    sizes = np.bincount(classes_of(data, columns))
    below = [int(sizes[sizes < k].sum()) for k in (2, 3, 5)]
    starred = any(star_cells(data, name).any() for name in columns)
    return Uniqueness(
        columns=tuple(columns),
        n=len(data),
        classes=len(sizes),
        smallest=int(sizes.min()),
        uniques=below[0],
        below_3=below[1],
        below_5=below[2],
        fitting=fewest_fitting(data, columns, len(sizes)) if starred else None,
    )


def fewest_fitting(data: Microdata, columns: Sequence[str], classes: int) -> int | None:
    """The rows that fit the one that fewest fit, a star fitting anything; None: too many to count.

    >>> from unveil.table.sample import households
    >>> fewest_fitting(households(100), ["sex"], 2) > 2
    True
    """
    if classes > MOST_FITTED:
        return None
    return int(fitting.wildcard_counts(data, columns).min())


def release_uniqueness(
    both: FilePair, columns: Sequence[str] | None = None
) -> ReleaseUniqueness | None:
    """Uniques on the quasi-identifiers, of the original and of the release.

    On perturbed columns they mean nothing: a combination that noise has made unique says
    nothing of how many people of the population have it. Perturbed are numbers whose order
    was changed or of which there are more than before, and categories where one was released
    as several; what is merely coarser (rounded, recoded, averaged in order, generalised,
    suppressed) is not. Where no pairs are
    known, only numbers can be told: perturbed are those where a tenth of the released cells or
    more hold values that the original does not have. Then the columns that are not perturbed
    are counted by themselves. None where there is no quasi-identifier in the release.

    >>> import unveil
    >>> from unveil.values.file_pair import FilePair
    >>> sample = unveil.households(300, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.5, columns=["income"])
    >>> both = FilePair(sample, unveil.mask(sample, [noise], seed=7).data, None)
    >>> found = release_uniqueness(both, ["sex", "age", "income"])
    >>> found.meaningful, found.perturbed, found.unperturbed.columns
    (False, ('income',), ('sex', 'age'))
    """
    if columns is None:
        own = tuple(
            n for n in both.original.schema.with_role("quasi") if n in both.original.columns
        )
        columns = [name for name in own if name in both.columns]
    else:
        own = tuple(columns)
    if not columns:
        return None
    changed = on_all_cores(partial(_perturbed, both), columns)
    perturbed = tuple(name for name, yes in zip(columns, changed, strict=True) if yes)
    others = tuple(name for name in columns if name not in perturbed)
    return ReleaseUniqueness(
        original=uniqueness(both.original, own),
        release=uniqueness(both.release, columns),
        meaningful=not perturbed,
        reason=_reason(both, perturbed),
        perturbed=perturbed,
        unperturbed=uniqueness(both.release, others) if others else None,
        unperturbed_original=uniqueness(both.original, others) if others else None,
    )


def _perturbed(both: FilePair, column: str) -> bool:
    """Whether released values are not the originals', nor coarser ones."""
    if both.generalised(column):
        return False
    original, released = both.cells(column)
    number = both.level(column) == "numeric"
    if not len(both.released):
        return number and _made_up(original, released)
    before, after = original[both.originals], released[both.released]
    there = (before >= 0) & (after >= 0)
    before, after = before[there], after[there]
    if (before == after).all():
        return False
    order = np.lexsort((after, before))
    same, change = np.diff(before[order]) == 0, np.diff(after[order])
    if number:
        return bool((change < 0).any()) or len(np.unique(after)) > len(np.unique(before))
    return bool((change[same] != 0).any())


def _made_up(original: Ints, released: Ints) -> bool:
    there = released[released >= 0]
    new = int((~np.isin(there, original)).sum())
    return bool(new) and new >= MADE_UP * len(there)


def _reason(both: FilePair, perturbed: tuple[str, ...]) -> str:
    if perturbed:
        return (
            f"perturbed: {listing(perturbed)}; a combination that is unique after that says "
            "nothing of how many people have it"
        )
    if not len(both.released):
        return "no released number is new; whether values were exchanged is not known"
    return "released values are the originals', or coarser"


def diversity(data: Microdata, columns: Sequence[str]) -> tuple[Diversity, ...]:
    """How many values of a confidential attribute records that are alike have at least.

    If all who have the same quasi-identifiers have the same illness, say, it is known of each of
    them, though nobody can tell them apart. At 1 there is such a group; the higher the number,
    the less is told.

    Distinct l-diversity: Machanavajjhala and others, l-diversity: privacy beyond k-anonymity
    (2007). A class with one value discloses it, whoever in the class a person is. Beside it, of
    the worst class each: as many values as have its entropy, the share of its commonest value,
    and how far its values are from those of all (t-closeness). Attributes that are among the
    columns themselves are left out; missing is a value.

    >>> import unveil
    >>> found = diversity(unveil.households(300, seed=7), ["sex"])
    >>> [one.column for one in found], found[0].fewest > 1
    (['income', 'tax', 'savings', 'rent'], True)
    """
    classes = fitting.classes_of(data, columns)
    found = []
    for name in data.schema.with_role("confidential"):
        if name in columns or name not in data.columns:
            continue
        rules = compile_rules(_asked(name), data, columns)
        many, by_entropy, apart, _, share = class_values(rules, classes).T
        found.append(
            Diversity(
                column=name,
                fewest=int(many.min()),
                records=int(classes.sizes[many == many.min()].min()),
                homogeneous=int(classes.sizes[many == 1].sum()),
                entropy=float(by_entropy.min()),
                distance=float(apart.max()),
                commonest=float(share.max()),
            )
        )
    return tuple(found)


def _asked(column: str) -> list[Model]:
    """The models of a confidential attribute, whatever they ask for."""
    of = (column,)
    return [
        LDiversity(l=1, columns=of),
        LDiversity(l=1, kind="entropy", columns=of),
        TCloseness(t=1, columns=of),
        AlphaKAnonymity(alpha=1, k=1, columns=of),
    ]
