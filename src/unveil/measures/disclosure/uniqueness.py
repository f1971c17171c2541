"""Uniqueness: records that share their combination of values with no other."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from unveil.errors import UsageError
from unveil.grouping.classes import class_values
from unveil.models import AlphaKAnonymity, LDiversity, TCloseness, row_counts
from unveil.models.base import compile_rules
from unveil.models.k_anonymity import Unit
from unveil.support.arrays import Ints
from unveil.support.threads import on_all_cores
from unveil.table.households import required_households
from unveil.table.microdata import Microdata
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import Diversity, ReleaseUniqueness, Uniqueness
from unveil.values.single_values import star_cells
from unveil.wording import listing

MOST_STARRED = 50_000  # classes whose stars are compared with each other
PERTURBED_SHARE = 0.1  # of released numbers that the original does not have


def classes_of(data: Microdata, columns: Sequence[str]) -> Ints:
    """The class of each record: records that are written alike in all columns share one.

    An empty cell is a value of its own, each missing code another, a generalised cell its text.
    """
    if not columns:
        raise UsageError("columns: at least one")
    data.check(*columns)
    classes = row_counts.classes_of(data, columns)
    return classes.scatter(np.arange(len(classes.sizes)))


def uniqueness(data: Microdata, columns: Sequence[str], *, unit: Unit = "record") -> Uniqueness:
    """How many records share their combination of values with no other, or with few.

    An intruder who knows the values of a unique record singles it out. Counted are the records
    that share theirs with no other, with fewer than two and with fewer than four others: they
    violate 2-, 3- and 5-anonymity. It goes from 0, which is best, to all records.

    A missing cell is a value of its own; a generalised cell is its text. With `unit` "household",
    households are counted: two are alike if they have as many members with the same values.

    >>> import unveil
    >>> found = uniqueness(unveil.households(1000, seed=7), ["region", "sex", "age"])
    >>> found.uniques < found.below_3 < found.below_5
    True
    """
    classes = classes_of(data, columns)
    if unit == "household":
        classes = row_counts.household_classes(data, columns, required_households(data))
    sizes, fitting = np.bincount(classes), None
    starred = unit == "record" and any(star_cells(data, name).any() for name in columns)
    if starred and len(sizes) <= MOST_STARRED:
        fitting = int(row_counts.wildcard_counts(data, columns).min())
    return Uniqueness(
        columns=tuple(columns),
        n=len(classes),
        classes=len(sizes),
        smallest=int(sizes.min()),
        uniques=int(sizes[sizes < 2].sum()),
        below_3=int(sizes[sizes < 3].sum()),
        below_5=int(sizes[sizes < 5].sum()),
        fitting=fitting,
    )


def release_uniqueness(
    pair: FilePair, columns: Sequence[str] | None = None
) -> ReleaseUniqueness | None:
    """Uniques on the quasi-identifiers, of the original and of the release.

    On perturbed columns they mean nothing: a combination that noise made unique does not show how
    many people of the population have it. Columns that are not perturbed are then counted by
    themselves; ``perturbed`` names the others. None where there is no quasi-identifier
    in the release.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.5, columns=["income"])
    >>> pair = FilePair.of(sample, unveil.mask(sample, [noise], seed=7).data, None)
    >>> found = release_uniqueness(pair, ["sex", "age", "income"])
    >>> found.meaningful, found.perturbed, found.unperturbed.columns
    (False, ('income',), ('sex', 'age'))
    """
    quasi: Sequence[str] = columns or ()
    if columns is None:
        declared = pair.original.schema.with_role("quasi")
        quasi = [name for name in declared if name in pair.original.columns]
        columns = [name for name in quasi if name in pair.columns]
    if not columns:
        return None
    perturbed = perturbed_columns(pair, columns)
    others = tuple(name for name in columns if name not in perturbed)
    reason = "released values are the originals', or coarser"
    if perturbed:
        reason = (
            f"perturbed: {listing(perturbed)}; a combination that is unique after perturbation "
            "does not show how many people have it"
        )
    elif not len(pair.released):
        reason = "no released number is new; whether values were exchanged is not known"
    return ReleaseUniqueness(
        original=uniqueness(pair.original, quasi),
        release=uniqueness(pair.release, columns),
        meaningful=not perturbed,
        reason=reason,
        perturbed=perturbed,
        unperturbed=uniqueness(pair.release, others) if others else None,
        unperturbed_original=uniqueness(pair.original, others) if others else None,
    )


def perturbed_columns(pair: FilePair, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns whose released values are neither the originals' nor coarser.

    A column is perturbed if the order of its numbers changed, if it has more distinct numbers than
    before, or if one category was released as several; what is only coarser (rounded, recoded,
    averaged in order, generalised, suppressed) is not. If no pairs are known, only numbers are
    tested: at least a tenth of the released cells hold values that the original does not have.
    """
    changed = on_all_cores(partial(_perturbed, pair), columns)
    return tuple(name for name, yes in zip(columns, changed, strict=True) if yes)


def _perturbed(pair: FilePair, column: str) -> bool:
    """Whether released values are neither the originals' nor coarser."""
    if pair.generalised(column):
        return False
    original, released = pair.cells(column)
    number = pair.level(column) == "numeric"
    if not len(pair.released):
        present = released[released >= 0]
        new = int((~np.isin(present, original)).sum())
        return number and bool(new) and new >= PERTURBED_SHARE * len(present)
    before, after = original[pair.originals], released[pair.released]
    known = (before >= 0) & (after >= 0)
    before, after = before[known], after[known]
    if (before == after).all():
        return False
    order = np.lexsort((after, before))
    same, change = np.diff(before[order]) == 0, np.diff(after[order])
    if number:
        return bool((change < 0).any()) or len(np.unique(after)) > len(np.unique(before))
    return bool((change[same] != 0).any())


def diversity(data: Microdata, columns: Sequence[str]) -> tuple[Diversity, ...]:
    """The fewest distinct values of each confidential attribute among records that are alike.

    If all records with the same quasi-identifiers share one illness, say, the illness of each
    person is known, although no person can be singled out. At 1 there is such a group; a higher
    number discloses less.

    Distinct l-diversity: Machanavajjhala and others, l-diversity: privacy beyond k-anonymity
    (2007). Beside it stand, each of the worst class: the number of equally frequent values with
    the same entropy, the share of the commonest value, and the distance of the values from those
    of all records (t-closeness). Attributes among the columns are left out; missing is a value.

    >>> import unveil
    >>> found = diversity(unveil.households(300, seed=7), ["sex"])
    >>> [one.column for one in found], found[0].fewest > 1
    (['income', 'tax', 'savings', 'rent'], True)
    """
    classes = row_counts.classes_of(data, columns)
    results = []
    for name in data.schema.with_role("confidential"):
        if name in columns or name not in data.columns:
            continue
        models = [
            LDiversity(l=1, columns=(name,)),
            LDiversity(l=1, kind="entropy", columns=(name,)),
            TCloseness(t=1, columns=(name,)),
            AlphaKAnonymity(alpha=1, k=1, columns=(name,)),
        ]
        rules = compile_rules(models, data, columns)
        distinct, by_entropy, distance, _, share = class_values(rules, classes).T
        results.append(
            Diversity(
                column=name,
                fewest=int(distinct.min()),
                records=int(classes.sizes[distinct == distinct.min()].min()),
                homogeneous=int(classes.sizes[distinct == 1].sum()),
                entropy=float(by_entropy.min()),
                distance=float(distance.max()),
                commonest=float(share.max()),
            )
        )
    return tuple(results)
