"""The worst case within a family of distances, learnt with the truth in hand."""

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, LinkageFiles
from unveil.attacks.distance.attack import Distance, side_by_side
from unveil.attacks.distance.attribute_costs import Scaling
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.bilinear import Bilinear
from unveil.attacks.supervised.budget import Budget
from unveil.attacks.supervised.choquet import Choquet, check_measurable
from unveil.attacks.supervised.competitors import LinkageTargets
from unveil.attacks.supervised.families import Family, TrainingFiles
from unveil.attacks.supervised.hitting_set import CLOSE
from unveil.attacks.supervised.training import FittedDistance, learn
from unveil.attacks.supervised.weighted_mean import Weights, by_moments
from unveil.errors import DataError, SpecError
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.support.work import seconds_of
from unveil.values.links import Finder
from unveil.values.results.supervised_bound import AttributeInteraction, HeldOut, SupervisedBound
from unveil.wording import count

Model = Literal["weights", "choquet", "bilinear"]
MOST_LEARNT = 10_000  # records that are learnt on, against all candidates
LEAST_HELD_OUT = 4  # records that can be halved
FEW_STARTS = 3  # where halves are learnt on
FOR_HALVES, FOR_RIVALS = 0.25, 0.25  # of the budget; that to find all rivals at once
SHOWN = 5  # pairs of attributes


