"""A plan that can be carried out: from masks, a plan or its file."""

import logging
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unveil import __version__
from unveil.errors import SpecError, UsageError, shortened
from unveil.files.documents.toml import mask_from, read_plan
from unveil.masks import Mask
from unveil.values.release.plan import SEED_BITS, Household, Plan
from unveil.wording import listing


def as_plan(
    masks: Mask | Iterable[Mask | str | Mapping[str, Any]] | Plan | str | os.PathLike[str],
    seed: int | None = None,
    household: Household | None = None,
    allow: Sequence[str] = (),
) -> Plan:
    """A plan that can be carried out: masks with different names, and a seed."""
    if isinstance(masks, str | os.PathLike):
        plan = read_plan(masks, allow=allow)
    elif isinstance(masks, Plan):
        plan = masks
    else:
        try:
            listed = [masks] if isinstance(masks, Mask | Mapping) else list(masks)
        except TypeError:
            raise UsageError(
                f"masks are a list of masks, a plan or its path, not {type(masks).__name__}"
            ) from None
        plan = Plan(tuple(mask_from(one) for one in listed))
    _check_names(plan.masks)
    if plan.version not in ("", __version__):
        logging.getLogger("unveil").warning(
            "the plan was made by version %s, this is %s: the result may differ",
            shortened(plan.version),
            __version__,
        )
    seed = plan.seed if seed is None else seed
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    household = plan.household if household is None else household
    return replace(plan, seed=seed, household=household, version=__version__)


def _check_names(masks: tuple[Any, ...]) -> None:
    names = [mask.step for mask in masks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError(
            f"two steps of the plan are called {listing(twice)}; random numbers depend on the "
            "name, so give each step another name"
        )
