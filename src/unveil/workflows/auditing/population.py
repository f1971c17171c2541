"""The risk in the population: the keys that an audit takes, and what it measures of them."""

from functools import partial
from typing import Literal, NamedTuple

from unveil.errors import UnveilError
from unveil.measures.population.prepared_keys import PreparedKeys, prepare_keys
from unveil.measures.population.side_by_side import PopulationMeasures, in_population
from unveil.values.disclosure_scenario import REGISTER
from unveil.values.results.policy import POPULATION_LIMITS, Policy
from unveil.workflows.auditing.checkpoints import Checkpoints
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.auditing.resources import WorkPlan
from unveil.workflows.auditing.scenarios.definitions import scenarios_of

STEP, MODEL_STEP = "population", "population model"
CELL_SECONDS = 1e-6  # a key of a possible combination, over the models that are tried
RECORD_SECONDS = 1e-5  # a record, by the other estimators
SET_SECONDS = 6e-6  # a set of keys, whose special uniques are searched


class AuditedKeys(NamedTuple):
    """The keys of an audit's estimates, and what named them; or why there are none."""

    prepared: PreparedKeys | None
    source: Literal["policy", "register"]
    problem: str = ""

    @property
    def has_model(self) -> bool:
        """Whether there are weights that a model of the population could use."""
        return self.prepared is not None and self.prepared.weight is not None


def audited_keys(inputs: AuditInputs, policy: Policy | None, *, always: bool) -> AuditedKeys:
    """The keys of the policy's k-anonymity, else those of the register scenario.

    There are none of synthetic rows, nor, unless `always`, where no limit needs them.
    """
    limit = None if policy is None else policy.class_limit("k_anonymity")
    source: Literal["policy", "register"] = "register"
    columns = () if limit is None else limit.keys or ()
    if not len(inputs.pair.released) or not (always or needs_model(policy)):
        return AuditedKeys(None, source)
    if columns:
        source = "policy"
    else:
        registers = (one for one in scenarios_of(inputs, policy) if one.name == REGISTER)
        columns = next(registers).knows or ()
    try:
        return AuditedKeys(prepare_keys(inputs.pair, columns), source)
    except UnveilError as error:
        return AuditedKeys(None, source, str(error))


def needs_model(policy: Policy | None) -> bool:
    """Whether a policy limits a figure of the log-linear model."""
    limits = (getattr(policy, name, None) for name in POPULATION_LIMITS)
    return any(limit is not None for limit in limits)


def plan_population(plan: WorkPlan, keys: AuditedKeys, policy: Policy | None) -> None:
    """Plan the estimators, which are always made, and the model where the work suffices."""
    if keys.prepared is None:
        return
    many = len(keys.prepared.keys)
    plan.expected[STEP] = RECORD_SECONDS * len(keys.prepared.data) + SET_SECONDS * 2**many
    if keys.has_model:
        plan.what_if(
            MODEL_STEP,
            CELL_SECONDS * keys.prepared.cells * many,
            requested=needs_model(policy) or None,
            does="the log-linear model of the population",
        )


def population_measures(
    keys: AuditedKeys, steps: Checkpoints, plan: WorkPlan
) -> PopulationMeasures | None:
    """Every estimator of the risk in the population; None without keys."""
    if keys.prepared is None:
        return None
    work = partial(in_population, keys.prepared, keys.source, model=plan.makes(MODEL_STEP))
    return steps.run(STEP, PopulationMeasures, lambda _: work())
