"""The classes of records that a policy limits, and limits that mean nothing for a release."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unveil.errors import DataError
from unveil.measures import diversity, uniqueness
from unveil.measures.disclosure.uniqueness import perturbed_columns
from unveil.values.file_pair import FilePair
from unveil.values.results.disclosure import PolicyClasses
from unveil.values.results.policy import CLASS_LIMITS, POPULATION_LIMITS, Policy
from unveil.wording import absent_column, listing
from unveil.workflows.auditing.inputs import AuditInputs
from unveil.workflows.inputs.released_columns import released_columns
from unveil.workflows.mask import masks_of

UNPERTURBED = "not perturbed"  # the default keys of a limit
MEANS_NOTHING = "equal rows do not show how many people share their values"


def refuse_meaningless(policy: Policy | None, inputs: AuditInputs) -> None:
    """Refuse a limit on equal records or on the population that means nothing for this release."""
    for name in POPULATION_LIMITS:
        if getattr(policy, name, None) is not None and inputs.pair.truth is None:
            raise DataError(
                f"policy: {name}: the release is synthetic, and its rows belong to nobody: leave "
                "the limit out"
            )
    for classes in class_keys(policy, inputs):
        if classes.meaningless:
            raise DataError(f"policy: {classes.limit}: {classes.meaningless}")


def count_classes(policy: Policy | None, inputs: AuditInputs) -> tuple[PolicyClasses, ...]:
    """The classes that the limits of a policy are counted on."""
    pair, filled, found = inputs.pair, inputs.scenario.pair, []
    counted = dict[tuple[str, ...], dict[str, Any]]()
    for classes in class_keys(policy, inputs):
        keys = classes.keys
        if keys not in counted and not classes.meaningless:
            there = all(name in pair.original.columns for name in keys)
            counted[keys] = {
                "original": uniqueness(pair.original, keys) if there else None,
                "release": uniqueness(pair.release, keys),
                "filled": None if filled is pair else uniqueness(filled.release, keys).smallest,
                "diversity": diversity(pair.release, keys),
            }
        found.append(msgspec.structs.replace(classes, **counted.get(keys, {})))
    return tuple(found)


def class_keys(policy: Policy | None, inputs: AuditInputs) -> list[PolicyClasses]:
    """The keys of each limit on classes of equal records; or why it means nothing.

    They are the keys that the limit names, else those of k-anonymity, else those that a mask
    promised, else the quasi-identifiers that were not perturbed.
    """
    limits = {} if policy is None else {name: policy.class_limit(name) for name in CLASS_LIMITS}
    named = {name: limit.keys for name, limit in limits.items() if limit is not None}
    if not named:
        return []
    pair, promised = inputs.pair, _promised(inputs)
    _check_released(named, pair.release.columns)
    quasi = pair.with_role("quasi") or inputs.known
    every = (quasi, *(keys or () for keys in named.values()), *(keys for _, keys in promised))
    columns = [name for name in pair.columns if any(name in keys for keys in every)]
    perturbed = perturbed_columns(pair, columns)
    default = UNPERTURBED, tuple(name for name in quasi if name not in perturbed)
    found = []
    for limit, own in named.items():
        chosen = own or named.get("k_anonymity")
        source, keys = promised[0] if promised else default
        if chosen is not None:
            source, keys = "policy", tuple(dict.fromkeys(chosen))
        left_out = tuple(name for name in quasi if name not in keys)
        classes = PolicyClasses(limit=limit, keys=keys, source=source, left_out=left_out)
        why = _meaningless(classes, pair, perturbed, [] if chosen else promised)
        found.append(msgspec.structs.replace(classes, meaningless=why))
    return found


def _check_released(named: Mapping[str, tuple[str, ...] | None], columns: Sequence[str]) -> None:
    for limit, keys in named.items():
        for key in keys or ():
            if key not in columns:
                absent = absent_column(key, columns)
                raise DataError(f"policy: {limit}: keys: in the release, {absent}")


def _meaningless(
    classes: PolicyClasses,
    pair: FilePair,
    perturbed: Sequence[str],
    promised: Sequence[tuple[str, tuple[str, ...]]],
) -> str:
    """Why a limit on these classes means nothing; empty if it does."""
    if pair.truth is None:
        return f"the release is synthetic, and its {MEANS_NOTHING}: leave the limit out"
    if any(not set(keys) <= set(classes.keys) for _, keys in promised):
        sets = "; ".join(listing(keys) for _, keys in promised)
        return f"masks guarantee it for different keys ({sets}); name the keys of the limit"
    noisy = [name for name in perturbed if name in classes.keys or not classes.keys]
    if not noisy or (classes.keys and uniqueness(pair.release, classes.keys).smallest > 1):
        return ""  # rows that are equal cannot be told apart, however they became so
    remedy = "name keys that were not perturbed, or leave the limit out"
    return f"{listing(noisy)}: perturbed, so that {MEANS_NOTHING}; {remedy}"


def _promised(inputs: AuditInputs) -> list[tuple[str, tuple[str, ...]]]:
    """The released keys of which the masks of the plan promise something, the most keys first."""
    if inputs.plan is None:
        return []
    people = released_columns(inputs.pair.original, inputs.plan)
    promised = [
        (mask.step, tuple(name for name in keys if name in inputs.pair.release.columns))
        for mask in masks_of(inputs.plan, people)
        for _, keys in mask.guarantees(people)
    ]
    return sorted((one for one in promised if one[1]), key=lambda one: -len(one[1]))
