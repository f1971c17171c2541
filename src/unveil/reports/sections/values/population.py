"""In the population: what each estimator says, how far they agree, and who stands out."""

from collections.abc import Iterator, Sequence

from unveil.reports.content import Exhibit, Section
from unveil.reports.tables import Cell, counts, shares, tabulate, text
from unveil.support.phrases import (
    Phrase,
    Term,
    counted,
    expected,
    name,
    names,
    percent,
    phrase,
    several,
)
from unveil.values.results.disclosure import PopulationRisk
from unveil.values.results.evidence import Evidence
from unveil.values.results.population.in_population import (
    EstimatorResult,
    InPopulation,
    PopulationFigure,
)
from unveil.values.results.population.special_uniques import SpecialUniques
from unveil.values.results.population.uniques import AttackerRisks

KEY, TITLE = "population", "In the population"
ESTIMATORS = {  # the term of each, and what it assumes
    "log-linear": (
        Term("log-linear model", "log-linear"),
        "how common a combination is follows from its values, pairs and triples",
    ),
    "pitman": (
        Term("Pitman", "super-population"),
        "a simple random sample; the classes grow by one law",
    ),
    "zayatz": (
        Term("Zayatz", "super-population"),
        "a simple random sample; the classes of the population are as large as those of the sample",
    ),
    "snb": (
        Term("slide negative binomial", "super-population"),
        "a simple random sample; the sizes of the classes are negative binomial",
    ),
    "dis": (
        Term("data intrusion simulation", "special-uniques"),
        "a simple random sample; pairs of equal records tell how often a match is wrong",
    ),
    "benedetti-franconi": (
        Term("Benedetti and Franconi", "population-risk"),
        "each record stands for as many people with its keys as its weight says",
    ),
}
LISTED_SETS, LISTED_ATTRIBUTES = 5, 3
CLOSE = 1.5  # largest over smallest of the estimates, up to which they agree


def in_population(evidence: Evidence, *, external: bool = False) -> Section | None:
    """The risk in the population by each estimator; who stands out is not told to others."""
    found = evidence.in_population
    if found is None:
        older = evidence.population
        return None if older is None else _section((_individual(older),))
    said = [_intruder(found, external=external), *_keys(found, external=external)]
    exhibits = []
    if found.missing:
        said.append(_without_weights(found))
    else:
        said += [*_model(found, external=external), *_agreement(found)]
        said += _households(evidence.population)
        exhibits.append(_estimates(found))
    if found.attackers is not None:
        exhibits.append(_attackers(found, found.attackers))
    if found.special is not None and found.special.sets and not external:
        exhibits.append(_special(found.special))
    return _section(tuple(said), tuple(exhibits))


def _section(said: tuple[Phrase, ...], exhibits: tuple[Exhibit, ...] = ()) -> Section:
    return Section(key=KEY, title=TITLE, paragraphs=said, exhibits=exhibits)


def _individual(people: PopulationRisk) -> Phrase:
    """The figure of older evidence, which has one estimator only."""
    return phrase(
        "By the [sampling weights](weight), an intruder would [re-identify](population-risk) {} "
        "of {} people in the population. {} records are unique in the file; {} of them are "
        "expected to be unique in the population.",
        expected(people.expected),
        counted(people.n),
        counted(people.uniques),
        expected(people.population_uniques),
    )


def _intruder(found: InPopulation, *, external: bool) -> Phrase:
    known = several(len(found.keys), "attribute") if external else names(found.known)
    return phrase(
        "Suppose that an [intruder](population-estimates) has a list of the whole population with "
        "{}, but does not know who is in the release. If F people on the list fit a released "
        "record, a match is right with one chance in F. Of {}, {} {} unique in these keys{}.",
        known,
        several(found.n, "released record"),
        counted(found.uniques),
        "is" if found.uniques == 1 else "are",
        () if found.population is None else _stands_for(found.population),
    )


def _stands_for(population: float) -> Phrase:
    """Rounded: where all weights are equal, the exact number would be a cell."""
    people = float(f"{population:.2g}")
    said = "; by the [sampling weights](weight) all records stand for about {} people"
    return phrase(said, counted(people))


