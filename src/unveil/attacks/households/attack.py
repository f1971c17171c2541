"""Household linkage: an attack on households as units."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, cast

import numpy as np
import polars as pl
from msgspec import Meta

from unveil.attacks.base import (
    Attack,
    AuditedFiles,
    LinkageFiles,
    MaskKnowledge,
    Matching,
    RowPositions,
)
from unveil.attacks.blocking import block_records
from unveil.attacks.households.distinct_households import DistinctHouseholds
from unveil.attacks.households.distinct_records import DistinctRecords, equal_households
from unveil.attacks.households.groupings import Grouping, HouseholdFiles, clues, household_files
from unveil.attacks.households.household_search import Absence, HouseholdSearch
from unveil.attacks.households.lone_persons import LonePersons
from unveil.attacks.households.member_finder import MemberFinder
from unveil.attacks.listed_search import PAIRS_AT_ONCE, all_pairs
from unveil.attacks.matched.calibration import Simulation
from unveil.attacks.matched.comparer import Comparer
from unveil.attacks.matched.finder import matched
from unveil.attacks.matched.posterior import MOST_PAIRS
from unveil.attacks.memory import bytes_needed
from unveil.engines.blocks import Blocks
from unveil.errors import SpecError, UnveilError
from unveil.models.row_counts import classes_of
from unveil.support.arrays import Floats, Ints
from unveil.table.attribute import Attribute
from unveil.table.households import Homes, households_of
from unveil.table.microdata import Microdata
from unveil.values.file_pair import CanonicalOrder, FilePair
from unveil.values.intruder import Intruder
from unveil.values.links import Finder
from unveil.values.release.channels import Channel

Score = Literal["distance", "rank", "probabilistic", "tailored"]
MEMBERS = 2  # of a household, at least, on average: for estimates
LISTS = 4  # searches between members, on average
LISTED_BYTES = 100  # of a pair of members while its households are compared
ASSIGNED_SECONDS = 2e-6  # a pair of households, to compare and to match
QUERIES_AT_ONCE = 20_000
STRANGERS = 100  # released rows by which the expected cost of an absent member is estimated


class Households(Attack, frozen=True, kw_only=True):
    """Household linkage: link each household as a unit, then the persons in it.

    The intruder knows who lives together, and the release shows it (by a household number,
    renumbered or not) or reveals it (by rows with equal cells in columns that members share, such
    as the dwelling or the weight). A household is far easier to recognise than each of its members
    alone.

    The score of two households is that of the cheapest assignment of their members, which is exact,
    and of the columns that all members share in both files, once. The costs of pairs of members are
    the scores of an attack on single records. Households of different sizes are compared only if
    the sizes of the two files differ, as in a sample of persons; an unmatched member then has its
    expected cost, as a record whose cells are all missing. (We know of no source.)

    A link of a household is correct if the linked rows are its members' rows. If a group of rows
    belongs to several households, the link counts the share of the group's rows that are the
    household's. Every household with a released member counts. A release without groups is attacked
    person by person: a household is found if one of its members, taken at random, is linked to a
    row of any member.

    >>> import unveil
    >>> people = unveil.households(1000, seed=7)
    >>> noise = unveil.masks.Microaggregation(k=10, columns=["age", "income", "hours"])
    >>> release = unveil.mask(people, [noise], seed=7, household="renumber")
    >>> intruder = unveil.Intruder(knows=["age", "income", "hours"])
    >>> alone = unveil.attack(people, release, "distance", intruder=intruder)
    >>> links = unveil.attack(people, release, Households(), intruder=intruder)
    >>> unveil.measures.risk(links).expected > 3 * unveil.measures.risk(alone).expected
    True
    >>> unveil.measures.risk(links.households).n
    464
    """

    score: Annotated[
        Score, Meta(description="The attack on single records whose scores are added up.")
    ] = "distance"
    parameters: Annotated[
        dict[str, Any] | None, Meta(description="The parameters of that attack.")
    ] = None
    grouping: Annotated[
        Grouping | None,
        Meta(
            description="Source of the households of the release: a household number (shown), "
            "columns that members share (read-off), or none (persons are linked one by one). By "
            "default the first that groups any rows."
        ),
    ] = None

    links_households: ClassVar[bool] = True
    accepts_blocks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of_members.matching != "nearest":
            raise SpecError(
                "households: the attack matches households; leave matching out of parameters"
            )

    @property
    def of_members(self) -> Attack:
        """The attack on single records."""
        from unveil.attacks import METHODS

        return METHODS.find(self.score)(**(self.parameters or {}))

    @property
    def knows(self) -> MaskKnowledge | None:
        """The knowledge of the masking that the attack on single records needs."""
        return self.of_members.knows

    def uses(self, channel: Channel) -> bool:
        return self.of_members.uses(channel)

    def check(self, intruder: Intruder, *, ordered_truth: bool) -> None:
        if intruder.blocks:
            raise SpecError("households: this attack compares households: leave out blocks")
        super().check(intruder, ordered_truth=ordered_truth)

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """By distance and by the posterior of the strongest score, if households are known."""
        original, release = audited.pair.original, audited.pair.release
        homes = households_of(original)
        if homes is None:
            return ()
        groupings = list[Grouping | None]()
        if audited.pair.shows_households:
            groupings.append(None)
        if clues(release, original, homes):
            groupings.append("read-off")
        if not audited.pair.shows_households:  # what is read off may group the wrong rows
            groupings.append("none")
        strongest: Score = "tailored" if audited.knows_masking else "distance"
        return tuple(
            spec
            for grouping in groupings
            for spec in (
                cls(grouping=grouping),
                cls(score=strongest, grouping=grouping, matching="posterior"),
            )
        )

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """Of the search between members, the pairs that are listed, and the matching."""
        first, second = records // MEMBERS, candidates // MEMBERS
        listed = min(PAIRS_AT_ONCE, records * candidates) * LISTED_BYTES
        matched_bytes = bytes_needed(first, second, 0, matching=matching or self.matching)
        return self.of_members.memory(records, candidates, width) + listed + matched_bytes

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """Of several searches between members, and of the costs of matched pairs."""
        search = LISTS * self.of_members.work(records, candidates, width, numeric=numeric)
        if self.matching == "nearest":
            return search
        pairs = (records // MEMBERS) * (candidates // MEMBERS)
        return search + ASSIGNED_SECONDS * min(pairs, MOST_PAIRS)

    def matching_of(self, finder: Finder) -> Matching:  # noqa: ARG002
        """Nearest: persons follow their households, which are matched first."""
        return "nearest"

    def finder(self, files: LinkageFiles) -> MemberFinder | LonePersons:
        homes = household_files(files, self.grouping)
        classes = classes_of(files.release, files.columns)
        written = classes.scatter(np.arange(len(classes.sizes)))
        if homes.grouping == "none":
            persons = CanonicalOrder(FilePair(*files.pair, files.truth), files.reverse)
            base = matched(self.of_members.finder(files), self.matching, persons, files.seed)
            return LonePersons(base, homes, written)
        search = self._search(homes, written)
        if self.matching == "nearest":
            return MemberFinder(DistinctHouseholds.of(search), search, homes, written)
        order = CanonicalOrder(homes.pair, files.reverse)
        simulation = Simulation(files, self._household_links)
        households = matched(search, self.matching, order, files.seed, simulation)
        return MemberFinder(households, search, homes, written)

    def _household_links(self, files: LinkageFiles) -> tuple[Finder, FilePair]:
        """The links of households, before those of the persons in them."""
        members = self.finder(files)
        if isinstance(members, LonePersons):
            return members.base, FilePair(*files.pair, files.truth)
        return members.households, members.homes.pair

    def _search(self, homes: HouseholdFiles, written: Ints) -> HouseholdSearch:
        """The costs between members, and between households by what their members share."""
        files = homes.files
        own = tuple(name for name in files.columns if name not in homes.shared)
        shared = members = None
        if homes.shared and own:
            try:
                members = self.of_members.finder(_person_files(homes, own))
                shared = self.of_members.finder(_shared_files(homes))
            except UnveilError:  # what is shared cannot be compared by itself
                members = shared = None
        if members is None and own:
            members = self.of_members.finder(_person_files(homes, files.columns))
        elif members is None:
            shared = self.of_members.finder(_shared_files(homes))
        queries, base = files.queries_first(homes.intruder, homes.released)
        parts = [
            None if part is None else DistinctRecords.of(cast("Comparer", part))
            for part in (members, shared)
        ]
        absent = None
        if not homes.same_sizes and parts[0] is not None:
            absent = Absence(_expected(parts[0]), _expected(parts[0].reverse()))
        return HouseholdSearch(
            queries=queries,
            base=base,
            members=parts[0],
            shared=parts[1],
            blocks=_size_blocks(homes),
            released_classes=equal_households(homes.released, written, None).of_record(),
            absent=absent,
            details=homes.details
            | {
                "shared": list(homes.shared if shared is not None else ()),
                "sizes": "equal" if homes.same_sizes else "different",
            },
        )


def _person_files(homes: HouseholdFiles, columns: tuple[str, ...]) -> LinkageFiles:
    """Some of the columns; if sizes agree, persons of households of one size are compared."""
    files = homes.files
    if homes.same_sizes:
        files = _with_sizes(homes)
    forms = {name: about for name, about in files.form_columns.items() if about in columns}
    masking = None if files.masking is None else files.masking.only(columns)
    return replace(files, columns=columns, form_columns=forms, masking=masking)


def _with_sizes(homes: HouseholdFiles) -> LinkageFiles:
    """The files with a new column, the size of the household, as a block."""
    files, size = homes.files, "household size"
    while any(size in data.columns for data in (*files.pair, files.reference)):
        size += "'"

    def with_size(data: Microdata, units: Homes) -> Microdata:
        cells = pl.Series(size, units.sizes[units.of_record])
        return data.with_column(cells, Attribute(level="numeric"))

    records, release = (
        with_size(data, units)
        for data, units in zip(files.pair, (homes.intruder, homes.released), strict=True)
    )
    return replace(
        files,
        intruder_records=records,
        reference=with_size(files.reference, homes.reference) if files.links_strangers else records,
        release=release,
        blocks=block_records(records, release, (size,)),
    )


def _shared_files(homes: HouseholdFiles) -> LinkageFiles:
    """One record for each household, with the columns that all members share."""
    files = _person_files(homes, homes.shared)
    intruder, released = homes.intruder.firsts, homes.released.firsts
    records, reference = files.intruder_records.take(intruder), files.reference
    return replace(
        files,
        intruder_records=records,
        reference=reference.take(homes.reference.firsts) if files.links_strangers else records,
        release=files.release.take(released),
        blocks=files.blocks.take(intruder, released),
        truth=homes.truth,
        positions=RowPositions(np.arange(len(intruder)), len(intruder), np.arange(len(released))),
    )


def _size_blocks(homes: HouseholdFiles) -> Blocks:
    """Households of one size, if sizes agree; else one block of all."""
    queries, base = homes.files.queries_first(homes.intruder.sizes, homes.released.sizes)
    if not homes.same_sizes:
        queries, base = np.zeros_like(queries), np.zeros_like(base)
    listed = np.unique(np.concatenate([queries, base]))
    return Blocks(np.searchsorted(listed, queries), np.searchsorted(listed, base), listed[:, None])


def _expected(members: DistinctRecords) -> Floats:
    """The mean cost of each record over some candidates; the largest cost if none is possible."""
    n_queries, n_candidates = members.comparer.sizes
    some = np.linspace(0, n_candidates - 1, min(STRANGERS, n_candidates)).astype(np.int64)
    means = np.empty(n_queries)
    for start in range(0, n_queries, QUERIES_AT_ONCE):
        part = np.arange(start, min(start + QUERIES_AT_ONCE, n_queries))
        first, second = all_pairs(len(part), len(some))
        costs = members.comparer.costs(part[first], some[second]).reshape(len(part), -1)
        possible = np.isfinite(costs)
        with np.errstate(invalid="ignore"):
            means[part] = np.where(possible, costs, 0.0).sum(axis=1) / possible.sum(axis=1)
    most = float(np.nanmax(means, initial=0.0))
    expected: Floats = np.maximum(np.where(np.isnan(means), most, means), 0.0)
    return expected[members.queries]
