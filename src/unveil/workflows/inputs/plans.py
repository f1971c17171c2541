"""A plan that can be carried out: from masks, a plan or its file."""

import logging
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unveil import __version__
from unveil.errors import SpecError, UsageError, shortened
from unveil.files.documents.toml import mask_from, read_plan
from unveil.masks import METHODS, Mask
from unveil.support.rules import kind_words
from unveil.support.specs import fields_of
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
        _refuse_mask_name(masks)
        plan = read_plan(masks, allow=allow)
    elif isinstance(masks, Plan):
        plan = masks
    else:
        try:
            listed = [masks] if isinstance(masks, Mask | Mapping) else list(masks)
        except TypeError:
            raise UsageError(
                f"masks are a list of masks, a plan or its path, not {kind_words(masks)}"
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


def _refuse_mask_name(path: str | os.PathLike[str]) -> None:
    """A text is the path of a plan; the name of a mask lacks the mask's parameters."""
    name = str(path)
    if name in METHODS.names() and not Path(name).exists():
        spec = METHODS.find(name)
        required = ", ".join(f"{one.name}=..." for one in fields_of(spec) if one.required)
        raise UsageError(
            f"'{name}' is a mask, and a text is the path of a plan; give the mask with its "
            f"parameters, masks.{spec.__name__}({required}), or a plan file"
        )


def _check_names(masks: tuple[Any, ...]) -> None:
    names = [mask.step for mask in masks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError(
            f"two steps of the plan are called {listing(twice)}; random numbers depend on the "
            "name, so give each step another name"
        )