def _keys(found: InPopulation, *, external: bool) -> Iterator[Phrase]:
    """Which keys the figures count, and in which form."""
    by = {"policy": "the policy (keys of k_anonymity)", "register": "the register scenario"}

    def listed(columns: Sequence[str]) -> Phrase:
        return several(len(columns), "key") if external else names(columns)

    yield phrase("The keys are those of {}.", by[found.source])
    if ranges := found.in_ranges:
        yield phrase(
            "Counted in at most ten ranges, since exact numbers have too many values: {}. The risk "
            "by an intruder who knows exact values is higher.",
            listed(ranges),
        )
    if many := [one.column for one in found.left_out if one.reason == "too many combinations"]:
        yield phrase(
            "Left out, since too many combinations would be possible: {}. The risk by an intruder "
            "who also knows this is higher.",
            listed(many),
        )
    if others := [one.column for one in found.left_out if one.reason != "too many combinations"]:
        yield phrase("Left out, as an identifier or not released: {}.", listed(others))
    if before := [one.column for one in found.keys if one.before_masking]:
        yield phrase(
            "Released values of {} may be wrong, so the original values of the released records "
            "count: after this masking, the risk by these keys is lower.",
            listed(before),
        )


def _without_weights(found: InPopulation) -> Phrase:
    why = phrase("The schema declares no [sampling weights](weight)")
    if found.weight is not None:
        why = phrase("The [sampling weights](weight) cannot be used ({})", name(found.missing))
    return phrase(
        "{}, so that nobody can say how many people of the population share a key: there is no "
        "estimate of correct matches. What is certain: at most the {} can be unique in the "
        "population, and the risks by a journalist and a marketer below are upper bounds.",
        why,
        several(found.uniques, "unique record"),
    )


def _model(found: InPopulation, *, external: bool) -> Iterator[Phrase]:
    """What the log-linear model expects, and what is doubtful about it."""
    result, model = found.of("log-linear"), found.model
    if result is None or model is None or result.matches is None:
        yield phrase(
            "The [log-linear model](log-linear) was left out, as it takes more work than this "
            "audit has (`--effort thorough`)."
        )
        return
    matches = result.matches
    yield phrase(
        "The [log-linear model](log-linear) expects {} correct [matches](population-estimates), {} "
        "of the released records; the [interval](log-linear) ends at {}. The highest risk of a "
        "record is {}.",
        expected(matches.value),
        percent(found.share or 0.0),
        expected(matches.highest),
        percent(model.highest),
    )
    alone = result.population_uniques
    if alone is not None and _is_wide(alone, found.uniques):
        yield phrase(
            "The sample hardly tells how many of the {} are unique in the population: the interval "
            "of the model goes from {} to {}.",
            several(found.uniques, "unique record"),
            *(expected(alone.low or 0.0), expected(alone.highest)),
        )
    if not model.acceptable:
        yield phrase(
            "The model does not fit: the sample has structure that its terms miss. Do not rely on "
            "its figures alone."
        )
    if model.not_converged:
        terms = names(" x ".join(term) for term in model.not_converged)
        yield phrase(
            "The fit did not converge with {}; the simpler model without {} is used.",
            several(len(model.not_converged), "term") if external else terms,
            "it" if len(model.not_converged) == 1 else "them",
        )


def _is_wide(figure: PopulationFigure, uniques: int) -> bool:
    """Whether the interval holds at least half of all values that are possible."""
    return figure.low is not None and 2 * (figure.highest - figure.low) >= uniques


def _agreement(found: InPopulation) -> Iterator[Phrase]:
    """How far the valid estimators agree on the population uniques."""
    valid = [
        (one.population_uniques.value, ESTIMATORS[one.estimator][0])
        for one in found.estimates
        if one.valid and one.population_uniques is not None
    ]
    if len(valid) < 2:
        return
    low, high = (end(valid, key=lambda one: one[0]) for end in (min, max))
    agree = high[0] <= CLOSE * low[0]
    yield phrase(
        "The estimators of population uniques {}: from {} ({}) to {} ({}) of the {}.",
        "agree" if agree else "disagree",
        *(expected(low[0]), low[1], expected(high[0]), high[1]),
        several(found.uniques, "unique record"),
    )


