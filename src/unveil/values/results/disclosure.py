"""Disclosure: information about people in a release, with or without links."""

from typing import Annotated

import msgspec
from msgspec import Meta

from unveil.values.results.risk import Interval
from unveil.wording import count, listing

NEARLY_UNCHANGED = 0.95  # share of the cells


class Inside(msgspec.Struct, frozen=True):
    """The share of originals in the interval around their released value, and by chance."""

    width: float  # in percent, to either side: of the records, or of a standard deviation
    share: float
    chance: float  # expected share if originals and released rows are paired at random

    @property
    def beyond_chance(self) -> float:
        """The share beyond chance, from 0 to 1; 0 where chance alone gives everybody."""
        if self.chance >= 1:
            return 0.0
        return max(0.0, (self.share - self.chance) / (1 - self.chance))


class IntervalCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The share inside by the width of the interval; the reported width comes first."""

    column: str | None  # None: several columns
    n: int  # pairs whose original is not missing
    by_rank: tuple[Inside, ...]
    by_deviation: tuple[Inside, ...]


class IntervalDisclosure(msgspec.Struct, frozen=True, kw_only=True):
    """Interval disclosure: averaged over the attributes, in all at once, and in each."""

    n: int  # pairs
    average: IntervalCurve
    together: IntervalCurve  # records inside in every attribute
    looked_at: int  # records on which the joint chance was counted
    attributes: tuple[IntervalCurve, ...]

    @property
    def worst(self) -> IntervalCurve:
        """The attribute disclosed most beyond chance, at the reported width."""
        return max(self.attributes, key=lambda curve: curve.by_rank[0].beyond_chance)


class Uniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of the classes of records with the same combination of values.

    A file is k-anonymous if every record shares its quasi-identifiers with at least k - 1 others,
    so that these cannot be distinguished. A larger k is better; k = 1 means that a person is
    unique. k-anonymity does not cover values that a class has in common: see l-diversity.
    """

    columns: tuple[str, ...]
    n: int
    classes: int  # different combinations
    smallest: int  # records in the smallest class
    uniques: int  # records alone in their class; they violate 2-anonymity
    below_3: int  # records in classes of fewer than 3; they violate 3-anonymity
    below_5: int
    fitting: int | None = None  # the fewest rows compatible with one, by its stars; None: no stars


class ReleaseUniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """Uniqueness before and after masking, and whether the latter is meaningful."""

    original: Uniqueness
    release: Uniqueness
    meaningful: bool
    reason: str  # why, or why not
    perturbed: tuple[str, ...]  # columns whose released values are perturbed
    unperturbed: Uniqueness | None  # of the release on the other columns; None: there are none
    unperturbed_original: Uniqueness | None


class CompatibleRows(msgspec.Struct, frozen=True, kw_only=True):
    """The number of released rows compatible with all that an intruder knows of a person."""

    columns: tuple[str, ...]
    n: int  # people examined
    population: int  # people who could be examined
    fewest: int  # compatible rows of any person
    mean: float
    median: float
    none: int  # people without a compatible row
    below_2: int  # people with fewer than 2 compatible rows
    below_3: int
    below_5: int


class Diversity(msgspec.Struct, frozen=True, kw_only=True):
    """The diversity of a confidential attribute within classes of equal records."""

    column: str
    fewest: int
    records: int  # in the smallest class with the fewest values
    homogeneous: int  # records in classes with one value
    entropy: float | None = None  # the fewest values by entropy
    commonest: float | None = None  # the largest share of one value in a class
    distance: float | None = None  # the largest distance of a class from all records


class PolicyClasses(msgspec.Struct, frozen=True, kw_only=True):
    """The classes of equal records that a limit of a policy is counted on."""

    limit: str
    keys: tuple[str, ...]
    source: str  # who chose the keys: "policy", the mask that promised them, or "not perturbed"
    left_out: tuple[str, ...]  # quasi-identifiers that are no keys
    meaningless: str = ""  # why the limit means nothing for this release; then nothing is counted
    original: Uniqueness | None = None
    release: Uniqueness | None = None
    filled: int | None = None  # the smallest class with what can be read off filled in
    diversity: tuple[Diversity, ...] = ()


class Above(msgspec.Struct, frozen=True):
    """The number of records with a risk above a threshold."""

    threshold: float
    records: int


class HouseholdRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk that at least one member of a household is re-identified."""

    n: int  # households
    expected: float  # of them
    share: float
    highest: float
    persons: float  # expected, if one member reveals the whole household


class PopulationRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk of re-identification in the population, by sampling weights."""

    columns: tuple[str, ...]
    weight: str
    n: int
    population: float  # the sum of the weights
    sampling_fraction: Annotated[
        float | None,  # None in older evidence whose weights sum to less than the sample
        Meta(
            description="The share of the population in the sample, from 0 to 1, by the weights. "
            "The smaller it is, the less certain an intruder can be that a record does not "
            "belong to another person with the same values."
        ),
    ]
    expected: float  # re-identifications
    share: float
    highest: float
    above: tuple[Above, ...]
    uniques: int  # in the sample
    population_uniques: float  # of these, expected to be unique in the population
    households: HouseholdRisk | None


