"""Loss: what the masking cost, each number with its range and its meaning."""

import msgspec


class LossMeasure(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of loss: its value, and how to read it.

    >>> LossMeasure(name="IL1s", family="numbers", value=0.12, best=0.0, worst=None, definition="",
    ...          blind="", n=100).reading
    'IL1s 0.12 (0 is best, no upper end)'
    """

    name: str
    family: str  # what it looks at: numbers, categories, tables, cells, records, ...
    value: float | None  # none where it cannot be computed; then the note says why
    best: float
    worst: float | None  # none: no upper end
    definition: str
    blind: str  # what it cannot see
    n: int  # of what it is a mean: cells, records, attributes, pairs of them, as defined
    note: str = ""

    @property
    def reading(self) -> str:
        """The value in words, with its range."""
        if self.value is None:
            return f"{self.name}: none ({self.note})"
        end = "no upper end" if self.worst is None else f"{self.worst:g} is worst"
        return f"{self.name} {self.value:.3g} ({self.best:g} is best, {end})"


class AttributeLoss(msgspec.Struct, frozen=True, kw_only=True):
    """What was lost in one attribute, by the names of the measures that look at single ones."""

    column: str
    level: str
    values: dict[str, float]


class GroupLoss(msgspec.Struct, frozen=True, kw_only=True):
    """What one subgroup lost: records that are not released, cells that tell less or nothing."""

    column: str  # of the grouping
    name: str  # of the group, as the grouping names it
    n: int  # its records in the original
    discarded: float  # the share of them that no released row stands for
    discarded_ratio: float | None  # to the share of all records; none where nobody is discarded
    chance: float  # of so many discarded or more, were they drawn from all
    suppressed: float | None  # the share of its released cells that are not told any more
    suppressed_ratio: float | None
    generalisation: float | None = None  # what its released cells leave open, 0 to 1, on average
    generalisation_ratio: float | None = None


class Suppression(msgspec.Struct, frozen=True, kw_only=True):
    """Who and what is missing in the release, of all and by subgroup."""

    n: int  # records of the original
    discarded: float | None  # none where it is not known whose rows the released are
    suppressed: float | None
    groups: tuple[GroupLoss, ...]
    most_discarded: GroupLoss | None  # the group whose discards chance explains least
    most_suppressed: GroupLoss | None
    note: str = ""
    generalisation: float | None = None
    most_generalised: GroupLoss | None = None


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """One attribute predicted from the others: by the originals, and by the release."""

    target: str
    score: str  # balanced accuracy, or R2
    original: float | None  # on held-out originals; none where nothing can be predicted
    release: float | None
    constant: float | None  # of a constant guess
    loss: float | None  # the part of what the originals gain over a guess that is lost
    train: int  # originals learned from
    train_release: int
    test: int
    note: str = ""


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """How many records of each file have a value in one range, or one category."""

    label: str  # a range with round ends, a declared category, "category 3", "other"
    original: int
    release: int
    original_share: float  # of the records that have a value
    release_share: float


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one attribute are distributed in the original and in the release.

    Where the bars of both are alike, who counts this attribute by itself finds what was there
    before. They do not show how attributes go together, nor whose value is whose.
    """

    column: str
    level: str
    bars: tuple[Bar, ...]  # in the order of the values
    original_missing: int
    release_missing: int
    shift: float | None  # of the mean, in deviations of the original; None: no numbers
    spread: float | None  # the deviation of the release, 1 if it is that of the original
    note: str = ""  # why there are no bars


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said of what a release lost."""

    overall: LossMeasure
    measures: tuple[LossMeasure, ...]
    attributes: tuple[AttributeLoss, ...]
    suppression: Suppression
    predictions: tuple[Prediction, ...]
    original: int  # records
    release: int
    pairs: int  # released rows whose original is known
    columns: tuple[str, ...]  # those measured
    seed: int

    def __getitem__(self, name: str) -> LossMeasure:
        """One measure by its name."""
        return next(one for one in (self.overall, *self.measures) if one.name == name)

    def __str__(self) -> str:
        return self.overall.reading