def _households(individual: PopulationRisk | None) -> Iterator[Phrase]:
    """What samples of households change: members are alike, and one may reveal the others."""
    homes = None if individual is None else individual.households
    if homes is not None:
        yield phrase(
            "The file has [households](household). The estimators take persons to be sampled one "
            "by one, and their intervals do not count that members are sampled together. By "
            "Benedetti and Franconi, at least one member is matched correctly in {} of {}.",
            expected(homes.expected),
            several(homes.n, "household"),
        )


def _estimates(found: InPopulation) -> Exhibit:
    table = tabulate(
        found.estimates,
        (text("estimator", "estimator"), lambda one: ESTIMATORS[one.estimator][0]),
        (
            text("uniques", "unique records that are unique in the population"),
            lambda one: _figure(one.population_uniques),
        ),
        (
            text("unique_matches", "correct matches among the unique records"),
            lambda one: _figure(one.unique_matches),
        ),
        (text("matches", "correct matches among all"), lambda one: _figure(one.matches)),
        (text("assumes", "assumes"), lambda one: ESTIMATORS[one.estimator][1]),
        (text("valid", "usable"), lambda one: _validity(one, found)),
    )
    return Exhibit(
        name="in-population",
        title=phrase("Expected numbers of people, of {}", several(found.n, "released record")),
        table=table,
        notes=(
            phrase(
                "In brackets: the prediction interval, where the estimator has one. Chosen among "
                "Pitman, Zayatz and slide negative binomial, by the rule of Dankar and others: "
                "{}.",
                ESTIMATORS[found.chosen][0],
            ),
        ),
    )


def _figure(figure: PopulationFigure | None) -> Cell:
    if figure is None:
        return None
    if figure.low is None or figure.high is None:
        return expected(figure.value)
    return phrase(
        "{} ({} to {})", expected(figure.value), expected(figure.low), expected(figure.high)
    )


def _validity(one: EstimatorResult, found: InPopulation) -> Cell:
    if not one.valid:
        return phrase("no: {}", name(one.reason))
    return "yes, chosen" if one.estimator == found.chosen else "yes"


def _attackers(found: InPopulation, risks: AttackerRisks) -> Exhibit:
    rows = (
        ("prosecutor", "yes", risks.prosecutor),
        ("journalist", "no", risks.journalist),
        ("marketer", "no", risks.marketer),
    )
    table = tabulate(
        rows,
        (text("attacker", "attacker"), lambda row: Term(row[0], "attackers")),
        (text("member", "knows who is in the release"), lambda row: row[1]),
        shares("highest", "highest risk of a record", lambda row: row[2].highest),
        shares("mean", "mean risk", lambda row: row[2].mean),
    )
    basis = (
        "estimated by Benedetti and Franconi from the weights: too low for simple random samples, "
        "where the log-linear model counts"
    )
    if found.missing:
        basis = "not known: the release stands for its population, so that they are upper bounds"
    return Exhibit(
        name="attackers",
        title="Prosecutor, journalist and marketer: the risk of a match on the keys",
        table=table,
        notes=(
            phrase(
                "The journalist looks for any one person, so that the highest risk counts; the "
                "marketer for as many as possible, so that the mean counts. The risks of both are "
                "{}.",
                basis,
            ),
        ),
    )


def _special(special: SpecialUniques) -> Exhibit:
    ranked = sorted(special.attributes, key=lambda one: -one.share)[:LISTED_ATTRIBUTES]
    most: Phrase = ()
    for one in ranked:
        between = ", " if most else ""
        most += phrase("{}{} ({})", between, name(one.column), percent(one.share))
    table = tabulate(
        special.sets,
        (text("columns", "attributes"), lambda one: names(one.columns)),
        counts("size", "number", lambda one: len(one.columns)),
        counts("records", "records alone in these and not in fewer", lambda one: one.records),
    )
    return Exhibit(
        name="special-uniques",
        title="Combinations of attributes that single records out",
        lead=(
            phrase(
                "{} of {} are [special](special-uniques): fewer attributes than all single them "
                "out. The attributes with the largest share of the SUDA score: {}.",
                counted(special.special),
                several(special.uniques, "unique record"),
                most,
            ),
        ),
        table=table,
    )
