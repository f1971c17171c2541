"""Disclosure: what a release tells of people, whether or not anybody is linked."""

from typing import Annotated

import msgspec
from msgspec import Meta


class Inside(msgspec.Struct, frozen=True):
    """How many originals lie in the interval around their released value, and by chance."""

    width: float  # in percent, to either side: of the records, or of a standard deviation
    share: float
    chance: float  # expected where originals and released rows are paired at random

    @property
    def beyond_chance(self) -> float:
        """From 0, no more than by chance, to 1, everybody; 0 where chance has everybody."""
        if self.chance >= 1:
            return 0.0
        return max(0.0, (self.share - self.chance) / (1 - self.chance))


class IntervalCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Shares inside by the width of the interval, the width reported first before the others."""

    column: str | None  # None: of several
    n: int  # pairs whose original is there
    by_rank: tuple[Inside, ...]
    by_deviation: tuple[Inside, ...]


class IntervalDisclosure(msgspec.Struct, frozen=True, kw_only=True):
    """Interval disclosure: on average over the attributes, in all at once, and in each."""

    n: int  # pairs
    average: IntervalCurve
    together: IntervalCurve  # records inside in every attribute
    looked_at: int  # records on which the chance to be inside in every one was counted
    attributes: tuple[IntervalCurve, ...]

    @property
    def worst(self) -> IntervalCurve:
        """The attribute that is disclosed most, beyond chance, at the width reported first."""
        return max(self.attributes, key=lambda curve: curve.by_rank[0].beyond_chance)


class Uniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """How many records share their combination of values with how many.

    A file is k-anonymous if every record shares its quasi-identifiers with at least k - 1 others,
    so that they cannot be told apart. The larger k is, the better; where it is 1, somebody is
    alone. It does not say what those who are alike have in common: see l-diversity.
    """

    columns: tuple[str, ...]
    n: int
    classes: int  # different combinations
    smallest: int  # records in the smallest class
    uniques: int  # records alone in their class: they violate 2-anonymity
    below_3: int  # in classes of fewer than 3: they violate 3-anonymity
    below_5: int
    fitting: int | None = None  # the fewest rows that fit one, stars fitting all; None: no stars


class ReleaseUniqueness(msgspec.Struct, frozen=True, kw_only=True):
    """Uniques before and after masking, and whether those after mean anything."""

    original: Uniqueness
    release: Uniqueness
    meaningful: bool
    reason: str  # why, or why not
    perturbed: tuple[str, ...]  # columns whose released values are nobody's in particular
    unperturbed: Uniqueness | None  # the release on the others; None: there are no others
    unperturbed_original: Uniqueness | None


class CompatibleRows(msgspec.Struct, frozen=True, kw_only=True):
    """How many released rows fit each person, by all that an intruder knows."""

    columns: tuple[str, ...]
    n: int  # people looked at
    population: int  # of so many
    fewest: int  # rows that fit somebody
    mean: float
    median: float
    none: int  # people whom no row fits
    below_2: int  # people whom fewer than 2 fit, those among them whom none does
    below_3: int
    below_5: int


class Diversity(msgspec.Struct, frozen=True, kw_only=True):
    """How many values of a confidential attribute classes of equal records have."""

    column: str
    fewest: int
    records: int  # in the smallest class that has so few
    homogeneous: int  # records in classes with one value
    entropy: float | None = None  # the fewest values, counted by entropy
    commonest: float | None = None  # the largest share that one value has of a class
    distance: float | None = None  # how far the values of a class are from those of all, at most


class Above(msgspec.Struct, frozen=True):
    """How many records have a risk above a threshold."""

    threshold: float
    records: int


class HouseholdRisk(msgspec.Struct, frozen=True, kw_only=True):
    """The risk that at least one of a household is re-identified."""

    n: int  # households
    expected: float  # of them
    share: float
    highest: float
    persons: float  # expected, if with one of a household all are re-identified


class PopulationRisk(msgspec.Struct, frozen=True, kw_only=True):
    """What sampling weights say of the risk to be re-identified in the population."""

    columns: tuple[str, ...]
    weight: str
    n: int
    population: float  # the sum of the weights
    sampling_fraction: Annotated[
        float | None,  # None where weights say less than the sample
        Meta(
            description="The share of the population that is in the sample, from 0 to 1, as the "
            "weights say. The smaller it is, the less sure can an intruder be that a record is "
            "not that of somebody else who looks alike."
        ),
    ]
    expected: float  # re-identifications
    share: float
    highest: float
    above: tuple[Above, ...]
    uniques: int  # in the sample
    population_uniques: float  # of these, expected to be unique in the population
    clipped: int  # records whose class weighs less than it has records
    households: HouseholdRisk | None


class GroupMean(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of something over one subgroup."""

    name: str
    n: int  # records that have a value
    mean: float | None  # None: none has
    small: bool  # the group has too few records to say much


class HouseholdHits(msgspec.Struct, frozen=True):
    """How many households have at least one member who is found.

    Who finds one member may know the others, too. The share goes from 0 to 1, and is as a rule
    higher than that of single people, as each member adds a chance.
    """

    n: int  # households
    share: float | None  # expected; None where there are none


class UnchangedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a column was released as it is."""

    column: str
    unchanged: bool  # every cell; where pairs are not known: the same cells, in some order
    share: float | None  # of the cells; None where pairs are not known


class Unchanged(msgspec.Struct, frozen=True, kw_only=True):
    """What was released unchanged, and how many records that singles out."""

    known: bool  # whether pairs are; else columns are perhaps unchanged
    n: int  # pairs
    records: int  # in the release
    columns: tuple[UnchangedColumn, ...]
    unchanged: tuple[str, ...]
    singled_out: Annotated[
        int,
        Meta(
            description="How many released records are alone with what they have in all columns "
            "that were released unchanged, from 0 to all of them. Whoever knows these values can "
            "point to the row: no attack is needed."
        ),
    ]
    quasi: tuple[str, ...]  # those that are quasi-identifiers
    singled_out_quasi: int


class Inference(msgspec.Struct, frozen=True, kw_only=True):
    """What a link tells of a confidential attribute, and what is known without it.

    Shares of the people, from 0 to 1, whose value somebody has right: by the link, with their own
    row taken out, by one guess for all, and by a model of the release that their own row had no
    part in. Only where the link has more right than the others does it tell something of the
    person.
    """

    column: str
    attack: str
    known: tuple[str, ...]  # what the attack compares, which the model goes by
    n: int  # people looked at who have a value
    left_out: int  # for whom too many rows tie
    population: int  # people who might be looked at
    tolerance: float | None  # numbers are right within so much of a deviation; None: categories
    linked: float
    control: float
    guess: float
    inferred: float | None  # None: nothing is compared that a model could go by
    homogeneous: Annotated[
        float,
        Meta(
            description="The share of the people, from 0 to 1, for whom all rows that are nearest "
            "have one value of a confidential attribute, and it is right. It is then known, "
            "whichever of these rows is the person's."
        ),
    ]
