"""The attack interface: a spec that prepares two files for linkage, and the files it is given."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from unveil.aggregation.measure import FuzzyMeasure
from unveil.attacks.blocking import RecordBlocks
from unveil.engines.base import Engine
from unveil.engines.select import engine as select_engine
from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.support.specs import Spec, method_name
from unveil.support.work import search_seconds
from unveil.table.encoding.shared_attributes import common_categories, common_numbers
from unveil.table.encoding.to_arrays import code_numbers, codes
from unveil.table.microdata import Microdata
from unveil.values.correspondence import Correspondence
from unveil.values.file_pair import FilePair
from unveil.values.intruder import Intruder
from unveil.values.links import Finder
from unveil.values.release.channels import Channel
from unveil.values.release.composition import Masking
from unveil.wording import absent_column, count, listing

T = TypeVar("T")

Matching = Literal["nearest", "one-to-one", "posterior"]
MaskKnowledge = Literal["method", "parameters", "original"]

MATCHING = (
    "How records are linked. Each to its nearest row; one to one at the least total cost; or each "
    "to its most probable partner over all one-to-one matchings (posterior)."
)
Weights = Annotated[
    dict[str, float] | None, Meta(description="The weights of attributes, 1 by default.")
]
Aggregation = Annotated[
    Any,
    Meta(
        description="A fuzzy measure, to integrate the attributes' costs (Choquet) instead of "
        "adding them. A number for each set of attributes; the first attribute is the lowest bit."
    ),
]


@dataclass(frozen=True, repr=False, eq=False)
class LinkageFiles:
    """The two files of a linkage, and what the intruder knows of them."""

    intruder_records: Microdata  # the records to link
    reference: Microdata  # those whose ranks and scales count; not the same if strangers are linked
    release: Microdata
    columns: tuple[str, ...]  # known to the intruder and in both files
    few_records: bool  # too few intruder's records to show how values are distributed
    reverse: bool  # released rows are the queries
    blocks: RecordBlocks
    truth: Correspondence | None  # the released row of each reference record
    positions: RowPositions
    error: float = 0.0  # the share of the intruder's cells that are out of date
    masking: Masking | None = None  # how the release was masked, if the intruder knows it
    others: tuple[str, ...] = ()  # the release's columns, where no attribute is common
    # Further nominal columns: missing codes or spellings of some columns; of which each is.
    form_columns: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    learnt: LearntSearch | None = None  # trained on the reference records, to link strangers
    on_bound: Callable[[float, float], None] | None = None  # training progress: links, bound
    engine: Engine = field(default_factory=select_engine)
    # The same kind of files, masked again with other random numbers, by the number of the run; the
    # truth of these is known. None if the intruder cannot carry the plan out.
    remask: RemaskFiles | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "on_bound": None}  # a callback stays in its process

    @property
    def pair(self) -> tuple[Microdata, Microdata]:
        """The intruder's records and the release."""
        return self.intruder_records, self.release

    @property
    def with_forms(self) -> tuple[str, ...]:
        """The columns and those of their written forms, for attacks on categories."""
        return *self.columns, *self.form_columns

    @property
    def links_strangers(self) -> bool:
        """Whether the records to link are other people than the reference records."""
        return self.reference is not self.intruder_records

    def check_compared(self, place: str, columns: Iterable[str]) -> None:
        """Refuse settings of columns that are not compared."""
        for column in columns:
            if column in self.columns:
                continue
            fault = absent_column(column, self.columns)
            if all(column in data.columns for data in self.pair):
                fault = (
                    f"column '{column}' is not compared, but a block, not known to the intruder or "
                    f"left out; the compared columns are {listing(self.columns)}"
                )
            raise SpecError(f"{place}: {fault}")

    def generalised(self, column: str) -> bool:
        """Whether any of the files has ranges, sets or stars in a column."""
        files = (self.intruder_records, self.reference, self.release)
        return any(data.schema[column].generalised for data in files)

    def categories(self, column: str) -> tuple[str, ...]:
        """The categories of the reference records and of the release."""
        return common_categories(self.reference, self.release, column)

    def numbers(self, column: str) -> tuple[Floats, Floats, Floats]:
        """The numbers of intruder, reference and release, in one unit."""
        if not self.links_strangers:
            intruder, released = common_numbers(*self.pair, column=column)
            return intruder, intruder, released
        intruder, reference, released = common_numbers(
            self.intruder_records, self.reference, self.release, column=column
        )
        return intruder, reference, released

    def all_categories(self, column: str) -> tuple[str, ...]:
        """The categories of all files: strangers may have some that equal none."""
        named = common_categories(*self.pair, column)
        return tuple(dict.fromkeys((*self.categories(column), *named)))

    def codes(self, column: str, categories: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
        """The places of intruder's, reference and released categories in a list; NaN is missing."""
        intruder, released = (code_numbers(codes(d, column, categories).codes) for d in self.pair)
        if not self.links_strangers:
            return intruder, intruder, released
        return intruder, code_numbers(codes(self.reference, column, categories).codes), released

    def queries_first(self, intruder: T, released: T) -> tuple[T, T]:
        """The item of the queries, then that of their candidates."""
        return (released, intruder) if self.reverse else (intruder, released)


LearntSearch = Callable[[LinkageFiles], Finder]  # a trained distance, applied to other records
RemaskFiles = Callable[[int], LinkageFiles | None]  # None: with these numbers it is impossible


class RowPositions(NamedTuple):
    """The positions of rows in their files."""

    intruder: Ints
    file_size: int  # rows of the file that the intruder's records come from
    released: Ints  # in the release as it is, or would be, written


class AuditedFiles(NamedTuple):
    """The files of an audit, from which an attack decides whether it suits them."""

    pair: FilePair
    known: Sequence[str]  # attributes that the intruder may know
    knows_masking: bool  # whether the plan is known
    repeats_groups: bool = False  # whether the plan makes the groups of records again
    without_formula: bool = False  # whether it does to some of them what no formula describes


class Attack(Spec, frozen=True, kw_only=True):
    """A way to link the intruder's records to released rows.

    An intruder who holds true values of people compares them with the released file and decides
    which row is whose. An audit knows the truth and counts how often that is right.

    A subclass implements `finder`, and overrides the capabilities whose default does not hold for
    it. Workflows ask for these and never for the class.

    >>> from unveil import attacks
    >>> attacks.Distance().compares_attributes, attacks.Position().compares_attributes
    (True, False)
    """

    matching: Annotated[Matching, Meta(description=MATCHING)] = "nearest"

    compares_attributes: ClassVar[bool] = True  # False: it uses no attribute of the records
    needs_common_attributes: ClassVar[bool] = True  # False: it links files that share none
    accepts_blocks: ClassVar[bool] = True
    uses_row_order: ClassVar[bool] = False  # positions in the files are all that it compares
    excludes_only: ClassVar[bool] = False  # a row fits a record or is excluded; no score between
    scores_every_pair: ClassVar[bool] = False  # by likelihoods, of which no search spares any
    costly_to_repeat: ClassVar[bool] = False  # each linkage estimates parameters anew
    links_households: ClassVar[bool] = False  # and then the persons in them
    classifies_pairs: ClassVar[bool] = False  # as linked, clerical or not, by error rates
    undoes_masking: ClassVar[bool] = False  # others measure how far values moved

    @property
    def name(self) -> str:
        """The attack's name."""
        return method_name(type(self))

    @property
    def knows(self) -> MaskKnowledge | None:
        """The required knowledge of the masking; None for most attacks."""
        return None

    def uses(self, channel: Channel) -> bool:
        """Whether it uses what a mask can have done; a method-aware attack by its likelihood."""
        from unveil.attacks.tailored.likelihood import has_likelihood  # which imports attacks

        return self.knows is not None and channel.estimated != "extent" and has_likelihood(channel)

    @property
    def adds_roots(self) -> bool:
        """Whether a one-to-one matching adds up the roots of costs, which are squares."""
        return False

    @property
    def compares_mixed_levels(self) -> bool:
        """Whether it compares categories in one file with numbers in the other."""
        return False

    @property
    def compared_as_written(self) -> tuple[str, ...]:
        """Columns whose cells are compared as text, whatever the type that each file has."""
        return ()

    @property
    def row_by_row(self) -> bool:
        """Whether each record is linked without regard to the others; a sample is then cheaper."""
        return self.matching == "nearest"

    @abc.abstractmethod
    def finder(self, files: LinkageFiles) -> Finder:
        """Prepare the linkage of two files."""

    def matching_of(self, finder: Finder) -> Matching:  # noqa: ARG002 - for attacks that choose
        """How records are linked, which may depend on what the attack found."""
        return self.matching

    def parts_of(self, finder: Finder) -> tuple[Finder, ...]:  # noqa: ARG002
        """The finders of the attacks that this one combines; none for most attacks."""
        return ()

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The known attributes that the attack can compare."""
        return tuple(known)

    def scalings(self, pair: FilePair) -> tuple[Attack, ...]:  # noqa: ARG002
        """The same attack with each way to scale numbers that suits an audit of these files."""
        return (self,)

    def check(self, intruder: Intruder, *, ordered_truth: bool) -> None:  # noqa: ARG002
        """Raise an error if this intruder cannot make the attack.

        `ordered_truth` is whether the truth was stated by the order of the rows.
        """
        if self.knows is None and intruder.channel is not False:
            raise SpecError(f"{self.name}: this attack does not use the masking; leave out channel")
        if self.knows == "original" and not intruder.has_all:
            raise SpecError(
                f"{self.name}: level 'original' needs an intruder who has all records; leave out "
                "records"
            )
        if intruder.blocks and not self.accepts_blocks:
            raise SpecError(f"{self.name}: this attack compares no records: leave out blocks")

    def read_inputs(self, read: Callable[[Any], Microdata]) -> Self:  # noqa: ARG002
        """The attack with its own input files read; most have none."""
        return self

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """The most bytes that it takes beyond the tables; `width` counts the compared numbers."""
        from unveil.attacks.memory import bytes_needed  # which imports the matchings

        return bytes_needed(records, candidates, width, matching=matching or self.matching)

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:  # noqa: ARG003
        """The variants that suit the data, if the user names no attack; by default none."""
        return ()

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """About how many seconds it takes on an ordinary laptop, before anything is compared.

        `width` counts the compared numbers; `numeric` is whether all attributes are numbers.
        """
        from unveil.attacks.matched.calibration import n_simulations
        from unveil.attacks.memory import matching_seconds  # which imports the matchings

        exact = self.scores_every_pair
        search = search_seconds(records, candidates, width, numeric=numeric, exact=exact)
        once = search + matching_seconds(records, candidates, matching=self.matching)
        if self.matching == "posterior" and self.knows is not None:
            return once * (1 + n_simulations(records, candidates))
        return once

    def _weights_by_column(
        self, weights: dict[str, float] | None, columns: Sequence[str]
    ) -> Floats:
        given = weights or {}
        for name, weight in given.items():
            if name not in columns:
                raise SpecError(f"{self.name}: weights: {absent_column(name, columns)}")
            if not 0 <= weight < np.inf:
                raise SpecError(f"{self.name}: weights: finite numbers of 0 or more")
        found = np.array([given.get(name, 1.0) for name in columns])
        if not found.any():
            raise SpecError(f"{self.name}: weights: at least one is above zero")
        return found

    def _check_aggregation(self, aggregation: Any) -> None:
        """Check that an aggregation is a fuzzy measure, and keep it as plain numbers."""
        if aggregation is None:
            return
        values = aggregation.values if isinstance(aggregation, FuzzyMeasure) else aggregation
        try:
            measure = FuzzyMeasure(values)
        except SpecError as error:
            error.at(f"{self.name}: aggregation")
            raise
        msgspec.structs.force_setattr(self, "aggregation", tuple(measure.values.tolist()))

    def _measure_of(self, aggregation: tuple[float, ...], columns: Sequence[str]) -> FuzzyMeasure:
        measure = FuzzyMeasure(aggregation)
        if len(measure) != len(columns):
            raise SpecError(
                f"{self.name}: aggregation: the measure has {count(len(measure), 'attribute')}, "
                f"and {len(columns)} are compared"
            )
        return measure
