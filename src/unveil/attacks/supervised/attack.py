"""Supervised linkage: the worst case within a family of distances, learnt with the truth."""

import logging
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from unveil.attacks.base import Attack, LinkageFiles, Matching
from unveil.attacks.distance.attack import Distance, side_by_side
from unveil.attacks.distance.attribute_costs import Scaling
from unveil.attacks.nearest import NearestSearch
from unveil.attacks.supervised.bilinear import BilinearForm
from unveil.attacks.supervised.choquet import ChoquetIntegral, check_measurable
from unveil.attacks.supervised.competitors import MAX_ROWS, LinkageTargets
from unveil.attacks.supervised.families import Family, TrainingFiles
from unveil.attacks.supervised.hitting_set import SAME_HITS
from unveil.attacks.supervised.solver import Budget
from unveil.attacks.supervised.training import FittedDistance, Training
from unveil.attacks.supervised.weighted_mean import WeightedMean, moment_weights
from unveil.errors import SpecError
from unveil.support.arrays import Floats, Ints
from unveil.support.seeds import stream
from unveil.support.signals import interrupt_awaited
from unveil.support.work import (
    LEARNING_SECONDS,
    MATRIX_SECONDS,
    MEASURE_LEARNING_SECONDS,
    seconds_of,
)
from unveil.values.links import Finder
from unveil.values.results.supervised_bound import AttributeInteraction, HeldOut, SupervisedBound
from unveil.wording import count

Model = Literal["weights", "choquet", "bilinear"]
MAX_TRAINING_RECORDS = 10_000  # against all candidates; of more records a sample is learnt on
MIN_HELD_OUT = 4  # records that can be halved
HALF_STARTS = 3  # starting points when learning on a half
HALVES_SHARE, SKYLINE_SHARE = 0.25, 0.25  # of the budget: for halves; to find all competitors
TOP_INTERACTIONS = 5  # pairs of attributes in the result
COMPETITOR_CELL_BYTES = 48  # of an attribute of a competitor's row in training


