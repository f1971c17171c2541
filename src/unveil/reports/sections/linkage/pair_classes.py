"""Decisions on pairs: linked, to be reviewed, not linked; their error rates and match weights."""

from collections.abc import Callable

from unveil.reports.content import Exhibit, Section
from unveil.reports.sections.attacks import attack
from unveil.reports.tables import (
    Table,
    counts,
    decimals,
    expected_counts,
    labels,
    numbers,
    tabulate,
    text,
)
from unveil.support.phrases import (
    Phrase,
    chance,
    counted,
    decimal,
    expected,
    level,
    phrase,
    rate,
    several,
)
from unveil.values.results.evidence import Evidence
from unveil.values.results.pair_classes import PairClasses, WeightBin, WeightStep

Row = tuple[float, float | None, WeightBin | None, str]


def pair_classes(evidence: Evidence) -> Section | None:
    """The decisions of the first attack that was asked for them."""
    made = next((one for one in evidence.attacks if one.pair_classes is not None), None)
    if made is None or (classes := made.pair_classes) is None:
        return None
    lead = phrase(
        "{} decides on {}: it [links](pair-classes) {}, leaves {} to a person, and does not link "
        "the others.",
        attack(made.name),
        several(sum(one.pairs for one in classes.classes), "pair"),
        counted(classes.classes[0].pairs),
        counted(classes.classes[1].pairs),
    )
    return section(classes, lead)


def section(classes: PairClasses, lead: Phrase) -> Section:
    """The section of decisions on pairs, as the page and a notebook show it."""
    return Section(
        key="decisions",
        title="Decisions on pairs",
        paragraphs=(lead, *_cautions(classes)),
        exhibits=(_classes(classes), _errors(classes), *charts(classes)),
    )


def charts(classes: PairClasses) -> tuple[Exhibit, ...]:
    """The distribution of match weights, and the parts of one."""
    return _weights(classes), _waterfall(classes)


def _cautions(classes: PairClasses) -> list[Phrase]:
    said = [
        phrase(
            "Both [error rates](pair-classes) are estimated by a model. Their intervals ({}, {}) "
            "hold only if the model fits; on real categories most intervals missed the truth.",
            level(classes.confidence),
            several(classes.simulations, "simulation"),
        )
        if classes.converged
        else phrase(
            "The model has not converged: its [error rates](pair-classes) have no interval and are "
            "not to be relied on. More iterations, or a larger tolerance, let it converge."
        )
    ]
    if classes.too_many:
        said.append(
            phrase(
                "The model expects {} matches, and at most {} are possible: its error rates are "
                "not to be relied on.",
                counted(classes.expected),
                counted(classes.possible),
            )
        )
    if classes.separated:
        said.append(
            phrase("Blocks separate {}, not counted here.", several(classes.separated, "match"))
        )
    if classes.answered:
        said.append(
            phrase(
                "Answers of a review decide {}: {} are matches, and the model expects {}.",
                several(classes.answered, "pair"),
                counted(classes.answered_yes),
                expected(classes.answered_expected),
            )
        )
    return said


def _classes(classes: PairClasses) -> Exhibit:
    bounds = {
        "linked": (classes.link_threshold, None),
        "clerical": (None, None),
        "non-linked": (None, classes.nonlink_threshold),
    }
    table = tabulate(
        classes.classes,
        (text("class", "[class](pair-classes)"), lambda one: one.name),
        decimals("least", "[weight](match-weight), at least", lambda one: bounds[one.name][0]),
        decimals("most", "at most", lambda one: bounds[one.name][1]),
        counts("pairs", "pairs", lambda one: one.pairs),
        expected_counts("expected", "expected matches", lambda one: one.expected),
        counts("right", "true matches", lambda one: one.right),
    )
    title = (
        "Pairs by class; numbers of pairs are estimated" if classes.sampled else "Pairs by class"
    )
    return Exhibit(name="pair-classes", title=title, table=table)


def _errors(classes: PairClasses) -> Exhibit:
    means = {"P(LP|U)": "other pairs that are linked", "P(NP|M)": "matches that are not linked"}
    table = tabulate(
        classes.errors,
        (text("rate", "error rate"), lambda one: f"{one.name}: {means[one.name]}"),
        numbers("allowed", "allowed", lambda one: one.allowed, rate),
        numbers("estimate", "estimated", lambda one: one.estimate, rate),
        numbers("low", "at least", lambda one: one.low, rate),
        numbers("high", "at most", lambda one: one.high, rate),
        numbers("found", "by the truth", lambda one: one.found, rate),
    )
    return Exhibit(name="decision-errors", title="Error rates of the decisions", table=table)


def _weights(classes: PairClasses) -> Exhibit:
    ends = (
        (classes.link_threshold, "linked from here"),
        (classes.nonlink_threshold, "not linked up to here"),
    )
    rows: list[Row] = [(one.low, one.high, one, "") for one in classes.weights]
    rows += [(end, None, None, said) for end, said in ends if end is not None]

    def number(value: Callable[[WeightBin], float]) -> Callable[[Row], float | None]:
        return lambda row: None if row[2] is None else value(row[2])

    table = tabulate(
        rows,
        numbers("low", "[weight](match-weight), from", lambda row: row[0], decimal),
        numbers("high", "to", lambda row: row[1], decimal),
        counts("pairs", "pairs", number(lambda one: one.pairs)),
        expected_counts("expected", "matches", number(lambda one: one.expected)),
        expected_counts("others", "others", number(lambda one: one.others)),
        (text("part", ""), lambda row: row[3]),
    )
    clerical = classes.classes[1].pairs
    return Exhibit(
        name="match-weights",
        title=phrase(
            "{} lie between the thresholds of the match weight", several(clerical, "pair")
        ),
        chart="match_weights",
        table=table,
        says=phrase(
            "Bars of the pairs by match weight in bits, expected matches and other pairs, on a "
            "scale of orders of magnitude, with a line at each threshold."
        ),
    )


def _waterfall(classes: PairClasses) -> Exhibit:
    total = sum(one.weight for one in classes.example)
    steps = [*classes.example, WeightStep(part="sum with the prior", level="", weight=total)]
    return Exhibit(
        name="waterfall",
        title=phrase(
            "The parts of one match weight: a match with probability {}",
            chance(1 / (1 + 2.0**-total)),
        ),
        chart="waterfall",
        table=_steps(steps),
        says=phrase(
            "Bars from the prior over each attribute to the final weight of {} bits.",
            decimal(total),
        ),
    )


def _steps(steps: list[WeightStep]) -> Table:
    return tabulate(
        steps,
        labels("part", "part", lambda one: one.part),
        labels("level", "[level](comparison-level)", lambda one: one.level),
        decimals("weight", "bits", lambda one: one.weight),
    )
