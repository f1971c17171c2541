"""Torra, Record linkage approaches for dynamic database integration (2013).

Samples of 400 records of Census, in six files whose groups of attributes are microaggregated with
several k. Released rows are linked with their originals by distances that learn nothing, and by
weights, Choquet integrals and bilinear forms that are learnt from the true pairs, with a bound on
what any others of the family link (Table 2). Beside them: people held out, attacks that need no
truth, the other direction, all 1,080 records, and small trials of what is said in words.
"""

from collections.abc import Iterator

from unveil import attacks
from unveil_papers.framework.experiment import Figures, PaperTrial, TrialLog, Work, seed_of
from unveil_papers.framework.published import Published
from unveil_papers.framework.reproduction import ComparedTable
from unveil_papers.framework.yardstick import compare_table, own_table
from unveil_papers.supervised import conditions, words
from unveil_papers.supervised.files import (
    BY_MOMENTS,
    BY_PAIRS,
    FILES,
    PLAIN,
    File,
    census,
    drawn,
    masked,
    standardised,
)
from unveil_papers.supervised.results import (
    HARD,
    MODELS,
    STEPS,
    WHOLE_STEPS,
    SupervisedResults,
    hasty,
)

__all__ = ["DATA", "WORK", "results", "tables", "trials"]

DATA = ("census",)
results = SupervisedResults  # what the judges of claims are given
SAMPLES = 100  # of distances that learn nothing
LEARNT_ON, HURRIED = 5, 2  # in a hurry: of what takes long
SPLITS = 5
HALVES = ("learnt_on", "linked", "moments", "plain")  # of the figures of halvings
SECONDS = {"d2WM": 1.0, "d2CI": 2.0, "d2MD*": 8.0}  # roughly; in a hurry 2
HARDER = {"d2WM": 4.0, "d2CI": 20.0, "d2MD*": 40.0}  # of M5-38


def plain_distances(name: str, number: int, *, seed: int) -> Figures:
    """What distances link that learn nothing."""
    return _plain(drawn(name, number, seed))


def whole_file(name: str, *, seed: int) -> Figures:  # noqa: ARG001 - nothing is drawn
    """The same of all 1,080 records."""
    return _plain(masked(census(), *FILES[name]))


def _plain(file: File) -> Figures:
    together = attacks.Distance(metric="mahalanobis", covariance="moments", groups=file.groups)
    return {
        "d2AM": file.share(PLAIN),
        "d2MD": file.share(BY_PAIRS),
        "each": file.share(BY_MOMENTS),
        "groups": file.share(together),
    }


def learn(name: str, column: str, steps: int, number: int, *, seed: int) -> Figures:
    """What one learnt distance links, what it is proven to link at most, and held out."""
    return lesson(drawn(name, number, seed), column, steps, seed_of(seed, name, column, number))


def whole_learnt(name: str, column: str, *, seed: int) -> Figures:
    """The same of all 1,080 records."""
    file = masked(census(), *FILES[name])
    return lesson(file, column, WHOLE_STEPS, seed_of(seed, name, column), splits=0)


def turned(name: str, number: int, *, seed: int) -> Figures:
    """What weights link where originals look for released rows; nothing is proven."""
    file = drawn(name, number, seed)
    return lesson(file, "d2WM", 0, seed_of(seed, name, number), splits=0, back=True)


def lesson(
    file: File, column: str, steps: int, seed: int, *, splits: int = SPLITS, back: bool = False
) -> Figures:
    """What is learnt of one file."""
    learner = attacks.Supervised(
        model=MODELS[column], budget=None, steps=steps, splits=splits, counting="strict"
    )
    found = file.links(learner, seed=seed, back=back).finder.details["learnt"]
    differences = standardised(file.release.data) - standardised(file.data)[file.originals]
    held_out = found["held_out"] or {}
    return {
        "linked": found["strict"] / found["n"],
        "bound": found["bound"] / found["n"],
        "proven": float(found["ended"] == "proven"),
        "impossible": (found["impossible"] or 0) / found["n"],
        "importance": list(found["importance"].values()),
        "interacting": max((abs(one["strength"]) for one in found["together"]), default=0.0),
        "differences": (differences**2).mean(axis=0).tolist(),
        **{f"halves {key}": held_out[key] for key in HALVES if held_out},
    }


WORK: dict[str, Work] = {
    "plain": plain_distances,
    "whole": whole_file,
    "learnt": learn,
    "whole learnt": whole_learnt,
    "turned": turned,
    **words.WORK,
    **conditions.WORK,
}


def trials(*, quick: bool) -> Iterator[PaperTrial]:
    """Six files, many samples; in a hurry fewer of what takes long, and few steps for a proof."""
    few = HURRIED if quick else LEARNT_ON
    for name in FILES:
        yield from (PaperTrial("plain", (name, number), 0.05) for number in range(SAMPLES))
        for number in range(few):
            yield PaperTrial("beside", (name, number), 0.5)
            yield PaperTrial("turned", (name, number), 0.5)
            yield PaperTrial("sampled", (name, number), 0.6)
        for number in range(LEARNT_ON):
            yield PaperTrial("unscaled", (name, number), 0.05)
            yield PaperTrial("parameters", (name, number), 0.1)
            for column in MODELS:
                yield from _learning(name, column, number, quick=quick)
        if not quick:
            yield PaperTrial("whole", (name,), 0.2)
            yield from (PaperTrial("whole learnt", (name, column), 10.0) for column in MODELS)
    for number in range(few):
        yield PaperTrial("algebra", (number,), 0.1)
        yield PaperTrial("key", (number,), 0.1)
        for k in (2, 3, 5, 8):
            yield PaperTrial("grouped", ("2+2", k, number), 0.1)
        for sizes in ("4", "2+2+2", "6"):
            yield PaperTrial("grouped", (sizes, 3, number), 0.1)
    for work in ("facts", "scenarios", "program", "compatibility", "knowledge", "structure"):
        yield PaperTrial(work, (), 1.0)
    yield from (PaperTrial(work, (), 0.1) for work in ("miscoded", "operators"))


