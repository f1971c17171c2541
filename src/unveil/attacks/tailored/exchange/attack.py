"""Exchange linkage: the attack on masks that swap values in pairs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, cast

import numpy as np
from msgspec import Meta

from unveil.attacks.base import (
    MATCHING,
    Attack,
    AuditedFiles,
    LinkageFiles,
    MaskKnowledge,
    Matching,
)
from unveil.attacks.nearest import NearestSearch, as_records
from unveil.attacks.rank.attack import Rank
from unveil.attacks.tailored.attack import Tailored
from unveil.attacks.tailored.exchange.posterior import MOST_LISTED, ExchangePosterior
from unveil.attacks.tailored.exchange.value_blocks import ValueBlocks
from unveil.attacks.tailored.likelihood import Likelihoods, likelihoods_of
from unveil.attacks.tailored.masked_view import MaskedView
from unveil.errors import DataError, SpecError, UsageError
from unveil.support.work import EXCHANGED_SECONDS
from unveil.values.file_pair import FilePair
from unveil.values.links import Finder
from unveil.wording import listing

OUTSIDE = -float(np.log(0.01))  # the cost of a cell that the window excludes: it may be wrong
MOST_WRONG = 0.5  # of the true rows may be outside of a window
FEWEST_COLUMNS = 2
PAIR_BYTES = 70  # of a listed pair, per column: groups, factors and chances, of three mechanisms
MOVED = 0.5  # the share of a column's values that both files have, from which on values only moved


class Exchange(Attack, frozen=True, kw_only=True):
    """Exchange linkage: undo swapping by following who exchanged values with whom.

    Swapping exchanges values in pairs, column by column. If person i became row l, and row l shows
    the value of person k, then the row of k is the one that shows the value of i. A true pair thus
    implies a true pair in every column, a false one random pairs, and a whole file of swapped
    values fits together in one way only.

    Without `level` the intruder knows nothing about the masking: a guessed pair is followed through
    all columns until it contradicts or confirms itself (seed and propagate). With `level`, the
    windows of the swaps determine the plausible pairs, and the posterior over matchings is computed
    repeatedly with the evidence of implied pairs, each without its own echo.

    Both begin with a test of the mechanism: the share of implied pairs that are matched, compared
    with the same share for neighbours of the partners. Without a pass, no evidence of exchanges is
    used. Masks that move values other than in pairs withstand the attack.

    >>> import unveil
    >>> sample = unveil.households(300, seed=7)
    >>> known = ["income", "rent", "savings", "tax"]
    >>> swapped = unveil.mask(sample, [unveil.masks.RankSwapping(p=30, columns=known)], seed=7)
    >>> intruder = unveil.Intruder(knows=known)
    >>> found = {}
    >>> for attack in (unveil.attacks.Tailored(matching="posterior"), Exchange()):
    ...     links = unveil.attack(sample, swapped, attack, intruder=intruder)
    ...     found[attack.name] = unveil.measures.risk(links).share
    >>> found["tailored"] < 0.1 < 0.7 < found["exchange"]
    True
    """

    level: Annotated[
        Literal["method", "parameters"] | None,
        Meta(
            description="The intruder's knowledge of the masking: nothing; the method, with "
            "parameters to estimate; or the parameters."
        ),
    ] = None
    matching: Annotated[Matching, Meta(description=MATCHING)] = "posterior"

    scores_every_pair: ClassVar[bool] = True
    undoes_masking: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.matching != "posterior":
            raise SpecError(
                "exchange: this attack supports only matching 'posterior'; leave out matching"
            )

    @property
    def knows(self) -> MaskKnowledge | None:
        return self.level

    def comparable(self, pair: FilePair, known: Sequence[str]) -> tuple[str, ...]:
        """Swapping needs an order."""
        return Rank().comparable(pair, known)

    @classmethod
    def in_default_audit(cls, audited: AuditedFiles) -> tuple[Attack, ...]:
        """If values of some attributes only moved; with the plan, if it is known."""
        pair = audited.pair
        moved = [name for name in cls().comparable(pair, audited.known) if has_moved(pair, name)]
        if len(moved) < FEWEST_COLUMNS:
            return ()
        return (cls(), cls(level="parameters")) if audited.knows_masking else (cls(),)

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """Of the posterior, and of the evidence of the plausible pairs."""
        listed = min(records * candidates, MOST_LISTED)
        once = super().work(records, candidates, width, numeric=numeric)
        return once + EXCHANGED_SECONDS * listed * width

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """Of the posterior, and of the columns of the plausible pairs and their controls."""
        listed = min(records * candidates, MOST_LISTED)
        return super().memory(records, candidates, width, matching) + PAIR_BYTES * listed * width

    def finder(self, files: LinkageFiles) -> Finder:
        if self.level is None:
            files = _ordered(files)
            view = MaskedView(files)
            search = cast("NearestSearch", Rank().finder(files))
            noise = dict.fromkeys(files.columns, 0.0)
        else:
            tailored = Tailored(level=self.level)
            # A known share of stale cells takes the place of the usual allowance for wrong ones.
            allowance = None if files.error else OUTSIDE
            search, view, channels = tailored.search(files, impossible_cost=allowance)
            noise = {
                one.columns[0]: one.noise_after_exchange
                for one in channels
                if one.noise_after_exchange is not None
            }
            _check_windows(files, likelihoods_of(channels, view), tuple(noise))
            if not noise:
                raise UsageError(
                    "exchange: the plan exchanges no values of the known attributes in pairs; "
                    "attack with tailored, or without level"
                )
        blocks = []
        for column, deviation in noise.items():
            sides = files.queries_first(*view.sort_keys(column)[::2])
            blocks.append(
                ValueBlocks.noisy(*sides, deviation) if deviation else ValueBlocks.of(*sides)
            )
        return replace(search, posterior_model=ExchangePosterior(tuple(blocks)))


def _ordered(files: LinkageFiles) -> LinkageFiles:
    """The files with the ordered columns only, since other columns cannot be followed blindly."""
    columns = Rank().comparable(FilePair(*files.pair, files.truth), files.columns)
    if len(columns) < FEWEST_COLUMNS:
        raise UsageError(
            f"exchange: at least {FEWEST_COLUMNS} known attributes have numbers or ordered "
            "categories in both files; these are "
            f"{listing(columns) or 'none'}: let the intruder know more, or attack by distance"
        )
    forms = {name: about for name, about in files.form_columns.items() if about in columns}
    return replace(files, columns=columns, form_columns=forms)


def _check_windows(files: LinkageFiles, parts: Likelihoods, exchanged: tuple[str, ...]) -> None:
    """Refuse windows that exclude most true rows: more than wrong cells explain."""
    if files.truth is None or files.links_strangers or files.error:
        return
    rows = files.truth.row_of_record
    records = np.flatnonzero(rows >= 0)
    for columns, part in parts.items():
        if not {*columns} & {*exchanged}:
            continue
        sides = as_records(part.intruder), as_records(part.released)
        costs = files.engine.prepare(*sides, part.metric).costs(records, rows[records])
        outside = int((costs >= OUTSIDE - 1e-9).sum())
        if outside > MOST_WRONG * len(records):
            raise DataError(
                "exchange: the known masking cannot have produced these true rows: column "
                f"{listing(columns)} ({outside:,} of {len(records):,}); give the plan and the "
                "original of this release, or attack without level"
            )


def has_moved(pair: FilePair, column: str) -> bool:
    """Whether the released values are mostly the original's, but belong to other records."""
    original, released = pair.cells(column)
    known = released[released >= 0]
    if not len(known) or pair.is_truthful(column):
        return False
    return bool(np.isin(known, original).mean() >= MOVED)
