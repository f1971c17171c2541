"""The masks that are proposed on top of a release, each in several strengths."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from unveil.errors import UnveilError
from unveil.masks import Mask, Microaggregation, Pram, RankPermutation
from unveil.table.microdata import Microdata

NAMED_COLUMNS = 8  # columns named in a sentence
PRAM_CATEGORIES = 1000  # categories up to which a transition matrix is soon made


class Strength(NamedTuple):
    """A remedy in one strength: masks of some columns, or, without masks, these left out."""

    description: str
    columns: tuple[str, ...]
    masks: tuple[Mask, ...] = ()


class MaskTemplate(NamedTuple):
    """A mask for columns of some levels of measurement."""

    levels: tuple[str, ...]
    mask: Callable[[tuple[str, ...], int], Mask]
    description: str  # of columns and a strength
    strengths: tuple[int, ...]  # increasing
    records: int = 0  # at least, for each unit of strength

    def fits(self, release: Microdata, name: str) -> bool:
        """Whether the mask can be applied to a column."""
        if release.schema[name].generalised or release.level(name) not in self.levels:
            return False
        if release.level(name) != "numeric" and release.column(name).n_unique() > PRAM_CATEGORIES:
            return False
        return any(self.possible(release, (name,)))

    def possible(self, release: Microdata, columns: tuple[str, ...]) -> Iterator[Strength]:
        """The strengths in which the mask can be applied to these columns together."""
        for strength in self.strengths:
            mask, named = self.mask(columns, strength), _in_words(columns)
            with suppress(UnveilError):
                mask.check(release)
                if strength * self.records <= len(release):
                    yield Strength(self.description.format(named, strength), columns, (mask,))


GROUPING = MaskTemplate(
    ("numeric",),
    lambda names, k: Microaggregation(k=k, columns=names),
    "microaggregate {} in groups of {}",
    (3, 5, 10, 20, 50, 100),
    records=4,
)
PERMUTATION = MaskTemplate(  # not swapping: its pairs can be followed back
    ("numeric", "ordinal"),
    lambda names, p: RankPermutation(p=p, columns=names),
    "permute {} within {} % of the ranks",
    (5, 10, 20, 40, 70, 100),
)
PRAM = MaskTemplate(  # an invariant matrix would change only the rarest category so often
    ("nominal", "ordinal"),
    lambda names, percent: Pram(theta=percent / 100, invariant=False, columns=names),
    "change {} with a probability of {} % (PRAM)",
    (10, 20, 30, 50, 70, 90),
)


def proposed_remedies(
    release: Microdata, known: Sequence[str], *, compared: Sequence[str], riskiest: str | None
) -> list[tuple[Strength, ...]]:
    """The remedies that can be applied and mask what the attack compares, the weakest first."""

    def proposal(template: MaskTemplate) -> tuple[Strength, ...]:
        columns = tuple(name for name in known if template.fits(release, name))
        covered = set(columns) & set(compared)
        return tuple(template.possible(release, columns)) if covered else ()

    left_out = () if riskiest is None else (Strength(f"leave out {riskiest}", (riskiest,)),)
    grouped, permuted, drawn = map(proposal, (GROUPING, PERMUTATION, PRAM))
    # Combined, ordered categories are permuted: each column is masked once, not twice.
    nominal = proposal(PRAM._replace(levels=("nominal",)))
    combined = tuple(
        Strength(f"{a.description}, and {b.description}", a.columns + b.columns, a.masks + b.masks)
        for a, b in zip(permuted, nominal, strict=False)
    )
    return [one for one in (left_out, grouped, permuted, drawn, combined) if one]


def _in_words(names: Sequence[str]) -> str:
    """The first eight names in a sentence: age, income and hours."""
    more = len(names) - NAMED_COLUMNS
    *before, last = names if more <= 0 else (*names[:NAMED_COLUMNS], f"{more} more")
    return f"{', '.join(before)} and {last}" if before else last