class Supervised(Attack, frozen=True, kw_only=True):
    """Linkage by a learnt distance: the parameters that link the most records, given the truth.

    No intruder has the truth. It is the worst case: by whatever distance of this family, no more
    people are nearer to their true row than to any other. Much of the number may be luck that goes
    with these very people; so beside it stands what is linked of one half by parameters learnt on
    the other.

    Torra, Record linkage approaches for dynamic database integration (2013), Section 3: weights of
    the attributes; a fuzzy measure, by which the Choquet integral weighs sets of them; or a
    matrix, a symmetric bilinear form. The distances of the attributes are those of `distance`.
    Exact line searches on the number of links find parameters, and an implicit hitting set proves
    how many can be linked at most, as far as the budget goes.

    >>> import unveil
    >>> sample = unveil.households(100, seed=7)
    >>> noise = unveil.masks.AdditiveNoise(scale=0.3, columns=["income", "rent"])
    >>> release = unveil.mask(sample, [noise], seed=7)
    >>> knows = unveil.Intruder(knows=["income", "rent", "age"])
    >>> links = unveil.attack(sample, release, Supervised(splits=1), intruder=knows)
    >>> learnt = links.finder.details["learnt"]
    >>> learnt["linked"] <= learnt["bound"] <= 100
    True
    """

    model: Annotated[
        Model,
        Meta(description="What is learnt: weights, a fuzzy measure, or a matrix."),
    ] = "weights"
    budget: Annotated[
        float | str | None,
        Meta(
            description="About how long learning may take on an ordinary laptop: seconds, or a "
            "text such as 60s or 2m. It is counted in work, so that the same is learnt on every "
            "machine. Without a limit (none) only steps end it."
        ),
    ] = 60.0
    steps: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="The most linear programs that the proof may take."),
    ] = None
    splits: Annotated[
        Annotated[int, Meta(ge=0, le=100)],
        Meta(
            description="How often records are halved, to learn on one half and attack the other."
        ),
    ] = 3
    counting: Annotated[
        Literal["expected", "strict"],
        Meta(
            description="What a record counts whose true row has twins that nothing tells apart "
            "from it: its share, or nothing, as in the paper."
        ),
    ] = "expected"
    scale: Annotated[
        Scaling | None,
        Meta(description="Whose mean and deviation numbers are standardised by, as of distance."),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            seconds = self.seconds
        except SpecError as error:
            error.at("supervised: budget")
            raise
        msgspec.structs.force_setattr(self, "budget", seconds)

    @property
    def seconds(self) -> float | None:
        """The budget in seconds; None: there is no limit."""
        return None if self.budget in (None, "none") else seconds_of(self.budget or 0)

    def finder(self, files: LinkageFiles) -> Finder:
        """Learn, and make ready to link the records of two files."""
        if files.learnt is not None:  # strangers are linked by what the reference records taught
            return files.learnt(files)
        ground = self._ground(files)
        if self.model == "choquet":  # before anything is learnt
            check_measurable(ground)
        if files.pairs is None:
            raise SpecError(
                "supervised: the worst case is learnt from the truth: say which released row is "
                "whose (truth=, --truth)"
            )
        patience = None if self.seconds is None else self.seconds * FOR_RIVALS
        strict = self.counting == "strict"
        asked = questions_of(ground, files.pairs, strict=strict, patience=patience)
        some = self._drawn(len(asked), files.seed)
        pupil = _Trainer(self, ground, asked, asked.of(some), files.seed)
        lesson = pupil.in_full()
        held_out = None
        if lesson.ended != "stopped":
            try:
                held_out = pupil.held_out()
            except KeyboardInterrupt:
                lesson = replace(lesson, ended="stopped")
        search = lesson.family.search(lesson.point)
        found = _Evaluation(search, ground, asked, lesson, some).learnt(self, held_out)
        _warn(found)
        return replace(
            search,
            details={"learnt": msgspec.to_builtins(found)},
            learnt=partial(self._apply, lesson),
        )

    def _apply(self, lesson: FittedDistance, files: LinkageFiles) -> Finder:
        """The search for other records by the fitted distance."""
        return lesson.family.search(lesson.point, self._ground(files))

    def _ground(self, files: LinkageFiles) -> TrainingFiles:
        parts = Distance(scale=self.scale).compared(files, dict.fromkeys(files.columns, 1.0))
        return TrainingFiles(files, parts, *side_by_side(parts))

    def _drawn(self, many: int, seed: int) -> Ints:
        """Those that are learnt on, by their places."""
        if many <= MOST_LEARNT:
            return np.arange(many)
        rng = stream(seed, "supervised", "sample")
        return np.sort(rng.choice(many, MOST_LEARNT, replace=False))


def questions_of(
    ground: TrainingFiles, pairs: Ints, *, strict: bool, patience: float | None = None
) -> LinkageTargets:
    """Those that look for their true one, in the order of what they and their true ones hold."""
    files = ground.files
    mine = np.flatnonzero(pairs >= 0)
    records, truth = files.queries_first(mine, pairs[mine])
    search = ground.search(ground.metric)
    fits = search.compares(records, truth)
    records, truth = records[fits], truth[fits]
    if not len(records):
        raise DataError("supervised: no record has a true one to be compared with")
    asking, asked = (side.cells() for side in ground.asked)
    order = np.lexsort(np.hstack([asked[truth], asking[records]]).T)
    askers, kinds = search.equal_rows()
    return LinkageTargets(
        ground=ground,
        records=records[order],
        partners=truth[order],
        truth=kinds.firsts[kinds.of_record()][truth[order]],
        sharing=np.diff(kinds.starts)[kinds.of_record()][truth[order]],
        askers=askers.of_record()[records[order]],
        kind_of=kinds.firsts[kinds.of_record()],
        sizes=np.diff(kinds.starts)[kinds.of_record()],
        strict=strict,
        patience=patience,
    )


@dataclass(frozen=True, repr=False, eq=False)
class _Trainer:
    """Who learns, from some records or others."""

    attack: Supervised
    ground: TrainingFiles
    everybody: LinkageTargets
    asked: LinkageTargets  # those that are learnt on: all, or a sample
    seed: int

    def in_full(self) -> FittedDistance:
        """From all of the records, within what halves leave of the budget; Ctrl-C ends it early.

        Who is not learnt on may be linked or not: of a sample nothing is proven.
        """
        seconds = self.attack.seconds
        if seconds is not None and self.attack.splits:
            seconds *= 1 - FOR_HALVES
        budget, whole = Budget(seconds, self.attack.steps), len(self.asked) == len(self.everybody)
        return self._learn(self.asked, budget, "all", prove=whole, starts=None)

    def _learn(
        self, asked: LinkageTargets, budget: Budget, name: str, *, prove: bool, starts: int | None
    ) -> FittedDistance:
        """From these records; other families begin where weights end."""
        told = self.ground.files.on_bound if starts is None else None
        model, rng = self.attack.model, stream(self.seed, "supervised", name)
        alone = model == "weights"
        weights = Weights(self.ground, asked.records, asked.truth)
        found = learn(weights, asked, budget, rng, prove=prove and alone, starts=starts, told=told)
        found = self._settled(found, asked)
        if alone:
            return found
        family: Family
        if model == "choquet":
            family = Choquet(self.ground, weights.raw(found.point))
        else:
            family = Bilinear(self.ground, weights.raw(found.point), asked.records, asked.truth)
        if found.ended == "stopped":  # as it is where it would begin
            lesson = learn(family, asked, Budget(0.0, 0), rng, prove=False, starts=1)
            return replace(lesson, ended="stopped")
        lesson = learn(family, asked, budget, rng, prove=prove, starts=starts, told=told)
        return self._settled(lesson, asked)

    def _settled(self, lesson: FittedDistance, asked: LinkageTargets) -> FittedDistance:
        """Of a sample, the parameters that link the most of everybody: the last, or the first."""
        if (
            asked is not self.asked
            or len(asked) == len(self.everybody)
            or lesson.ended == "stopped"
        ):
            return lesson
        points = [lesson.point, *lesson.starts[:FEW_STARTS]]
        counts = [expected(lesson.family.search(at), self.everybody).sum() for at in points]
        return replace(lesson, point=points[int(np.argmax(counts))], ended="sample")

    def held_out(self) -> HeldOut | None:
        """What is linked of one half by what was learnt on the other, for several halvings."""
        many, splits, seconds = len(self.asked), self.attack.splits, self.attack.seconds
        if not splits or many < LEAST_HELD_OUT:
            return None
        each = None if seconds is None else seconds * FOR_HALVES / splits
        moments = self.ground.search_weighted(by_moments(self.ground))
        plain = self.ground.search(self.ground.metric)
        shares = np.empty((splits, 4))
        for number in range(splits):
            order = stream(self.seed, "supervised", "halves", str(number)).permutation(many)
            one, other = (self.asked.of(np.sort(half)) for half in np.split(order, [many // 2]))
            lesson = self._learn(
                one, Budget(each, None), f"half {number}", prove=False, starts=FEW_STARTS
            )
            learnt = lesson.family.search(lesson.point)
            parts = ((learnt, one), (learnt, other), (moments, other), (plain, other))
            shares[number] = [expected(search, some).mean() for search, some in parts]
        trained, linked, by_moment, equal = shares.mean(axis=0).tolist()
        return HeldOut(
            splits=splits,
            learnt_on=trained,
            linked=linked,
            each=tuple(shares[:, 1].tolist()),
            moments=by_moment,
            plain=equal,
        )


def expected(search: NearestSearch, asked: LinkageTargets) -> Floats:
    """For each record how likely it is linked with its true one, by the exact search."""
    return np.sort(search.rank_of_truth(asked.records, asked.truth, 1, None).hits)


@dataclass(frozen=True, repr=False, eq=False)
class _Evaluation:
    """What was learnt, counted by the exact search among all candidates."""

    search: NearestSearch
    ground: TrainingFiles
    asked: LinkageTargets  # everybody
    lesson: FittedDistance
    some: Ints  # those that were learnt on

    def learnt(self, attack: Supervised, held_out: HeldOut | None) -> SupervisedBound:
        """All that is said of it."""
        asked, lesson = self.asked, self.lesson
        found = self.search.rank_of_truth(asked.records, asked.truth, 1, None)
        back = self.search.reverse().rank_of_truth(asked.partners, asked.records, 1, None)
        twins = np.zeros(len(asked), np.int64)
        twins[self.some] = lesson.twins
        worth = asked.worth(twins)
        nearest = (found.n_closer == 0) & (found.n_tied <= asked.sharing - 1 + twins)
        linked = float(np.sort(worth[nearest]).sum())
        bound = lesson.bound + float(np.sort(np.delete(worth, self.some)).sum())
        gap = max(bound - linked, 0.0)
        ended = lesson.ended
        if ended == "proven" and gap > CLOSE:  # some are linked by next to nothing: they tie
            ended = "unclear"
        plain, moments = (
            float(expected(search, asked).sum())
            for search in (
                self.ground.search(self.ground.metric),
                self.ground.search_weighted(by_moments(self.ground)),
            )
        )
        told = lesson.family.told(lesson.point)
        return SupervisedBound(
            model=attack.model,
            direction="release-to-original" if self.ground.files.reverse else "original-to-release",
            attributes=self.ground.names,
            n=len(asked),
            learnt_on=len(self.some),
            linked=linked,
            bound=max(bound, linked),
            gap=gap,
            ended=ended,
            impossible=lesson.impossible if lesson.family.monotone else None,
            strict=int(((found.n_closer == 0) & (found.n_tied == 0)).sum()),
            expected=float(np.sort(found.hits).sum()),
            back_strict=int(((back.n_closer == 0) & (back.n_tied == 0)).sum()),
            back_expected=float(np.sort(back.hits).sum()),
            plain=plain,
            moments=moments,
            importance=told.importance,
            together=tuple(AttributeInteraction(*pair) for pair in told.pairs[:SHOWN]),
            held_out=held_out,
            undecided=lesson.unclear,
        )


def _warn(found: SupervisedBound) -> None:
    """Say if the solver did not do its part."""
    log = logging.getLogger("unveil")
    if found.undecided and not found.proven:
        log.warning(
            "supervised: the solver left %s undecided; the bound holds, but may be loose",
            count(found.undecided, "linear program"),
        )