def _learning(name: str, column: str, number: int, *, quick: bool) -> Iterator[PaperTrial]:
    """One learnt distance: with all steps; in a hurry with fewer, which a full run makes too."""
    few, all_steps = hasty(name, column), STEPS[column]
    if number < (HURRIED if column == "d2MD*" else LEARNT_ON):
        cost = SECONDS[column] if few == all_steps else 2.0
        yield PaperTrial("learnt", (name, column, few, number), cost)
        if few == all_steps:
            return
    if not quick:
        cost = (HARDER if name == HARD else SECONDS)[column]
        yield PaperTrial("learnt", (name, column, all_steps, number), cost)


def tables(log: TrialLog, published: Published) -> list[ComparedTable]:
    """Table 2; its proofs, what is held out, what needs no truth, the other way, the whole file."""
    results = SupervisedResults(log, published)

    def why(name: str, column: str) -> str:
        theirs, ours = results.printed[name, column], results.of(name, column)
        high = sum(one >= theirs for one in ours)
        return f"the report's sample is not known; {high} of our {len(ours)} samples are as high"

    return [
        compare_table(published, "Table 2", results.of, digits=4, why=why),
        _proofs(results),
        _held_out(results),
        _without_truth(results),
        _bounds(results),
        _the_other_way(results),
        *_whole(results),
    ]


def _proofs(results: SupervisedResults) -> ComparedTable:
    rows = {
        name: {
            f"{column} {what}": results.learnt(name, column, figure)
            for column in MODELS
            for what, figure in (("linked", "linked"), ("at most", "bound"), ("proven", "proven"))
        }
        for name in FILES
    }
    title = (
        "Learnt distances: linked, what none of the family exceeds, in which part of the samples"
    )
    return own_table("Proofs", f"{title} proven optimal", "share of 400", rows, digits=4)


def _held_out(results: SupervisedResults) -> ComparedTable:
    rows = {}
    for name in FILES:
        rows[name] = {
            label: results.learnt(name, "d2WM", f"halves {figure}")
            for label, figure in (("d2AM", "plain"), ("inverse variance", "moments"))
        }
        for column in MODELS:
            rows[name][f"{column} learnt on"] = results.learnt(name, column, "halves learnt_on")
            rows[name][f"{column} held out"] = results.learnt(name, column, "halves linked")
    title = f"Learnt on one half, in that half and in the other; {SPLITS} halvings of each sample"
    return own_table("Held out", title, "share of a half", rows, digits=3)


def _without_truth(results: SupervisedResults) -> ComparedTable:
    rows = {
        name: {
            "d2AM": results.plain(name, "d2AM"),
            "inverse variance": results.plain(name, "each"),
            "covariance of groups": results.plain(name, "groups"),
            "d2MD, by the true pairs": results.plain(name, "d2MD"),
            "probabilistic": results.log.by_run("beside", name, figure="probabilistic"),
            "knows the mask": results.log.by_run("beside", name, figure="tailored"),
        }
        for name in FILES
    }
    title = "What needs no truth: the variances that masking took away, by attribute and by group"
    return own_table("Without the truth", title, "share of 400", rows, digits=4)


def _bounds(results: SupervisedResults) -> ComparedTable:
    rows = {
        name: {
            "released rows": [1 - one for one in results.learnt(name, "d2WM", "impossible")],
            "originals": [
                1 - one for one in results.log.by_run("turned", name, figure="impossible")
            ],
        }
        for name in FILES
    }
    title = "A bound that costs nothing: who is dominated is linked by no weights and no measure"
    return own_table("Bounds", title, "share of 400", rows, digits=4)


def _the_other_way(results: SupervisedResults) -> ComparedTable:
    rows = {
        name: {
            "d2AM": results.log.by_run("beside", name, figure="back d2AM"),
            "d2MD": results.log.by_run("beside", name, figure="back d2MD"),
            "d2WM": results.log.by_run("turned", name, figure="linked"),
        }
        for name in FILES
    }
    title = "Originals look for their released rows; weights are searched, not proven"
    return own_table("The other way", title, "share of 400", rows, digits=4)


def _whole(results: SupervisedResults) -> Iterator[ComparedTable]:
    """All 1,080 records, where they were asked for."""
    found, rows = results.log, {}
    for name in FILES:
        if not found.has("whole", name):
            return
        rows[name] = {one: found.one("whole", name, figure=one) for one in ("d2AM", "d2MD")}
        for column in MODELS:
            for called, figure in ((column, "linked"), (f"{column} at most", "bound")):
                rows[name][called] = found.one("whole learnt", name, column, figure=figure)
    yield own_table("Whole file", "All 1,080 records", "share of 1,080", rows, digits=4)