class Supervised(Attack, frozen=True, kw_only=True):
    """Linkage by a learnt distance: the parameters that link the most records, given the truth.

    No intruder has the truth: this is the worst case. No distance of the family makes more people
    nearer to their true row than to any other. Learnt parameters also fit these very people by
    chance, so the result has the share of one half that is linked by those of the other half.

    Torra, Record linkage approaches for dynamic database integration (2013), Section 3: weights of
    the attributes; a fuzzy measure, by which the Choquet integral weighs sets of attributes; or a
    symmetric bilinear form, a matrix. The distances of the attributes are those of `distance`.
    Exact line searches on the number of links find the parameters, and an implicit hitting set
    bounds the number that any parameters can link, as far as the budget goes.

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
        Model, Meta(description="Parameters to learn: weights, a fuzzy measure, or a matrix.")
    ] = "weights"
    budget: Annotated[
        float | str | None,
        Meta(
            description="About how long learning may take on an ordinary laptop. Seconds, or a "
            "text such as 60s or 2m. It is counted in work, so that the result is the same on "
            "every machine. Without a limit (none) only steps end it."
        ),
    ] = 60.0
    steps: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Largest number of linear programs of the proof."),
    ] = None
    splits: Annotated[
        Annotated[int, Meta(ge=0, le=100)],
        Meta(description="Number of random halvings: learn on one half, attack the other."),
    ] = 3
    counting: Annotated[
        Literal["expected", "strict"],
        Meta(
            description="Count of a record whose true row has indistinguishable twins. Its "
            "share, or zero, as in the paper."
        ),
    ] = "expected"
    scale: Annotated[
        Scaling | None,
        Meta(description="File whose mean and deviation standardise numbers, as for distance."),
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
        """The budget in seconds; None: no limit."""
        return None if self.budget in (None, "none") else seconds_of(self.budget or 0)

    def memory(
        self, records: int, candidates: int, width: int, matching: Matching | None = None
    ) -> int:
        """The search, and the rows of all competitors in training."""
        rows = min(records * candidates, MAX_ROWS)
        learning = COMPETITOR_CELL_BYTES * (1 + width) * rows
        return super().memory(records, candidates, width, matching) + learning

    def work(self, records: int, candidates: int, width: int, *, numeric: bool) -> float:
        """Learning with all steps of the proof; a matrix and a fuzzy measure begin with weights."""
        weights = LEARNING_SECONDS * records * candidates * width
        cells = {
            "weights": 0.0,
            "choquet": MEASURE_LEARNING_SECONDS * 2.0**width,
            "bilinear": MATRIX_SECONDS * width * (width + 1) / 2,
        }
        linking = 4 * super().work(records, candidates, width, numeric=numeric)
        return weights + records * cells[self.model] + linking

    def finder(self, files: LinkageFiles) -> Finder:
        """Learn the parameters, and prepare to link the records of two files."""
        if files.learnt is not None:  # strangers are linked by what the reference records taught
            return files.learnt(files)
        training = self._training_files(files)
        if self.model == "choquet":
            check_measurable(training)
        if files.truth is None:
            raise SpecError(
                "supervised: the worst case is learnt from the truth: state which released row "
                "belongs to which person (truth=, --truth)"
            )
        seconds = None if self.seconds is None else self.seconds * SKYLINE_SHARE
        strict = self.counting == "strict"
        targets = LinkageTargets.between(
            training, files.truth.row_of_record, strict=strict, seconds=seconds
        )
        sample = np.arange(len(targets))
        if len(targets) > MAX_TRAINING_RECORDS:
            rng = stream(files.seed, "supervised", "sample")
            sample = np.sort(rng.choice(len(targets), MAX_TRAINING_RECORDS, replace=False))
        trainer = _Trainer(self, targets, targets.subset(sample), files.seed)
        with interrupt_awaited() if files.on_bound is not None else nullcontext():
            fitted, held_out = trainer.fit(), None
            if fitted.ended != "stopped":
                try:
                    held_out = trainer.held_out()
                except KeyboardInterrupt:
                    fitted = replace(fitted, ended="stopped")
        search = fitted.family.search(fitted.point)
        result = _evaluate(self.model, search, targets, fitted, sample, held_out)
        if result.undecided and not result.proven:
            logging.getLogger("unveil").warning(
                "supervised: the solver left %s undecided; the bound holds, but may be loose",
                count(result.undecided, "linear program"),
            )
        details = {"learnt": msgspec.to_builtins(result)}
        return replace(search, details=details, learnt=partial(self._apply, fitted))

    def _training_files(self, files: LinkageFiles) -> TrainingFiles:
        weights = dict.fromkeys(sorted(files.with_forms), 1.0)  # columns may stand in any order
        attributes = Distance(scale=self.scale).compare_attributes(files, weights)
        return TrainingFiles(files, attributes, *side_by_side(attributes))

    def _apply(self, fitted: FittedDistance, files: LinkageFiles) -> Finder:
        return fitted.family.search(fitted.point, self._training_files(files))


@dataclass(frozen=True, repr=False, eq=False)
class _Trainer:
    """Learns on all targets, on a sample, or on halves."""

    attack: Supervised
    everybody: LinkageTargets
    targets: LinkageTargets  # to learn on: everybody, or a sample
    seed: int

    def fit(self) -> FittedDistance:
        """Learn on all targets, within the budget that halves leave; Ctrl-C ends it early.

        A sample proves nothing: the other records may be linked or not.
        """
        seconds = self.attack.seconds
        if seconds is not None and self.attack.splits:
            seconds *= 1 - HALVES_SHARE
        budget, whole = Budget(seconds, self.attack.steps), len(self.targets) == len(self.everybody)
        return self._learn(self.targets, budget, "all", prove=whole, starts=None)

    def _learn(
        self, targets: LinkageTargets, budget: Budget, name: str, *, prove: bool, starts: int | None
    ) -> FittedDistance:
        """Learn weights; the other families start from these."""
        training, rng = targets.training, stream(self.seed, "supervised", name)
        progress = training.files.on_bound if starts is None else None
        weights_only = self.attack.model == "weights"
        mean = WeightedMean(training, targets.records, targets.truth)
        trainer = Training(mean, targets, budget, rng, progress)
        fitted = self._settle(trainer.run(prove=prove and weights_only, starts=starts), targets)
        if weights_only:
            return fitted
        family: Family
        weights = mean.weights(fitted.point)
        if self.attack.model == "choquet":
            family = ChoquetIntegral(training, weights)
        else:
            family = BilinearForm(training, weights, targets.records, targets.truth)
        if fitted.ended == "stopped":  # the family at its starting point
            fitted = Training(family, targets, Budget(0.0, 0), rng).run(prove=False, starts=1)
            return replace(fitted, ended="stopped")
        trainer = Training(family, targets, budget, rng, progress)
        return self._settle(trainer.run(prove=prove, starts=starts), targets)

    def _settle(self, fitted: FittedDistance, targets: LinkageTargets) -> FittedDistance:
        """After a sample, the parameters that link the most of everybody: learnt, or a start."""
        whole = targets is not self.targets or len(targets) == len(self.everybody)
        if whole or fitted.ended == "stopped":
            return fitted
        points = [fitted.point, *fitted.starts[:HALF_STARTS]]
        hits = [_hits(fitted.family.search(point), self.everybody).sum() for point in points]
        return replace(fitted, point=points[int(np.argmax(hits))], ended="sample")

    def held_out(self) -> HeldOut | None:
        """The share linked in one half by parameters learnt on the other, for several halvings."""
        n, splits, seconds = len(self.targets), self.attack.splits, self.attack.seconds
        if not splits or n < MIN_HELD_OUT:
            return None
        per_split = None if seconds is None else seconds * HALVES_SHARE / splits
        plain, moments = _untrained(self.targets.training)
        shares = np.empty((splits, 4))
        for number in range(splits):
            order = stream(self.seed, "supervised", "halves", str(number)).permutation(n)
            one, other = (self.targets.subset(np.sort(h)) for h in np.split(order, [n // 2]))
            budget, name = Budget(per_split, None), f"half {number}"
            fitted = self._learn(one, budget, name, prove=False, starts=HALF_STARTS)
            learnt = fitted.family.search(fitted.point)
            cases = ((learnt, one), (learnt, other), (moments, other), (plain, other))
            shares[number] = [_hits(search, half).mean() for search, half in cases]
        learnt_on, linked, by_moments, equal = shares.mean(axis=0).tolist()
        return HeldOut(
            splits=splits,
            learnt_on=learnt_on,
            linked=linked,
            each=tuple(shares[:, 1].tolist()),
            moments=by_moments,
            plain=equal,
        )


def _untrained(training: TrainingFiles) -> tuple[NearestSearch, NearestSearch]:
    """The searches that need no truth: by equal weights, and by moments."""
    moments = training.search_weighted(moment_weights(training))
    return training.search(training.metric), moments


def _hits(search: NearestSearch, targets: LinkageTargets) -> Floats:
    """The expected hits of the records by the exact search, sorted."""
    return np.sort(search.rank_of_truth(targets.records, targets.truth, 1, None).hits)


def _evaluate(
    model: Model,
    search: NearestSearch,
    targets: LinkageTargets,
    fitted: FittedDistance,
    sample: Ints,
    held_out: HeldOut | None,
) -> SupervisedBound:
    """The learnt parameters, counted by the exact search among all candidates."""
    training = targets.training
    ranks = search.rank_of_truth(targets.records, targets.truth, 1, None)
    back = search.reverse().rank_of_truth(targets.partners, targets.records, 1, None)
    twins = np.zeros(len(targets), np.int64)
    twins[sample] = fitted.twins
    hit_value = targets.hit_value(twins)
    nearest = (ranks.n_closer == 0) & (ranks.n_tied <= targets.n_identical - 1 + twins)
    linked = float(np.sort(hit_value[nearest]).sum())
    bound = fitted.bound + float(np.sort(np.delete(hit_value, sample)).sum())
    gap = max(bound - linked, 0.0)
    plain, moments = (float(_hits(one, targets).sum()) for one in _untrained(training))
    importance, interactions = fitted.family.explain(fitted.point)
    # Proven, but some links are so narrow that they tie: unclear.
    ended = "unclear" if fitted.ended == "proven" and gap > SAME_HITS else fitted.ended
    return SupervisedBound(
        model=model,
        direction="release-to-original" if training.files.reverse else "original-to-release",
        attributes=training.names,
        n=len(targets),
        learnt_on=len(sample),
        linked=linked,
        bound=max(bound, linked),
        gap=gap,
        ended=ended,
        impossible=fitted.impossible if fitted.family.monotone else None,
        strict=int(((ranks.n_closer == 0) & (ranks.n_tied == 0)).sum()),
        expected=float(np.sort(ranks.hits).sum()),
        back_strict=int(((back.n_closer == 0) & (back.n_tied == 0)).sum()),
        back_expected=float(np.sort(back.hits).sum()),
        plain=plain,
        moments=moments,
        importance=dict(zip(training.names, importance.tolist(), strict=True)),
        together=tuple(AttributeInteraction(*pair) for pair in interactions[:TOP_INTERACTIONS]),
        held_out=held_out,
        undecided=fitted.undecided,
    )
