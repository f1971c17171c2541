"""Information loss of the masking, each measure with its range and meaning."""

import msgspec

from unveil.support import display
from unveil.values.results.risk import Interval
from unveil.wording import count, fitted


class LossMeasure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of information loss, with its range and meaning.

    >>> LossMeasure(name="IL1s", family="numbers", value=0.12, best=0.0, worst=None, definition="",
    ...          blind="", n=100).reading
    'IL1s 0.12 (0 is best, no upper end)'
    """

    name: str
    family: str  # what it compares: numbers, categories, tables, cells, records, ...
    value: float | None  # None where it cannot be computed; the note says why
    best: float
    worst: float | None  # None: no upper end
    definition: str
    blind: str  # what it cannot see
    n: int  # cells, records, attributes or pairs that it averages over
    note: str = ""

    @property
    def reading(self) -> str:
        """The value in words, with its range."""
        if self.value is None:
            return f"{self.name}: none ({self.note})"
        end = "no upper end" if self.worst is None else f"{self.worst:g} is worst"
        return f"{self.name} {self.value:.3g} ({self.best:g} is best, {end})"


class UsePart(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of one column, pair of columns, model or estimate of a use."""

    name: str
    value: float  # 0 to 1
    before: Interval | None = None  # of an estimate: its 95 % interval in the original
    after: Interval | None = None  # and in the release


class UseLoss(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of one use: 0 for the original, 1 for a file in which the use is destroyed."""

    name: str
    kind: str  # distributions, relations, model or estimates
    value: float | None  # None where it cannot be measured; the note says why
    error: float | None  # standard error, from groups of whole households left out in turn
    n: int  # columns, pairs, models or estimates that it is made of
    records: int  # of the original, compared with the release
    parts: tuple[UsePart, ...]  # those that lost most, at most 12
    definition: str
    columns: tuple[str, ...] | None = None  # as the use declares them, and what follows
    target: str | None = None
    by: str | None = None
    max_loss: float | None = None
    note: str = ""

    @property
    def worst(self) -> str:
        """The part that lost most; empty if none lost anything."""
        return self.parts[0].name if self.parts and self.parts[0].value > 0 else ""


class AttributeLoss(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of one attribute, by the name of the measure."""

    column: str
    level: str
    values: dict[str, float]


class ColumnChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changed cells of one released column."""

    column: str
    n: int  # cells whose original is known
    changed: int
    suppressed: int  # became a star or missing
    generalised: int  # became a range, a set or a merged category
    replaced: int  # have another value, or another missing code


class BrokenHouseholds(msgspec.Struct, frozen=True, kw_only=True):
    """The households whose members shared the cell of a column and no longer do."""

    column: str
    broken: int
    households: int  # in the release
    declared: bool  # per_household

    @property
    def sentence(self) -> str:
        """What is wrong and what to do, without a full stop."""
        remedy = "if it describes the household, declare it per_household: masks then treat it once"
        if self.declared:
            remedy = (
                "choose a mask of single columns or one that suppresses cells, or leave the "
                "column out"
            )
        homes = count(self.households, "household")
        return (
            f"{self.column}: the members of {self.broken:,} of {homes} no longer have the same "
            f"value; {remedy}"
        )


class GroupLoss(msgspec.Struct, frozen=True, kw_only=True):
    """The loss of one subgroup: discarded records, suppressed and generalised cells."""

    column: str  # of the grouping
    name: str  # of the group
    n: int  # its records in the original
    discarded: float  # share of them without a released row
    discarded_ratio: float | None  # to the share of all records; None where nobody is discarded
    chance: float  # probability of so many discarded or more, if drawn from all
    suppressed: float | None  # share of its released cells that are suppressed
    suppressed_ratio: float | None
    generalisation: float | None = None  # mean generalisation of its released cells, 0 to 1
    generalisation_ratio: float | None = None


class Suppression(msgspec.Struct, frozen=True, kw_only=True):
    """Discarded records and suppressed cells, overall and by subgroup."""

    n: int  # records of the original
    discarded: float | None  # None where pairs are not known
    suppressed: float | None
    groups: tuple[GroupLoss, ...]
    most_discarded: GroupLoss | None  # the group whose discards chance explains least
    most_suppressed: GroupLoss | None
    note: str = ""
    generalisation: float | None = None
    most_generalised: GroupLoss | None = None


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """One attribute predicted from the others, trained on the originals and on the release."""

    target: str
    score: str  # balanced accuracy, or R2
    original: float | None  # on held-out originals; None where nothing can be predicted
    release: float | None
    constant: float | None  # of a constant guess
    loss: float | None  # lost part of the originals' gain over a constant guess
    train: int  # originals trained on
    train_release: int
    test: int
    note: str = ""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """The records of each file with a value in one range, or with one category."""

    label: str  # a range with round ends, a declared category, a letter, "other"
    original: int
    release: int
    original_share: float  # of the records that have a value
    release_share: float


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """The distribution of one attribute in the original and in the release.

    Where the bars of both agree, counts of this attribute alone are preserved. The bars do not show
    relations between attributes, nor which person has which value.
    """

    column: str
    level: str
    bars: tuple[Bar, ...]  # in the order of the values
    original_missing: int
    release_missing: int
    shift: float | None  # of the mean, in deviations of the original; None: no numbers
    spread: float | None  # deviation of the release over that of the original
    note: str = ""  # why there are no bars


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """The information loss of a release."""

    overall: LossMeasure
    measures: tuple[LossMeasure, ...]
    attributes: tuple[AttributeLoss, ...]
    suppression: Suppression
    predictions: tuple[Prediction, ...]
    original: int  # records
    release: int
    pairs: int  # released rows whose original is known
    columns: tuple[str, ...]  # measured
    seed: int
    uses: tuple[UseLoss, ...] = ()  # whose largest is the overall loss

    def __getitem__(self, name: str) -> LossMeasure:
        """One measure by its name."""
        return next(m for m in (self.overall, *self.measures) if m.name == name)

    def __str__(self) -> str:
        return self.overall.reading

    def __repr__(self) -> str:
        uses = count(len(self.uses), "use")
        measures = count(len(self.measures), "measure")
        return fitted(f"Loss({self.overall.reading}; {uses}, {measures})")

    _repr_html_ = display.html