class GroupMean(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a figure over one subgroup."""

    name: str
    n: int  # records with a value
    mean: float | None  # None: no record has a value
    small: bool  # the group has too few records to be informative


class HouseholdHits(msgspec.Struct, frozen=True):
    """The share of households with at least one member re-identified.

    A link of one member may reveal the others. The share ranges from 0 to 1 and is usually higher
    than that of single people, since every member adds a chance.
    """

    n: int  # households
    share: float | None  # expected; None where there are none


class UnchangedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a column was released unchanged."""

    column: str
    unchanged: bool  # every cell; where pairs are not known, the same cells in any order
    share: float | None  # of the cells; None where pairs are not known

    @property
    def nearly(self) -> bool:
        """Whether the column is unchanged but for a few cells."""
        return self.unchanged or (self.share or 0.0) >= NEARLY_UNCHANGED


class WithoutRole(msgspec.Struct, frozen=True, kw_only=True):
    """Released columns without a role.

    An intruder may know them, and no attack compares them. So a policy is not kept until each has a
    role; the role `other` says that no intruder can know the column.
    """

    columns: tuple[str, ...]  # released unchanged
    records: int  # in the release
    singled_out: int  # unique in the unchanged columns
    singled_out_with_quasi: int  # unique in these and in the unchanged quasi-identifiers
    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()  # that the original does not have
    added_single_out: int = 0  # unique in the added columns

    @property
    def every(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.columns, *self.changed, *self.added)

    @property
    def sentence(self) -> str:
        """What an intruder can do with them and what to do, without a full stop."""
        of, said = f"of {count(self.records, 'record')}", []
        if self.columns:
            said.append(
                f"{_undecided(self.columns)}, released unchanged ({listing(self.columns)}): an "
                f"intruder who knows the values singles out {self.singled_out:,} {of}"
            )
            if self.singled_out_with_quasi > self.singled_out:
                more = f"{self.singled_out_with_quasi:,}"
                said[0] += f", and with the unchanged quasi-identifiers {more}"
        if self.changed:
            said.append(
                f"{_undecided(self.changed)}, released changed ({listing(self.changed)}): no "
                "attack compares the values by default"
            )
        if said:
            said.append(
                'Give each a role in the schema; role = "other" states that no intruder knows it'
            )
        if self.added:
            said.append(
                f"{_undecided(self.added)}, in the release only ({listing(self.added)}): no attack "
                "compares the values, and an intruder who knows them singles out "
                f"{self.added_single_out:,} {of}. For a renamed column, give the old name "
                "(--rename NEW=OLD); otherwise give a role in the release's schema "
                '(--release-schema), role = "other" if no intruder knows the column, or drop it'
            )
        return ". ".join(said)


def _undecided(columns: tuple[str, ...]) -> str:
    return f"{count(len(columns), 'column')} without a role"


class Unchanged(msgspec.Struct, frozen=True, kw_only=True):
    """The columns released unchanged, and the records that these single out."""

    known: bool  # whether pairs are known; if not, columns may be unchanged
    n: int  # pairs
    records: int  # in the release
    columns: tuple[UnchangedColumn, ...]
    unchanged: tuple[str, ...]
    singled_out: Annotated[
        int,
        Meta(
            description="The number of released records that are unique in the columns released "
            "unchanged, from 0 to all. A person who knows these values can identify the row "
            "without an attack."
        ),
    ]
    quasi: tuple[str, ...]  # the unchanged quasi-identifiers
    singled_out_quasi: int
    without_role: WithoutRole | None = None  # None: each has a role, or older evidence


class Inference(msgspec.Struct, frozen=True, kw_only=True):
    """The gain from a link about a confidential attribute, compared with guessing without it.

    The shares, from 0 to 1, of people whose value is guessed correctly: by the link, by the link
    without their own row, by one guess for all, and by a model of the release without their own
    row. A link reveals something about the person only if it is correct more often than the others.
    """

    column: str
    attack: str
    known: tuple[str, ...]  # attributes of the attack and of the model
    n: int  # people examined who have a value
    left_out: int  # people for whom too many rows tie
    population: int  # people who could be examined
    tolerance: float | None  # of numbers, in standard deviations; None: categories
    linked: float
    control: float
    guess: float
    inferred: float | None  # None: the model has no attributes
    homogeneous: Annotated[
        float,
        Meta(
            description="The share of people, from 0 to 1, whose nearest rows all have the same, "
            "correct value of a confidential attribute. The intruder learns it without "
            "knowing which of these rows belongs to the person."
        ),
    ]
    learned: float = 0.0  # linked beyond control, at least 0; 0 in older evidence
    gain: Interval | None = None  # of linked minus control, over the people; None: too few
    sampled: bool = False  # whether the people are drawn from more
